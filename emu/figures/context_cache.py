"""Context caches: what an operation costs once the records in use no longer fit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

from emu.engines import Ended, Run
from emu.figures.measure import CHAPTER, MILLION, NS, least, run_table
from emu.figures.model import Figure, Point, Series
from emu.parts import CACHE_MISS
from emu.path import Path, build
from emu.random import Random
from emu.request import Operation
from emu.table import load
from emu.table.schema import Table
from emu.workload import Closed, Stream
from emu.workload.choice import Constant, InTurn, Uniform
from emu.workload.stream import Slots

SOURCE = f"{CHAPTER}, section on the state of a controller"
SIZE_BYTES = 64
#: The largest N, and how many requests each mean is of.
MOST, MEASURED = 16_384, 64
#: Requests of each share of misses, and how many standard deviations it may be off.
SAMPLED, SIGMAS = MILLION, 4
#: N of those that are used at random, up to more than a million QPs.
AT_RANDOM = (16, 32, 64, 256, 1024)
ONE_MIB = "context_cache.capacity=1 MiB"

#: Who posts, and to whom, request by request.
Turns = tuple[Iterator[int], Iterator[int]]


def pairs_in_turn(n: int) -> tuple[InTurn, InTurn]:
    """QP i mod N²: each application with each peer."""
    return InTurn(n), InTurn(n, n)


def jetties_in_turn(n: int) -> tuple[InTurn, InTurn]:
    """Jetty i mod N and channel i mod N."""
    return InTurn(n), InTurn(n)


def pairs_at_random(n: int) -> Turns:
    """Any of N applications with any of N peers."""
    random = Random(1, "context-cache pairs")
    return Uniform(n, random), Uniform(n, random)


def jetties_at_random(n: int) -> Turns:
    """Any of N Jetties, all with one peer."""
    return Uniform(n, Random(1, "context-cache jetties")), Constant(0)


@dataclass(frozen=True)
class Setting:
    """A table whose records are used in turn, and where the step is expected.

    No two requests of a round use the same records, and no more than `room` of them fit.
    """

    name: str
    table: str
    turns: Callable[[int], tuple[InTurn, InTurn]]
    rounds: Callable[[int], int]
    room: int
    last_fit: int
    step_ns: float
    overrides: tuple[str, ...] = ()


SETTINGS = (
    Setting(
        name="behind PCIe, 512 QPs",
        table="context_pcie",
        turns=pairs_in_turn,
        rounds=lambda n: n**2,
        room=512,
        last_fit=22,
        step_ns=1000,
    ),
    Setting(
        name="on the chip, 2048 records",
        table="context_onchip",
        turns=jetties_in_turn,
        rounds=lambda n: n,
        room=2048,
        last_fit=1023,
        step_ns=200,
    ),
    Setting(
        name="behind PCIe, 1 MiB",
        table="context_pcie",
        turns=pairs_in_turn,
        rounds=lambda n: n**2,
        room=2**20 // 512,
        last_fit=45,
        step_ns=1000,
        overrides=(ONE_MIB, "context_cache.records={qp: pair, segment: destination}"),
    ),
    Setting(
        name="on the chip, 1 MiB",
        table="context_onchip",
        turns=jetties_in_turn,
        rounds=lambda n: n,
        room=2**20 // (20 + 56),
        last_fit=9709,
        step_ns=200,
        overrides=(
            ONE_MIB,
            "context_cache.records={jetty: initiator, channel: destination, segment: destination}",
        ),
    ),
)


@dataclass
class Latencies:
    """The mean latency of one setting by N, from the second round on, measured when asked for."""

    setting: Setting
    by_n: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._table = load(self.setting.table, overrides=self.setting.overrides)

    def at(self, n: int) -> float:
        """Nanoseconds with N applications and N peers."""
        if n not in self.by_n:
            self.by_n[n] = self._measured(n)
        return self.by_n[n]

    def last_fit(self, most: int = MOST) -> int:
        """The largest N that costs no more than one; `most` is one that does."""
        threshold_ns = (self.at(1) + self.at(most)) / 2
        return least(1, most, lambda n: self.at(n) > threshold_ns) - 1

    def alignment_ns(self) -> float:
        """The longest wait for a clock edge."""
        return float(max(clock.period_ps for clock in build(self._table).clocks)) / 1000

    def _measured(self, n: int) -> float:
        # The last requests of the round that fit are all that an LRU cache holds after it, so
        # those before them need not be run.
        round_ = self.setting.rounds(n)
        first = max(0, round_ - self.setting.room)
        turns = self.setting.turns(n)
        for turn in turns:
            turn.chosen = first
        latencies_ps: deque[int] = deque(maxlen=MEASURED)

        def note(ended: Ended) -> None:
            latencies_ps.append(ended.latency_ps)

        one_at_a_time(self._table, turns, round_ + MEASURED - first, note)
        return fmean(latencies_ps) / NS


def one_at_a_time(
    table: Table, turns: Turns, count: int, note: Callable[[Ended], None] | None = None
) -> Run:
    """Reads of these initiators and destinations, each posted when the one before is complete."""
    same = Constant(0)
    kinds, addresses = [(Operation.READ, SIZE_BYTES)], Slots(same, SIZE_BYTES)
    reads = Stream(kinds, same, addresses, *turns, left=count)
    return run_table(table, Closed([reads], outstanding=1), on_complete=note)


@dataclass(frozen=True)
class Warm:
    """Requests on caches that are full already: their mean latency, and the share that misses."""

    latency_ns: float
    missed_share: float


def when_warm(table: Table, turns: Callable[[], Turns], warm: int, sampled: int) -> Warm:
    """So many requests that come after `warm` others, of the same turns; both ends alike."""
    before = one_at_a_time(table, turns(), warm)
    both = one_at_a_time(table, turns(), warm + sampled)
    missed_ps = both.ledger.parts().get(CACHE_MISS, 0) - before.ledger.parts().get(CACHE_MISS, 0)
    return Warm(
        latency_ns=(both.latency.sum - before.latency.sum) / sampled / NS,
        missed_share=missed_ps / (sampled * _cold_miss_ps(build(table))),
    )


def _cold_miss_ps(path: Path) -> int:
    """What misses cost a request on a path whose caches are empty."""
    return sum(parts.get(CACHE_MISS, 0) for _, parts in path.derived(Operation.READ, SIZE_BYTES))


def figure() -> Figure:
    """Latency by N for both controllers, with room for so many records and with 1 MiB."""
    points: list[Point] = []
    series: list[Series] = []
    for setting in SETTINGS:
        latencies = Latencies(setting)
        points += _cliff(latencies)
        powers = [2**exponent for exponent in range(MOST.bit_length())]
        sizes = sorted({*powers, *latencies.by_n})
        series.append(Series(setting.name, sizes, [latencies.at(n) for n in sizes]))
    pairs = {n: _random_pairs(n) for n in AT_RANDOM}
    means_ns = [one.latency_ns for one in pairs.values()]
    series.append(Series("behind PCIe, 512 QPs, at random", AT_RANDOM, means_ns))
    points += [_pairs_point(n, one.missed_share) for n, one in pairs.items() if n**2 > 512]
    points.append(_jetties_point())
    return Figure(
        name="context-cache",
        title="Latency of a 64 B read, by N applications and N peers, used in turn and at random",
        points=tuple(points),
        series=tuple(series),
        x_label="N",
        y_label="mean latency (ns)",
        x_log=True,
    )


def _cliff(latencies: Latencies) -> list[Point]:
    setting = latencies.setting
    fits = latencies.last_fit()
    step_ns = latencies.at(fits + 1) - latencies.at(fits)
    name, last = setting.name, setting.last_fit
    return [
        Point(f"{name}: last N that fits", "", last, fits, 0, SOURCE),
        Point(f"{name}: first N that misses", "", last + 1, fits + 1, 0, SOURCE),
        Point(f"{name}: step", "ns", setting.step_ns, step_ns, latencies.alignment_ns(), SOURCE),
    ]


def _random_pairs(n: int) -> Warm:
    return when_warm(load("context_pcie"), lambda: pairs_at_random(n), 4 * 512, SAMPLED)


def _pairs_point(n: int, share: float) -> Point:
    name = f"behind PCIe, {n**2} QPs at random, room for 512"
    return _share_point(name, 1 - 512 / n**2, share)


def _jetties_point() -> Point:
    table = load("context_onchip", overrides=["context_cache.records={jetty: initiator}"])
    share = when_warm(table, lambda: jetties_at_random(8192), 4 * 2048, SAMPLED).missed_share
    return _share_point("on the chip, 8192 Jetties at random, room for 2048", 0.75, share)


def _share_point(name: str, expected: float, share: float) -> Point:
    tolerance = SIGMAS * sqrt(expected * (1 - expected) / SAMPLED)
    return Point(f"{name}: share that misses", "", expected, share, tolerance, SOURCE)
