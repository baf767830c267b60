"""Source: what a workload posts, drawn in compiled code; see `emu.workload`.

`emu.fast.source_feed` puts it into the world. Accesses come from streams, whose choices are drawn
here, or one after the other from a list of given ones, which is filled again as the run goes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float64, from_dtype, int64

from emu.fast.codes import FAILED, STAGE_FAULT
from emu.fast.compiled import compiled, entry
from emu.fast.layout import POST, POST_T, randoms, record, requests
from emu.fast.memory import BLOCK, view, words
from emu.fast.random import below, uniform

#: Who posts again at the end of a request: nobody, the stream, the stream of the initiator, or
#: the chain that the request belongs to.
NOBODY, ONE_STREAM, STREAM_OF_INITIATOR, CHAIN = range(4)
CONSTANT, IN_TURN, UNIFORM, ZIPF, WEIGHTED = range(5)

#: One choice; see `emu.workload.choice`. `number` is the next one of those that draw nothing, and
#: `turns` how many times it has been chosen; `sums` is where its sums start.
CHOICE = record("kind", "number", "turns", "count", "every", "random", "sums")

#: Where accesses go: one of the slots that a choice gives, or behind `end` if that is -1.
ADDRESSES = record("choice", "slot_bytes", "end")

#: See `emu.workload.stream.Stream`; its kinds start at `kinds`, and `left` is -1 for no end.
STREAM = record("kinds", "choice_of_kinds", "addresses", "initiators", "destinations", "left")

#: A workload; the first `taken` of the given accesses have been posted.
SOURCE = record(
    # Who posts again, and of what kind the requests of chains are.
    *("again", "operation", "size_bytes"),
    # Whether accesses are given, how many are to be there in each instant, and whether that is all.
    *("is_given", "taken", "least_given", "all_given"),
    access_streams=BLOCK,
    access_choices=BLOCK,
    access_addresses=BLOCK,
    # Operation and bytes of each kind, by turns.
    access_kinds=BLOCK,
    # Sums of weights: floats of zipf, and whole numbers.
    zipf_sums=BLOCK,
    weight_sums=BLOCK,
    # By record of the chains, the record that it points to.
    following=BLOCK,
    given=BLOCK,
)

KINDS: dict[str, np.dtype[Any]] = {
    "source": SOURCE,
    "access_streams": STREAM,
    "access_choices": CHOICE,
    "access_addresses": ADDRESSES,
    "given": POST,
}

CHOICE_T = from_dtype(CHOICE)
ADDRESSES_T = from_dtype(ADDRESSES)
STREAM_T = from_dtype(STREAM)
SOURCE_T = from_dtype(SOURCE)


@compiled
def source_of(world: Any) -> Any:
    """The workload."""
    return view(world.source, SOURCE_T)[0]


@compiled
def answered(world: Any, request: int, dropped: int) -> bool:
    """Whether the end of a request lets something be posted, which is then the next access."""
    source = source_of(world)
    if source.again == NOBODY:
        return False
    ended = requests(world)[request]
    if source.again == CHAIN:
        _follow(world, source, ended, dropped)
        return True
    return next_access(world, 0 if source.again == ONE_STREAM else ended.initiator)


@compiled
def wants_more(world: Any) -> bool:
    """Whether the given accesses may not last for all the requests that end in an instant."""
    source = source_of(world)
    left = source.given.count - source.taken
    return bool(source.is_given and not source.all_given and left < source.least_given)


@compiled
def next_access(world: Any, number: int) -> bool:
    """Whether a stream has another access, which is then the next access."""
    source = source_of(world)
    if source.is_given:
        return _next_given(world, source)
    stream = view(source.access_streams, STREAM_T)[number]
    if stream.left == 0:
        return False
    if stream.left > 0:
        stream.left -= 1
    kind = stream.kinds + 2 * _chosen(world, source, stream.choice_of_kinds)
    kinds = words(source.access_kinds)
    world.operation = kinds[kind]
    world.size_bytes = kinds[kind + 1]
    # In the order of `Stream`, since two of them may share a generator.
    world.initiator = _chosen(world, source, stream.initiators)
    world.address = _address(world, source, stream.addresses)
    world.destination = _chosen(world, source, stream.destinations)
    _unmark(world)
    return True


@entry
def draw_uniforms(generators: Any, numbers: Any) -> None:
    """Draws numbers from 0 on and below 1 from the first generator, as many as there are."""
    for place in range(len(numbers)):
        numbers[place] = uniform(generators[0])


@compiled
def name_access(world: Any, post: Any) -> None:
    """Makes the access of a post, which has no stream, the next access."""
    world.operation = post.operation
    world.size_bytes = post.size_bytes
    world.address = post.address
    world.initiator = post.initiator
    world.destination = post.destination
    world.order = post.order
    world.service = post.service
    world.fence = post.fence


@compiled
def _follow(world: Any, source: Any, ended: Any, dropped: int) -> None:
    """The record to which that of a request points, or the same again if it was lost."""
    at = ended.address // source.size_bytes
    if not dropped:
        at = words(source.following)[at]
    world.operation = source.operation
    world.size_bytes = source.size_bytes
    world.address = at * source.size_bytes
    world.initiator = ended.initiator
    world.destination = 0
    _unmark(world)


@compiled
def _next_given(world: Any, source: Any) -> bool:
    given = source.given
    if source.taken == given.count:
        if source.all_given == 0:
            world.status = FAILED
            world.fault = STAGE_FAULT
        return False
    name_access(world, view(given, POST_T)[source.taken])
    source.taken += 1
    return True


@compiled
def _address(world: Any, source: Any, place: int) -> int:
    addresses = view(source.access_addresses, ADDRESSES_T)[place]
    if addresses.choice >= 0:
        return int(_chosen(world, source, addresses.choice) * addresses.slot_bytes)
    address = addresses.end
    addresses.end += world.size_bytes
    return int(address)


@compiled
def _chosen(world: Any, source: Any, place: int) -> int:
    """The next number of a choice."""
    choice = view(source.access_choices, CHOICE_T)[place]
    if choice.kind == CONSTANT:
        return int(choice.number)
    if choice.kind == IN_TURN:
        return _in_turn(choice)
    random = randoms(world)[choice.random]
    if choice.kind == UNIFORM:
        return below(random, choice.count)
    last = choice.sums + choice.count - 1
    if choice.kind == ZIPF:
        sums = view(source.zipf_sums, float64)
        value = uniform(random) * sums[last]
        # Rounding may carry a draw to the very end of the sums.
        count = _how_many_up_to(sums, choice.sums, choice.count, value)
        return int(min(count, choice.count - 1))
    weights = view(source.weight_sums, int64)
    drawn = below(random, weights[last])
    return _how_many_up_to(weights, choice.sums, choice.count, drawn)


@compiled
def _in_turn(choice: Any) -> int:
    number = choice.number
    choice.turns += 1
    if choice.turns == choice.every:
        choice.turns = 0
        choice.number += 1
        if choice.number == choice.count:
            choice.number = 0
    return int(number)


@compiled
def _how_many_up_to(sums: Any, first: int, count: int, value: Any) -> int:
    """How many of so many sums in order are no more than a value."""
    low = first
    high = first + count
    while low < high:
        middle = (low + high) // 2
        if value < sums[middle]:
            high = middle
        else:
            low = middle + 1
    return low - first


@compiled
def _unmark(world: Any) -> None:
    world.order = 0
    world.service = 0
    world.fence = 0
