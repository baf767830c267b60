"""Checker: reads a Kanata 0004 log by its format description, refuses what is not legal.

Lines of cells with tabs between. `Kanata 0004` first, then `C= CYCLE` where the log starts; then

    C CYCLES                    so many cycles have gone by, never back
    I ID SIM_ID THREAD_ID       an instruction begins; ids of the file are sequential
    L ID TYPE TEXT              0: text on the left, 1: text under the mouse; texts add up
    S ID LANE STAGE             a stage begins on a lane
    E ID LANE STAGE             it ends
    R ID RETIRE_ID TYPE         the instruction is over; 0: retired, 1: flushed
    W CONSUMER PRODUCER TYPE    the consumer, which is not over, waits for the producer

Stricter than the description: a stage is ended before the next begins on its lane, and all are
ended before the instruction is over and at the end of the file; retire ids are sequential.
"""

from __future__ import annotations

from dataclasses import dataclass, field


class KanataError(Exception):
    """A line that is not legal."""


@dataclass(frozen=True)
class Span:
    """A stage of an instruction."""

    lane: int
    stage: str
    start: int
    end: int


@dataclass
class Instruction:
    """All that a log says of an instruction; times are cycles."""

    sim_id: int
    thread: int
    label: str = ""
    details: str = ""
    spans: list[Span] = field(default_factory=list)
    open: dict[int, tuple[str, int]] = field(default_factory=dict)
    #: Instructions that it waits for, and when that was said.
    behind: list[tuple[int, int]] = field(default_factory=list)
    over: int | None = None
    retire_id: int | None = None
    is_flushed: bool = False


@dataclass
class Log:
    """A log that is legal."""

    first_cycle: int
    instructions: list[Instruction]


def read_kanata(text: str) -> Log:
    """The log in a file; `KanataError` with the number of the first line that is not legal."""
    if not text.endswith("\n"):
        raise KanataError("the last line is cut off")
    reader = _Reader()
    for number, line in enumerate(text[:-1].split("\n"), start=1):
        try:
            reader.read(number, line.split("\t"))
        except (KanataError, ValueError, IndexError) as error:
            raise KanataError(f"line {number}: {line!r}: {error}") from error
    for index, instruction in enumerate(reader.instructions):
        if instruction.open:
            raise KanataError(f"instruction {index} is left in {instruction.open}")
    return Log(reader.first_cycle, reader.instructions)


_CELLS = {"C=": 2, "C": 2, "I": 4, "L": 4, "S": 4, "E": 4, "R": 4, "W": 4}


class _Reader:
    def __init__(self) -> None:
        self.first_cycle = self.cycle = 0
        self.instructions: list[Instruction] = []
        self.retired = 0

    def read(self, number: int, cells: list[str]) -> None:
        if number == 1:
            _check(cells == ["Kanata", "0004"], "no header")
            return
        command = cells[0]
        _check(len(cells) == _CELLS.get(command), "no such command, or not so many cells")
        if command == "C=":
            _check(number == 2, "the start comes right after the header")
            self.first_cycle = self.cycle = _whole(cells[1])
        elif command == "C":
            cycles = _whole(cells[1])
            _check(cycles > 0, "no cycle goes by")
            self.cycle += cycles
        elif command == "I":
            _check(_whole(cells[1]) == len(self.instructions), "ids are sequential")
            self.instructions.append(Instruction(_whole(cells[2]), _whole(cells[3])))
        else:
            instruction = self.instructions[_whole(cells[1])]
            _check(instruction.over is None, "the instruction is over")
            getattr(self, f"_{command}")(instruction, *cells[2:])

    def _L(self, instruction: Instruction, kind: str, text: str) -> None:  # noqa: N802
        _check(kind in ("0", "1"), "no such type of text")
        if kind == "0":
            instruction.label += text
        else:
            instruction.details += text

    def _S(self, instruction: Instruction, lane: str, stage: str) -> None:  # noqa: N802
        _check(stage != "", "a stage has a name")
        _check(_whole(lane) not in instruction.open, "the lane is in another stage")
        instruction.open[_whole(lane)] = stage, self.cycle

    def _E(self, instruction: Instruction, lane: str, stage: str) -> None:  # noqa: N802
        name, start = instruction.open.pop(_whole(lane), ("", 0))
        _check(name == stage, "the lane is not in this stage")
        instruction.spans.append(Span(_whole(lane), stage, start, self.cycle))

    def _R(self, instruction: Instruction, retire_id: str, kind: str) -> None:  # noqa: N802
        _check(kind in ("0", "1"), "no such type of an end")
        _check(not instruction.open, "a stage has not ended")
        instruction.over = self.cycle
        instruction.retire_id = _whole(retire_id)
        instruction.is_flushed = kind == "1"
        if kind == "0":
            _check(instruction.retire_id == self.retired, "retire ids are sequential")
            self.retired += 1

    def _W(self, instruction: Instruction, producer: str, kind: str) -> None:  # noqa: N802
        _check(kind == "0", "no such type of a dependency")
        _check(_whole(producer) < len(self.instructions), "there is no such producer")
        instruction.behind.append((_whole(producer), self.cycle))


def _whole(text: str) -> int:
    _check(text.isascii() and text.isdecimal(), f"'{text}' is no whole number")
    return int(text)


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise KanataError(what)
