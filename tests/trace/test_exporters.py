"""Exporters by suffix, the clock that they count, and several at once."""

from collections import deque
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from emu.errors import EmuError
from emu.time import Clock
from emu.trace.events import Event, Kind
from emu.trace.exporters import (
    PICTURES,
    TRACES,
    Outputs,
    check_files,
    choose_clock,
    open_exporter,
)
from emu.trace.filter import Filter
from tests.trace.made import HEADER, NIC, many

PCIE = Clock("pcie", Fraction(4000))


@pytest.mark.parametrize("suffix", (*TRACES, *PICTURES, ".CSV"))
def test_each_format_can_be_opened_and_closed(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"t{suffix}"
    exporter = open_exporter(file, HEADER, None)
    for event in many(200):
        exporter.tell(event)
    assert not file.exists()
    exporter.close()
    assert list(tmp_path.iterdir()) == [file]
    assert file.stat().st_size > 0


def test_files_that_can_be_no_traces(tmp_path: Path) -> None:
    check_files([tmp_path / "t.vcd", tmp_path / "t.CSV"], TRACES)
    for files, message in (
        (["t.jsnl"], "t.jsnl: nothing is known of this format; expected a name that ends in .jso"),
        (["t.jsnl"], "; did you mean '.json"),
        (["t"], "t: nothing is known of this format; expected a name that ends in .jsonl, .vcd,"),
        (["none/t.csv"], "t.csv: there is no folder '"),
        (["t.csv", "t.vcd", "t.csv"], "t.csv: given twice; expected each file once"),
    ):
        with pytest.raises(EmuError) as error:
            check_files([tmp_path / file for file in files], TRACES)
        assert message in str(error.value)


def test_which_clock_is_counted() -> None:
    assert choose_clock(HEADER, None) is NIC
    assert choose_clock(HEADER, "nic") is NIC
    both = replace(HEADER, clocks=(NIC, PCIE))
    assert choose_clock(both, "pcie") is PCIE
    for header, name, message in (
        (
            both,
            None,
            "made has 2 clocks, and this counts the cycles of one; expected --clock with ",
        ),
        (both, None, "expected --clock with nic or pcie"),
        (
            both,
            "pice",
            "--clock pice: made has no such clock; expected nic or pcie; did you mean '",
        ),
        (replace(HEADER, clocks=()), None, "made has no clock; expected one, whose cycles can be"),
        (
            replace(HEADER, clocks=()),
            "nic",
            "--clock nic: made has no such clock; expected nothing",
        ),
    ):
        with pytest.raises(EmuError) as error:
            choose_clock(header, name)
        assert message in str(error.value)


class Kept:
    """Exporter that keeps what it is told, and fails at a given event."""

    def __init__(self, fails_at: int = -1) -> None:
        self.told: list[Event] = []
        self.closed = 0
        self._fails_at = fails_at

    def tell(self, event: Event) -> None:
        if len(self.told) == self._fails_at:
            raise EmuError("this is too much")
        self.told.append(event)

    def close(self) -> None:
        self.closed += 1
        if self._fails_at == -2:
            raise EmuError("no room")


def test_all_are_told_what_passes() -> None:
    first, second = Kept(), Kept()
    outputs = Outputs(Filter(stages=("memory",)), [first, second])
    events = list(many(1000))
    for event in events:
        outputs.tell(event)
    outputs.close()
    expected = [event for event in events if event.stage in ("", "memory")]
    assert first.told == second.told == expected
    assert (first.closed, second.closed) == (1, 1)
    assert (outputs.events, outputs.requests) == (
        len(expected),
        len({event.request for event in expected}),
    )


def test_requests_are_counted_once() -> None:
    outputs = Outputs(Filter(), [])
    for kind in (Kind.SUBMITTED, Kind.ARRIVED, Kind.COMPLETED, Kind.CONSUMED):
        outputs.tell(Event(0, kind, 0, ""))
    outputs.tell(Event(0, Kind.DROPPED, 1, ""))
    outputs.tell(Event(0, Kind.LEFT, 2, ""))
    assert (outputs.events, outputs.requests) == (6, 3)


def test_one_that_fails_is_told_no_more_and_the_others_complete() -> None:
    first, second, third = Kept(), Kept(fails_at=3), Kept()
    outputs = Outputs(Filter(), [first, second, third])
    events = many(100)
    with pytest.raises(EmuError, match="this is too much"):
        deque(map(outputs.tell, events), maxlen=0)
    outputs.close()
    assert (len(first.told), len(second.told), len(third.told)) == (4, 3, 3)
    assert (first.closed, second.closed, third.closed) == (1, 0, 1)
    assert outputs.completed == [first, third]


def test_one_that_cannot_be_completed_stops_no_other() -> None:
    kept = [Kept(), Kept(fails_at=-2), Kept()]
    outputs = Outputs(Filter(), kept)
    with pytest.raises(EmuError, match="no room"):
        outputs.close()
    assert [one.closed for one in kept] == [1, 1, 1]
    assert outputs.completed == [kept[0], kept[2]]
