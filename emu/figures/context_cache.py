"""Context caches: what an operation costs once the records in use no longer fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

from emu.breakdown import of_request, total
from emu.figures.measure import CHAPTER, least
from emu.figures.model import Figure, Point, Series
from emu.parts import CACHE_MISS
from emu.path import Path, build
from emu.random import Random
from emu.request import Operation, Request
from emu.run import Access, ClosedLoop
from emu.table import load
from emu.table.schema import Table

SOURCE = f"{CHAPTER}, section on the state of a controller"
SIZE_BYTES = 64
#: The largest N, and how many requests each mean is of.
MOST, MEASURED = 16_384, 64
#: Requests of each share of misses, and how many standard deviations it may be off.
SAMPLED, SIGMAS = 4_000, 4
ONE_MIB = "context_cache.capacity=1 MiB"

#: The initiator and destination of request i, with N of each.
Turn = Callable[[int, int], tuple[int, int]]


def pairs_in_turn(i: int, n: int) -> tuple[int, int]:
    """QP i mod N²: each application with each peer."""
    return i % n, i // n % n


def jetties_in_turn(i: int, n: int) -> tuple[int, int]:
    """Jetty i mod N and channel i mod N."""
    return i % n, i % n


@dataclass(frozen=True)
class Setting:
    """A table whose records are used in turn, and where the step is expected.

    No two requests of a round use the same records, and no more than `room` of them fit.
    """

    name: str
    table: str
    turn: Turn
    rounds: Callable[[int], int]
    room: int
    last_fit: int
    step_ns: float
    overrides: tuple[str, ...] = ()


SETTINGS = (
    Setting(
        name="behind PCIe, 512 QPs",
        table="context_pcie",
        turn=pairs_in_turn,
        rounds=lambda n: n**2,
        room=512,
        last_fit=22,
        step_ns=1000,
    ),
    Setting(
        name="on the chip, 2048 records",
        table="context_onchip",
        turn=jetties_in_turn,
        rounds=lambda n: n,
        room=2048,
        last_fit=1023,
        step_ns=200,
    ),
    Setting(
        name="behind PCIe, 1 MiB",
        table="context_pcie",
        turn=pairs_in_turn,
        rounds=lambda n: n**2,
        room=2**20 // 512,
        last_fit=45,
        step_ns=1000,
        overrides=(ONE_MIB, "context_cache.records={qp: pair, segment: destination}"),
    ),
    Setting(
        name="on the chip, 1 MiB",
        table="context_onchip",
        turn=jetties_in_turn,
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
        turns = (self.setting.turn(i, n) for i in range(first, round_ + MEASURED))
        done = one_at_a_time(self._table, turns)[-MEASURED:]
        return fmean(request.latency_ps for request in done) / 1000


def one_at_a_time(table: Table, turns: Iterable[tuple[int, int]]) -> list[Request]:
    """Reads of these initiators and destinations, each posted when the one before is complete."""
    done: list[Request] = []
    accesses = (
        Access(Operation.READ, SIZE_BYTES, 0, initiator, destination)
        for initiator, destination in turns
    )
    ClosedLoop(build(table), accesses, 1, on_complete=done.append).run()
    return done


def missed_share(table: Table, turns: Iterable[tuple[int, int]], warm: int) -> float:
    """The share of requests that miss, those left out that come before `warm`; both ends alike."""
    done = one_at_a_time(table, turns)[warm:]
    missed_ps = sum(total(of_request(request)).get(CACHE_MISS, 0) for request in done)
    return missed_ps / (len(done) * _cold_miss_ps(build(table)))


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
    points += [_uniform_pairs(), _uniform_jetties()]
    return Figure(
        name="context-cache",
        title="Latency of a 64 B read, by N applications and N peers used in turn",
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


def _uniform_pairs() -> Point:
    random = Random(1, "context-cache pairs")
    turns = [(random.below(32), random.below(32)) for _ in range(4 * 512 + SAMPLED)]
    share = missed_share(load("context_pcie"), turns, 4 * 512)
    return _share_point("behind PCIe, 1024 QPs at random, room for 512", 1 - 512 / 1024, share)


def _uniform_jetties() -> Point:
    random = Random(1, "context-cache jetties")
    turns = [(random.below(8192), 0) for _ in range(4 * 2048 + SAMPLED)]
    table = load("context_onchip", overrides=["context_cache.records={jetty: initiator}"])
    share = missed_share(table, turns, 4 * 2048)
    return _share_point("on the chip, 8192 Jetties at random, room for 2048", 0.75, share)


def _share_point(name: str, expected: float, share: float) -> Point:
    tolerance = SIGMAS * sqrt(expected * (1 - expected) / SAMPLED)
    return Point(f"{name}: share that misses", "", expected, share, tolerance, SOURCE)
