"""The kernel and time: it jumps, it can be stepped, and it keeps to the edges of several clocks."""

from fractions import Fraction
from itertools import count

import pytest

from emu.errors import EmuError
from emu.path import Path
from emu.request import Request
from emu.run import Access, ClosedLoop
from emu.time import Clock
from emu.trace.events import Kind
from tests.build import GHZ, NIC, READ, WRITE, Post, Run, clocked, delay, posts, run, station, table

CMAC = "322.265625 MHz"


@pytest.mark.parametrize("far", (10**9, 10**12))
@pytest.mark.parametrize(
    ("frequency", "period_ps"),
    ((NIC, Fraction(10**6, 322)), (CMAC, Fraction(10**6 * 10**6, 322_265_625))),
)
@pytest.mark.parametrize("listen", (True, False))
def test_a_clock_does_not_drift_over_a_long_idle_time(
    frequency: str, period_ps: Fraction, far: int, listen: bool
) -> None:
    def edge(n: int) -> int:
        return int(n * period_ps)

    made = run(
        table([clocked("x", 9, depth=9)], clocks={"nic": frequency}),
        posts(0, edge(far), edge(far) + 1, edge(far + 20) - 1),
        listen=listen,
    )
    assert made.completions_ps() == [edge(9), edge(far + 9), edge(far + 10), edge(far + 29)]
    if listen:
        assert made.accepted_ps("x") == [0, edge(far), edge(far + 1), edge(far + 20)]
        # Four requests, six events each: nothing happened in between.
        assert len(made.events) == 4 * 6


def test_two_clocks_with_phases_bind_each_its_own_stages() -> None:
    clocks = {
        "near": {"period": "3 ns", "phase": "1 ns"},
        "far": {"period": "5 ns", "phase": "2 ns"},
    }
    path = [
        clocked("out", 2, clock="near"),
        delay("wire", "10 ns"),
        clocked("there", 1, clock="far"),
        clocked("again", 1, clock="far"),
        clocked("back", 2, clock="near"),
    ]
    made = run(table(path, clocks=clocks), posts(0, 0))
    # near: 1, 4, 7, 10, ... far: 2, 7, 12, 17, 22, ...
    rows = [
        # stage, accepted, left
        ("out", [1000, 4000], [7000, 10000]),
        ("wire", [7000, 10000], [17000, 20000]),
        ("there", [17000, 22000], [22000, 27000]),
        ("again", [22000, 27000], [27000, 32000]),
        ("back", [28000, 34000], [34000, 40000]),
    ]
    for stage, accepted_ps, left_ps in rows:
        assert (made.accepted_ps(stage), made.left_ps(stage)) == (accepted_ps, left_ps), stage
    assert made.parts_at(0, "out") == {"service": 6000, "alignment": 1000}
    assert made.parts_at(1, "there") == {"service": 5000, "interval": 2000}
    assert made.parts_at(1, "back") == {"service": 6000, "alignment": 2000}


@pytest.mark.parametrize(
    ("at_ps", "alignment_ps"), ((0, 500), (1, 499), (499, 1), (500, 0), (501, 999), (1500, 0))
)
def test_the_wait_for_the_first_edge_of_all_is_alignment(at_ps: int, alignment_ps: int) -> None:
    clocks = {"nic": {"frequency": GHZ, "phase": "500 ps"}}
    made = run(table([clocked("x", 5)], clocks=clocks), posts(at_ps))
    parts = {"service": 5000, "alignment": alignment_ps}
    assert made.parts(0) == {part: time_ps for part, time_ps in parts.items() if time_ps}


def test_cutting_edges_to_picoseconds_belongs_to_service() -> None:
    # A period is 3105.59 ps: a span of one cycle is 3105 ps, and edges lie 3105 or 3106 ps apart.
    made = run(table([clocked("x", 1)], clocks={"nic": NIC}), posts(0, 3105))
    assert made.path.derived_ps(READ, 64) == 3105
    assert [made.parts(number) for number in (0, 1)] == [{"service": 3105}, {"service": 3106}]


def test_a_clock_that_is_not_aligned_is_only_a_unit() -> None:
    clocks = {"nic": {"period": "3.106 ns", "aligned": False}}
    made = run(table([clocked("x", 9, 2)], clocks=clocks), posts(5, 5, 20_000))
    assert made.accepted_ps("x") == [5, 5 + 6212, 20_000]
    assert made.completions_ps() == [5 + 27_954, 5 + 6212 + 27_954, 20_000 + 27_954]
    assert made.parts(1) == {"service": 27_954, "interval": 6212}


def test_a_stage_without_a_clock_needs_no_edge() -> None:
    made = run(table([station("x", "3.3 ns", interval="700 ps")]), posts(1, 2))
    assert made.accepted_ps("x") == [1, 701]
    assert made.completions_ps() == [3301, 4001]


# -- step and run(until) ----------------------------------------------------------------------


def kinds(made: Run) -> list[tuple[int, str]]:
    return [(event.time_ps, event.kind.value) for event in made.events]


def test_run_until_includes_that_instant() -> None:
    made = Run(table([clocked("x", 2)]), posts(0, 5000))
    made.kernel.run(until_ps=1999)
    assert kinds(made) == [(0, "submitted"), (0, "arrived"), (0, "accepted")]
    assert made.kernel.now_ps == 1999
    made.kernel.run(until_ps=2000)
    assert kinds(made)[3:] == [(2000, "emitted"), (2000, "left"), (2000, "completed")]
    assert (made.kernel.now_ps, made.kernel.is_idle) == (2000, False)
    made.kernel.run(until_ps=100_000)
    assert (made.kernel.now_ps, made.kernel.is_idle) == (100_000, True)
    assert made.completions_ps() == [2000, 7000]


def test_an_idle_kernel_still_moves_its_time() -> None:
    made = Run(table([clocked("x", 2)]), [])
    made.kernel.run(until_ps=10**15)
    assert (made.kernel.now_ps, made.kernel.is_idle) == (10**15, True)
    made.kernel.run(until_ps=5)
    assert made.kernel.now_ps == 10**15


def test_a_step_runs_to_the_next_edge_and_includes_it() -> None:
    clocks = {"nic": {"frequency": GHZ, "phase": "300 ps"}}
    made = Run(table([clocked("x", 2)], clocks=clocks), posts(0))
    seen = []
    for _ in range(5):
        made.kernel.step()
        seen.append((made.kernel.now_ps, len(made.events)))
    # Submitted and in the channel at 0 ps, accepted at 300 ps, through at 2300 ps.
    assert seen == [(300, 3), (1300, 3), (2300, 6), (3300, 6), (4300, 6)]


def test_a_step_from_between_edges_goes_to_the_next_one() -> None:
    made = Run(table([clocked("x", 2)]), [])
    made.kernel.run(until_ps=1500)
    made.kernel.step()
    assert made.kernel.now_ps == 2000
    made.kernel.step(10)
    assert made.kernel.now_ps == 12_000


def test_steps_do_not_drift() -> None:
    made = Run(table([clocked("x", 2)], clocks={"nic": NIC}), [])
    for _ in range(161):
        made.kernel.step()
    assert made.kernel.now_ps == 500_000
    made.kernel.step(161 * 10**9)
    assert made.kernel.now_ps == 500_000 * (10**9 + 1)


def test_of_several_clocks_a_step_needs_one() -> None:
    path = [clocked("x", 1, clock="a"), clocked("y", 1, clock="b")]
    made = Run(table(path, clocks={"a": GHZ, "b": NIC}), posts(0))
    expected = r"the path has 2; expected a Clock, as table.clocks\['a'\], one of a or b$"
    with pytest.raises(EmuError, match=expected):
        made.kernel.step()
    with pytest.raises(EmuError, match=f"^step by 'b', and {expected}"):
        made.kernel.step(1, "b")  # type: ignore[arg-type]
    made.kernel.step(2, made.path.table.clocks["a"])
    assert made.kernel.now_ps == 2000
    made.kernel.step(1, made.path.table.clocks["b"])
    assert made.kernel.now_ps == 3105


def test_a_path_without_clocks_steps_by_any() -> None:
    made = Run(table([delay("x", "7 ns")]), posts(0))
    with pytest.raises(EmuError, match="the path has 0; expected a Clock of your own"):
        made.kernel.step()
    made.kernel.step(3, Clock("bench", Fraction(2500)))
    assert (made.kernel.now_ps, made.completions_ps()) == (7500, [7000])


@pytest.mark.parametrize("cycles", (1, 2, 7))
def test_stepping_gives_the_events_of_one_run(cycles: int) -> None:
    path = [clocked("x", 3, 2, depth=2, queue=1), delay("w", "1.3 ns"), clocked("y", 2, queue=1)]
    load = posts(0, 0, 0, 2500, 2501, 9000)
    stepped = Run(table(path), load)
    for _ in range(40):
        stepped.kernel.step(cycles)
    assert stepped.kernel.is_idle
    assert stepped.events == run(table(path), load).events


def test_submission_in_the_past_is_an_error() -> None:
    made = Run(table([delay("x", "1 ns")]), posts(0))
    made.kernel.run(until_ps=5000)
    plan = made.path.plan(READ, 64)
    with pytest.raises(EmuError) as error:
        made.kernel.submit(Request(7, READ, 64, 0, 4999, plan))
    assert str(error.value) == "request 7 is submitted at 4999 ps, and it is 5000 ps already"
    made.kernel.submit(Request(8, READ, 64, 0, 5000, plan))
    made.kernel.run()
    assert made.completed[-1].completed_ps == 6000


def test_time_never_goes_back() -> None:
    # Two writes take the tags that the first reads gave back, so none is free when the places in
    # `x` are refilled at 6 and 7 ns. The last read comes when the third one leaves, at 8.3 ns.
    path = [
        station("w", "100 ns", uses=[{"resource": "tag"}], when=["write"]),
        clocked("x", 5, depth=3, refill="next_edge", uses=[{"resource": "tag"}], when=["read"]),
        station("m", "3.3 ns", depth=1, queue=1, when=["read"]),
    ]
    tag = {"kind": "pool", "capacity": 3, "source": {"text": "a test", "kind": "assumed"}}
    load = [*posts(0, 0, 0), *posts(3000, 3000, operation=WRITE), *posts(8300)]
    made = run(table(path, resources={"tag": tag}), load)
    times_ps = [event.time_ps for event in made.events]
    assert times_ps == sorted(times_ps)
    assert made.accepted_ps("x") == [0, 1000, 2000, 9000]
    assert made.times_ps(Kind.ARRIVED, "x") == [0, 0, 0, 8300]
    assert made.parts_at(5, "x") == {"service": 5000, "alignment": 700}


# -- the listener -----------------------------------------------------------------------------


def test_events_come_in_the_order_of_time_and_then_by_request() -> None:
    made = run(table([delay("x", "1 ns"), delay("y", "1 ns")]), posts(1000, 0, 0))
    told = [(one.time_ps, one.kind, one.request, one.stage) for one in made.events]
    assert told == [
        *(
            (0, kind, number, stage)
            for number in (1, 2)
            for kind, stage in ((Kind.SUBMITTED, ""), (Kind.ARRIVED, "x"), (Kind.ACCEPTED, "x"))
        ),
        *(
            (1000, kind, number, stage)
            for number, happened in (
                (0, ((Kind.SUBMITTED, ""), (Kind.ARRIVED, "x"), (Kind.ACCEPTED, "x"))),
                (1, PASSING_ON),
                (2, PASSING_ON),
            )
            for kind, stage in happened
        ),
        *(
            (2000, kind, number, stage)
            for number, happened in ((0, PASSING_ON), (1, ENDING), (2, ENDING))
            for kind, stage in happened
        ),
        *((3000, kind, 0, stage) for kind, stage in ENDING),
    ]


PASSING_ON = (
    (Kind.EMITTED, "x"),
    (Kind.LEFT, "x"),
    (Kind.ARRIVED, "y"),
    (Kind.ACCEPTED, "y"),
)
ENDING = ((Kind.EMITTED, "y"), (Kind.LEFT, "y"), (Kind.COMPLETED, ""))


def test_completions_of_one_instant_come_by_number() -> None:
    path = [delay("x", {"read": "1 ns", "write": "3 ns"})]
    made = run(table(path), [Post(2000), Post(0, WRITE), Post(2000), Post(0, WRITE)])
    assert [request.sequence for request in made.completed] == [0, 1, 2, 3]


def test_a_request_may_be_submitted_when_another_completes() -> None:
    numbers = count(100)
    path = Path(table([clocked("x", 2), delay("y", "500 ps")]))
    done: list[tuple[int, int]] = []

    def complete(request: Request) -> None:
        done.append((request.sequence, request.completed_ps))
        if len(done) < 4:
            plan = path.plan(READ, 64)
            kernel.submit(Request(next(numbers), READ, 64, 0, request.completed_ps, plan))

    kernel = path.kernel(complete)
    kernel.submit(Request(0, READ, 64, 0, 0, path.plan(READ, 64)))
    kernel.run()
    # Half a cycle in `y`, and another half until the next edge.
    assert done == [(0, 2500), (100, 5500), (101, 8500), (102, 11500)]


def test_many_waits_cost_no_more_than_few() -> None:
    # Fewer steps of the interpreter, not less time: how often a wait's history was looked at.
    looked_at = []
    for requests in (200, 400):
        path = Path(table([clocked("x", 5, 6, depth=1)]))
        accesses = (Access(READ, 64, 0) for _ in range(requests))
        loop = ClosedLoop(path, accesses, outstanding=8)
        spans = 0
        for _ in range(requests):
            loop.kernel.step(6)
            spans = max(spans, *(len(station.blocked) for station in loop.kernel.stations))
        assert loop.latency.count >= requests - 8
        looked_at.append(spans)
    assert looked_at[1] == looked_at[0]
