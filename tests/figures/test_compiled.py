"""What figures need of the compiled engine is compiled before, and that is said once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from emu.engines import start
from emu.fast.events import Events
from emu.fast.line import Line
from emu.figures import compiled
from emu.path import Path
from emu.workload.build import Described


def test_both_parts_are_compiled_and_it_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = []

    def compile_before(
        engine: str, path: Path, described: Described, say: Callable[[], None]
    ) -> None:
        needed.append(type(start(path, described.workload, engine="fast").run))
        say()

    monkeypatch.setattr(compiled, "compile_before", compile_before)
    said = []
    compiled.compile_engine(lambda: said.append("compiling"))
    assert needed == [Line, Events]
    assert said == ["compiling"]


def test_nothing_is_said_where_all_is_compiled() -> None:
    compiled.compile_engine()
    said = []
    compiled.compile_engine(lambda: said.append("compiling"))
    assert said == []
