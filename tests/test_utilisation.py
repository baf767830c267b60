import pytest

from emu.engines import Engine
from emu.path import Path
from emu.report import Report
from emu.run import run_on, run_workload
from emu.workload import Access, Timed, stepping
from emu.workload.build import Described
from tests.build import READ, StageDict, clocked, delay, station, table

SOURCE = {"text": "a test", "kind": "assumed"}


def used(path: list[StageDict], *, requests: int, outstanding: int = 1) -> dict[str, float]:
    return Path(table(path)).run(requests=requests, outstanding=outstanding).utilisation


def test_a_stage_is_used_while_it_keeps_others_out() -> None:
    path = [station("x", "10 ns", interval="4 ns"), delay("y", "6 ns")]
    # Ten intervals in nine of them and a round trip.
    assert used(path, requests=10, outstanding=10) == {"x": 40 / (9 * 4 + 16)}
    assert used(path, requests=10, outstanding=1) == {"x": 4 / 16}


def test_a_clocked_stage_counts_cycles() -> None:
    assert used([clocked("x", 9, 3)], requests=5, outstanding=5) == {"x": 15 / (12 + 9)}


def test_a_link_is_used_while_it_carries() -> None:
    path = [station("x", "10 ns", bandwidth="1 GB/s", queue="unlimited")]
    # 64 ns each: the last is there with its last byte.
    assert used(path, requests=4, outstanding=4) == {"x": 256 / (256 + 10)}


def test_places_are_used_while_requests_are_in_them() -> None:
    path = [station("x", "10 ns", interval="1 ns", depth=2), delay("y", "10 ns")]
    # In at 0, 1, 10, 11, ...: the last of ten leaves at 51 ns.
    assert used(path, requests=10, outstanding=10) == {"x": 10 / 61, "x.depth": 100 / (2 * 61)}


def test_a_place_that_is_taken_at_the_next_edge_is_used_until_then() -> None:
    path = [clocked("x", 1, 1, depth=1, refill="next_edge")]
    assert used(path, requests=50, outstanding=8) == {"x": 50 / 99, "x.depth": 1.0}


@pytest.mark.parametrize("capacity", (1, 2, 5))
def test_a_pool_is_used_while_its_units_are_held(capacity: int) -> None:
    path = [
        station("x", "10 ns", uses=[{"resource": "tag", "until": "y"}]),
        delay("y", "10 ns"),
        delay("z", "5 ns"),
    ]
    tag = {"kind": "pool", "capacity": capacity, "source": SOURCE}
    report = Path(table(path, resources={"tag": tag})).run(requests=20, outstanding=20)
    span_ns = 20 // capacity * 20 + 5
    assert report.utilisation["tag"] == 20 * 20 / (capacity * span_ns)
    assert report.busiest == "tag"
    assert report.largest_part == "resource:tag"


def test_a_run_that_was_stopped_counts_up_to_its_end() -> None:
    report = stopped([station("x", "10 ns", interval="4 ns")], 21_000)
    # All have been accepted on paper, and most of them will be later.
    assert report.utilisation == {"x": 1.0}
    assert report.in_flight_at == {"x": 17}
    idle = [delay("y", "21 ns"), station("x", "10 ns", interval="4 ns")]
    assert stopped(idle, 42_000).utilisation == {"x": 0.5}


def stopped(path: list[StageDict], until_ps: int) -> Report:
    burst = Timed([(0, access) for access in stepping(READ, 64, 20)])
    return run_workload(
        Path(table(path)), Described(burst, {"kind": "burst"}, (READ, 64)), until_ps=until_ps
    )


def test_where_nothing_is_limited_nothing_binds() -> None:
    report = Path(table([delay("y", "21 ns")])).run(requests=9, outstanding=3)
    assert report.utilisation == {}
    assert report.binds() == {"name": None, "utilisation": None, "part": None}


def test_where_no_time_passes_nothing_is_used() -> None:
    assert used([station("x", "0 ns")], requests=3) == {}


def test_who_waits_outside_takes_no_place() -> None:
    path = [station("x", "1 ns", interval="10 ns", depth=4, queue=4)]
    report = Path(table(path)).run(requests=100, outstanding=64)
    (places,) = [one for one in report.used if one.kind == "depth"]
    assert (places.in_use_ps, places.span_ps) == (100 * 1000, 991_000)


@pytest.mark.parametrize("engine", ("reference", "fast"))
def test_who_waits_for_an_edge_keeps_nobody_out(engine: Engine) -> None:
    # Accepted at 0 and at 3 us, and the run ends in the wait for that edge.
    path = Path(table([clocked("x", 1)], clocks={"nic": "1 MHz"}))
    posts = Timed([(0, Access(READ, 64, 0)), (2_100_000, Access(READ, 64, 0))])
    report = run_on(engine, path, Described(posts, {}, (READ, 64)), until_ps=2_200_000)
    assert report.engine == engine
    assert [one.in_use_ps for one in report.used] == [1_000_000]


@pytest.mark.parametrize("engine", ("reference", "fast", "traced"))
def test_half_a_cycle_is_counted_alike_however_far_ahead_all_is_known(engine: str) -> None:
    # 322 MHz: edge 1 is at 3105.59 ps, so that 894.41 ps of the first one's cycle have passed.
    path = Path(table([clocked("x", 1)], clocks={"nic": "322 MHz"}))
    load = Described(Timed([(3105, Access(READ, 64, 0))] * 2), {}, (READ, 64))
    if engine == "fast":
        report = run_on("fast", path, load, until_ps=4000)
    else:
        listener = None if engine == "reference" else lambda event: None
        report = run_workload(path, load, until_ps=4000, listener=listener)
    assert [one.in_use_ps for one in report.used] == [894]


def test_a_listener_changes_no_figure() -> None:
    posts = [(number * 900, Access(READ, 64, 0)) for number in range(50)]
    path = [clocked("x", 3, 2), station("y", "7 ns", interval="3 ns"), clocked("z", 1, 4)]
    for until_ps in range(10_000, 60_000, 777):
        found = [
            run_workload(
                Path(table(path, clocks={"nic": "300 MHz"})),
                Described(Timed(posts), {}, (READ, 64)),
                until_ps=until_ps,
                listener=listener,
            ).used
            for listener in (None, lambda event: None)
        ]
        assert found[0] == found[1]


def test_batches_that_are_not_full_have_room() -> None:
    path = [station("x", "1 ns", interval="8 ns", batch=16), delay("y", "7 ns")]
    (stage,) = Path(table(path)).run(requests=1000, outstanding=4).used
    assert stage.utilisation > 0.95
    assert stage.filled == pytest.approx(4 / 16, rel=0.01)
    # Sixteen each time.
    assert stage.full_at_per_s(1000) == pytest.approx(16 / 8e-9, rel=0.01)
