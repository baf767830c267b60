"""Programs that some tests need and that pip does not bring."""

from __future__ import annotations

import os
import shutil

import pytest


def needs(*commands: str) -> pytest.MarkDecorator:
    """Skips a test where one of these is missing; with `EMU_NO_SKIP` set it runs, and fails."""
    missing = [command for command in commands if shutil.which(command) is None]
    skips = bool(missing) and not os.environ.get("EMU_NO_SKIP")
    return pytest.mark.skipif(skips, reason=f"not installed: {', '.join(missing)}")
