"""Trackers: what a request waits for at its initiator; see `stages.order.trackers`.

Only whether it must wait is known here, and not behind whom.
"""

from __future__ import annotations

from typing import Any

from emu.fast.codes import COMPARE_AND_SWAP, FETCH_AND_ADD, LOAD, READ, RO, ROI, SO
from emu.fast.compiled import compiled
from emu.fast.dispatcher_records import (
    COUNTED,
    KNOWN,
    SEQUENCE,
    end_visit,
    initiators_of,
    visits_of,
)
from emu.fast.layout import requests
from emu.fast.memory import WORD_BYTES, extend, words


@compiled
def is_ordered(request: Any) -> bool:
    """Whether a later request in strict order waits for this one: it is of order RO or SO."""
    return bool(request.order >= RO)


@compiled
def is_strict(request: Any) -> bool:
    """Whether this one waits at its initiator for those before it."""
    return bool(request.order == SO and request.service <= ROI)


@compiled
def counts(dispatcher: Any, request: Any) -> bool:
    """Whether others may wait for the answer to it: to what has an order, or brings a value."""
    if dispatcher.is_engine:
        return is_ordered(request)
    return bool(request.operation in (READ, LOAD, FETCH_AND_ADD, COMPARE_AND_SWAP))


@compiled
def must_wait(world: Any, dispatcher: Any, visit_place: int) -> bool:
    """Whether a request waits for others of its initiator, as far as is known."""
    visit = visits_of(dispatcher)[visit_place]
    request = requests(world)[visit.request]
    if not (is_strict(request) if dispatcher.is_engine else request.fence):
        return False
    if dispatcher.tracking == SEQUENCE:
        return bool(visit.before >= 0)
    initiator = initiators_of(dispatcher)[visit.initiator]
    return bool(initiator.count > 0 if dispatcher.tracking == COUNTED else initiator.first >= 0)


@compiled
def has_come(world: Any, dispatcher: Any, visit: int) -> None:
    """The request takes its place behind those that came before, where that counts."""
    if dispatcher.tracking == SEQUENCE:
        request = requests(world)[visits_of(dispatcher)[visit].request]
        if counts(dispatcher, request):
            _add(dispatcher, visit)


@compiled
def has_gone(dispatcher: Any, visit_place: int) -> None:
    """A request that counts has been let go: from now on it can be answered."""
    visit = visits_of(dispatcher)[visit_place]
    if dispatcher.tracking == COUNTED:
        initiators_of(dispatcher)[visit.initiator].count += 1
        return
    if dispatcher.tracking == KNOWN:
        _add(dispatcher, visit_place)
    visit.is_sent = 1
    if dispatcher.watches:
        _note(dispatcher, visit.request, visit_place + 1)


@compiled
def visit_answered(dispatcher: Any, request: int) -> int:
    """The visit of a request that is answered now; -1 if that makes no difference."""
    if request >= dispatcher.visit_of.count:
        return -1
    visit = int(words(dispatcher.visit_of)[request] - 1)
    if visit >= 0:
        _note(dispatcher, request, 0)
        visits_of(dispatcher)[visit].is_due = 1
    return visit


@compiled
def hear(dispatcher: Any, initiator_place: int, visit_place: int) -> None:
    """An answer is taken: to a visit, or with -1 to the oldest that the initiator has sent."""
    if dispatcher.tracking == COUNTED:
        initiator = initiators_of(dispatcher)[initiator_place]
        initiator.count = max(0, initiator.count - 1)
    elif visit_place >= 0:
        visit = visits_of(dispatcher)[visit_place]
        if visit.is_known:
            _remove(dispatcher, visit)
        end_visit(dispatcher, visit_place)
    else:
        _hear_oldest(dispatcher, initiators_of(dispatcher)[initiator_place].first)


@compiled
def _hear_oldest(dispatcher: Any, place: int) -> None:
    """The first that was sent is answered, of this visit and those after it."""
    visits = visits_of(dispatcher)
    while place >= 0 and not visits[place].is_sent:
        place = visits[place].after
    if place < 0:
        return
    visit = visits[place]
    _remove(dispatcher, visit)
    # An answer to itself may be on its way, and then ends the visit.
    if not visit.is_due:
        if dispatcher.watches:
            _note(dispatcher, visit.request, 0)
        end_visit(dispatcher, place)


@compiled
def _add(dispatcher: Any, place: int) -> None:
    """The last of those of its initiator that are known."""
    visits = visits_of(dispatcher)
    visit = visits[place]
    initiator = initiators_of(dispatcher)[visit.initiator]
    visit.is_known = 1
    visit.before = initiator.last
    visit.after = -1
    if initiator.last >= 0:
        visits[initiator.last].after = place
    else:
        initiator.first = place
    initiator.last = place


@compiled
def _remove(dispatcher: Any, visit: Any) -> None:
    """It is known no more."""
    visits = visits_of(dispatcher)
    initiator = initiators_of(dispatcher)[visit.initiator]
    visit.is_known = 0
    if visit.before >= 0:
        visits[visit.before].after = visit.after
    else:
        initiator.first = visit.after
    if visit.after >= 0:
        visits[visit.after].before = visit.before
    else:
        initiator.last = visit.before


@compiled
def _note(dispatcher: Any, request: int, number: int) -> None:
    """Remembers a number of a request by its place."""
    block = dispatcher.visit_of
    if request >= block.count:
        extend(block, request + 1 - block.count, WORD_BYTES)
    words(block)[request] = number
