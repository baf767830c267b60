"""Pools: taken at acceptance, given back when a stage is left, waited for to the picosecond."""

from typing import Any

import pytest

from emu.errors import EmuError
from emu.request import Request
from emu.resource import Pool, ResourceError
from emu.stage import Served, Stage
from emu.table import TableError
from emu.time import Cycles, Picoseconds
from emu.trace.events import Kind
from tests.build import READ, WRITE, Post, Run, clocked, delay, posts, run, station, table


def pools(**capacities: object) -> dict[str, Any]:
    """The table's section `resources`."""
    source = {"text": "a test", "kind": "assumed"}
    return {
        name: {"kind": "pool", "capacity": capacity, "source": source}
        for name, capacity in capacities.items()
    }


def holders(made: Run) -> dict[str, list[int]]:
    """Who holds units of what, at present."""
    stations = made.kernel.stations
    found = {pool.name: pool for station in stations for pool in station.pools}
    return {name: [r.sequence for r in pool.holders] for name, pool in found.items()}


def uses(resource: str, until: str | None = None) -> list[dict[str, str]]:
    return [{"resource": resource, **({"until": until} if until else {})}]


def test_a_unit_is_held_until_the_stage_is_left() -> None:
    path = [station("x", "10 ns", uses=uses("tag")), delay("z", "5 ns")]
    made = run(table(path, resources=pools(tag=2)), posts(0, 0, 0, 0, 35_000))
    assert made.accepted_ps("x") == [0, 0, 10_000, 10_000, 35_000]
    assert made.parts(2) == {"service": 15_000, "resource:tag": 10_000}
    assert made.parts(4) == {"service": 15_000}


def test_a_unit_is_held_until_a_later_stage_is_left() -> None:
    path = [
        station("x", "10 ns", uses=uses("tag", "z")),
        delay("y", "5 ns"),
        delay("z", "5 ns"),
        delay("after", "5 ns"),
    ]
    made = run(table(path, resources=pools(tag=1)), posts(0, 1, 2))
    assert made.accepted_ps("x") == [0, 20_000, 40_000]
    assert made.parts(1) == {"service": 25_000, "resource:tag": 19_999}
    assert made.completions_ps() == [25_000, 45_000, 65_000]


def test_backpressure_holds_the_unit_too() -> None:
    path = [
        station("x", "1 ns", uses=uses("tag")),
        station("slow", "10 ns", depth=1, queue=1),
    ]
    made = run(table(path, resources=pools(tag=1)), posts(0, 0, 0, 0))
    assert made.left_ps("x") == [1000, 2000, 11_000, 21_000]
    assert made.accepted_ps("x") == [0, 1000, 2000, 11_000]
    assert made.parts_at(3, "x") == {
        "service": 1000,
        "resource:tag": 11_000,
        "backpressure": 9000,
    }


def test_until_means_the_last_stage_passed_up_to_there() -> None:
    path = [
        station("x", "10 ns", uses=uses("tag", "z")),
        delay("y", "1 ns"),
        delay("z", "5 ns", when=["read"]),
        delay("after", "5 ns"),
    ]
    made = run(table(path, resources=pools(tag=1)), [Post(0, WRITE), Post(0, READ), Post(0)])
    assert made.accepted_ps("x") == [0, 11_000, 27_000]


def test_a_pool_is_shared_by_stages() -> None:
    path = [
        station("x", "10 ns", uses=uses("tag"), when=["read"]),
        station("y", "4 ns", uses=uses("tag"), when=["write"]),
    ]
    made = run(table(path, resources=pools(tag=1)), [Post(0), Post(1, WRITE), Post(2, WRITE)])
    assert made.completions_ps() == [10_000, 14_000, 18_000]
    assert made.parts(2) == {"service": 4000, "resource:tag": 13_998}


def test_a_clocked_stage_takes_a_freed_unit_at_the_next_edge() -> None:
    path = [clocked("x", 2, uses=uses("tag", "z")), delay("z", "1.3 ns")]
    made = run(table(path, resources=pools(tag=1)), posts(0, 0))
    assert made.accepted_ps("x") == [0, 4000]
    assert made.parts_at(1, "x") == {"service": 2000, "resource:tag": 3300, "alignment": 700}


def test_of_two_pools_the_first_named_is_charged() -> None:
    path = [station("x", "1 ns", uses=[*uses("a", "short"), *uses("b", "long")])]
    path += [delay("short", "4 ns"), delay("long", "5 ns")]
    made = run(table(path, resources=pools(a=1, b=1)), posts(0, 0))
    assert made.accepted_ps("x") == [0, 10_000]
    assert made.parts_at(1, "x") == {"service": 1000, "resource:a": 5000, "resource:b": 5000}


def test_an_unlimited_pool_holds_nobody_up() -> None:
    path = [station("x", "10 ns", uses=uses("tag"))]
    made = run(table(path, resources=pools(tag="unlimited")), posts(*[0] * 50))
    assert made.completions_ps() == [10_000] * 50


def test_no_unit_is_left_behind() -> None:
    path = [
        clocked("x", 3, depth=2, uses=[*uses("a", "y"), *uses("b", "z")]),
        delay("y", "7 ns"),
        station("z", "2 ns", depth=1),
    ]
    made = Run(table(path, resources=pools(a=2, b=3)), posts(*[0] * 20))
    made.kernel.run(until_ps=3999)
    assert holders(made) == {"a": [0, 1], "b": [0, 1]}
    made.finish()
    assert holders(made) == {"a": [], "b": []}
    assert len(made.completed) == 20


# -- a request that ends early ----------------------------------------------------------------


class Hit(Stage):
    """Ends what has an odd address."""

    def serve(self, request: Request, now_ps: int) -> Served:
        """A hit is 1 ns slower, a miss 8 ns."""
        if request.address % 2:
            return Served((("service", Picoseconds(1000)),), ends=True)
        return Served((("cache_miss", Picoseconds(8000)),))


@pytest.mark.parametrize("kind", ("plain", "station"))
@pytest.mark.parametrize("listen", (True, False))
def test_an_early_end_gives_back_what_is_held(kind: str, listen: bool) -> None:
    path = [
        station("issue", "2 ns", uses=[*uses("slot", "back"), *uses("port")]),
        delay("cache", "0 ns") if kind == "plain" else station("cache", "0 ns"),
        delay("far", "100 ns"),
        delay("back", "1 ns"),
    ]
    source = table(path, resources=pools(slot=1, port=1), behaviour={"cache": Hit})
    load = [Post(0, address=1), Post(0, address=2), Post(0, address=3)]
    made = run(source, load, listen=listen)
    # The slot comes back with the hit at 3 ns, and then only at 3 + 2 + 8 + 101 ns.
    assert made.completions_ps() == [3000, 114_000, 117_000]
    assert made.parts(0) == {"service": 3000}
    assert made.parts(1) == {"service": 103_000, "cache_miss": 8000, "resource:slot": 3000}
    assert made.parts(2) == {"service": 3000, "resource:slot": 114_000}
    assert holders(made) == {"slot": [], "port": []}
    if listen:
        assert made.times_ps(Kind.ARRIVED, "far") == [13_000]


def test_an_early_end_gives_back_the_pool_of_its_own_stage() -> None:
    path = [station("cache", "2 ns", uses=uses("slot", "far")), delay("far", "100 ns")]
    source = table(path, resources=pools(slot=1), behaviour={"cache": Hit})
    made = run(source, [Post(0, address=1), Post(0, address=1), Post(0, address=0)])
    assert made.completions_ps() == [3000, 6000, 116_000]
    assert holders(made) == {"slot": []}


class Slower(Stage):
    """Takes two cycles more."""

    def serve(self, request: Request, now_ps: int) -> Served:
        """Always the same."""
        return Served((("cache_miss", Cycles(2)),))


def test_what_a_clocked_stage_adds_counts_in_cycles() -> None:
    path = [clocked("x", 3)]
    made = run(table(path, clocks={"nic": "322 MHz"}, behaviour={"x": Slower}), posts(0, 3105))
    # Edges 5 and 6; on paper 9316 + 6211 ps.
    assert made.completions_ps() == [15_527, 18_633]
    assert made.parts(0) == {"service": 9316, "cache_miss": 6211}
    # From edge 1 on: the same, and a picosecond that cutting moved.
    assert made.parts(1) == {"service": 9317, "cache_miss": 6211}


@pytest.mark.parametrize(
    ("stage", "behaviour", "message"),
    (
        (
            delay("x", "1 ns"),
            Slower,
            (
                "Cycles(count=2) for 'cache_miss'; expected whole Picoseconds from 0 on, "
                "since it has no clock"
            ),
        ),
        (
            clocked("x", 1),
            Hit,
            "Picoseconds(count=8000) for 'cache_miss'; expected whole Cycles of nic from 0 on",
        ),
    ),
)
def test_what_a_stage_adds_has_the_unit_of_its_latency(
    stage: dict[str, Any], behaviour: type[Stage], message: str
) -> None:
    with pytest.raises(EmuError) as error:
        run(table([stage], behaviour={"x": behaviour}), posts(0))
    assert str(error.value) == f"stage x: serve of request 0 at 0 ps gives {message}"


class Odd(Stage):
    """Says something that is no part."""

    def serve(self, request: Request, now_ps: int) -> Served:
        """Always the same."""
        return Served((("luck", Picoseconds(2)),))


def test_what_a_stage_adds_is_a_known_part() -> None:
    with pytest.raises(EmuError) as error:
        run(table([delay("x", "1 ns")], behaviour={"x": Odd}), posts(0))
    assert str(error.value) == (
        "stage x: serve of request 0 at 0 ps gives the part 'luck'; expected service or cache_miss"
    )


# -- misuse -----------------------------------------------------------------------------------


def test_a_pool_gives_only_what_it_has_and_takes_only_what_it_gave() -> None:
    first, second = Run(table([delay("x", "1 ns")]), posts(0, 0)).requests
    pool = Pool("tag", 1)
    pool.take(first, 0)
    assert (list(pool.holders), pool.is_exhausted(second)) == ([first], True)
    with pytest.raises(ResourceError, match=r"^tag: no unit is free for request 1$"):
        pool.take(second, 0)
    with pytest.raises(ResourceError, match=r"^tag: request 1 holds no unit$"):
        pool.release(second, 0)
    pool.release(first, 5)
    assert (list(pool.holders), pool.is_exhausted(second)) == ([], False)
    with pytest.raises(ResourceError, match=r"^tag: request 0 holds no unit$"):
        pool.release(first, 5)


def test_a_pool_gives_a_request_one_unit_only() -> None:
    made = Run(table([delay("x", "1 ns")]), posts(0))
    pool = Pool("tag", None)
    pool.take(made.requests[0], 0)
    with pytest.raises(ResourceError, match=r"^tag: request 0 holds a unit already$"):
        pool.take(made.requests[0], 0)


def test_a_pool_with_a_key_has_so_many_units_for_each() -> None:
    load = [Post(0, address=1), Post(0, address=1), Post(0, address=2)]
    first, second, other = Run(table([delay("x", "1 ns")]), load).requests
    pool = Pool("window", 1, key=lambda request: request.address)
    pool.take(first, 0)
    assert [pool.is_exhausted(one) for one in (second, other)] == [True, False]
    pool.take(other, 0)
    pool.release(first, 0)
    assert [pool.is_exhausted(one) for one in (first, second, other)] == [False, False, True]


def test_a_pool_knows_how_long_its_units_were_held() -> None:
    first, second = Run(table([delay("x", "1 ns")]), posts(0, 0)).requests
    pool = Pool("tag", 2)
    pool.take(first, 100)
    pool.take(second, 150)
    pool.release(first, 170)
    assert [pool.unit_ps(now_ps) for now_ps in (170, 170, 200)] == [90, 90, 120]


def test_a_table_in_which_a_request_takes_what_it_holds_is_refused() -> None:
    path = [station("x", "1 ns", uses=uses("tag", "y")), station("y", "1 ns", uses=uses("tag"))]
    with pytest.raises(TableError):
        table(path, resources=pools(tag=2))


def test_a_unit_may_be_taken_again_once_it_is_given_back() -> None:
    path = [station("x", "1 ns", uses=uses("tag")), station("y", "5 ns", uses=uses("tag"))]
    made = run(table(path, resources=pools(tag=1)), posts(0, 0))
    # At 1 ns both want the unit that the first gave back, and the second has waited since 0 ns.
    assert made.accepted_ps("x") == [0, 1000]
    assert made.accepted_ps("y") == [2000, 7000]
