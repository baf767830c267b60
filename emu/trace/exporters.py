"""Exporters by the suffix of a file, and several of them as one listener."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from emu.errors import EmuError, did_you_mean, listed
from emu.time import Clock
from emu.trace.events import Event, Kind
from emu.trace.exporter import Exporter
from emu.trace.filter import Filter
from emu.trace.header import Header
from emu.trace.whole_file import check_folder

#: Suffix to the module of `emu.trace` that writes such a file, and to the function that opens it.
TRACES: dict[str, tuple[str, str]] = {
    ".jsonl": ("jsonl", "open_jsonl"),
    ".vcd": ("vcd_file", "open_vcd"),
    ".json": ("perfetto_json", "open_json"),
    ".pftrace": ("perfetto", "open_pftrace"),
    ".kanata": ("kanata", "open_kanata"),
    ".csv": ("csv_file", "open_csv"),
    ".html": ("html", "open_html"),
}
PICTURES: dict[str, tuple[str, str]] = dict.fromkeys(
    (".png", ".svg", ".pdf"), ("picture", "open_picture")
)
#: Formats whose times are cycles of a clock, and those whose times can be.
IN_CYCLES = (".kanata",)
MAYBE_IN_CYCLES = (".json", ".pftrace")


def suffix_of(file: Path) -> str:
    """What says of which format a file is."""
    return file.suffix.lower()


def check_files(files: Iterable[Path], suffixes: Iterable[str]) -> None:
    """`EmuError` where a file has none of these suffixes or cannot be there, or is given twice."""
    suffixes = tuple(suffixes)
    seen: set[Path] = set()
    for file in files:
        suffix = suffix_of(file)
        if suffix not in suffixes:
            near = did_you_mean(suffix, suffixes)
            raise EmuError(
                f"{file}: nothing is known of this format; expected a name that ends in "
                f"{listed(suffixes)}" + (f"; {near}" if near else "")
            )
        check_folder(file)
        if file.resolve() in seen:
            raise EmuError(f"{file}: given twice; expected each file once")
        seen.add(file.resolve())


def open_exporter(file: Path, header: Header, clock: str | None) -> Exporter:
    """What writes such a file; `clock` names the clock whose cycles are counted."""
    suffix = suffix_of(file)
    module, function = (TRACES | PICTURES)[suffix]
    # Imported here, because some formats need libraries that take longer than most runs do.
    opener: Callable[..., Exporter] = getattr(import_module(f"emu.trace.{module}"), function)
    if suffix in IN_CYCLES:
        return opener(file, header, choose_clock(header, clock))
    if suffix in MAYBE_IN_CYCLES and clock is not None:
        return opener(file, header, choose_clock(header, clock))
    return opener(file, header)


def choose_clock(header: Header, name: str | None) -> Clock:
    """The named clock, or the only one."""
    clocks = {clock.name: clock for clock in header.clocks}
    if name is not None and name not in clocks:
        near = did_you_mean(name, clocks)
        raise EmuError(
            f"--clock {name}: {header.table} has no such clock; expected {listed(clocks)}"
            + (f"; {near}" if near else "")
        )
    if name is not None:
        return clocks[name]
    if not clocks:
        raise EmuError(f"{header.table} has no clock; expected one, whose cycles can be counted")
    if len(clocks) > 1:
        raise EmuError(
            f"{header.table} has {len(clocks)} clocks, and this counts the cycles of one; "
            f"expected --clock with {listed(clocks)}"
        )
    return header.clocks[0]


class Outputs:
    """Listener that tells exporters what passes a filter, and counts it.

    An exporter that fails is closed no more: its error ends the run, and the others complete their
    files.
    """

    def __init__(self, wanted: Filter, exporters: Iterable[Exporter]) -> None:
        self.events = self.requests = 0
        #: Those whose files are complete.
        self.completed: list[Exporter] = []
        self._passes = wanted.passes
        self._exporters = list(exporters)
        self._in_flight: set[int] = set()

    def tell(self, event: Event) -> None:
        """One more event of the run."""
        if not self._passes(event):
            return
        self._count(event)
        for exporter in self._exporters:
            try:
                exporter.tell(event)
            except EmuError:
                self._exporters.remove(exporter)
                raise

    def close(self) -> None:
        """Completes all files."""
        exporters, self._exporters = self._exporters, []
        with ExitStack() as closing:  # where one cannot be completed, the others still are
            for exporter in reversed(exporters):
                closing.callback(self._close, exporter)

    def _close(self, exporter: Exporter) -> None:
        exporter.close()
        self.completed.append(exporter)

    def _count(self, event: Event) -> None:
        self.events += 1
        if event.kind is Kind.CONSUMED:
            return  # of a request that has been counted
        if event.request not in self._in_flight:
            self._in_flight.add(event.request)
            self.requests += 1
        if event.kind in (Kind.COMPLETED, Kind.DROPPED):
            self._in_flight.remove(event.request)
