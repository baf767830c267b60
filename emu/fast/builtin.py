"""The built-in stages, and what stands for each in compiled code.

A stage is known by the class that it is an instance of, named as its entry point names it: the
engine imports no stage.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from emu.fast.constants import make_constant
from emu.fast.context_cache import make_context
from emu.fast.cpu_cache import make_cpu
from emu.fast.dispatcher import make_engine, make_scheduler
from emu.fast.in_turn import (
    make_channel_order,
    make_completion_order,
    make_read_check,
    make_target_order,
)
from emu.fast.make_wire import make_wire
from emu.fast.multi_path import make_multi_path
from emu.fast.pcie_order import make_pcie_order
from emu.fast.refusal import RefusalError
from emu.stage import Stage

if TYPE_CHECKING:
    from emu.fast.building import Building

#: Makes the record of a stage: its code, and its place in the block of its kind.
Maker = Callable[[Any, "Building"], tuple[int, int]]

#: Stages that do nothing but take time.
PLAIN = frozenset(
    f"stages.{module}:{name}"
    for module, name in (
        ("completion", "Completion"),
        ("completion_handling", "CompletionHandling"),
        ("descriptor_build", "DescriptorBuild"),
        ("descriptor_dma", "DescriptorDma"),
        ("dma_engine", "DmaEngine"),
        ("doorbell", "Doorbell"),
        ("memory", "Memory"),
        ("nic_pipeline", "NicPipeline"),
        ("on_chip_bus", "OnChipBus"),
        ("order_serialisation", "OrderSerialisation"),
        ("payload_dma", "PayloadDma"),
        ("pipeline_step", "PipelineStep"),
        ("response_dma", "ResponseDma"),
        ("target_dma", "TargetDma"),
        ("transfer", "Transfer"),
        ("ub_load_store", "UbLoadStore"),
        ("verb_poll", "VerbPoll"),
        ("verb_post", "VerbPost"),
        ("wire", "Wire"),
    )
)

#: What makes the records of all others.
MAKERS: dict[str, Maker] = {
    "stages.channel_order:ChannelOrder": make_channel_order,
    "stages.channel_sharing:ChannelSharing": make_constant,
    "stages.completion_order:CompletionOrder": make_completion_order,
    "stages.context_cache:ContextCache": make_context,
    "stages.context_threshold:ContextThreshold": make_constant,
    "stages.cpu_cache:CpuCache": make_cpu,
    "stages.multi_path:MultiPath": make_multi_path,
    "stages.ordering_engine:OrderingEngine": make_engine,
    "stages.pcie_order:PcieOrder": make_pcie_order,
    "stages.read_check:ReadCheck": make_read_check,
    "stages.reliable_wire:ReliableWire": make_wire,
    "stages.scheduler:Scheduler": make_scheduler,
    "stages.strict_order:StrictOrder": make_constant,
    "stages.target_order:TargetOrder": make_target_order,
}


def class_of(stage: Stage) -> str:
    """The stage's class, as an entry point names it."""
    return f"{type(stage).__module__}:{type(stage).__qualname__}"


def maker_of(name: str, stage: Stage) -> Maker | None:
    """What makes the record of a stage; `None` if it has none. `RefusalError` if it is foreign."""
    known = class_of(stage)
    if known in PLAIN:
        return None
    if known not in MAKERS:
        raise RefusalError(f"stage {name} is none of the built-in stages ({known})")
    return MAKERS[known]
