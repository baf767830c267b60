"""Sweeps: tables × values through an executor into one CSV file, whatever interrupts it."""

from emu.sweep.axis import Axis
from emu.sweep.errors import SweepError
from emu.sweep.grammar import read_axes
from emu.sweep.plan import Sweep
from emu.sweep.run import Outcome, sweep

__all__ = ["Axis", "Outcome", "Sweep", "SweepError", "read_axes", "sweep"]
