"""Marks of tests that need a simulator."""

from __future__ import annotations

import os

import pytest

from emu.cosim.errors import CosimError
from emu.cosim.simulators import find_simulator


def builds(name: str) -> pytest.MarkDecorator:
    """Skips a test where the simulator is missing; with `EMU_NO_SKIP` set it runs, and fails."""
    try:
        find_simulator(name).environment()
        reason = ""
    except CosimError as error:
        reason = str(error)
    return pytest.mark.skipif(bool(reason) and not os.environ.get("EMU_NO_SKIP"), reason=reason)
