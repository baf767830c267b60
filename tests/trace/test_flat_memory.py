"""A trace streams: what an exporter keeps does not grow with it."""

import tracemalloc
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest

from emu.trace.events import Event
from emu.trace.exporters import Outputs, open_exporter
from emu.trace.filter import Filter
from emu.trace.recording import Recording
from tests.trace.made import HEADER, many

SUFFIXES = (".jsonl", ".csv", ".kanata", ".vcd", ".json", ".pftrace")


def peak_bytes(folder: Path, suffix: str, events: int) -> int:
    """The most that is held while so many events are written and, of a recording, read back."""
    file = folder / f"t{suffix}"
    tracemalloc.start()
    try:
        outputs = Outputs(Filter(), [open_exporter(file, HEADER, None)])
        for event in many(events):
            outputs.tell(event)
        outputs.close()
        assert outputs.events == events
        if suffix == ".jsonl":
            with Recording(file) as recording:
                assert sum(1 for _ in recording) == events
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check(folder: Path, suffix: str, few: int, often: int) -> None:
    # Once before, so that what is made once is there.
    peak_bytes(folder, suffix, 1000)
    least = peak_bytes(folder, suffix, few)
    assert peak_bytes(folder, suffix, few * often) < least + 20_000


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_thousands_of_events(tmp_path: Path, suffix: str) -> None:
    check(tmp_path, suffix, 5_000, 5)


def test_what_is_held_back_for_a_window_is_of_those_inside() -> None:
    outputs = Outputs(Filter(from_ps=10**12), [])

    def kept_bytes(events: Iterable[Event]) -> int:
        for event in events:
            outputs.tell(event)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        events = many(40_000)
        least = kept_bytes(islice(events, 4_000))
        assert kept_bytes(events) < least + 20_000
    finally:
        tracemalloc.stop()


@pytest.mark.long
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_million_events(tmp_path: Path, suffix: str) -> None:
    check(tmp_path, suffix, 100_000, 10)
