"""Perfetto's own format: a sequence of `TracePacket` messages, written as they come.

The format is Perfetto's `trace_packet.proto`; what a viewer makes of it is in Perfetto's guide to
writing track events without its own library.
"""

from __future__ import annotations

from pathlib import Path

from perfetto.protos.perfetto.trace import (  # type: ignore[import-untyped]
    perfetto_trace_pb2 as proto,
)

from emu.time import Clock
from emu.trace.header import Header
from emu.trace.timeline import Args, Scale, Timeline, about
from emu.trace.whole_file import WholeFile

#: All packets are of one sequence; a viewer wants it numbered.
SEQUENCE = 1


def open_pftrace(path: Path, header: Header, clock: Clock | None = None) -> Timeline:
    """A `.pftrace` file, in which each picosecond, or each cycle of `clock`, is a nanosecond."""
    scale = Scale("1 ns", clock)
    return Timeline(_Packets(path, about(header, scale)), header, scale)


class _Packets:
    """A canvas; its numbers are the `uuid` of tracks, and those of processes the `pid` as well."""

    def __init__(self, path: Path, attributes: dict[str, str | int]) -> None:
        self._file = WholeFile(path)
        self._rows: dict[int, int] = {}
        packet = proto.TracePacket(sequence_flags=proto.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED)
        for name, value in attributes.items():
            attribute = packet.trace_attributes.attribute.add(key=name)
            if isinstance(value, int):
                attribute.long_value = value
            else:
                attribute.string_value = value
        self._write(packet)

    def process(self, number: int, name: str) -> None:
        """A process."""
        descriptor = proto.TrackDescriptor(uuid=number)
        descriptor.process.pid = number
        descriptor.process.process_name = name
        self._describe(descriptor)

    def row(self, number: int, name: str, process: int) -> None:
        """The next row of a process: a track that only has others under it."""
        place = self._rows[process] = self._rows.get(process, 0) + 1
        self.track(number, name, process, place)

    def track(self, number: int, name: str, row: int, place: int) -> None:
        """A track under a row."""
        self._describe(
            proto.TrackDescriptor(uuid=number, parent_uuid=row, name=name, sibling_order_rank=place)
        )

    def begin(self, track: int, time: int, name: str, args: Args, *, arrow: int = 0) -> None:
        """A slice begins."""
        event = proto.TrackEvent(type=proto.TrackEvent.TYPE_SLICE_BEGIN, name=name)
        if arrow:
            event.terminating_flow_ids.append(arrow)
        self._happen(track, time, event, args)

    def end(self, track: int, time: int, args: Args, *, arrow: int = 0) -> None:
        """The slice that began last ends."""
        event = proto.TrackEvent(type=proto.TrackEvent.TYPE_SLICE_END)
        if arrow:
            event.flow_ids.append(arrow)
        self._happen(track, time, event, args)

    def instant(self, track: int, time: int, name: str, args: Args, *, arrow: int = 0) -> None:
        """Something without a duration."""
        event = proto.TrackEvent(type=proto.TrackEvent.TYPE_INSTANT, name=name)
        if arrow:
            event.flow_ids.append(arrow)
        self._happen(track, time, event, args)

    def close(self) -> None:
        """The file is complete."""
        self._file.close()

    def _describe(self, descriptor: proto.TrackDescriptor) -> None:
        descriptor.child_ordering = proto.TrackDescriptor.EXPLICIT
        self._write(proto.TracePacket(track_descriptor=descriptor))

    def _happen(self, track: int, time: int, event: proto.TrackEvent, args: Args) -> None:
        event.track_uuid = track
        for name, value in args.items():
            _annotate(event.debug_annotations.add(name=name), value)
        self._write(proto.TracePacket(timestamp=time, track_event=event))

    def _write(self, packet: proto.TracePacket) -> None:
        packet.trusted_packet_sequence_id = SEQUENCE
        # Traces that follow each other in a file are one trace.
        self._file.write_bytes(proto.Trace(packet=[packet]).SerializeToString())


def _annotate(annotation: proto.DebugAnnotation, value: str | int | dict[str, int]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _annotate(annotation.dict_entries.add(name=name), inner)
    elif isinstance(value, bool):
        annotation.bool_value = value
    elif isinstance(value, str):
        annotation.string_value = value
    elif 0 <= value < 2**64:
        annotation.uint_value = value
    elif -(2**63) <= value < 0:
        annotation.int_value = value
    else:
        annotation.string_value = str(value)
