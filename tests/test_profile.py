"""What binds a run, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from emu.path import Path
from emu.profile import Profile, profile
from emu.run import run_workload
from emu.utilisation import Used
from emu.workload.build import closed_loop
from tests.build import READ, StageDict, delay, station, table

SOURCE = {"text": "a test", "kind": "assumed"}


def profiled(path: list[StageDict], *, requests: int, outstanding: int, **head: Any) -> Profile:
    return profile(Path(table(path, **head)).run(requests=requests, outstanding=outstanding))


def names(used: list[Used]) -> list[str]:
    return [one.name for one in used]


def with_tags(interval: str, tags: int) -> Profile:
    """A tag for 20 ns and the time that requests wait for `x`."""
    path = [
        station("first", "5 ns", uses=[{"resource": "tag", "until": "y"}]),
        station("x", "10 ns", interval=interval),
        delay("y", "5 ns"),
        delay("z", "5 ns"),
    ]
    tag = {"kind": "pool", "capacity": tags, "source": SOURCE}
    return profiled(path, requests=400, outstanding=40, resources={"tag": tag})


def test_the_slowest_stage_binds_and_the_others_have_room() -> None:
    path = [
        station("a", "1 ns", interval="1 ns"),
        station("x", "10 ns", interval="4 ns"),
        delay("y", "1 ns"),
        station("b", "1 ns", interval="2 ns"),
    ]
    found = profiled(path, requests=1000, outstanding=50)
    assert names(found.used) == ["x", "b", "a"]
    assert found.binds is not None
    assert found.binds.name == "x"
    assert (found.full_too, found.uncounted) == ([], ["y"])
    assert found.following is found.used[1]
    full_at = [one.full_at_per_s(1000) for one in found.used]
    assert full_at == [250e6, 500e6, 1000e6]
    assert [one.kind for one in found.used] == ["stage"] * 3


def test_where_nothing_is_full_nothing_binds() -> None:
    found = profiled([station("x", "10 ns", interval="4 ns")], requests=50, outstanding=2)
    assert found.binds is None
    assert (names(found.full_too), found.following) == ([], found.used[0])
    assert found.used[0].utilisation == 50 * 4 / (24 * 10 + 14)
    assert found.as_json()[0]["binds"] is False


def test_tags_bind_where_there_are_too_few() -> None:
    found = with_tags("1 ns", 4)
    assert found.binds is not None
    assert (found.binds.name, found.binds.kind, found.binds.capacity) == ("tag", "pool", 4)
    # 20 ns each; of the first four, which come together, three wait for `x`: 1, 2 and 3 ns.
    assert found.binds.full_at_per_s(400) == 400 * 4 / (400 * 20e-9 + 6e-9)
    assert found.full_too == []
    assert found.following is not None
    assert found.following.name == "x"
    assert found.following.utilisation == pytest.approx(0.2, rel=0.01)


def test_tags_that_are_held_while_a_full_stage_is_waited_for_do_not_bind() -> None:
    found = with_tags("4 ns", 8)
    assert found.binds is not None
    assert found.binds.name == "x"
    assert names(found.full_too) == ["tag"]
    assert found.full_too[0].utilisation > found.binds.utilisation
    assert names(found.used) == ["x", "tag", "first"]


def test_stages_that_are_equally_slow_are_all_full() -> None:
    path = [station(name, "1 ns", interval="2 ns") for name in ("a", "b", "c")]
    found = profiled(path, requests=200, outstanding=20)
    assert found.binds is not None
    assert (found.binds.name, names(found.full_too), found.following) == ("a", ["b", "c"], None)


def test_places_are_counted_beside_their_stage() -> None:
    path = [station("x", "10 ns", interval="1 ns", depth=2)]
    found = profiled(path, requests=100, outstanding=10)
    assert [(one.name, one.kind, one.capacity) for one in found.used] == [
        ("x.depth", "depth", 2),
        ("x", "stage", 1),
    ]
    assert found.binds is found.used[0]
    assert found.binds.full_at_per_s(100) == 2 / 10e-9


def test_places_of_a_stage_on_a_link_are_places_too() -> None:
    link = {"kind": "link", "bandwidth": "1 GB/s", "source": SOURCE}
    path = [station("x", "10 ns", depth=1, uses=[{"resource": "way"}])]
    found = profiled(path, requests=100, outstanding=10, resources={"way": link})
    kinds = {one.name: one.kind for one in found.used}
    assert kinds == {"x": "stage", "x.depth": "depth", "way": "link"}


def test_a_run_of_nothing_uses_nothing() -> None:
    found = profiled([delay("y", "1 ns")], requests=3, outstanding=1)
    assert (found.used, found.binds, found.following, found.uncounted) == ([], None, None, ["y"])
    assert found.as_json() == []
    unused = profiled([station("x", "1 ns")], requests=3, outstanding=1)
    assert [one.full_at_per_s(3) for one in unused.used] == [None]
    assert unused.following is None


def test_what_was_accepted_tells_where_nothing_was_delivered() -> None:
    path = Path(table([station("x", "10 ns", interval="4 ns")]))
    report = run_workload(path, closed_loop((READ, 64), 2, None), until_ps=8000)
    found = profile(report)
    assert (report.delivered, found.used[0].utilisation) == (0, 1.0)
    assert found.used[0].full_at_per_s(report.delivered) == 250e6


def test_what_scripts_read() -> None:
    found = profiled([station("x", "10 ns", interval="4 ns")], requests=100, outstanding=9)
    assert found.as_json() == [
        {
            "name": "x",
            "kind": "stage",
            "utilisation": 400 / (400 + 6),
            "capacity": 1,
            "full_at_per_s": 250e6,
            "binds": True,
        }
    ]
