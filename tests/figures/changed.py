"""Figures of tables that are changed, and which of their points are off then."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from emu.figures import measure
from emu.figures.model import Figure
from emu.table import load
from emu.table.schema import Table


def off(figure: Figure) -> set[str]:
    """The points that are not what is expected."""
    return {point.name for point in figure.points if not point.ok}


def change(monkeypatch: pytest.MonkeyPatch, *changes: str, table: str = "") -> None:
    """From now on one table is run with changes, or without a name every table is."""

    def changed(name: str, *, overrides: Sequence[str] = ()) -> Table:
        return load(name, overrides=[*(changes if table in ("", name) else ()), *overrides])

    monkeypatch.setattr(measure, "load", changed)
