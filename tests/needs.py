"""Programs that some tests need and that pip does not bring."""

from __future__ import annotations

import os
import shutil

import pytest

from emu.cosim.errors import CosimError
from emu.cosim.simulators import find_simulator


def needs(*commands: str) -> pytest.MarkDecorator:
    """Skips a test where one of these is missing; with `EMU_NO_SKIP` set it runs, and fails."""
    missing = [command for command in commands if shutil.which(command) is None]
    return _skips(f"not installed: {', '.join(missing)}" if missing else "")


def builds(simulator: str) -> pytest.MarkDecorator:
    """The same, where a simulator can't be used; Verilator's command may be off the path."""
    try:
        find_simulator(simulator).environment()
    except CosimError as error:
        return _skips(str(error))
    return needs(*(("make", "g++") if simulator == "verilator" else ()))


def _skips(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(bool(reason) and not os.environ.get("EMU_NO_SKIP"), reason=reason)
