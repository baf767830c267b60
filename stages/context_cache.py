"""A controller's cache of connection records, and what it costs to fetch one that is not there."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from pydantic import Field, PlainValidator, WithJsonSchema

from emu.errors import UnitError
from emu.random import Random
from emu.request import Request
from emu.stage import Served, Stage, parameters
from emu.state import RECORD_BYTES
from emu.table.fields import BytesField
from emu.units import BYTE_UNITS, parse_bytes

#: What a record is of: its kind, and the numbers that tell it from others of that kind.
Key = tuple[int, int, int]
Kind = Literal["jetty", "channel", "qp", "segment"]
Owner = Literal["initiator", "destination", "pair", "all"]

#: The order in which a request's records are looked up.
_KINDS: tuple[Kind, ...] = ("jetty", "channel", "qp", "segment")
_ENTRIES = " entries"
_FULL = "full"
_HIT = Served(skips=True)
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Capacity:
    """Room for so many records, or with `in_bytes` for so many bytes of them."""

    amount: int
    in_bytes: bool

    def __str__(self) -> str:
        return f"{self.amount} B" if self.in_bytes else f"{self.amount}{_ENTRIES}"


def parse_capacity(text: object) -> Capacity:
    """A `Capacity` from `2048 entries` or `1 MiB`; never zero."""
    expected = "expected for example '2048 entries' or '1 MiB'"
    try:
        if isinstance(text, str) and text.endswith(_ENTRIES):
            capacity = Capacity(int(text.removesuffix(_ENTRIES)), in_bytes=False)
        else:
            capacity = Capacity(parse_bytes(text), in_bytes=True)
    except ValueError:
        raise UnitError(f"{text!r} is no capacity; {expected}") from None
    if capacity.amount < 1:
        raise UnitError(f"{text!r} has no room; {expected}")
    return capacity


def _parse_ways(value: object) -> int | str:
    if value == _FULL:
        return _FULL
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UnitError(
            f"{value!r} is no number of ways; expected a whole number from 1 on, or '{_FULL}'"
        )
    return value


#: Records or bytes, from `2048 entries` or `1 MiB`.
CapacityField = Annotated[
    Capacity,
    PlainValidator(parse_capacity),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": rf"^\d+(\.\d+)?\s*({'|'.join(['entries', *BYTE_UNITS])})$",
            "examples": ["2048 entries"],
        }
    ),
]
#: A whole number from 1 on, or `full`.
WaysField = Annotated[
    int | str,
    PlainValidator(_parse_ways),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"const": _FULL}]}),
]


class Held(Protocol):
    """The records in one set of a cache."""

    def use(self, key: Key, size: int) -> bool:
        """Whether the record is there; if not, it is taken in as the replacement says."""


class Lru:
    """Drops what was unused for longest until a new record fits."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._sizes: OrderedDict[Key, int] = OrderedDict()

    def use(self, key: Key, size: int) -> bool:
        """Whether the record is there; it is now the one used last."""
        sizes = self._sizes
        if key in sizes:
            sizes.move_to_end(key)
            return True
        self._room -= size
        sizes[key] = size
        while self._room < 0:
            self._room += sizes.popitem(last=False)[1]
        return False


class RandomlyReplaced:
    """Drops records drawn at random until a new one fits."""

    def __init__(self, room: int, random: Random) -> None:
        self._room = room
        self._random = random
        self._records: list[tuple[Key, int]] = []
        self._keys: set[Key] = set()

    def use(self, key: Key, size: int) -> bool:
        """Whether the record is there; if not, it is taken in."""
        records = self._records
        if key in self._keys:
            return True
        while self._room < size:
            # The last record takes the place of the one that is dropped.
            index = self._random.below(len(records))
            dropped, freed = records[index]
            records[index] = records[-1]
            records.pop()
            self._keys.remove(dropped)
            self._room += freed
        self._room -= size
        records.append((key, size))
        self._keys.add(key)
        return False


class NeverReplaced:
    """Keeps what came first, and takes in no more once it is full."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._keys: set[Key] = set()

    def use(self, key: Key, size: int) -> bool:
        """Whether the record is there; if not, it is taken in while there is room."""
        if key in self._keys:
            return True
        if self._room >= size:
            self._room -= size
            self._keys.add(key)
        return False


_OWNERS: dict[Owner, Callable[[Request], tuple[int, int]]] = {
    "initiator": lambda request: (request.initiator, 0),
    "destination": lambda request: (0, request.destination),
    "pair": lambda request: (request.initiator, request.destination),
    "all": lambda request: (0, 0),
}


def mixed(key: Key) -> int:
    """64 bits that depend on every bit of the key, the same in every run.

    The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), once for each number.
    """
    z = 0
    for number in key:
        z = (z + number + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        z ^= z >> 31
    return z


class ContextCache(Stage):
    """A cache of connection records: a request that finds all it needs goes on at once.

    Of each kind of record that `records` names a request needs one, and one cache holds them all.
    The entry's timing is that of a miss: `latency` is the fetch, `uses` the resource that it goes
    through, `depth` how many may be under way. What one request misses is fetched together, in the
    time of one fetch. Requests that miss nothing pass those that wait for a fetch.

    A record is taken in when it is looked up, not when its fetch is over: a second request for it
    finds it there. Records that are dropped cost nothing.
    """

    @parameters
    class Parameters:
        """What is held, how much of it, and what makes room."""

        records: Annotated[
            dict[Kind, Owner],
            Field(
                min_length=1,
                description="the records that a request needs, and what there is one of each for: "
                "initiator, destination, pair of them, or all together",
            ),
        ]
        capacity: Annotated[
            CapacityField, Field(description="room, in records or bytes: '2048 entries', '1 MiB'")
        ]
        ways: Annotated[
            WaysField,
            Field(description="records in a set, which a hash picks; full: one set for all"),
        ]
        replacement: Annotated[
            Literal["lru", "random", "none"],
            Field(description="which record makes room; none: a full set takes in no more"),
        ]
        sizes: Annotated[
            dict[Kind, BytesField] | None,
            Field(description="bytes of a record, where not 20, 56, 512, 32; with bytes only"),
        ] = None

        def __post_init__(self) -> None:
            capacity, ways, sizes = self.capacity, self.ways, self.sizes or {}
            if capacity.in_bytes and isinstance(ways, int):
                raise ValueError(
                    f"{ways} ways of {capacity}; expected a capacity in entries, or 'ways: full'"
                )
            if isinstance(ways, int) and capacity.amount % ways:
                raise ValueError(
                    f"{capacity} do not make sets of {ways}; expected a multiple of the ways"
                )
            unused = [kind for kind in sizes if kind not in self.records]
            if sizes and not capacity.in_bytes:
                raise ValueError(f"sizes are of no use for {capacity}; expected none")
            if unused:
                raise ValueError(f"no request needs a {unused[0]}; expected no size of it")
            for kind in self.records:
                if self.size(kind) > capacity.amount:
                    raise ValueError(f"{capacity} do not hold one {kind}; expected more")

        def size(self, kind: Kind) -> int:
            """What a record takes of the capacity."""
            if not self.capacity.in_bytes:
                return 1
            return (self.sizes or {}).get(kind, RECORD_BYTES[kind])

    looks_up = True
    source = (
        "interconnect chapter, section on the state of a controller: records of 20, 56, 512 and "
        "32 B (Jetty, channel, QP, segment)"
    )

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._needed = [
            (number, _OWNERS[parameters.records[kind]], parameters.size(kind))
            for number, kind in enumerate(_KINDS)
            if kind in parameters.records
        ]
        capacity, ways = parameters.capacity.amount, parameters.ways
        self._room = ways if isinstance(ways, int) else capacity
        self._count = capacity // self._room
        #: Sets by number, made when they are first used.
        self._sets: dict[int, Held] = {}

    def start(self, random: Random) -> None:
        """Keeps the random numbers for random replacement."""
        self._random = random

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Looks up every record of the request, takes in those that are not there."""
        found = True
        for kind, owner, size in self._needed:
            key = (kind, *owner(request))
            index = 0 if self._count == 1 else mixed(key) % self._count
            held = self._sets.get(index)
            if held is None:
                held = self._sets[index] = self._new_set()
            found &= held.use(key, size)
        return _HIT if found else None

    def _new_set(self) -> Held:
        replacement = self.parameters.replacement
        if replacement == "lru":
            return Lru(self._room)
        if replacement == "random":
            return RandomlyReplaced(self._room, self._random)
        return NeverReplaced(self._room)
