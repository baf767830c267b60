"""A cycle-level emulator of the path that one remote memory access takes."""

from emu.path import build
from emu.request import Operation
from emu.table import load

__all__ = ["Operation", "build", "load"]
