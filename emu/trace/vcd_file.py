"""VCD: what each stage holds, as waveforms for GTKWave, Surfer and their like, in picoseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from vcd import VCDWriter

from emu.trace.events import Event, Kind
from emu.trace.header import Header
from emu.trace.whole_file import WholeFile

#: Variable of each stage to its type, its size in bits, and its value at the beginning.
VARIABLES: dict[str, tuple[str, int, int | str]] = {
    # How many were accepted and have not left.
    "inside": ("integer", 32, 0),
    # How many of these are done, and are kept by what comes next.
    "finished": ("integer", 32, 0),
    # How many have arrived and were not accepted.
    "waiting": ("integer", 32, 0),
    # One is there to be accepted. A handshake has no length; it is shown as one picosecond.
    "valid": ("wire", 1, 0),
    # 0 while what is there is not accepted. Events do not tell whether a stage would accept what is
    # not there; with nothing in front of it this is 1. So valid and ready are both 1 in the
    # picosecond of each handshake, and only then.
    "ready": ("wire", 1, 1),
    # The one that was accepted last; x before the first that is told.
    "accepted": ("integer", 64, "x"),
    # The one that has waited longest of those that wait; z when none does.
    "first": ("integer", 64, "z"),
}


def open_vcd(path: Path, header: Header) -> VcdWriter:
    """A writer of a value change dump."""
    return VcdWriter(path, header)


@dataclass(slots=True, eq=False)
class _Stage:
    """A stage, as far as events have told of it."""

    name: str
    variables: dict[str, Any]
    inside: int = 0
    finished: dict[int, None] = field(default_factory=dict)
    waiting: dict[int, None] = field(default_factory=dict)
    accepted: int | str = "x"
    #: Whether there was a handshake in the current instant.
    shakes: bool = False

    def values(self) -> dict[str, int | str]:
        """Variable to value."""
        return {
            "inside": self.inside,
            "finished": len(self.finished),
            "waiting": len(self.waiting),
            "valid": int(self.shakes or bool(self.waiting)),
            "ready": int(self.shakes or not self.waiting),
            "accepted": self.accepted,
            "first": next(iter(self.waiting), "z"),
        }


class VcdWriter:
    """Writes the values at the end of each instant; keeps which request in flight is where.

    It starts with the values of the moment in which the window of the trace begins: of what is told
    from before, it only takes note of who is where.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._file = WholeFile(path)
        self._writer = VCDWriter(
            cast(IO[str], self._file),
            timescale="1 ps",
            date="",
            version=f"rdma-path-emu {header.version}",
            comment=f"table {header.table}, digest {header.digest}, seed {header.seed}",
            init_timestamp=header.from_ps,
        )
        self._from_ps = self._now_ps = header.from_ps
        self._stages = {
            stage.name: _Stage(
                stage.name,
                {
                    name: self._writer.register_var(
                        (header.table, stage.name), name, kind, size, init
                    )
                    for name, (kind, size, init) in VARIABLES.items()
                },
            )
            for stage in header.stages
        }
        #: Request to the stage where it is, and whether it is inside.
        self._places: dict[int, tuple[_Stage, bool]] = {}
        #: What has changed in this instant.
        self._changed: dict[str, _Stage] = {}

    def tell(self, event: Event) -> None:
        """Takes note of who is where now."""
        if event.time_ps > self._now_ps:
            self._write_until(event.time_ps)
        kind, request = event.kind, event.request
        if kind is Kind.COMPLETED or kind is Kind.DROPPED:
            self._leave(request)
        if not event.stage:
            return
        stage = self._stages[event.stage]
        self._changed[event.stage] = stage
        if kind is Kind.ARRIVED:
            self._leave(request)
            stage.waiting[request] = None
            self._places[request] = stage, False
        elif kind is Kind.ACCEPTED:
            self._enter(event, stage)
        elif kind is Kind.EMITTED:
            # A stage with rules of its own, or a trace that begins here, tells no acceptance.
            if self._places.get(request) != (stage, True):
                self._enter(event, stage)
            stage.finished[request] = None
        elif kind is Kind.LEFT:
            self._leave(request)

    def close(self, end_ps: int = 0) -> None:
        """Writes the last instant and the end; the file is complete."""
        told_ps = self._now_ps
        ends_shaking = any(stage.shakes for stage in self._stages.values())
        self._write_until(told_ps + 2)
        self._writer.close(max(told_ps + ends_shaking, end_ps))
        self._file.close()

    def _enter(self, event: Event, stage: _Stage) -> None:
        request = event.request
        self._leave(request)
        stage.inside += 1
        self._places[request] = stage, True
        if event.time_ps >= self._from_ps:
            stage.accepted = request
            stage.shakes = True

    def _leave(self, request: int) -> None:
        """It is nowhere now; in a trace that begins after it came it was not known to be there."""
        stage, is_inside = self._places.pop(request, (None, False))
        if stage is None:
            return
        self._changed[stage.name] = stage
        if is_inside:
            stage.inside -= 1
            stage.finished.pop(request, None)
        else:
            del stage.waiting[request]

    def _write_until(self, time_ps: int) -> None:
        """Writes what changed in this instant, and the ends of its handshakes if they are over."""
        changed, self._changed = self._changed, {}
        self._write(changed, self._now_ps)
        shaken = {name: stage for name, stage in changed.items() if stage.shakes}
        for stage in shaken.values():
            stage.shakes = False
        if time_ps > self._now_ps + 1:
            self._write(shaken, self._now_ps + 1)
        else:
            self._changed = shaken
        self._now_ps = time_ps

    def _write(self, stages: dict[str, _Stage], time_ps: int) -> None:
        for stage in stages.values():
            for name, value in stage.values().items():
                self._writer.change(stage.variables[name], time_ps, value)
