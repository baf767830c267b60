"""A workload as it was described becomes one that can be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from emu.random import Random
from emu.request import OPERATION_GROUPS
from emu.workload.arrivals import Arrivals, Poisson, at_fixed_rate
from emu.workload.chain import Chain
from emu.workload.choice import Constant, InTurn, Uniform, Weighted, Zipf
from emu.workload.replay import read_replay
from emu.workload.schema import (
    BurstSpec,
    ChainSpec,
    ClosedSpec,
    DestinationPick,
    Item,
    OpenSpec,
    Pick,
    Posting,
    ReplaySpec,
    Spec,
)
from emu.workload.stream import Addresses, Kind, Slots, SteppingAddresses, Stream, stepping
from emu.workload.workload import Closed, Timed, Workload


@dataclass(frozen=True)
class Described:
    """A workload for one run, and what a report says of it.

    `again` makes the same once more, if it is known how. `kind` is given where all its requests are
    alike; at most `requests` are posted, if that is given. `brings_values` says that it has values
    to write or to compare with.
    """

    workload: Workload
    said: dict[str, Any]
    kind: Kind | None
    requests: int | None = None
    again: Callable[[], Workload] | None = None
    brings_values: bool = False


def closed_loop(kind: Kind, outstanding: int, requests: int | None) -> Described:
    """Equal requests, so many of them open at all times."""
    said = {"kind": "closed", "outstanding": outstanding}
    return _described(lambda: Closed([stepping(*kind)], outstanding), said, kind, requests)


def says_kinds(spec: Spec) -> bool:
    """Whether a workload says by itself what its requests do, and of how many bytes they are."""
    return isinstance(spec, ReplaySpec) or (isinstance(spec, Posting) and spec.mix is not None)


def described(
    spec: Spec, said: dict[str, Any], otherwise: Kind, seed: int, requests: int | None
) -> Described:
    """The workload of a description; its requests are of the kind `otherwise` unless it says so.

    `TableError` with all that is wrong with a file that it replays.
    """
    if isinstance(spec, ReplaySpec):
        replay = read_replay(Path(spec.file))
        found = {(access.operation, access.size_bytes) for _, access in replay.posts}
        alike = found.pop() if len(found) == 1 else None
        made = _described(lambda: Timed(replay.posts), said, alike, requests)
        return replace(made, brings_values=replay.brings_values)
    kinds = [otherwise]
    if isinstance(spec, Posting) and spec.mix is not None:
        kinds = [(OPERATION_GROUPS[item.operation][0], item.bytes) for item in spec.mix]
    alike = kinds[0] if len(set(kinds)) == 1 else None
    return _described(lambda: _workload(spec, kinds, seed), said, alike, requests)


def _described(
    again: Callable[[], Workload], said: dict[str, Any], kind: Kind | None, requests: int | None
) -> Described:
    return Described(again(), said, kind, requests, again)


def _workload(spec: Posting | ChainSpec, kinds: list[Kind], seed: int) -> Workload:
    if isinstance(spec, ChainSpec):
        return _chain(spec, kinds[0], seed)
    which = _which(spec.mix, seed)
    addresses = _addresses(spec.addresses, max(size_bytes for _, size_bytes in kinds), seed)
    destinations = _choice(spec.destinations, seed, "destinations", spec.initiators.count)
    if isinstance(spec, ClosedSpec) and spec.per == "initiator":
        streams = [
            Stream(kinds, which, addresses, Constant(initiator), destinations)
            for initiator in range(spec.initiators.count)
        ]
        return Closed(streams, spec.outstanding)
    initiators = _choice(spec.initiators, seed, "initiators")
    stream = Stream(kinds, which, addresses, initiators, destinations)
    if isinstance(spec, ClosedSpec):
        return Closed([stream], spec.outstanding)
    return Timed(Arrivals(_times(spec, seed), stream))


def _chain(spec: ChainSpec, kind: Kind, seed: int) -> Chain:
    operation, size_bytes = kind
    if not size_bytes:
        raise EmuError("a chain of accesses of 0 B; expected 1 B or more, to hold an address")
    return Chain(
        operation,
        size_bytes,
        _random(seed, "chain"),
        chains=spec.chains,
        nodes=spec.nodes,
        initiators=spec.initiators,
    )


def _times(spec: Posting, seed: int) -> Iterator[int]:
    if isinstance(spec, BurstSpec):
        return repeat(0)
    assert isinstance(spec, OpenSpec)  # the only other that posts at its own times
    if spec.arrivals == "fixed":
        return at_fixed_rate(spec.rate)
    return Poisson(spec.rate, _random(seed, "arrivals"))


def _which(mix: list[Item] | None, seed: int) -> Iterator[int]:
    """Which of the kinds each request is of."""
    if mix is None or len(mix) == 1:
        return Constant(0)
    return Weighted([item.weight for item in mix], _random(seed, "mix"))


def _addresses(pick: Pick | None, slot_bytes: int, seed: int) -> Addresses:
    if pick is None:
        return SteppingAddresses()
    return Slots(_choice(pick, seed, "addresses"), slot_bytes)


def _choice(pick: Pick | DestinationPick, seed: int, name: str, round_of: int = 1) -> Iterator[int]:
    if pick.count == 1:
        return Constant(0)
    word: str = pick.choose
    if word == "by_round":
        return InTurn(pick.count, round_of)
    if word == "uniform":
        return Uniform(pick.count, _random(seed, name))
    if word == "zipf":
        assert pick.exponent is not None  # checked by the schema
        return Zipf(pick.count, pick.exponent, _random(seed, name))
    return InTurn(pick.count)


def _random(seed: int, name: str) -> Random:
    return Random(seed, f"workload.{name}")
