import pytest

from emu import build
from emu.path import Path
from emu.plan import PlanError
from emu.request import Operation, Request
from emu.stage import Stage
from tests.build import READ, WRITE, clocked, delay, posts, run, station, table

CLOCKS = {"a": "322 MHz", "b": {"period": "10 ns", "aligned": False}}
PATH = [
    delay("post", "50 ns"),
    clocked("out", 9, clock="a"),
    delay("memory", {"read": "30 ns", "write": "20 ns"}, stage="memory"),
    clocked("copy", 2, clock="b", when=["write"], beat={"bytes": "32 B", "cost": "1 cycle"}),
    station("back", "1 ns", bandwidth="10 GB/s", when=["read"]),
]


def test_a_path_has_the_stages_of_the_operation() -> None:
    path = Path(table(PATH, clocks=CLOCKS))
    assert [hop.name for hop in path.plan(READ, 64).hops] == ["post", "out", "memory", "back"]
    assert [hop.name for hop in path.plan(WRITE, 64).hops] == ["post", "out", "memory", "copy"]
    assert path.plan(READ, 64) is path.plan(READ, 64)
    assert path.plan(READ, 64) is not path.plan(READ, 65)


@pytest.mark.parametrize(
    ("operation", "size", "derived_ps"),
    (
        # 9 cycles are 27950 ps; a response carries what was read, or 8 bytes.
        (READ, 64, 50_000 + 27_950 + 30_000 + 1000 + 6400),
        (READ, 0, 50_000 + 27_950 + 30_000 + 1000),
        (WRITE, 64, 50_000 + 27_950 + 20_000 + 20_000),
        (WRITE, 4096, 50_000 + 27_950 + 20_000 + 20_000),
    ),
)
def test_derived_is_what_a_person_does_on_paper(
    operation: Operation, size: int, derived_ps: int
) -> None:
    path = Path(table(PATH, clocks=CLOCKS))
    assert path.derived_ps(operation, size) == derived_ps
    plan = path.plan(operation, size)
    assert sum(time_ps for hop in plan.hops for _, time_ps in hop.parts) == derived_ps


def test_an_operation_without_messages_is_refused_with_those_that_have() -> None:
    path = Path(table(PATH, clocks=CLOCKS))
    with pytest.raises(PlanError) as error:
        path.plan(Operation.LOAD, 64)
    assert str(error.value) == "under_test has no load; expected read or write"


def test_an_operation_that_passes_nothing_is_refused() -> None:
    path = Path(table([delay("x", "1 ns", when=["read"])]))
    with pytest.raises(PlanError, match=r"^under_test sends write through no stage at all$"):
        path.plan(WRITE, 64)


class Small(Stage):
    """Only small requests pass here."""

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """Up to 64 bytes."""
        return size_bytes <= 64


def test_a_stage_says_itself_what_applies() -> None:
    source = table([delay("x", "1 ns"), delay("y", "2 ns")], behaviour={"x": Small})
    path = Path(source)
    assert path.derived_ps(READ, 64) == 3000
    assert path.derived_ps(READ, 65) == 2000


class Counting(Stage):
    """Remembers what it has seen."""

    def __init__(self, parameters: object) -> None:
        super().__init__(parameters)
        self.seen: list[int] = []

    def serve(self, request: Request, now_ps: int) -> None:
        """Counts."""
        self.seen.append(now_ps)


def test_a_stage_is_asked_once_for_each_request_when_it_accepts_it() -> None:
    source = table([clocked("x", 1, 3), delay("y", "1 ns")], behaviour={"x": Counting})
    made = run(source, posts(200, 300))
    assert made.accepted_ps("x") == [1000, 4000]
    stage = made.path.plan(READ, 64).hops[0].serve
    assert stage is not None
    assert stage.__self__.seen == [1000, 4000]  # type: ignore[attr-defined]


def test_a_fresh_path_remembers_nothing() -> None:
    source = table([clocked("x", 1, 50), delay("y", "1 ns")])
    assert [run(source, posts(0)).completions_ps() for _ in range(2)] == [[2000], [2000]]


def test_the_three_lines_of_the_first_example() -> None:
    source = table([clocked("x", 9), delay("y", "1 ns")])
    path = build(source)
    report = path.run(operation=READ, size_bytes=64, requests=10, outstanding=1)
    assert report.latency.largest == 10_000
    # A run is on a fresh copy, so a second one gives the same.
    assert path.run(requests=10).as_json()["latency_ps"] == report.as_json()["latency_ps"]
