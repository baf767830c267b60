"""Building: a path becomes the records of the compiled engine."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import Any

import numpy as np

from emu.assembly import StageAssembly, UnitKey
from emu.channel import Channel
from emu.fast.blocks import contents, fill, fill_words, give_back_block
from emu.fast.builtin import maker_of
from emu.fast.clock import clock_record
from emu.fast.codes import (
    AFTER_EDGES,
    AFTER_PS,
    AT_ONCE,
    CONTEXT_CACHE,
    CPU_CACHE,
    OPERATIONS,
    OVERFLOWS,
    PARTS,
    SERVES_NOTHING,
)
from emu.fast.engine import know_kind
from emu.fast.lane import LINK_LANES, ONE_LANE, PCIE_LANES, UNIT_LANES
from emu.fast.layout import HOP, PLAN, POOL, POOL_BY, STATION, WORLD
from emu.fast.random import RANDOM
from emu.fast.refusal import RefusalError
from emu.fast.stops import is_too_long, too_long
from emu.fast.versions import make_touch
from emu.histogram import bucket_of
from emu.parts import RESOURCE
from emu.path import Path
from emu.plan import Hop, Plan, told_later
from emu.random import Random
from emu.request import Operation
from emu.resource import Pool
from emu.station import Station
from emu.time import Clock

#: The largest product that an edge may need on its way.
_MOST = 1 << 62


class Building:
    """Collects the records of one path, and fills a world with them.

    `RefusalError` for what the compiled engine does not take.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: The station that a stage is being made a record for.
        self.actor = -1
        self.parts: list[str] = list(PARTS)
        self.stations: tuple[Station, ...] = path.stations
        self.pools: tuple[Pool, ...] = path.pools
        #: The reference's plans, by their places.
        self.plans: list[Plan] = []
        self._plan_places: dict[int, int] = {}
        self._hops: list[Any] = []
        self._lists: list[int] = []
        self._clocks: list[Clock] = []
        self._randoms: list[int] = []
        self._records: dict[str, list[np.ndarray[Any, Any]]] = {}
        self._lane_names: dict[str, int] = {name: at for at, name in enumerate(PCIE_LANES)}
        self._unit_sets: dict[tuple[int, ...], int] = {}
        self._by_rest: dict[tuple[int, int], dict[int, int]] = {}
        self._pool_places = {id(pool): place for place, pool in enumerate(self.pools)}
        self._behaviours = [self._behaviour(one) for one in path.assemblies]

    # -- what the makers of stages ask for --------------------------------------------------

    def add(self, block: str, record: np.ndarray[Any, Any]) -> int:
        """Adds a record to a block of the world; gives its place."""
        records = self._records.setdefault(block, [])
        records.append(record)
        return len(records) - 1

    def random(self, random: Random) -> int:
        """The place of a generator that goes on from where this one is."""
        self._randoms.append(random.state)
        return len(self._randoms) - 1

    def part(self, name: str) -> int:
        """The code of a part of a breakdown."""
        if name not in self.parts:
            self.parts.append(name)
        return self.parts.index(name)

    def station(self, name: str) -> int:
        """The place of the station of a named stage."""
        return next(one.index for one in self.stations if one.name == name)

    def clock(self, clock: Clock | None) -> int:
        """The place of a clock; -1 for none."""
        if clock is None:
            return -1
        if clock not in self._clocks:
            period = clock.period_ps
            rest = period.numerator % period.denominator
            if max(period.numerator * 2, rest * period.denominator) >= _MOST:
                raise RefusalError(
                    f"clock {clock.name} has a period of {period} ps, whose edges need more than "
                    "63 bits"
                )
            self._clocks.append(clock)
        return self._clocks.index(clock)

    # -- plans ------------------------------------------------------------------------------

    def add_kind(self, operation: Operation, size_bytes: int, address: int) -> None:
        """Makes the plan of a kind of request known."""
        rest = address % self.path.address_step
        by_rest = self._by_rest.setdefault((OPERATIONS.index(operation), size_bytes), {})
        if rest not in by_rest:
            by_rest[rest] = self._plan(self.path.plan(operation, size_bytes, address))

    def _plan(self, plan: Plan) -> int:
        known = self._plan_places.get(id(plan))
        if known is not None:
            return known
        place = self._plan_places[id(plan)] = len(self.plans)
        self.plans.append(plan)
        first = len(self._hops)
        self._hops += [None] * len(plan.hops)
        for index, hop in enumerate(plan.hops):
            self._hops[first + index] = self._hop(plan, place, index, hop)
        return place

    def _hop(self, plan: Plan, place: int, index: int, hop: Hop) -> np.ndarray[Any, Any]:
        if is_too_long(hop):
            raise RefusalError(too_long(hop.name))
        made = np.zeros(1, HOP)
        one = made[0]
        for name in ("entry", "latency", "busy", "derived_ps", "message_bytes"):
            one[name] = getattr(hop, name)
        for name in ("carries_each", "ends_batch", "run_hops", "run_ps"):
            one[name] = getattr(hop, name)
        one["station"] = hop.station.index
        self._serving(one, hop)
        pools = self._pool_places
        takes = [(pools[id(pool)], hop.timed.get(pool, -1)) for pool in hop.takes]
        one["takes"], one["takes_count"] = self._listed(takes)
        releases = []
        for pool in hop.releases:
            later = hop.later.get(pool)
            if later is None:
                releases.append((pools[id(pool)], AT_ONCE, 0, -1))
            else:
                how = AFTER_PS if later.clock is None else AFTER_EDGES
                clock = self.clock(later.clock)
                releases.append((pools[id(pool)], how, later.count, clock))
        one["releases"], one["releases_count"] = self._listed(releases)
        one["returns"], one["returns_count"] = self._listed(pools[id(p)] for p in hop.returns)
        one["tells"], one["tells_count"] = self._listed(at.index for at in hop.tells)
        told = [at.index for at in told_later(plan.hops, index)]
        one["told_later"], one["told_later_count"] = self._listed(told)
        announces = [at.index for at in hop.announces]
        one["announces"], one["announces_count"] = self._listed(announces)
        self._lane(one, hop)
        # A plan that ends here by itself ends here also when it is ended.
        last = index + 1 == len(plan.hops)
        one["ending"] = one["skipping"] = place
        if (hop.ends_batch or one["serve"] == CPU_CACHE) and not last:
            one["ending"] = self._plan(plan.ending_at(index))
        if one["serve"] == CONTEXT_CACHE and any(
            later.entry == hop.entry for later in plan.hops[index + 1 :]
        ):
            one["skipping"] = self._plan(plan.skipping_after(index))
        return made

    def _listed(self, entries: Iterable[Any]) -> tuple[int, int]:
        """Where these numbers, or groups of numbers, stand in the world's lists; how many."""
        first, count = len(self._lists), 0
        for entry in entries:
            self._lists += entry if isinstance(entry, tuple) else (entry,)
            count += 1
        return first, count

    def _serving(self, one: Any, hop: Hop) -> None:
        if hop.serve is None:
            return
        code, place = self._behaviours[hop.entry]
        one["serve"], one["served"] = code, place

    def _lane(self, one: Any, hop: Hop) -> None:
        if hop.station.is_link:
            one["lane"] = self._lane_names.setdefault(hop.lane, len(self._lane_names))
            return
        units = tuple(self._pool_places[id(pool)] for pool in hop.takes)
        one["lane"] = self._unit_sets.setdefault(units, len(self._unit_sets))
        keys = [pool.key for pool in hop.takes if isinstance(pool.key, UnitKey)]
        if any(key.by in ("initiator", "pair") for key in keys):
            one["by_initiator"] = -1
        elif any(key.by == "groups" for key in keys):
            one["by_initiator"] = lcm(*(key.groups for key in keys if key.by == "groups"))
        one["by_destination"] = any(key.by != "initiator" for key in keys)

    # -- stages -----------------------------------------------------------------------------

    def _behaviour(self, assembly: StageAssembly) -> tuple[int, int]:
        """What the stage does, and its record."""
        stage = assembly.stage
        self.actor = assembly.station.index
        maker = maker_of(assembly.entry.name, stage)
        if self.path.memory is not None and stage.touches_memory:
            if maker is not None:
                raise RefusalError(f"stage {assembly.entry.name} keeps values")
            return make_touch(self.path.memory, self)
        return (SERVES_NOTHING, -1) if maker is None else maker(stage, self)

    def _station(self, station: Station) -> np.ndarray[Any, Any]:
        made = np.zeros(1, STATION)
        one = made[0]
        for name in (
            *("plain", "refills_at_edge", "is_link", "can_be_blocked", "chooses"),
            *("unbounded", "is_ordered"),
        ):
            one[name] = getattr(station, name)
        channel: Channel = station.channel
        one["clock"] = self.clock(station.clock)
        one["depth"] = -1 if station.depth is None else station.depth
        one["batch"] = -1 if station.batch is None else station.batch
        one["overflow"] = OVERFLOWS.index(station.overflow)
        one["capacity"] = -1 if channel.capacity is None else channel.capacity
        one["registered"] = channel.clock is not None
        one["turns"], one["behind"] = channel.turns, bool(channel.behind)
        one["has_lanes"] = (
            LINK_LANES if station.is_link else ONE_LANE if channel.lane_of is None else UNIT_LANES
        )
        one["wake_ps"] = -1
        pools = [self._pool_places[id(pool)] for pool in station.pools]
        fill_words(one["own_pools"], pools)
        names = [pool.name for pool in station.pools]
        names.append(station.name if station.is_link else f"{station.name}.depth")
        fill_words(one["resources"], [self.part(RESOURCE + name) for name in names])
        if station.ranks:
            ranks = [len(station.ranks)] * (len(self.path.table.entries) + 1)
            for entry, rank in station.ranks.items():
                ranks[entry] = rank
            fill_words(one["ranks"], ranks)
        if station.actor is not None:
            assemblies = self.path.assemblies
            index = next(at for at, of in enumerate(assemblies) if of.station is station)
            one["actor"], one["place"] = self._behaviours[index]
        return made

    def _pool(self, pool: Pool) -> np.ndarray[Any, Any]:
        made = np.zeros(1, POOL)
        one = made[0]
        # One without a limit is in no plan.
        one["capacity"] = 0 if pool.capacity is None else pool.capacity
        if isinstance(pool.key, UnitKey):
            one["by"], one["groups"] = POOL_BY.index(pool.key.by), pool.key.groups
        fill_words(one["users"], [user.index for user in pool.users])
        return made

    # -- the world --------------------------------------------------------------------------

    def world(self) -> np.ndarray[Any, Any]:
        """One world, at the beginning, without plans: `load_plans` brings them."""
        made = np.zeros(1, WORLD)
        one = made[0]
        fill_all(one["stations"], [self._station(station) for station in self.stations])
        fill_all(one["pools"], [self._pool(pool) for pool in self.pools])
        for block, records in self._records.items():
            fill_all(one[block], records)
        fill(one["randoms"], np.array([(state,) for state in self._randoms], RANDOM))
        one["address_step"] = self.path.address_step
        one["part_count"] = len(self.parts)
        fill_words(one["charged"], np.zeros(len(self.path.table.entries) * len(self.parts)))
        fill_words(one["dropped"], np.zeros(len(self.stations)))
        fill_words(one["bucket_counts"], np.zeros(BUCKETS))
        fill_words(one["bucket_sums"], np.zeros(BUCKETS))
        return made

    def load_plans(self, worlds: np.ndarray[Any, Any]) -> None:
        """Brings the plans that are known by now; between two instants."""
        world = worlds[0]
        closed = contents(world["plans"], PLAN)["closed"].copy()
        for block in ("plans", "hops", "lists", "clocks", "plans_by_rest"):
            give_back_block(world[block])
        made = np.zeros(len(self.plans), PLAN)
        kinds: dict[tuple[Operation, int, int], int] = {}
        first = 0
        for one, plan in zip(made, self.plans, strict=True):
            one["first_hop"], one["hops"] = first, len(plan.hops)
            one["derived_ps"], one["size_bytes"] = plan.derived_ps, plan.size_bytes
            one["operation"] = OPERATIONS.index(plan.operation)
            one["kind"] = kinds.setdefault(plan.kind, len(kinds))
            first += len(plan.hops)
        made["closed"][: len(closed)] = closed
        fill(world["plans"], made)
        fill_all(world["hops"], self._hops)
        fill_words(world["lists"], self._lists)
        fill_all(world["clocks"], [clock_record(clock) for clock in self._clocks])
        by_rest: list[int] = []
        step = self.path.address_step
        for (operation, size_bytes), plans in self._by_rest.items():
            know_kind(worlds, operation, size_bytes, len(by_rest))
            by_rest += [plans.get(rest, -1) for rest in range(step)]
        fill_words(world["plans_by_rest"], by_rest)


#: Buckets of a histogram of numbers of 63 bits.
BUCKETS = bucket_of((1 << 63) - 1) + 1


def fill_all(block: Any, records: list[np.ndarray[Any, Any]]) -> None:
    """Makes an empty block hold copies of records of which each is in an array of its own."""
    if records:
        # To join them, numpy would compare all their fields.
        made = np.empty(len(records), records[0].dtype)
        for place, record in enumerate(records):
            made[place] = record[0]
        fill(block, made)
