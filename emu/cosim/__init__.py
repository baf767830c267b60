"""Beside HDL: the emulator and a DUT in one simulation, through cocotb.

From pytest, `run_lockstep` builds and simulates a DUT beside a table. In a cocotb test of one's
own, `emu.cosim.lockstep.Lockstep` does the same with the DUT that is there. In the same way
`emu.cosim.characterise.run.characterise` and `emu.cosim.characterise.measure.Characterise` measure
a DUT, and write its timing table.
"""

from emu.cosim.compare import Rule
from emu.cosim.run import Beside, run_lockstep

__all__ = ["Beside", "Rule", "run_lockstep"]
