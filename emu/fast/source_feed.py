"""Source feed: a workload becomes a record of the world, and what Python gives as the run goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice, repeat
from math import gcd
from typing import Any

import numpy as np

from emu.fast.alike import NEVER_PS
from emu.fast.blocks import contents, fill, fill_words
from emu.fast.codes import OPERATIONS, ORDERS, SERVICES
from emu.fast.layout import POST
from emu.fast.random import RANDOM
from emu.fast.refusal import RefusalError
from emu.fast.source import (
    ADDRESSES,
    CHAIN,
    CHOICE,
    CONSTANT,
    IN_TURN,
    NOBODY,
    ONE_STREAM,
    SOURCE,
    STREAM,
    STREAM_OF_INITIATOR,
    UNIFORM,
    WEIGHTED,
    ZIPF,
    draw_uniforms,
)
from emu.random import Random
from emu.time import format_time
from emu.workload import Access, Chain, Closed, Stream, Timed
from emu.workload.arrivals import Arrivals, Poisson
from emu.workload.choice import Constant, InTurn, Uniform, Weighted, Zipf
from emu.workload.stream import Addresses, Kind, Slots, SteppingAddresses

#: Records of posts.
Rows = np.ndarray[Any, Any]

#: Times that are given stay below: no run goes so far.
_TOO_LATE_PS = 2**60
#: Addresses stay below; sums of two still fit into 63 bits.
_TOO_LARGE = 2**62
#: With accesses of so many bytes, 2**30 requests step through memory before that.
_LARGEST_BYTES = 2**32
#: Room for so many given accesses beside those that one instant may take.
_GIVEN_ROOM = 2**13

_OPERATION_CODES = {operation: code for code, operation in enumerate(OPERATIONS)}
_ORDER_CODES = {order: code for code, order in enumerate(ORDERS)}
_SERVICE_CODES = {service: code for code, service in enumerate(SERVICES)}
_COLUMNS = (
    *("time_ps", "stream", "operation", "size_bytes", "address"),
    *("initiator", "destination", "order", "service", "fence"),
)


@dataclass
class SourceFeed:
    """What a driver asks of a workload whose record is in the world.

    `kinds` are those of what is drawn; all else says itself of what kind it is, when it is given.
    """

    kinds: list[Kind]
    #: The next of what is posted at known times, so many, and fewer only at the end.
    chunk: Callable[[int], Rows]
    #: Where the given accesses come from.
    accesses: Iterator[Access] | None = None
    #: Whether it takes from iterators of the workload, which nobody can turn back.
    draws: bool = False
    #: What is drawn starts at multiples of so many bytes.
    granule_bytes: int = 1

    def refill(self, world: Any) -> Rows:
        """Fills up the given accesses of a world if it wants more; gives those that are new."""
        source = contents(world["source"], SOURCE)[0]
        given = source["given"]
        taken, count = int(source["taken"]), int(given["count"])
        if self.accesses is None or source["all_given"] or count - taken >= source["least_given"]:
            return np.zeros(0, POST)
        room = contents(given, POST, all_room=True)
        kept = room[taken:count].copy()
        wanted = len(room) - len(kept)
        fresh = _rows((0, access) for access in islice(self.accesses, wanted))
        count = len(kept) + len(fresh)
        room[:count] = np.concatenate((kept, fresh))
        source["taken"], given["count"] = 0, count
        source["all_given"] = len(fresh) < wanted
        return fresh


def make_source(workload: Any, building: Any) -> SourceFeed:
    """Puts a workload into the world, from where it stands; draws nothing from its iterators.

    `RefusalError` for what compiled code can't take over.
    """
    maker = _MAKERS.get(type(workload))
    if maker is None:
        name = type(workload).__name__
        raise RefusalError(f"the workload is of the class {name}, which posts as it likes")
    source = np.zeros(1, SOURCE)
    feed = maker(workload, source[0], building)
    building.add("source", source)
    return feed


def _timed(workload: Timed, source: Any, building: Any) -> SourceFeed:
    known = workload.known
    source["again"] = NOBODY
    if type(known) is Arrivals and type(known.accesses) is Stream and known.accesses.left is None:
        streams = _Streams(building)
        kinds = streams.fill(source, [known.accesses])
        drawn_at = partial(_drawn_at, known.times)
        return SourceFeed(kinds, drawn_at, granule_bytes=streams.granule_bytes)
    if isinstance(known, Sequence):
        # All are looked at here, where the reference engine can still take over.
        return SourceFeed([], _Slices(_rows(known)))
    posts = iter(known)
    return SourceFeed([], lambda count: _rows(islice(posts, count)), draws=True)


def _closed(workload: Closed, source: Any, building: Any) -> SourceFeed:
    streams, outstanding = workload.streams, workload.outstanding
    if workload.start_ps >= _TOO_LATE_PS:
        raise _too_late()
    source["again"] = ONE_STREAM if len(streams) == 1 else STREAM_OF_INITIATOR
    drawn = [stream for stream in streams if type(stream) is Stream]
    if len(drawn) == len(streams):
        made = _Streams(building)
        kinds = made.fill(source, drawn)
        chunk = partial(_at_once, _by_turns(drawn, outstanding), workload.start_ps)
        return SourceFeed(kinds, chunk, granule_bytes=made.granule_bytes)
    if len(streams) > 1:
        raise RefusalError("the workload has several iterators that may draw from one another")
    source["is_given"] = 1
    source["least_given"] = outstanding
    fill(source["given"], np.zeros(outstanding + _GIVEN_ROOM, POST))
    source["given"]["count"] = 0
    chunk = partial(_at_once, repeat(0, outstanding), workload.start_ps)
    return SourceFeed([], chunk, iter(streams[0]), draws=True)


def _chain(workload: Chain, source: Any, building: Any) -> SourceFeed:
    operation, size_bytes = workload.operation, workload.size_bytes
    if size_bytes * len(workload.following) >= _TOO_LARGE:
        raise RefusalError(f"the workload is a chain through {size_bytes} B each")
    source["again"] = CHAIN
    source["operation"] = _OPERATION_CODES[operation]
    source["size_bytes"] = size_bytes
    fill_words(source["following"], workload.following)
    posts = workload.posts()
    return SourceFeed(
        [(operation, size_bytes)],
        lambda count: _rows(islice(posts, count)),
        granule_bytes=size_bytes,
    )


_MAKERS: dict[type, Callable[[Any, Any, Any], SourceFeed]] = {
    Timed: _timed,
    Closed: _closed,
    Chain: _chain,
}


# -- posts at known times -------------------------------------------------------------------


class _Slices:
    """Posts that are all known, a slice at a time."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __call__(self, count: int) -> Rows:
        """The next of them."""
        taken, self._rows = self._rows[:count], self._rows[count:]
        return taken


def _drawn_at(times: Iterator[int], count: int) -> Rows:
    """The next times, for accesses of the first stream."""
    next_ps = _poisson(times, count) if type(times) is Poisson else list(islice(times, count))
    # Of a slow rate, few may be wanted of all these.
    if next_ps and next_ps[-1] > NEVER_PS:
        next_ps = [min(at_ps, NEVER_PS) for at_ps in next_ps]
    return _drawn(np.array(next_ps, np.int64), 0)


def _poisson(times: Poisson, count: int) -> list[int]:
    """The next times, with what they need drawn by compiled code."""
    randoms, uniforms = np.array([(times.random.state,)], RANDOM), np.empty(count)
    draw_uniforms(randoms, uniforms)
    times.random.state = int(randoms[0]["state"])
    # The logarithm is Python's own: others may differ in the last bit.
    logs = map(math.log1p, (-uniforms).tolist())
    gaps_ps = (round(-log * times.mean_ps) for log in logs)
    _, *next_ps = accumulate(gaps_ps, initial=times.at_ps)
    times.at_ps = next_ps[-1]
    return next_ps


def _by_turns(streams: list[Stream], outstanding: int) -> Iterator[int]:
    """The streams, as long as they last."""
    lefts = [outstanding if one.left is None else min(one.left, outstanding) for one in streams]
    for turn in range(max(lefts, default=0)):
        yield from (number for number, left in enumerate(lefts) if turn < left)


def _at_once(numbers: Iterator[int], start_ps: int, count: int) -> Rows:
    """The next accesses of streams, by their numbers, all at the same time."""
    return _drawn(start_ps, np.fromiter(islice(numbers, count), np.int64))


def _drawn(times_ps: Any, streams: Any) -> Rows:
    rows = np.zeros(np.broadcast(times_ps, streams).shape, POST)
    rows["time_ps"] = times_ps
    rows["stream"] = streams
    return rows


def _rows(posts: Iterable[tuple[int, Access]]) -> Rows:
    """Posts as they are given; `RefusalError` for values, and for what takes more than 63 bits."""
    listed = []
    for at_ps, access in posts:
        if access.operand or access.compare:
            raise RefusalError("the workload brings values to memory")
        if access.order not in _ORDER_CODES or access.service not in _SERVICE_CODES:
            raise RefusalError(
                f"the workload has an order '{access.order}' or a service '{access.service}' that "
                "is not known"
            )
        listed.append(
            (
                at_ps,
                -1,
                _OPERATION_CODES[access.operation],
                *access[1:5],
                _ORDER_CODES[access.order],
                _SERVICE_CODES[access.service],
                access.fence,
            )
        )
    rows = np.zeros(len(listed), POST)
    try:
        for name, column in zip(_COLUMNS, zip(*listed, strict=True), strict=False):
            rows[name] = column
    except OverflowError:
        raise _too_many_bits(63) from None
    if len(rows) and rows["time_ps"].max() >= _TOO_LATE_PS:
        raise _too_late()
    if len(rows) and rows["address"].max() >= _TOO_LARGE:
        raise _too_many_bits(62)
    return rows


def _too_late() -> RefusalError:
    return RefusalError(f"the workload posts at {format_time(_TOO_LATE_PS)} or later")


def _too_many_bits(most: int) -> RefusalError:
    return RefusalError(f"the workload has numbers of more than {most} bits")


# -- streams --------------------------------------------------------------------------------


class _Streams:
    """Streams as records; what several of them share is there once."""

    def __init__(self, building: Any) -> None:
        self._building = building
        self._choices: list[tuple[int, ...]] = []
        self._addresses: list[tuple[int, ...]] = []
        self._kinds: list[Kind] = []
        self._zipf_sums: list[float] = []
        self._weight_sums: list[int] = []
        #: All addresses are multiples of so many bytes.
        self.granule_bytes = 0
        #: Object to place, of each list.
        self._places: dict[int, int] = {}

    def fill(self, source: Any, streams: list[Stream]) -> list[Kind]:
        """Makes them the streams of a workload; gives the kinds of which its requests may be."""
        if len({id(stream) for stream in streams}) < len(streams):
            raise RefusalError("the workload has one stream twice")
        records = [self._stream(stream) for stream in streams]
        if len(streams) > 1:
            self._check_initiators(streams)
        kinds = [(_OPERATION_CODES[operation], size_bytes) for operation, size_bytes in self._kinds]
        try:
            made = {
                "access_streams": np.array(records, STREAM),
                "access_choices": np.array(self._choices, CHOICE),
                "access_addresses": np.array(self._addresses, ADDRESSES),
                "access_kinds": np.array(kinds, np.int64).ravel(),
                "zipf_sums": np.array(self._zipf_sums, np.float64),
                "weight_sums": np.array(self._weight_sums, np.int64),
            }
        except OverflowError:
            raise _too_many_bits(63) from None
        for block, numbers in made.items():
            fill(source[block], numbers)
        return list(dict.fromkeys(self._kinds))

    def _check_initiators(self, streams: list[Stream]) -> None:
        """An answer for an initiator lets the stream of that number go on."""
        for stream in streams:
            initiators = stream.initiators
            if type(initiators) is not Constant or initiators.number not in range(len(streams)):
                raise RefusalError("the workload has streams that are not of one initiator each")

    def _stream(self, stream: Stream) -> tuple[int, ...]:
        return (
            2 * self._place(stream.kinds, self._add_kinds),
            self._choice(stream.choice_of_kinds),
            self._place(stream.addresses, self._add_addresses),
            self._choice(stream.initiators),
            self._choice(stream.destinations),
            -1 if stream.left is None else stream.left,
        )

    def _place(self, one: Any, add: Callable[[Any], int]) -> int:
        place = self._places.get(id(one))
        if place is None:
            place = self._places[id(one)] = add(one)
        return place

    def _add_kinds(self, kinds: Sequence[Kind]) -> int:
        if max(size_bytes for _, size_bytes in kinds) > _LARGEST_BYTES:
            raise RefusalError(f"the workload has accesses of more than {_LARGEST_BYTES} B")
        self._kinds += kinds
        self.granule_bytes = gcd(self.granule_bytes, *(size_bytes for _, size_bytes in kinds))
        return len(self._kinds) - len(kinds)

    def _add_addresses(self, addresses: Addresses) -> int:
        if type(addresses) is SteppingAddresses:
            made = (-1, 0, addresses.end)
            self.granule_bytes = gcd(self.granule_bytes, addresses.end)
        elif type(addresses) is Slots:
            choice = self._choice(addresses.choice)
            _, number, _, count, *_ = self._choices[choice]
            if max(number, count) * addresses.slot_bytes >= _TOO_LARGE:
                raise _too_many_bits(62)
            made = (choice, addresses.slot_bytes, 0)
            self.granule_bytes = gcd(self.granule_bytes, addresses.slot_bytes)
        else:
            raise RefusalError("the workload has addresses of its own making")
        self._addresses.append(made)
        return len(self._addresses) - 1

    def _choice(self, choice: Iterator[int]) -> int:
        return self._place(choice, self._add_choice)

    def _add_choice(self, choice: Iterator[int]) -> int:
        self._choices.append(self._described(choice))
        return len(self._choices) - 1

    def _described(self, choice: Iterator[int]) -> tuple[int, ...]:
        """Its fields: kind, number, turns, count, every, random, sums."""
        if type(choice) is Constant:
            return (CONSTANT, choice.number, 0, 0, 1, -1, -1)
        if type(choice) is InTurn:
            number, turns = divmod(choice.chosen, choice.every)
            return (IN_TURN, number % choice.count, turns, choice.count, choice.every, -1, -1)
        if type(choice) is Uniform:
            return (UNIFORM, 0, 0, choice.count, 1, self._random(choice.random), -1)
        if type(choice) is Zipf:
            first = _append(self._zipf_sums, choice.sums)
            return (ZIPF, 0, 0, len(choice.sums), 1, self._random(choice.random), first)
        if type(choice) is Weighted:
            first = _append(self._weight_sums, choice.sums)
            return (WEIGHTED, 0, 0, len(choice.sums), 1, self._random(choice.random), first)
        raise RefusalError(f"the workload chooses by a {type(choice).__name__} of its own making")

    def _random(self, random: Random) -> int:
        return self._place(random, self._building.random)


def _append(sums: list[Any], more: Sequence[Any]) -> int:
    sums += more
    return len(sums) - len(more)
