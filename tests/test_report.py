import json

import pytest

from emu.path import Path
from emu.report import Report
from emu.run import run_workload
from emu.workload import Access, Closed, Timed, stepping
from emu.workload.build import Described
from tests.build import READ, WRITE, StageDict, delay, station, table

PATH = [station("x", "10 ns", interval="4 ns"), delay("y", "5 ns")]


def burst(
    path: list[StageDict], requests: int, until_ps: int | None = None, posted_ps: int = 0
) -> Report:
    workload = Timed([(posted_ps, access) for access in stepping(READ, 64, requests)])
    said = Described(workload, {"kind": "burst"}, (READ, 64))
    return run_workload(Path(table(path)), said, until_ps=until_ps)


@pytest.mark.parametrize("outstanding", (1, 2, 7))
@pytest.mark.parametrize("requests", (1, 5, 40))
def test_the_law_of_little_holds_exactly(requests: int, outstanding: int) -> None:
    report = Path(table(PATH)).run(requests=requests, outstanding=outstanding)
    assert report.window_ps == report.last_completion_ps - report.first_post_ps
    assert report.inside_ps == report.latency.sum == sum(report.parts.values())
    assert report.in_flight_mean == report.latency.sum / report.window_ps


def test_a_mean_in_flight_by_hand() -> None:
    report = burst(PATH, 3)
    # Back at 15, 19 and 23 ns.
    assert (report.window_ps, report.inside_ps) == (23_000, 15_000 + 19_000 + 23_000)
    assert report.in_flight_mean == 57 / 23
    assert report.as_json()["in_flight_mean"] == 57 / 23
    assert report.as_json()["window_ps"] == 23_000


def test_the_window_begins_at_the_first_post() -> None:
    late = burst(PATH, 3, posted_ps=10**9)
    assert (late.window_ps, late.inside_ps) == (23_000, 57_000)
    assert late.utilisation == burst(PATH, 3).utilisation


def test_what_is_still_inside_counts_in_the_mean() -> None:
    report = burst(PATH, 3, until_ps=20_000)
    assert (report.posted, report.delivered, report.dropped, report.in_flight) == (3, 2, 0, 1)
    assert report.in_flight_at == {"y": 1}
    # Up to the last completion, at 19 ns.
    assert (report.window_ps, report.inside_ps) == (19_000, 15_000 + 19_000 + 19_000)


def test_nothing_delivered_has_no_window() -> None:
    report = burst(PATH, 3, until_ps=1)
    assert (report.delivered, report.in_flight_at) == (0, {"x": 3})
    assert (report.window_ps, report.in_flight_mean, report.rate_per_s) == (0, None, None)
    found = json.loads(json.dumps(report.as_json()))
    assert (found["window_ps"], found["in_flight_mean"]) == (0, None)


def test_nothing_posted() -> None:
    report = burst(PATH, 3, until_ps=1, posted_ps=5)
    assert (report.posted, report.in_flight, report.utilisation) == (0, 0, {})


def test_what_was_dropped_is_told_by_stage() -> None:
    losing = [station("x", "10 ns", interval="4 ns", queue=1, overflow="drop")]
    report = burst(losing, 5)
    # One goes in and one waits.
    assert report.dropped_at == {"x": 3}
    found = report.as_json()
    assert (found["posted"], found["delivered"], found["dropped"], found["in_flight"]) == (
        5,
        2,
        3,
        0,
    )
    assert found["dropped_at"] == {"x": 3}


def test_what_binds() -> None:
    path = [station("a", "1 ns", interval="1 ns"), station("x", "10 ns", interval="4 ns")]
    report = Path(table(path)).run(requests=100, outstanding=50)
    assert report.binds() == {
        "name": "x",
        "utilisation": 400 / (100 * 4 + 1 + 10 - 4),
        "part": "arbitration",
    }


def test_alone_a_path_spends_nothing_beyond_service() -> None:
    report = Path(table([delay("a", "1 ns")])).run(requests=100)
    assert report.largest_part is None


def test_a_mix_has_no_kind() -> None:
    accesses = iter([Access(READ, 64, 0), Access(WRITE, 128, 64)])
    said = Described(Closed([accesses], 1), {"kind": "closed", "outstanding": 1}, None)
    report = run_workload(Path(table(PATH)), said)
    found = report.as_json()
    assert (found["operation"], found["bytes"], found["outstanding"]) == (None, None, 1)
    assert (report.derived_ps, report.delivered) == (None, 2)


def test_stages_are_in_the_order_of_the_path_whoever_came_first() -> None:
    path = [delay("a", "1 ns"), delay("b", "1 ns", when=["read"]), delay("c", "1 ns")]
    accesses = iter([Access(WRITE, 64, 0), Access(READ, 64, 64)])
    said = Described(Closed([accesses], 1), {}, None)
    assert list(run_workload(Path(table(path)), said).stages) == ["a", "b", "c"]
