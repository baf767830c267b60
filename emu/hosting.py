"""Hosting: what the engine hands to an actor and takes from it, as far as nobody else is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from emu.actor import fault_in
from emu.request import Request
from emu.stage import StageError
from emu.stage_errors import asking, called, pass_on
from emu.station import Station
from emu.trace.events import Kind
from emu.trace.teller import Teller


def arrive(station: Station, request: Request, now_ps: int) -> tuple[Station, ...]:
    """Brings a request to an actor; gives those further on that have been told of it."""
    assert station.actor is not None  # asked by the kernel
    station.port.now_ps = now_ps
    station.port.came(request)
    try:
        station.actor.arrive(request, station.port)
    except Exception as error:
        pass_on(error, station.name, "arrive", request, now_ps)
    announces = request.plan.hops[request.hop].announces
    for later in announces:
        assert later.actor is not None  # only actors are told
        later.port.now_ps = now_ps
        try:
            later.actor.coming(request, later.port)
        except Exception as error:
            pass_on(error, later.name, "coming", request, now_ps)
    return announces


def let_out(station: Station, now_ps: int, teller: Teller | None) -> Request | None:
    """Puts what an actor has emitted on its way out; gives the first there, if that is new."""
    port = station.port
    told, port.told = port.told, []
    for request, behind in told:
        if behind is None:
            request.accepted_ps = now_ps
        if teller is not None:
            teller.told(now_ps, request, behind)
    out, port.out = port.out, []
    if not out:
        return None
    for request, parts in out:
        request.emitted_ps = now_ps
        request.charges += [(request.hop, part, time_ps) for part, time_ps in parts]
        if teller is not None:
            teller.note(now_ps, Kind.EMITTED, request)
        request.finished = True
        station.enter(request, request.plan.hops[request.hop], now_ps)
    first = out[0][0]
    return first if station.inside[0] is first else None


def gone_on(station: Station, request: Request, now_ps: int) -> None:
    """What the actor has emitted is not in its way any more."""
    assert station.actor is not None  # asked by the kernel
    station.port.now_ps = now_ps
    station.port.blocked -= 1
    try:
        station.actor.left(request, station.port)
    except Exception as error:
        pass_on(error, station.name, "left", request, now_ps)


def tell_passed(passed: Iterable[tuple[Station, Request]], now_ps: int) -> Iterator[Station]:
    """Tells actors who has left the stage that they watch; gives each that has been told.

    Those of an instant are told by number, so that it is no matter which of them was first.
    """
    for station, request in sorted(passed, key=lambda both: (both[0].index, both[1].sequence)):
        assert station.actor is not None  # only actors watch
        station.port.now_ps = now_ps
        try:
            station.actor.passed(request, station.port)
        except Exception as error:
            pass_on(error, station.name, "passed", request, now_ps)
        yield station


def on_paper(station: Station, request: Request) -> dict[str, int]:
    """What an actor says that it takes of a request alone; `StageError` if those are no parts."""
    assert station.actor is not None  # asked by the path
    with asking(station.name, "on_paper"):
        said: object = station.actor.on_paper(request)
    place = called(station.name, "on_paper")
    if not isinstance(said, dict):
        raise StageError(f"{place} gives {said!r}; expected a dict of parts to picoseconds")
    fault = fault_in(said.items())
    if fault:
        raise StageError(f"{place} gives {fault}")
    return said
