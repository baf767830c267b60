"""What a stage entry and the table's defaults say together."""

from __future__ import annotations

from typing import Literal

from emu.request import OPERATION_GROUPS, Operation
from emu.table.parse import Draft
from emu.table.schema import Defaults, Entry, StageTiming, TableHead
from emu.time import Clock


def is_plain(timing: StageTiming) -> bool:
    """Whether an entry, by its own keys, is a plain delay; `Entry.is_plain_delay` agrees."""
    limits = (timing.clock, timing.interval, timing.bandwidth, timing.depth)
    return (
        all(limit is None for limit in limits)
        and not timing.uses
        and "batch" not in timing.model_fields_set
    )


def passing(head: TableHead, timing: StageTiming | None = None) -> list[Operation]:
    """The operations that a table has messages for; with a timing, those that pass there."""
    words = {one for word in head.messages for one in OPERATION_GROUPS[word]}
    if timing is not None and timing.when is not None:
        words &= {one for word in timing.when for one in OPERATION_GROUPS[word]}
    return [operation for operation in Operation if operation in words]


def build_entry(draft: Draft, defaults: Defaults, clocks: dict[str, Clock]) -> Entry:
    """The entry of a draft without problems.

    Defaults hold where they can: not for a plain delay, whose places and queue are endless, and
    `registered` and `next_edge` only where the stage has edges (and an end to its places).
    """
    timing = draft.timing
    assert timing is not None  # a draft with problems is never built
    assert draft.stage is not None
    assert draft.name is not None
    queue, depth = timing.queue, timing.depth
    channel: Literal["bypass", "registered"] = timing.channel or "bypass"
    refill: Literal["at_once", "next_edge"] = timing.refill or "at_once"
    if not is_plain(timing):
        given = timing.model_fields_set
        edges = timing.clock is not None and clocks[timing.clock].aligned
        queue = queue if "queue" in given else defaults.queue
        depth = depth if "depth" in given else defaults.depth
        if timing.channel is None and edges:
            channel = defaults.channel or channel
        if timing.refill is None and edges and depth is not None:
            refill = defaults.refill or refill
    return Entry(
        name=draft.name,
        stage=draft.stage,
        timing=timing,
        parameters=draft.parameters,
        queue=queue,
        channel=channel,
        depth=depth,
        refill=refill,
        batch=timing.batch if "batch" in timing.model_fields_set else 1,
        where=str(draft.node.at),
    )
