from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from emu.actor import Actor, Port
from emu.driver import Driver
from emu.path import Path
from emu.request import Request
from emu.table.schema import Table
from emu.trace.events import Kind
from emu.where import OUTSIDE, still_inside
from emu.workload import Access, Timed
from tests.build import READ, Post, Run, StageDict, delay, station, table
from tests.properties.random_paths import loads, tables


def inside_at(path: list[StageDict], until_ps: int, requests: int = 1) -> dict[str, int]:
    made = Driver(Path(table(path)), Timed([(0, Access(READ, 64, 0))] * requests))
    made.run(until_ps)
    return still_inside(made.kernel)


def test_a_run_of_plain_delays_is_told_apart() -> None:
    path = [delay("a", "10 ns"), delay("b", "0 ns"), delay("c", "5 ns"), delay("d", "7 ns")]
    assert inside_at(path, 0) == {"a": 1}
    assert inside_at(path, 9999) == {"a": 1}
    assert inside_at(path, 10_000) == {"c": 1}
    assert inside_at(path, 14_999) == {"c": 1}
    assert inside_at(path, 15_000) == {"d": 1}
    assert inside_at(path, 21_999) == {"d": 1}
    assert inside_at(path, 22_000) == {}


def test_stages_are_in_the_order_of_the_path() -> None:
    path = [
        delay("a", "10 ns"),
        station("x", "4 ns", interval="4 ns", queue=2, depth=1),
        delay("b", "5 ns"),
    ]
    assert inside_at(path, 15_000, 6) == {"a": 2, "x": 3, "b": 1}


def test_what_waits_to_get_in_is_outside() -> None:
    path = [station("x", "4 ns", interval="4 ns", queue=1, depth=1)]
    assert list(inside_at(path, 1000, 5).items()) == [(OUTSIDE, 3), ("x", 2)]


@given(tables(), loads(), st.integers(0, 80_000))
def test_events_tell_the_same(source: Table, load: list[Post], until_ps: int) -> None:
    load.sort(key=lambda post: post.at_ps)
    posts = [(p.at_ps, Access(p.operation, p.size_bytes, p.address)) for p in load]
    made = Driver(Path(source), Timed(posts))
    made.run(until_ps)
    heard = Run(source, load)
    heard.kernel.run(until_ps)
    where: dict[int, str] = {}
    for event in heard.events:
        if event.kind in (Kind.COMPLETED, Kind.DROPPED):
            del where[event.request]
        else:
            where[event.request] = event.stage or OUTSIDE
    assert still_inside(made.kernel) == Counter(where.values())


class LosesOdd(Actor):
    """Loses requests of odd addresses, and lets the others go."""

    def arrive(self, request: Request, port: Port) -> None:
        """After a nanosecond."""

        def decide() -> None:
            if request.address % 2:
                port.drop(request)
            else:
                port.emit(request, (("service", 1000),))

        port.call_at(port.now_ps + 1000, decide)

    def on_paper(self, request: Request) -> dict[str, int]:
        """The nanosecond."""
        return {"service": 1000}


def test_an_actor_and_the_full_queue_behind_it_are_told_apart() -> None:
    path = [
        delay("a", "1 ns"),
        delay("lossy", "0 ns"),
        station("x", "9 ns", interval="9 ns", queue=1, overflow="drop"),
    ]
    source = table(path, behaviour={"lossy": LosesOdd})
    posts = [(0, Access(READ, 64, address)) for address in (0, 1, 2, 3, 4, 6)]
    made = Driver(Path(source), Timed(posts))
    made.run()
    assert made.dropped == {"lossy": 2, "x": 2}
    assert made.latency.count == 2
