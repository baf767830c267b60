"""Both engines on the same requests: all that either writes down, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pytest

from emu.driver import Driver
from emu.engines import FaultError
from emu.errors import RunError
from emu.fast import log
from emu.fast.codes import OPERATIONS
from emu.fast.events import Events
from emu.path import Path
from emu.request import Request
from emu.table.schema import Table
from emu.trace.events import Event, Kind
from emu.utilisation import used
from emu.waits import DeadlockError
from emu.workload import Access, Timed, Workload
from tests.build import Post

#: What the log has of each kind of event; actors say only to traces when they accept.
KINDS = {
    log.SUBMITTED: Kind.SUBMITTED,
    log.ARRIVED: Kind.ARRIVED,
    log.ACCEPTED: Kind.ACCEPTED,
    log.EMITTED: Kind.EMITTED,
    log.LEFT: Kind.LEFT,
    log.COMPLETED: Kind.COMPLETED,
    log.DROPPED: Kind.DROPPED,
}


@dataclass
class Told:
    """What is known of a run: of each request all its times, and where its time went."""

    #: Time, kind and stage, in order, by number.
    times: dict[int, list[tuple[int, Kind, str]]] = field(default_factory=dict)
    #: Stage, part and picoseconds of each charge, by number.
    charges: dict[int, list[tuple[str, str, int]]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)
    error: bool = False
    #: What of it happened in the instant in which something failed, is not the same.
    is_whole: bool = True


def timed(load: Iterable[Post]) -> list[tuple[int, Access]]:
    """Posts in the order of time, as a workload has them."""
    in_order = sorted(load, key=lambda post: post.at_ps)
    return [
        (
            post.at_ps,
            Access(
                post.operation,
                post.size_bytes,
                post.address,
                post.initiator,
                post.destination,
                post.order,
                post.service,
                post.fence,
            ),
        )
        for post in in_order
    ]


def by_reference(table: Table, workload: Workload, requests: int | None, seed: int) -> Told:
    """What the reference engine tells."""
    told = Told()
    path = Path(table, seed)
    actors = {station.name for station in path.stations if station.actor is not None}
    ended: list[Request] = []

    def hear(event: Event) -> None:
        kind = event.kind
        if kind in KINDS.values() and not (kind is Kind.ACCEPTED and event.stage in actors):
            # Where requests are lost is compared by the counts of `dropped`.
            stage = "" if kind is Kind.DROPPED else event.stage
            told.times.setdefault(event.request, []).append((event.time_ps, kind, stage))

    driver = Driver(path, workload, requests=requests, on_complete=ended.append, listener=hear)
    try:
        driver.run()
    except RunError as error:
        told.error = True
        told.is_whole = isinstance(error, DeadlockError)
    told.ended = [request.sequence for request in ended]
    for request in ended:
        hops = request.plan.hops
        told.charges[request.sequence] = sorted(
            (hops[index].name, part, time_ps) for index, part, time_ps in request.charges
        )
    return told


def by_compiled(table: Table, workload: Workload, requests: int | None, seed: int) -> Told:
    """What the compiled engine tells."""
    told = Told()
    path = Path(table, seed)
    names = [entry.name for entry in table.entries]
    events = Events(path, workload, requests=requests, logs=True)
    try:
        events.run()
    except FaultError:
        told.error = True
    parts, plans = events.parts, events.plans
    completed = set()
    for time_ps, code, number, fourth, fifth, sixth in events.log().tolist():
        if code == log.CHARGED:
            if number in completed:
                name = plans[sixth].hops[fourth].name
                told.charges[number].append((name, parts[fifth], time_ps))
            continue
        kind = KINDS[code]
        if kind is Kind.COMPLETED:
            completed.add(number)
            told.ended.append(number)
            told.charges[number] = []
            assert OPERATIONS[sixth] in table.operations
        nowhere = kind in (Kind.SUBMITTED, Kind.COMPLETED, Kind.DROPPED)
        stage = "" if nowhere or fourth < 0 else names[fourth]
        told.times.setdefault(number, []).append((time_ps, kind, stage))
    for charges in told.charges.values():
        charges.sort()
    return told


def assert_agree(
    table: Table, load: Sequence[Post], *, seed: int = 1
) -> tuple[Driver, Events] | None:
    """Both engines say the same of these requests: every time, every charge, every sum.

    Gives both, at their ends; nothing if the run can't come to its end.
    """
    return assert_agree_on(table, [Timed(timed(load)) for _ in range(4)], None, seed)


def assert_agree_on(
    table: Table, workloads: Sequence[Workload], requests: int | None, seed: int = 1
) -> tuple[Driver, Events] | None:
    """The same for a workload, of which four fresh ones are needed."""
    reference = by_reference(table, workloads[0], requests, seed)
    compiled = by_compiled(table, workloads[1], requests, seed)
    assert compiled.error == reference.error
    if not reference.is_whole:
        return None
    for number, times in reference.times.items():
        assert compiled.times[number] == times, number
    assert compiled.times.keys() == reference.times.keys()
    assert compiled.ended == reference.ended
    for number, charges in reference.charges.items():
        assert compiled.charges[number] == charges, number
    return assert_same_counts(table, workloads[2], workloads[3], requests, seed)


def assert_same_counts(
    table: Table,
    workload: Workload,
    again: Workload,
    requests: int | None,
    seed: int = 1,
    until_ps: int | None = None,
) -> tuple[Driver, Events] | None:
    """Without a listener both count the same, and leave the stations the same."""
    path, other_path = Path(table, seed), Path(table, seed)
    driver = Driver(path, workload, requests=requests)
    events = Events(other_path, again, requests=requests, until_ps=until_ps)
    try:
        driver.run(until_ps)
    except RunError:
        with pytest.raises(FaultError):
            events.run()
        return None
    events.run()
    for name in (
        *("posted", "marked", "dropped", "in_flight_at", "first_post_ps", "first_completion_ps"),
        *("last_completion_ps", "rounds", "inside_ps", "changed_ps"),
    ):
        assert getattr(events, name) == getattr(driver, name), name
    assert events.ledger.by_stage() == driver.ledger.by_stage()
    assert vars(events.latency) == vars(driver.latency)
    if until_ps is not None:
        assert events.now_ps == driver.now_ps
    end_ps = driver.now_ps if driver.in_flight_at else driver.changed_ps
    found = used(path, None, events.latency.count, 0, end_ps)
    assert used(other_path, None, events.latency.count, 0, end_ps) == found
    for actor in (station for station in path.stations if station.actor is not None):
        assert events.counts(actor.name) == driver.counts(actor.name)
    return driver, events
