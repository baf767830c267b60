"""By several processes, with what comes out in order."""

from __future__ import annotations

import os
import time

import pytest

from emu.errors import EmuError
from emu.figures.each import each
from emu.figures.registry import reproduce
from tests.figures.test_engines import bare


def process_after(delay_s: float) -> tuple[float, int]:
    """Which process waited for how long."""
    time.sleep(delay_s)
    return delay_s, os.getpid()


@pytest.mark.parametrize("cores", (1, 2))
def test_the_order_is_that_of_the_items(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    delays_s = [0.3, 0.0, 0.1]
    found = list(each(process_after, delays_s))
    assert [delay_s for delay_s, _ in found] == delays_s
    processes = {process for _, process in found}
    # One core is this process, and needs no other.
    assert (os.getpid() in processes) == (cores == 1)


def test_a_figure_of_another_process_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    names = ["loss", "in-flight"]
    assert list(map(bare, each(reproduce, names))) == [bare(reproduce(name)) for name in names]


def test_what_goes_wrong_there_is_told_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    found = each(reproduce, ["loss", "los"])
    assert next(found).name == "loss"
    with pytest.raises(EmuError, match=r"no figure 'los'; .* did you mean 'loss'"):
        next(found)
