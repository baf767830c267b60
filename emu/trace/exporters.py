"""Exporters by the suffix of a file, and several of them as one listener."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from emu.errors import EmuError, did_you_mean, listed
from emu.time import Clock
from emu.trace.events import Event, Kind
from emu.trace.exporter import Exporter, LimitError
from emu.trace.filter import Filter
from emu.trace.header import Header
from emu.trace.whole_file import check_folder
from emu.trace.window import OpenStays

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
#: Formats that show so many requests and no more, as their modules say.
LIMITED = (".html", *PICTURES)
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
        if suffix in PICTURES and suffix not in suffixes:
            raise EmuError(
                f"{file}: a picture is drawn by another option; expected --plot {file}, or a name "
                f"that ends in {listed(suffixes)}"
            )
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


def check_limits(files: Iterable[Path], requests: int) -> None:
    """`LimitError` where a file could not show so many requests."""
    for file in files:
        suffix = suffix_of(file)
        if suffix in LIMITED:
            module = import_module(f"emu.trace.{(TRACES | PICTURES)[suffix][0]}")
            if requests > module.MOST_REQUESTS:
                raise LimitError(module.too_many(file))


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

    1. Who is there when the window begins is told first: its submission, and all that happened at
       the stage where it is, with the times at which that was.
    2. An exporter that fails is closed no more: its error ends the run, and the others complete
       their files. One that cannot show so much is left out, and the run goes on for the others.
    """

    def __init__(self, wanted: Filter, exporters: Iterable[Exporter]) -> None:
        self.events = self.requests = 0
        #: Those whose files are complete.
        self.completed: list[Exporter] = []
        #: What was said by those that were left out.
        self.too_much: list[LimitError] = []
        self._wanted = wanted
        self._at_any_time = replace(wanted, from_ps=0, to_ps=None)
        self._exporters = list(exporters)
        self._in_flight: set[int] = set()
        self._open: OpenStays | None = OpenStays()
        #: When something happened last, and when something that was told did.
        self._now_ps = self._told_ps = 0

    def tell(self, event: Event) -> None:
        """One more event of the run."""
        self._now_ps = event.time_ps
        if event.time_ps < self._wanted.from_ps:
            if self._open is not None and self._at_any_time.passes(event):
                self._open.tell(event)
            return
        if self._open is not None:
            self._begin()
        if self._wanted.passes(event):
            self._tell(event)

    def close(self, end_ps: int = 0) -> None:
        """Completes all files of a run that went on up to `end_ps`, or to its last event.

        A trace in which a request is left ends there, or with its window; else with its last event.
        """
        end_ps = max(end_ps, self._now_ps)
        if self._wanted.to_ps is not None:
            end_ps = min(end_ps, self._wanted.to_ps)
        try:
            if self._open is not None and end_ps >= self._wanted.from_ps:
                self._begin()
        finally:
            exporters, self._exporters = self._exporters, []
            if not self._in_flight:
                end_ps = self._told_ps
            with ExitStack() as closing:  # where one cannot be completed, the others still are
                for exporter in reversed(exporters):
                    closing.callback(self._close, exporter, end_ps)

    def _close(self, exporter: Exporter, end_ps: int) -> None:
        exporter.close(end_ps)
        self.completed.append(exporter)

    def _begin(self) -> None:
        """The window begins."""
        assert self._open is not None  # asked by the callers
        events, self._open = self._open.events(), None
        for event in events:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        self._count(event)
        self._told_ps = event.time_ps
        for exporter in self._exporters:
            try:
                exporter.tell(event)
            except EmuError as error:
                self._exporters = [one for one in self._exporters if one is not exporter]
                if not isinstance(error, LimitError) or not self._exporters:
                    raise
                self.too_much.append(error)

    def _count(self, event: Event) -> None:
        self.events += 1
        if event.kind is Kind.CONSUMED:
            return  # of a request that has been counted
        if event.request not in self._in_flight:
            self._in_flight.add(event.request)
            self.requests += 1
        if event.kind in (Kind.COMPLETED, Kind.DROPPED):
            self._in_flight.remove(event.request)
