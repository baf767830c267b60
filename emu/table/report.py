"""A loaded table as plain values for people and scripts, units included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.actor import Actor
from emu.table.fields import OTHER
from emu.table.parameters import (
    format_bandwidth,
    format_count,
    format_frequency,
    format_values,
)
from emu.table.schema import (
    WHOLE,
    Beat,
    Channels,
    Entry,
    Link,
    Message,
    Pcie,
    Pool,
    Resource,
    Source,
    Table,
    Use,
)
from emu.time import Clock, Duration, format_time


def describe_table(table: Table) -> dict[str, Any]:
    """The whole table; every quantity is text with its unit."""
    head = table.head
    resolution = head.resolution
    return {
        "name": table.name,
        "title": head.title,
        "description": head.description,
        "file": table.file,
        "digest": table.digest,
        "source": _sources({WHOLE: head.source} if head.source else None),
        "operations": list(table.operations),
        "other_operations": head.other_operations,
        "clocks": [
            {"name": name, "text": _clock(clock), "source": _sources(head.clocks[name].source)}
            for name, clock in table.clocks.items()
        ],
        "resources": [
            {
                "name": name,
                "kind": resource.kind,
                "text": _resource(resource),
                "parameters": _parameters(resource),
                "source": _sources(resource.source),
            }
            for name, resource in head.resources.items()
        ],
        "resolution": resolution and f"{format_time(resolution.step)}, {resolution.round}",
        "messages": [
            _message(operation, table.message(operation)) for operation in table.operations
        ],
        "path": [_entry(entry, head.resources) for entry in table.entries],
    }


def source_text(sources: dict[str, dict[str, str]]) -> str:
    """Sources on one line: `measured: data sheet`; several name their parameters first."""
    keys: dict[str, list[str]] = {}
    for key, source in sources.items():
        keys.setdefault(f"{source['kind']}: {source['text']}", []).append(key)
    return "; ".join(
        text if named == [WHOLE] else f"{', '.join(named)} {text}" for text, named in keys.items()
    )


def _entry(entry: Entry, resources: Mapping[str, Resource]) -> dict[str, Any]:
    timing = entry.timing
    keeps_own_time = issubclass(entry.stage, Actor)
    return {
        "name": entry.name,
        "stage": timing.stage,
        "at": timing.at,
        "when": timing.when or [],
        "clock": timing.clock,
        "timing": {**_timing(entry), **format_values(entry.parameters)},
        "uses": [_use(use, resources[use.resource]) for use in timing.uses or []],
        "keeps_own_time": keeps_own_time,
        "looks_up": entry.stage.looks_up,
        "plain_delay": entry.is_plain_delay and not keeps_own_time,
        "depth": format_count(entry.depth),
        "refill": entry.refill,
        "queue": format_count(entry.queue),
        "channel": entry.channel,
        "overflow": timing.overflow or "hold",
        "batch": format_count(entry.batch),
        "source": _sources(timing.source),
        "where": entry.where,
    }


def _timing(entry: Entry) -> dict[str, str]:
    timing = entry.timing
    shown: dict[str, str] = {}
    if timing.latency is not None:
        shown["latency"] = _by_operation(timing.latency)
    if timing.interval is not None:
        shown["interval"] = _by_operation(timing.interval)
    if timing.beat is not None:
        shown["beat"] = _beat(timing.beat)
    if timing.bandwidth is not None:
        shown["bandwidth"] = format_bandwidth(timing.bandwidth)
    for key in ("cut_through", "mtu", "header"):
        value = getattr(timing, key)
        if value is not None:
            shown[key] = f"{value} B"
    if timing.arbitration:
        shown["arbitration"] = " before ".join(timing.arbitration)
    return shown


def _beat(beat: Beat) -> str:
    adds = str(beat.cost)
    if beat.cost is None:
        adds = f"{beat.latency} to the latency, {beat.interval} to the interval"
    return f"{adds} each {beat.bytes} B"


def _by_operation(values: dict[str, Duration]) -> str:
    if list(values) == [OTHER]:
        return str(values[OTHER])
    return " / ".join(f"{word} {value}" for word, value in values.items())


def _use(use: Use, resource: Resource) -> str:
    """What a stage needs of a resource, and for how long or for which bytes."""
    size = "payload" if use.bytes is None else f"{use.bytes} B"
    match resource:
        case Link():
            text = f"{use.resource} for {size}"
        case Pcie():
            text = f"{use.resource} to {use.as_} {size} to {use.to}"
            if use.relaxed_ordering:
                text += ", relaxed"
        case _ if use.for_ is not None:
            text = f"{use.resource} for {format_time(use.for_)}"
        case _:
            text = f"{use.resource} until {use.until}" if use.until else use.resource
            text += f" plus {use.plus}" if use.plus is not None else ""
    return f"{text} ({', '.join(use.when)})" if use.when else text


def _parameters(resource: Resource) -> dict[str, str]:
    values = format_values(resource)
    return {key: value for key, value in values.items() if key not in ("kind", "source")}


def _resource(resource: Resource) -> str:
    match resource:
        case Pool():
            per = f" for each {resource.per}" if resource.per else ""
            return f"pool of {format_count(resource.capacity)}{per}"
        case Link():
            mtu = f", packets of {resource.mtu} B" if resource.mtu is not None else ""
            bandwidth = format_bandwidth(resource.bandwidth)
            return f"link of {bandwidth}{mtu}, header {resource.header} B"
        case Channels():
            groups = f" ({resource.groups})" if resource.groups else ""
            window = format_count(resource.window)
            return f"transport channels, {resource.sharing}{groups}, window {window}"
    return (
        f"PCIe Gen{resource.generation} x{resource.lanes}, payload {resource.payload} B, read "
        f"request {resource.read_request} B, completion boundary {resource.completion_boundary} B, "
        f"header {resource.header} B, tags {format_count(resource.tags)}, credits "
        f"{format_count(resource.nonposted_credits)} non-posted and "
        f"{format_count(resource.posted_credits)} posted, back after "
        f"{format_time(resource.credit_return)}"
    )


def _clock(clock: Clock) -> str:
    period = clock.period_ps
    text = f"{format_frequency(clock.frequency_hz)}, period {float(period):.3f} ps"
    if not clock.aligned:
        return f"{text}, not aligned: a cycle is a unit of time"
    return f"{text}, edge 0 at {format_time(clock.phase_ps)}"


def _message(operation: str, message: Message) -> dict[str, str]:
    sizes = {"request": message.request, "response": message.response}
    shown = {key: "payload" if size is None else f"{size} B" for key, size in sizes.items()}
    if message.fused_acknowledgement:
        shown["fused_acknowledgement"] = f"{message.fused_acknowledgement} B"
    return {"operation": operation, **shown}


def _sources(sources: dict[str, Source] | None) -> dict[str, dict[str, str]]:
    return {
        key: {"text": source.text, "kind": source.kind} for key, source in (sources or {}).items()
    }
