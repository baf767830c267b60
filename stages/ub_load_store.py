"""One pass through the load/store pipeline of a UB controller."""

from __future__ import annotations

from emu.stage import Stage


class UbLoadStore(Stage):
    """One pass of a load or store through the pipeline that a UB controller keeps for them.

    The processor's instruction itself is the request: no descriptor, no queue and no completion
    record, so the pass is shorter than that of `nic_pipeline`. The processor's cache stands in
    front of it as a stage of its own (`cpu_cache`).
    """

    source = "OpenURMA (arXiv 2605.28717), load/store engine of the UB controller"
