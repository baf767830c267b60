"""Reads a timeline back from either of its formats: with Perfetto's own classes, or as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace import (  # type: ignore[import-untyped]
    perfetto_trace_pb2 as proto,
)


@dataclass
class Slice:
    """A slice, or with `is_instant` something without a duration, and what it stands inside of."""

    process: str
    track: str
    name: str
    start: int
    end: int
    args: dict[str, Any]
    is_instant: bool = False
    parent: Slice | None = None

    @property
    def whole(self) -> Slice:
        """The slice of a request that this one stands in, or is."""
        return self if self.parent is None else self.parent.whole


@dataclass
class Read:
    """What a file shows: in `arrows` from which slice to which, and `about` its run."""

    about: dict[str, Any]
    slices: list[Slice] = field(default_factory=list)
    arrows: list[tuple[Slice, Slice]] = field(default_factory=list)

    def named(self, start: str) -> list[Slice]:
        """The slices whose names start so."""
        return [one for one in self.slices if one.name.startswith(start)]

    def inside(self, parent: Slice) -> list[Slice]:
        """What stands right inside a slice."""
        return [one for one in self.slices if one.parent is parent]


class _Reader:
    """Opens and closes slices in the order of time, as a viewer does; strict about both."""

    def __init__(self, about: dict[str, Any]) -> None:
        self.read = Read(about)
        self._open: dict[int, list[Slice]] = {}
        self._arrows: dict[int, Slice] = {}

    def begin(self, track: int, names: tuple[str, str], name: str, ts: int, args: Any) -> None:
        stack = self._open.setdefault(track, [])
        made = Slice(*names, name, ts, -1, args, parent=stack[-1] if stack else None)
        self.read.slices.append(made)
        stack.append(made)

    def end(self, track: int, ts: int, args: dict[str, Any]) -> None:
        ended = self._open[track].pop()
        ended.end = ts
        assert not ended.args.keys() & args.keys()
        ended.args.update(args)

    def instant(self, track: int, names: tuple[str, str], name: str, ts: int, args: Any) -> None:
        stack = self._open.get(track)
        parent = stack[-1] if stack else None
        self.read.slices.append(Slice(*names, name, ts, ts, args, True, parent))

    def leave(self, track: int, arrow: int) -> None:
        assert arrow not in self._arrows
        self._arrows[arrow] = self._open[track][-1]

    def arrive(self, track: int, arrow: int) -> None:
        self.read.arrows.append((self._arrows.pop(arrow), self._open[track][-1]))

    def finish(self) -> Read:
        assert not any(self._open.values()), "a slice has no end"
        assert not self._arrows, "an arrow goes nowhere"
        return self.read


def read_pftrace(file: Path) -> Read:
    """By the classes of the package `perfetto`."""
    trace = proto.Trace()
    trace.ParseFromString(file.read_bytes())
    assert {packet.trusted_packet_sequence_id for packet in trace.packet} == {1}
    tracks = {}
    reader = _Reader({})
    for packet in trace.packet:
        for attribute in packet.trace_attributes.attribute:
            reader.read.about[attribute.key] = getattr(attribute, attribute.WhichOneof("value"))
        if packet.HasField("track_descriptor"):
            assert packet.track_descriptor.uuid not in tracks
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
    # A viewer sorts packets by time, and leaves those of the same time as they are.
    happened = [packet for packet in trace.packet if packet.HasField("track_event")]
    for packet in sorted(happened, key=lambda packet: packet.timestamp):
        event, time = packet.track_event, packet.timestamp
        descriptor = tracks[event.track_uuid]
        process = tracks[tracks[descriptor.parent_uuid].parent_uuid].process.process_name
        names = (process, descriptor.name)
        args = {one.name: _value(one) for one in event.debug_annotations}
        if event.type == proto.TrackEvent.TYPE_SLICE_BEGIN:
            reader.begin(event.track_uuid, names, event.name, time, args)
        elif event.type == proto.TrackEvent.TYPE_INSTANT:
            reader.instant(event.track_uuid, names, event.name, time, args)
        for arrow in event.flow_ids:
            reader.leave(event.track_uuid, arrow)
        for arrow in event.terminating_flow_ids:
            reader.arrive(event.track_uuid, arrow)
        if event.type == proto.TrackEvent.TYPE_SLICE_END:
            reader.end(event.track_uuid, time, args)
    return reader.finish()


def _value(annotation: Any) -> Any:
    if annotation.dict_entries:
        return {one.name: _value(one) for one in annotation.dict_entries}
    return getattr(annotation, annotation.WhichOneof("value"))


def read_chrome_json(file: Path) -> Read:
    """As the description of the trace event format has it."""
    content = json.loads(file.read_text(encoding="utf-8"))
    reader = _Reader(content["otherData"])
    names: dict[tuple[str, int], str] = {}
    happened = []
    for event in content["traceEvents"]:
        if event["ph"] == "M":
            number = event.get("tid", event["pid"])
            if event["name"].endswith("_name"):
                assert (event["name"], number) not in names
                names[event["name"], number] = event["args"]["name"]
        else:
            assert type(event["ts"]) is int
            happened.append(event)
    for event in sorted(happened, key=lambda event: event["ts"]):
        track, time, args = event["tid"], event["ts"], event.get("args")
        where = (names["process_name", event["pid"]], names["thread_name", track])
        match event["ph"]:
            case "B":
                reader.begin(track, where, event["name"], time, args)
            case "E":
                reader.end(track, time, args)
            case "i":
                reader.instant(track, where, event["name"], time, args)
            case "s":
                reader.leave(track, event["id"])
            case "f":
                assert event["bp"] == "e"
                reader.arrive(track, event["id"])
    return reader.finish()
