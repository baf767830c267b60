from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from emu.driver import Driver
from emu.errors import RunError
from emu.fast.line import Line
from emu.fast.refusal import RefusalError
from emu.fast.stops import why_not
from emu.path import Path
from emu.request import Operation, Request
from emu.table import load as load_table
from emu.table import table_names
from emu.table.schema import Table
from emu.utilisation import used
from emu.where import still_inside
from emu.workload import Access, Closed, Timed, stepping
from tests.build import READ, WRITE, clocked, delay, station, table
from tests.fast.line_tables import line_tables, tight_tables
from tests.properties.random_paths import narrow_tables

#: So many picoseconds times a frequency do not fit into 63 bits.
FAR_PS = (0, 30_000_000_000, 2**59)


@dataclass(frozen=True)
class Load:
    """Requests of one kind: so many outstanding from a time on, or posted at these times."""

    operation: Operation = READ
    size_bytes: int = 64
    outstanding: int = 0
    start_ps: int = 0
    times_ps: tuple[int, ...] = ()
    requests: int | None = None
    until_ps: int | None = None

    def workload(self) -> Closed | Timed:
        """What is posted."""
        if self.outstanding:
            stream = stepping(self.operation, self.size_bytes)
            return Closed([stream], self.outstanding, self.start_ps)
        access = Access(self.operation, self.size_bytes, 0)
        return Timed([(at_ps, access) for at_ps in self.times_ps])


def followed(line: Line) -> list[Any]:
    """Each completion with the breakdown up to then, request by request."""
    heard = []
    while not line.is_over:
        before = line.latency.count
        line.advance(1)
        if line.latency.count > before:
            heard.append((line.last_completion_ps, line.ledger.by_stage()))
    return heard


def check(source: Table, load: Load) -> Line:
    """The line does what the reference does, request by request and in all."""
    heard: list[Any] = []

    def complete(request: Request) -> None:
        heard.append((request.completed_ps, driver.ledger.by_stage()))

    path, other = Path(source), Path(source)
    driver = Driver(path, load.workload(), requests=load.requests, on_complete=complete)
    driver.run(load.until_ps)
    line = Line(other, load.workload(), requests=load.requests, until_ps=load.until_ps)
    assert followed(line) == heard
    kernel = driver.kernel
    for name in (
        *("posted", "marked", "first_post_ps", "first_completion_ps", "last_completion_ps"),
        *("rounds", "inside_ps", "changed_ps", "dropped"),
    ):
        assert getattr(line, name) == getattr(driver, name), name
    assert vars(line.latency) == vars(driver.latency)
    assert line.in_flight_at == still_inside(kernel)
    if kernel.inside:
        assert line.now_ps == kernel.now_ps
    assert left(other) == left(path)
    end_ps = kernel.now_ps if kernel.inside else driver.changed_ps
    assert used(other, None, 1, 0, end_ps) == used(path, None, 1, 0, end_ps)
    return line


def left(path: Path) -> list[tuple[int, ...]]:
    """What a run has left of each station."""
    return [(one.accepted, one.busy, one.free_ps, one.free_edge) for one in path.stations]


RINGS = ("freed", "left", "history")
SOURCE = {"text": "a test", "kind": "assumed"}
TAG = {"kind": "pool", "capacity": 1, "source": SOURCE}
taking = station("x", "1 ns", uses=[{"resource": "tag", "until": "x"}])

kinds = st.tuples(st.sampled_from((READ, WRITE)), st.sampled_from((1, 64, 200, 5000)))
ends = st.one_of(st.none(), st.none(), st.integers(-2000, 100_000), st.integers(0, 1_000_000))


@st.composite
def closed_loads(draw: st.DrawFn) -> Load:
    """Up to 16 outstanding, for three score requests at the most."""
    start_ps = draw(st.sampled_from(FAR_PS)) + draw(st.integers(0, 5000))
    until_ps = draw(ends)
    return Load(
        *draw(kinds),
        outstanding=draw(st.one_of(st.integers(1, 4), st.integers(8, 16))),
        start_ps=start_ps,
        requests=draw(st.integers(30, 60)),
        until_ps=None if until_ps is None else max(0, start_ps + until_ps),
    )


@st.composite
def open_loads(draw: st.DrawFn) -> Load:
    """Some at once and some apart."""
    gaps = st.one_of(st.just(0), st.sampled_from((400, 1100, 3105)), st.integers(0, 9000))
    start_ps = draw(st.sampled_from(FAR_PS)) + draw(st.integers(0, 5000))
    times_ps = tuple(accumulate(draw(st.lists(gaps, min_size=20, max_size=40)), initial=start_ps))
    until_ps = draw(ends)
    return Load(
        *draw(kinds),
        times_ps=times_ps,
        requests=draw(st.one_of(st.none(), st.none(), st.integers(1, 40))),
        until_ps=None if until_ps is None else max(0, start_ps + until_ps),
    )


sources = st.one_of(line_tables(), tight_tables(), narrow_tables())


@given(sources, st.one_of(closed_loads(), open_loads()))
def test_all_is_as_the_reference_has_it(source: Table, load: Load) -> None:
    assume(why_not(Path(source).plan(load.operation, load.size_bytes)) is None)
    check(source, load)


SHIPPED = [
    (name, operation)
    for name, path in [(name, Path(load_table(name))) for name in table_names()]
    for operation in path.table.operations
    if why_not(path.plan(operation, 64)) is None
]


@pytest.mark.parametrize(("name", "operation"), SHIPPED)
def test_shipped_tables_are_as_the_reference_has_them(name: str, operation: Operation) -> None:
    source = load_table(name)
    check(source, Load(operation, 200, outstanding=40, requests=120))
    check(source, Load(operation, 64, outstanding=2, requests=20, until_ps=5_000_000))


def test_the_placements_are_lines() -> None:
    names = {name for name, operation in SHIPPED if operation is READ}
    assert {"pcie_nic", "nic_processor", "ub_async", "bdp_link"} <= names


def test_a_run_goes_on_where_time_times_frequency_does_not_fit() -> None:
    path = [delay("a", "3 us"), clocked("b", 9, interval=6, depth=4)]
    source = table(path, clocks={"nic": "322.265625 MHz"})
    line = check(source, Load(outstanding=1, requests=10_000))
    assert line.last_completion_ps > 30_000_000_000
    assert line.last_completion_ps * 322_265_625 > 2**63


def test_many_wait_for_a_place_inside() -> None:
    path = [
        station("a", "7 ns", interval="3 ns", depth=2),
        clocked("b", 4, depth=1, refill="next_edge"),
    ]
    line = check(table(path), Load(times_ps=(0,) * 500))
    assert line.ledger.parts()["resource:a.depth"] > 0
    assert line.ledger.parts()["resource:b.depth"] > 0


def test_what_cannot_go_on_is_charged_to_backpressure() -> None:
    path = [delay("a", "5 ns"), station("b", "1 ns"), station("c", "9 ns", queue=1, depth=1)]
    line = check(table(path), Load(outstanding=6, requests=30))
    assert line.ledger.by_stage()["b"]["backpressure"] > 0
    outside = check(table(path[2:]), Load(outstanding=6, requests=30))
    assert outside.ledger.by_stage()["c"]["backpressure"] > 0


def test_what_waits_for_a_place_waits_for_what_is_held_up() -> None:
    path = [station("a", "1 ns", depth=1), station("b", "9 ns", queue=1, depth=1)]
    stages = check(table(path), Load(times_ps=(0,) * 4)).ledger.by_stage()
    # The first is out of `b` at 10 ns. Only then the third leaves `a`, and the fourth has a place.
    assert stages["a"] == {"service": 4000, "backpressure": 7000 + 8000, "resource:a.depth": 13_000}


def test_an_end_in_between_says_where_requests_are() -> None:
    path = [
        *(delay("a", "4 ns"), delay("b", "6 ns"), station("c", "5 ns", interval="2 ns")),
        *(delay("d", "0 ns"), delay("e", "20 ns")),
    ]
    load = Load(times_ps=(0, 1000, 2000, 3000, 9000), until_ps=15_000)
    assert check(table(path), load).in_flight_at == {"b": 1, "c": 3, "e": 1}
    load = Load(times_ps=(0, 1000, 2000, 3000, 9000), until_ps=12_000)
    assert check(table(path), load).in_flight_at == {"a": 1, "b": 1, "c": 3}


def test_a_stopped_run_ends_with_its_last_completion() -> None:
    source = load_table("pcie_nic")
    load = Load(outstanding=64)
    line = Line(Path(source), load.workload())
    line.advance(200)
    line.stop()
    line.run()
    assert line.latency.count >= 200
    until = Load(outstanding=64, until_ps=line.last_completion_ps)
    other = check(source, until)
    names = ("posted", "in_flight_at", "inside_ps", "changed_ps", "now_ps")
    assert [getattr(line, name) for name in names] == [getattr(other, name) for name in names]
    assert (vars(line.latency), line.ledger.by_stage()) == (
        vars(other.latency),
        other.ledger.by_stage(),
    )


def test_a_run_stopped_before_it_began_has_its_first_posts() -> None:
    line = Line(Path(load_table("pcie_nic")), Load(outstanding=3, start_ps=70).workload())
    line.stop()
    line.run()
    assert (line.posted, line.in_flight_at, line.now_ps) == (3, {"verb_post": 3}, 70)


def test_more_requests_take_no_more_memory() -> None:
    path = [station("a", "7 ns", interval="3 ns", depth=2, queue=4), clocked("b", 4, depth=3)]

    def room(requests: int) -> list[int]:
        line = Line(Path(table(path)), Load(outstanding=20).workload(), requests=requests)
        line.run()
        assert line.latency.count == requests
        return [int(one[ring]["block"]["room"]) for one in line._stops for ring in RINGS]

    assert room(100_000) == room(1000)


def test_sums_beyond_63_bits_are_exact() -> None:
    source = table([delay("a", "1000 s")])
    line = Line(Path(source), Load(outstanding=10_000).workload(), requests=20_000)
    line.run()
    assert line.latency.sum == line.inside_ps == 20_000 * 10**15 > 2**63
    assert line.ledger.parts() == {"service": 20_000 * 10**15}


def test_times_that_do_not_fit_are_an_error() -> None:
    source = table([delay("a", "1000 s")])
    line = Line(Path(source), Load(outstanding=1).workload(), requests=2000)
    with pytest.raises(RunError, match=r"goes beyond 1152921\.504606846976 s"):
        line.run()
    late = Line(Path(source), Load(times_ps=(0, 2**70)).workload())
    with pytest.raises(RunError, match="goes beyond"):
        late.run()
    assert check(source, Load(times_ps=(0, 2**70), until_ps=10**16)).posted == 1


def test_a_path_that_is_no_line_says_why() -> None:
    with pytest.raises(RefusalError, match="stage x takes from tag"):
        Line(Path(table([taking], resources={"tag": TAG})), Load(outstanding=1).workload())
    mixed = Timed([(0, Access(READ, 64, 0)), (0, Access(WRITE, 64, 0))])
    with pytest.raises(RefusalError, match="requests of several kinds"):
        Line(Path(load_table("pcie_nic")), mixed)
