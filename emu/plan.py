"""Plan: the stages that one kind of request passes, with all that is known before it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from emu.errors import EmuError
from emu.request import Operation, Request
from emu.stage import Served
from emu.table.fields import by_operation
from emu.table.schema import Entry, Message, Resolution
from emu.time import Clock, Cycles, Duration

if TYPE_CHECKING:
    from emu.resource import Pool
    from emu.station import Station


@dataclass(frozen=True, slots=True)
class Later:
    """So many picoseconds after a time, or edges of a clock after the first from then on."""

    count: int
    clock: Clock | None = None

    def after(self, time_ps: int) -> int:
        """When that is."""
        if self.clock is None:
            return time_ps + self.count
        return self.clock.edge(self.clock.edge_at_or_after(time_ps) + self.count)


@dataclass(slots=True, eq=False)
class Hop:
    """One stage of a plan.

    `derived_ps` is the stage's time from the table, and `parts` says what it consists of. On a
    clock with edges `latency` and `busy` (the time until the next acceptance) count cycles;
    elsewhere picoseconds.
    """

    name: str
    kind: str
    #: Which entry of the table this is of; a stage that uses a link has several hops.
    entry: int
    station: Station
    latency: int
    busy: int
    derived_ps: int
    parts: tuple[tuple[str, int], ...]
    serve: Callable[[Request, int], Served | None] | None
    #: Bytes of the message that travels here: the request's, or after the turn the response's.
    message_bytes: int = 0
    takes: tuple[Pool, ...] = ()
    releases: tuple[Pool, ...] = ()
    #: Given back when the request's time here is over, even if it can't leave: a tag is free
    #: when the data is back.
    returns: tuple[Pool, ...] = ()
    #: Of `releases` those that come back a while after: when, for a time at which it leaves.
    later: dict[Pool, Later] = field(default_factory=dict)
    #: Pools taken here and given back after a time, in picoseconds.
    timed: dict[Pool, int] = field(default_factory=dict)
    #: Actors that are told when a request has left here.
    tells: tuple[Station, ...] = ()
    #: Actors further on that are told when a request has come here.
    announces: tuple[Station, ...] = ()
    #: On a link, whose turn it is; and whether a batch carries so many bytes for each.
    lane: str = ""
    carries_each: bool = False
    #: The last hop of a stage with batches: those that were accepted together go on together.
    ends_batch: bool = False
    #: The run of plain delays that starts here, in which nothing is decided: how many hops, and
    #: their time together.
    run_hops: int = 1
    run_ps: int = 0

    @property
    def is_mere_time(self) -> bool:
        """Whether a request only spends its time here, and nothing is decided."""
        return self.station.plain and self.serve is None

    @property
    def ends_run(self) -> bool:
        """Whether something happens when a request leaves."""
        return bool(self.releases or self.tells) or self.ends_batch


@dataclass(slots=True, eq=False)
class Plan:
    """The hops of one kind of request, and the sum of their times alone."""

    operation: Operation
    size_bytes: int
    #: Where the request starts, as far as it makes a difference.
    address: int
    hops: tuple[Hop, ...]
    derived_ps: int
    _ended: dict[int, Plan] = field(default_factory=dict)
    _skipped: dict[int, Plan] = field(default_factory=dict)

    def __post_init__(self) -> None:
        following: Hop | None = None
        for hop in reversed(self.hops):
            hop.run_hops, hop.run_ps = 1, hop.derived_ps
            if (
                following is not None
                and hop.is_mere_time
                and not hop.ends_run
                and following.is_mere_time
            ):
                hop.run_hops += following.run_hops
                hop.run_ps += following.run_ps
            following = hop

    @classmethod
    def of(cls, operation: Operation, size_bytes: int, address: int, hops: list[Hop]) -> Plan:
        """The plan that these hops make."""
        derived_ps = sum(hop.derived_ps for hop in hops)
        return cls(operation, size_bytes, address, tuple(hops), derived_ps)

    @property
    def kind(self) -> tuple[Operation, int, int]:
        """What requests that differ only in what they found on their way have in common."""
        return self.operation, self.size_bytes, self.address

    def ending_at(self, index: int) -> Plan:
        """This plan for a request that is complete when it leaves the stage of hop `index`."""
        entry = self.hops[index].entry
        index = max(i for i, hop in enumerate(self.hops) if hop.entry == entry)
        plan = self._ended.get(index)
        if plan is None:
            plan = self._ended[index] = Plan.of(*self.kind, self._hops_to(index))
        return plan

    def skipping_after(self, index: int) -> Plan:
        """This plan without what is left of the stage of hop `index`."""
        plan = self._skipped.get(index)
        if plan is None:
            entry = self.hops[index].entry
            later = self.hops[index + 1 :]
            skipped = [hop for hop in later if hop.entry == entry]
            kept = (*self.hops[: index + 1], *(hop for hop in later if hop.entry != entry))
            hops = [replace(hop) for hop in kept]
            # What would have been given back on the way is given back here.
            freed = (pool for hop in skipped for pool in (*hop.releases, *hop.returns))
            hops[index].releases = (*hops[index].releases, *freed)
            hops[index].later = all_later([hops[index], *skipped])
            hops[index].ends_batch |= any(hop.ends_batch for hop in skipped)
            told = (actor for hop in skipped for actor in hop.tells)
            hops[index].tells = (*hops[index].tells, *told)
            plan = self._skipped[index] = Plan.of(*self.kind, hops)
        return plan

    def _hops_to(self, index: int) -> list[Hop]:
        """Copies of the first hops; the last of them gives back all that is still held."""
        hops = [replace(hop) for hop in self.hops[: index + 1]]
        taken = dict.fromkeys(pool for hop in hops for pool in hop.takes)
        hops[-1].releases = tuple(taken)
        hops[-1].later = all_later(self.hops)
        hops[-1].tells = (*hops[-1].tells, *told_later(self.hops, index))
        return hops


def all_later(hops: Iterable[Hop]) -> dict[Pool, Later]:
    """Which units come back a while after a request leaves, of any of these hops."""
    return {pool: when for hop in hops for pool, when in hop.later.items()}


def told_later(hops: tuple[Hop, ...], index: int) -> tuple[Station, ...]:
    """The actors that know of a request at `hops[index]` and would hear of it later on.

    They are not left waiting for one that goes no further.
    """
    known = {hop.station for hop in hops[: index + 1]}
    known.update(actor for hop in hops[: index + 1] for actor in hop.announces)
    return tuple(actor for hop in hops[index + 1 :] for actor in hop.tells if actor in known)


@dataclass(frozen=True, slots=True)
class StageTime:
    """What a table says of one stage and one kind of request; see `Hop` for the units."""

    latency: int
    busy: int
    derived_ps: int
    parts: tuple[tuple[str, int], ...]


def stage_time(
    entry: Entry,
    clock: Clock | None,
    resolution: Resolution | None,
    operation: Operation,
    message_bytes: int,
) -> StageTime:
    """Latency, beats, serialisation and rounding of one stage, straight from the table."""
    timing = entry.timing
    latency = _count(by_operation(timing.latency or {}, operation))
    interval = _count(by_operation(timing.interval or {}, operation))
    beats = 0
    if timing.beat is not None:
        beat = timing.beat
        extra_beats = max(0, -(-message_bytes // beat.bytes) - 1)
        beats = extra_beats * _count(beat.cost or beat.latency)
        interval += extra_beats * _count(beat.cost or beat.interval)
    if clock is None:
        service_ps, beats_ps = latency, beats
    else:
        service_ps = clock.span(Cycles(latency))
        beats_ps = clock.span(Cycles(latency + beats)) - service_ps
    serialisation_ps = 0
    if timing.bandwidth is not None:
        wire_bytes = packet_bytes(message_bytes, timing.mtu, timing.header or 0)
        late_bytes = max(0, wire_bytes - (timing.cut_through or 0))
        # Cut where it is a latency, rounded up where it occupies the link: a link never carries
        # more than its bandwidth.
        serialisation_ps = int(late_bytes / timing.bandwidth)
        occupied = Fraction(wire_bytes) / timing.bandwidth
        interval = max(interval, -(-occupied.numerator // occupied.denominator))
    derived_ps = service_ps + beats_ps + serialisation_ps
    rounding_ps = rounded(derived_ps, resolution) - derived_ps
    parts = (
        ("service", service_ps),
        ("beats", beats_ps),
        ("serialisation", serialisation_ps),
        ("rounding", rounding_ps),
    )
    aligned = clock is not None and clock.aligned
    derived_ps += rounding_ps
    return StageTime(
        latency=latency + beats if aligned else derived_ps,
        busy=interval if aligned or clock is None else clock.span(Cycles(interval)),
        derived_ps=derived_ps,
        parts=tuple((part, time_ps) for part, time_ps in parts if time_ps),
    )


def rounded(time_ps: int, resolution: Resolution | None) -> int:
    """A stage's time in the steps of the table's resolution; as it is where there is none."""
    if resolution is None:
        return time_ps
    step_ps = resolution.step
    if resolution.round == "down":
        return time_ps // step_ps * step_ps
    if resolution.round == "up":
        return -(-time_ps // step_ps) * step_ps
    return (2 * time_ps + step_ps) // (2 * step_ps) * step_ps


def message_bytes(
    message: Message, size_bytes: int, *, answered: bool, at_initiator: bool = False
) -> int:
    """Bytes that travel: the request's, or after the turn the response's.

    What an acknowledgement saves is missing on the way, and not where the response has arrived.
    """
    travels = message.response if answered else message.request
    travels_bytes = size_bytes if travels is None else travels
    saved_bytes = message.fused_acknowledgement
    if answered and not at_initiator and travels_bytes >= saved_bytes:
        travels_bytes -= saved_bytes
    return travels_bytes


def packet_bytes(message_bytes: int, mtu_bytes: int | None, header_bytes: int) -> int:
    """A message with the headers of the packets that it is cut into."""
    packets = 1 if mtu_bytes is None else max(1, -(-message_bytes // mtu_bytes))
    return message_bytes + packets * header_bytes


def _count(duration: Duration | None) -> int:
    return 0 if duration is None else duration.count


class PlanError(EmuError):
    """A kind of request that a path does not take."""
