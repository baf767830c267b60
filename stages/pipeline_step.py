"""One step of a controller's pipeline."""

from __future__ import annotations

from emu.stage import Stage


class PipelineStep(Stage):
    """One of the steps that a message takes through a pipeline, where a table tells them apart.

    A whole pass as one stage is `nic_pipeline`. What a step does (a queue looked at, a header
    added) is in its name; its cycles are those from the step before.
    """

    source = "OpenURMA (arXiv 2605.28717), per-element files of its SystemC sender pipelines"
