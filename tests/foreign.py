"""A stage that this project does not know, in a table of its own, as if it were registered."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.request import Request
from emu.stage import Served, Stage, parameters, registry
from emu.time import Picoseconds

TABLE = """\
schema: 1
name: foreign
title: A stage of somebody else's
messages:
  read: {request: 64 B, response: payload}
path:
  - stage: retimer
    latency: 200 ns
    interval: 50 ns
    depth: unlimited
    queue: unlimited
    source: {text: made up, kind: assumed}
"""
#: What it says of the stage.
PREVENTED = "stage retimer is none of the built-in stages (tests.foreign:Retimer)"


class Retimer(Stage):
    """Keeps every other request for a nanosecond more."""

    @parameters
    class Parameters:
        """It has none of its own."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """As the class says."""
        if request.sequence % 2:
            return Served(parts=(("service", Picoseconds(1000)),))
        return None


def foreign_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of such a table, which loads as long as the test runs."""
    known = {**registry(), "retimer": Retimer}
    monkeypatch.setattr("emu.table.parse.registry", lambda: known)
    file = folder / "foreign.yaml"
    file.write_text(TABLE, encoding="utf-8")
    return file
