"""Each planted fault shows at the cycle and the port at which it must, and nothing before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.hdl.bench import HDL, IN_VHDL, Run, play
from tests.hdl.player import Event
from tests.hdl.reference import W, expected
from tests.hdl.stimuli import header, plain, source
from tests.needs import builds

LAST = 1 << W
ALWAYS = [1]
#: Order and service of a request.
RO, SO = 1, 2

DEFAULTS: dict[str, dict[str, int]] = {
    "pipeline": {"LATENCY": 4, "INTERVAL": 1, "DEPTH": 8, "REFILL_NEXT_EDGE": 0},
    "scheduler": {
        "QUEUES": 4,
        "DEPTH": 4,
        "INITIATORS": 8,
        "OUTSTANDING": 3,
        "PICK": 1,
        "LATENCY": 1,
        "INTERVAL": 1,
    },
    "ordering_engine": {
        "QUEUES": 4,
        "DEPTH": 4,
        "INITIATORS": 8,
        "OUTSTANDING": 3,
        "WINDOW": 8,
        "TRACKING": 0,
        "STRICT": 0,
        "LATENCY": 1,
    },
    "framer": {"SHORT_BYTES": 58, "LONG_BYTES": 78, "CHUNK_BYTES": 32},
    "context_cache": {
        "SETS": 1,
        "WAYS": 2,
        "REPLACEMENT": 0,
        "SEED": 0,
        "KIND": 2,
        "DEPTH": 4,
        "INTERVAL": 1,
        "REFILL_NEXT_EDGE": 0,
        "QUEUE": 8,
        "BACKLOG": 8,
    },
    "descriptor_dma": {
        "TAGS": 4,
        "CREDITS": 0,
        "CREDIT_RETURN": 1,
        "DEPTH": 8,
        "INTERVAL": 1,
        "ISSUE": 1,
        "IN_ORDER": 1,
        "TAG_RETURN": 0,
        "TAG_UNTIL_LEFT": 0,
        "REFILL_NEXT_EDGE": 0,
    },
    "completion_writer": {
        "QUEUE": 8,
        "BATCH": 4,
        "LATENCY": 2,
        "INTERVAL": 10,
        "DEPTH": 2,
        "REFILL_NEXT_EDGE": 0,
    },
}


@dataclass(frozen=True)
class Case:
    """A fault, what it is played beside, and where it is seen first."""

    model: str
    fault: int
    cycle: int
    ports: str
    run: Run
    at: int = 0
    parameters: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.model}-{self.fault}"


def stream(count: int, is_ready: list[int] = ALWAYS) -> Run:
    """So many requests, one a cycle as far as they are taken."""
    beats = plain([header(number, number) for number in range(count)])
    return Run(60, {"s": source(beats, ALWAYS)}, {"m": is_ready})


def flits(requests: Sequence[tuple[int, int]], answers: Sequence[tuple[int, int]] = ()) -> Run:
    """Requests of one flit, and answers to initiators, each from a cycle on."""
    return Run(
        60,
        {
            "s": source([[one | LAST, cycle] for one, cycle in requests], ALWAYS),
            "a": source([[one, cycle] for one, cycle in answers], ALWAYS),
        },
        {"m": ALWAYS},
    )


def asking(initiators: list[tuple[int, int]], delays: list[int]) -> Run:
    """Requests of initiators, each from a cycle on, before a memory that takes so long for each."""
    beats = [[header(number, one), at] for number, (one, at) in enumerate(initiators)]
    return Run(
        60,
        {"s": source(beats, ALWAYS), "c": source([], ALWAYS)},
        {"m": ALWAYS, "r": ALWAYS},
        [{"request": "r", "answer": "c", "delays": delays}],
    )


READ_THEN_FENCE = [(header(0, 0, is_read=1), 0), (header(1, 0, fence=1), 1)]
RO_THEN_SO = [(header(0, 0, RO), 0), (header(1, 0, SO), 1)]
TWO_HELD = [
    *((header(number, number, RO), number) for number in (0, 1)),
    *((header(number, number - 2, SO), number) for number in (2, 3)),
]
TWO_FRAMES = Run(60, {"s": source([[n | LAST, 0] for n in range(2)], ALWAYS)}, {"m": ALWAYS})

CASES = [
    # Request n is taken at cycle n, and leaves at cycle n + 4.
    Case("pipeline", 1, 9, "m", stream(20), 5),
    Case("pipeline", 2, 9, "m", stream(20), 5),
    Case("pipeline", 3, 10, "m", stream(20), 5),
    Case("pipeline", 4, 9, "m", stream(20), 5),
    # Every second cycle: request 4 is taken at cycle 8, and the next must wait for cycle 10.
    Case("pipeline", 5, 9, "s", stream(20), 5, {"INTERVAL": 2}),
    Case("pipeline", 6, 5, "s", stream(20), 5),
    Case("pipeline", 7, 9, "m", stream(20), 5),
    # Every place is taken: the one of request 5, which leaves at cycle 9, is needed at once.
    Case("pipeline", 8, 9, "s", stream(20), 5, {"DEPTH": 4}),
    # The output is blocked at cycle 9, in which request 5 is shown first.
    Case("pipeline", 9, 10, "m", stream(20, [1] * 9 + [0, 1]), 5),
    # The read is chosen at cycle 0; the fence must wait.
    Case("scheduler", 10, 2, "m", flits(READ_THEN_FENCE, [(0, 10)])),
    # Queue 0 is served at cycle 0, and then the cursor comes to queue 1.
    Case("scheduler", 11, 2, "m", flits([(header(n, n), n) for n in (0, 1)]), 0, {"PICK": 0}),
    # An answer that nobody waits for.
    Case("scheduler", 12, 2, "m", flits([(header(0, 0, fence=1), 1)], [(0, 0)])),
    Case("scheduler", 13, 6, "m", flits(READ_THEN_FENCE, [(0, 5)])),
    # The first is in the way out, two more are in the queue: there is room for no more.
    Case(
        "scheduler",
        14,
        3,
        "s",
        Run(
            60,
            {
                "s": source([[header(n, 0) | LAST, 0] for n in range(6)], ALWAYS),
                "a": source([], ALWAYS),
            },
            {"m": [0] * 20 + [1]},
        ),
        0,
        {"DEPTH": 2},
    ),
    # The fault of the way out, for one.
    Case("scheduler", 3, 3, "m", flits([(header(n, n), n) for n in range(4)]), 1),
    Case("ordering_engine", 10, 2, "m", flits(RO_THEN_SO, [(0, 10)])),
    # The cursor is at queue 0 at cycle 22, and must be at queue 1 at cycle 23.
    Case("ordering_engine", 11, 24, "m", flits(TWO_HELD, [(0, 20), (1, 21)])),
    Case("ordering_engine", 12, 2, "m", flits([(header(0, 0, SO), 1)], [(0, 0)])),
    # The cursor is at queue 0 at cycle 5.
    Case("ordering_engine", 13, 6, "m", flits(RO_THEN_SO, [(0, 5)])),
    Case("ordering_engine", 13, 6, "m", flits(RO_THEN_SO, [(0, 5)]), 0, {"TRACKING": 1}),
    # Two frames of two chunks.
    Case("framer", 10, 3, "s", TWO_FRAMES),
    Case("framer", 11, 2, "m", TWO_FRAMES),
    # The third record drops the first; the second must still be there.
    Case("context_cache", 1, 30, "mr", asking([(1, 0), (2, 10), (3, 20), (2, 30)], [5])),
    # At random, one of the first two is dropped, and the other must still be there.
    *(
        Case(
            "context_cache",
            1,
            30,
            "mr",
            asking([(1, 0), (2, 10), (3, 20), (one, 30)], [5]),
            0,
            {"REPLACEMENT": 1},
        )
        for one in (1, 2)
    ),
    Case("context_cache", 2, 10, "mr", asking([(1, 0), (1, 10)], [5])),
    # The second fetch waits for the place of the first.
    Case("context_cache", 3, 5, "r", asking([(1, 0), (2, 1)], [5]), 0, {"DEPTH": 1}),
    Case("context_cache", 4, 10, "m", asking([(1, 0), (1, 10)], [5])),
    Case("context_cache", 5, 5, "m", asking([(1, 0), (2, 10)], [5])),
    # A read goes out at cycle 1, its answer is back at cycle 11.
    Case("descriptor_dma", 10, 1, "s", asking([(0, 0), (0, 0)], [10]), 0, {"TAGS": 1}),
    Case("descriptor_dma", 11, 11, "s", asking([(0, 0), (0, 0)], [10]), 0, {"TAGS": 1}),
    Case(
        "descriptor_dma",
        12,
        5,
        "s",
        asking([(0, 0), (0, 0)], [10]),
        0,
        {"CREDITS": 1, "CREDIT_RETURN": 5},
    ),
    # The second answer is back first.
    Case("descriptor_dma", 13, 5, "m", asking([(0, 0), (0, 0)], [10, 3])),
    Case("descriptor_dma", 1, 1, "r", asking([(0, 0), (0, 0)], [10])),
    # A batch of one begins at cycle 1, one of four at cycle 11.
    Case("completion_writer", 10, 15, "m", stream(20), 1, {"QUEUE": 32}),
    Case("completion_writer", 11, 3, "m", stream(20)),
    # One batch after the other without a pause: the next begins while this one leaves.
    Case("completion_writer", 11, 4, "m", stream(20), 1, {"INTERVAL": 1}),
    # The fault of what batches go through, for one.
    Case("completion_writer", 1, 3, "m", stream(20)),
]


def first_difference(left: list[Event], right: list[Event]) -> tuple[int, str]:
    """The first cycle in which the ports did not do the same, and which did not, in order."""
    different = set(left) ^ set(right)
    assert different
    cycle = min(cycle for cycle, _, _ in different)
    ports = {port for at, port, _ in different if at == cycle}
    return cycle, "".join(sorted(ports))


def check(case: Case, simulator: str, folder: Path) -> None:
    parameters = {**DEFAULTS[case.model], **case.parameters}
    faulty = {**parameters, "FAULT": case.fault, "FAULT_AT": case.at}
    (events,) = play(case.model, simulator, [case.run], folder, faulty)
    found = first_difference(events, expected(case.model, case.run, parameters))
    assert found == (case.cycle, case.ports)


@pytest.mark.parametrize("case", CASES, ids=str)
@builds("icarus")
def test_a_fault_shows_where_it_must(case: Case, tmp_path: Path) -> None:
    check(case, "icarus", tmp_path)


@pytest.mark.parametrize("case", [case for case in CASES if case.model in IN_VHDL], ids=str)
@builds("ghdl")
def test_a_fault_in_vhdl_shows_where_it_must(case: Case, tmp_path: Path) -> None:
    check(case, "ghdl", tmp_path)


# Verilator knows no X.
@pytest.mark.long
@pytest.mark.parametrize(
    "case", [case for case in CASES if (case.model, case.fault) != ("pipeline", 7)], ids=str
)
@builds("verilator")
def test_a_fault_shows_on_verilator_where_it_must(case: Case, tmp_path: Path) -> None:
    check(case, "verilator", tmp_path)


def listed_faults() -> set[tuple[str, int, str]]:
    """Model, number and name, as the table in README.md has them."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| `(\w+)` \|", (HDL / "README.md").read_text(), re.M)
    return {(model, int(number), name) for model, number, name in rows}


def planted_faults() -> set[tuple[str, int, str]]:
    """The same, as the sources have them."""
    found = set()
    for file in HDL.glob("*.sv"):
        _, _, faults = file.read_text().partition("// Faults:")
        faults, _, _ = faults.partition("\n\n")
        for name, number in re.findall(r"localparam int (\w+) = (\d+);", faults):
            found.add((file.stem, int(number), name))
    return found


def test_every_fault_is_listed_and_tried() -> None:
    planted = planted_faults()
    assert len(planted) >= 15
    assert listed_faults() == planted
    own = {(model, number) for model, number, _ in planted}
    assert own <= {(case.model, case.fault) for case in CASES}
