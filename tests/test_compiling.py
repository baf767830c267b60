"""Compiling before a first run: by one of all who begin at the same time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from emu.compiling import compile_before
from emu.driver import Driver
from emu.engines import Started
from emu.errors import RunError
from emu.path import Path as EmulatedPath
from emu.workload.build import Described, closed_loop
from tests.build import READ, station, table

#: Made once: to make it changes what all threads see.
TABLE = table([station("x", "1 ns")])


class Compiler:
    """Stands for the fast engine: a first run compiles, which takes a moment."""

    def __init__(self) -> None:
        self.is_compiled = False
        self.compiled = self.at_once = self.most_at_once = 0
        self.began: list[dict[str, Any]] = []

    def start(self, path: EmulatedPath, workload: Any, **how: Any) -> Started:
        """What `emu.engines.start` gives."""
        self.began.append(how)
        run = Driver(path, workload, requests=how["requests"])
        return Started(run, self.go, run.stop, "fast", is_compiled=self.is_compiled)

    def go(self) -> None:
        """Compiles."""
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(0.05)
        self.is_compiled = True
        self.compiled += 1
        self.at_once -= 1


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    made = Compiler()
    monkeypatch.setattr("emu.compiling.start", made.start)
    monkeypatch.setattr("emu.fast.compiled.cache_folder", lambda: tmp_path / "kept")
    return made


def before(said: list[int], described: Described | None = None) -> None:
    path = EmulatedPath(TABLE)
    load = described or closed_loop((READ, 64), 1, 10**9)
    compile_before("fast", path, load, lambda: said.append(1))


def test_it_is_said_and_done_once(compiler: Compiler) -> None:
    said: list[int] = []
    before(said)
    before(said)
    assert (said, compiler.compiled) == ([1], 1)
    # Nothing of the run itself is run before.
    assert {(how["requests"], how["until_ps"]) for how in compiler.began} == {(1, 0)}


def test_of_many_one_compiles_and_the_others_wait(compiler: Compiler) -> None:
    said: list[int] = []
    begin = threading.Barrier(4)

    def one() -> None:
        begin.wait()
        before(said)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(one) for _ in range(4)]:
            done.result()
    assert (compiler.compiled, compiler.most_at_once) == (1, 1)


def test_where_nothing_can_be_kept_it_compiles_all_the_same(
    compiler: Compiler, tmp_path: Path
) -> None:
    (tmp_path / "kept").write_text("no folder")
    before([])
    assert compiler.compiled == 1


def test_what_fails_is_left_to_the_run(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    def go() -> None:
        raise RunError("the queue overflows")

    monkeypatch.setattr(compiler, "go", go)
    before([])
    assert not compiler.is_compiled


def test_a_workload_that_can_be_made_once_is_left_to_the_run(compiler: Compiler) -> None:
    load = closed_loop((READ, 64), 1, 5)
    said: list[int] = []
    before(said, Described(load.workload, load.said, load.kind))
    assert (said, compiler.began) == ([], [])
