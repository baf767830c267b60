"""Alike: a workload whose requests are all of one kind, as the times at which they are posted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.errors import EmuError
from emu.fast.refusal import RefusalError
from emu.workload import Access, Chain, Closed, Stream, Timed
from emu.workload.arrivals import Arrivals
from emu.workload.choice import Constant
from emu.workload.stream import Kind

#: Times of posts, in picoseconds, or whether they bear marks.
Words = NDArray[np.int64]

#: Times are given so many at once.
CHUNK = 1 << 13
#: All times from here on are the same: a run never comes that far.
NEVER_PS = 1 << 61


@dataclass
class Alike:
    """So many outstanding from a time on, or posts at times of their own, in order, in chunks.

    `marked` says of each post whether it has an order, a service mode or a fence; those behind its
    end have none. At most `left` are posted, if that is given.
    """

    kind: Kind
    outstanding: int = 0
    start_ps: int = 0
    left: int | None = None
    chunks: Iterator[Words] = field(default_factory=lambda: iter(()))
    marked: Words = field(default_factory=lambda: np.zeros(0, np.int64))


def alike(workload: Any) -> Alike:
    """What a line runs of a workload; `RefusalError` where its requests may differ."""
    maker = _MAKERS.get(type(workload))
    if maker is None:
        raise RefusalError(f"the workload is a {type(workload).__name__}, which posts as it likes")
    return maker(workload)


def _closed(workload: Closed) -> Alike:
    streams = [stream for stream in workload.streams if type(stream) is Stream]
    if len(streams) < len(workload.streams):
        raise RefusalError("the workload has accesses of its own making")
    kind = _only_kind(kind for stream in streams for kind in stream.kinds)
    if len(streams) > 1 and not all(_goes_on(stream, len(streams)) for stream in streams):
        raise RefusalError("the workload has streams that end, or are not of one initiator each")
    return Alike(
        kind,
        workload.outstanding * len(streams),
        min(workload.start_ps, NEVER_PS),
        streams[0].left,
    )


def _goes_on(stream: Stream, count: int) -> bool:
    """Whether the answer to each of its requests posts another one, of one of so many streams."""
    initiators = stream.initiators
    return (
        stream.left is None and type(initiators) is Constant and initiators.number in range(count)
    )


def _chain(workload: Chain) -> Alike:
    return Alike((workload.operation, workload.size_bytes), workload.chains)


def _timed(workload: Timed) -> Alike:
    known = workload.known
    if type(known) is Arrivals and type(known.accesses) is Stream and known.accesses.left is None:
        return Alike(_only_kind(known.accesses.kinds), chunks=_chunks(known.times))
    if not isinstance(known, Sequence):
        raise RefusalError("the workload has accesses of its own making")
    accesses = [access for _, access in known]
    kind = _only_kind((access.operation, access.size_bytes) for access in accesses)
    marked = np.array([_is_marked(access) for access in accesses], np.int64)
    return Alike(kind, chunks=_chunks(at_ps for at_ps, _ in known), marked=marked)


def check_order(times_ps: Words, before_ps: int) -> None:
    """`EmuError` where posts are not in the order of time, the one before them included."""
    earlier = np.flatnonzero(np.diff(times_ps, prepend=before_ps) < 0)
    if earlier.size:
        at = int(earlier[0])
        least_ps = before_ps if at == 0 else times_ps[at - 1]
        raise EmuError(
            f"a request is posted at {times_ps[at]} ps after one at {least_ps} ps; expected posts "
            "in the order of time, from 0 ps on"
        )


def _is_marked(access: Access) -> bool:
    return bool(access.order or access.service or access.fence)


def _only_kind(kinds: Iterable[Kind]) -> Kind:
    found = dict.fromkeys(kinds)
    if len(found) != 1:
        raise RefusalError("the workload has requests of several kinds, or none")
    return found.popitem()[0]


def _chunks(times: Iterable[int]) -> Iterator[Words]:
    rest, before_ps = iter(times), 0
    while listed := [min(time_ps, NEVER_PS) for time_ps in islice(rest, CHUNK)]:
        chunk = np.array(listed, np.int64)
        check_order(chunk, before_ps)
        before_ps = int(chunk[-1])
        yield chunk


_MAKERS: dict[type, Callable[[Any], Alike]] = {Closed: _closed, Chain: _chain, Timed: _timed}
