"""Events: a workload through a path in the compiled engine, and what became of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from emu.engines import Completed, FaultError, TooFarError
from emu.fast import kinds
from emu.fast.alike import check_order
from emu.fast.blocks import contents, fill, give_back, give_back_block, ring_numbers
from emu.fast.building import Building
from emu.fast.codes import (
    FAILED,
    OPERATIONS,
    OVER,
    READ_CHECK,
    RELIABLE_WIRE,
    RUNNING,
    WANTS_POSTS,
)
from emu.fast.compiled import compile_once
from emu.fast.counted import Counted
from emu.fast.engine import MOST_SUM_PS, advance, answer_at
from emu.fast.layout import KEYED, PLAN, POOL, REQUEST, STATION
from emu.fast.log import ALL, COMPLETED, COMPLETIONS, LINE_WORDS, NOTHING
from emu.fast.make_wire import counts
from emu.fast.refusal import RefusalError
from emu.fast.source_feed import Rows, make_source
from emu.path import Path
from emu.plan import Plan
from emu.request import Request
from emu.rounds import rounds_of
from emu.time import format_time
from emu.where import still_inside
from emu.workload import Workload

#: Instants between two looks at whether to stop.
STRETCH = 1 << 17
#: Posts at known times that are given at once.
CHUNK = 1 << 13
#: No run goes on beyond, so that a time that is known ahead fits too.
MOST_PS = 1 << 60


@dataclass
class Standstill:
    """A run at rest, as `emu.where` looks at it."""

    inside: list[Request]
    now_ps: int


class Events(Counted):
    """One run of a workload over a fresh path, request for request as `emu.driver.Driver`.

    `RefusalError` for what the compiled engine does not take. With `logs` all times are written
    down, and `log` gives them.
    """

    def __init__(
        self,
        path: Path,
        workload: Workload,
        *,
        requests: int | None = None,
        until_ps: int | None = None,
        on_complete: Callable[[Completed], None] | None = None,
        logs: bool = False,
    ) -> None:
        super().__init__()
        self._on_complete = on_complete
        self._is_stopping = False
        self._path = path
        self._building = Building(path)
        self._feed = make_source(workload, self._building)
        step = gcd(path.address_step, self._feed.granule_bytes)
        for operation, size_bytes in self._feed.kinds:
            for rest in range(0, path.address_step, step):
                self._building.add_kind(operation, size_bytes, rest)
        self._worlds = self._building.world()
        world = self._record
        world["limit"] = -1 if requests is None else requests
        world["until_ps"] = MOST_PS if until_ps is None else min(until_ps, MOST_PS)
        world["logs"] = ALL if logs else NOTHING if on_complete is None else COMPLETIONS
        world["round"] = world["round_left"] = rounds_of(workload).size
        self._until_ps = until_ps
        self._inside_before_ps = 0
        #: Places taken times picoseconds of each station, up to when the last changed.
        self._place_ps = [0] * len(self._building.stations)
        world["more_posts"] = 1
        self._building.load_plans(self._worlds)
        self._begin_posts()
        posts = contents(world["posts"], kinds.KINDS["posts"])
        self.first_post_ps = int(posts[0]["time_ps"]) if len(posts) else 0
        world["changed_ps"] = self.first_post_ps

    def __del__(self) -> None:
        worlds = getattr(self, "_worlds", None)
        if worlds is not None:
            give_back(worlds, kinds.KINDS)

    # -- running ----------------------------------------------------------------------------

    def answer(self, stage: str, time_ps: int, initiator: int) -> None:
        """An answer for an initiator reaches a stage from outside; before the run begins."""
        answer_at(self._worlds, self._path.actor(stage).index, time_ps, initiator)

    def stop(self) -> None:
        """Lets the run end soon, between two instants."""
        self._is_stopping = True

    def run(self) -> None:
        """Runs to the end, or up to and including `until_ps`; `FaultError` if it can't go on.

        `TooFarError` for times that do not fit.
        """
        world = self._record
        compile_once(advance, lambda: advance(self._worlds, 0))
        status = RUNNING
        while status in (RUNNING, WANTS_POSTS) and not self._is_stopping:
            status = advance(self._worlds, STRETCH)
            if self._on_complete is not None:
                self._tell(self._on_complete)
            if status == WANTS_POSTS:
                self._give_more_posts()
            if max(world["latency_sum_ps"], world["all_inside_ps"]) > MOST_SUM_PS:
                self._take_sums()
        if status == OVER and world["until_ps"] == MOST_PS and self._has_more:
            raise TooFarError(
                f"the run goes beyond {format_time(MOST_PS)}, which is as far as the fast "
                "engine counts; expected '--engine reference'"
            )
        if status == FAILED:
            raise FaultError(
                "the run can't go on; expected '--engine reference', which says what happened"
            )
        self._take_sums()
        self._settle()

    # -- what the run gave ------------------------------------------------------------------

    @property
    def marked(self) -> int:
        """How many were posted with an order, a service mode or a fence."""
        return int(self._record["marked"])

    @property
    def changed_ps(self) -> int:
        """When a request came in or went out last."""
        return int(self._record["changed_ps"])

    @property
    def now_ps(self) -> int:
        """Up to when it has run."""
        world = self._record
        # One that is stopped has not come to its end.
        until_ps = self._until_ps if world["status"] == OVER else None
        return max(int(world["now_ps"]), until_ps or 0)

    @property
    def inside_ps(self) -> int:
        """Requests inside times picoseconds, from the first post to the last completion."""
        return self._inside_before_ps + int(self._record["inside_ps"])

    @property
    def dropped(self) -> dict[str, int]:
        """Stage to how many requests it dropped."""
        counts = contents(self._record["dropped"])
        names = [station.name for station in self._building.stations]
        return {name: int(count) for name, count in zip(names, counts, strict=True) if count}

    @property
    def in_flight_at(self) -> dict[str, int]:
        """Stage name to how many requests are still there."""
        standstill = Standstill(self._inside(), self.now_ps)
        return still_inside(standstill, is_traced=self._record["logs"] == ALL)

    @property
    def parts(self) -> list[str]:
        """The parts of a breakdown, by the numbers that the log has of them."""
        return self._building.parts

    @property
    def plans(self) -> list[Plan]:
        """The plans that requests went by, by the numbers that the log has of them."""
        return self._building.plans

    def log(self) -> np.ndarray[Any, Any]:
        """The lines that were written down; see `emu.fast.log`."""
        lines: np.ndarray[Any, Any] = contents(self._record["log"]).reshape(-1, LINE_WORDS)
        return lines.copy()

    def counts(self, stage: str) -> dict[str, int]:
        """What a stage with rules of its own has counted; `PathError` if there is none."""
        station = self._path.actor(stage)
        one = contents(self._record["stations"], STATION)[station.index]
        if one["actor"] == RELIABLE_WIRE:
            return counts(contents(self._record["wires"], kinds.KINDS["wires"])[one["place"]])
        if one["actor"] == READ_CHECK:
            order = contents(self._record["orders"], kinds.KINDS["orders"])[one["place"]]
            return {"reads_repeated": int(order["repeated"])}
        return {}

    # -- between two calls ------------------------------------------------------------------

    @property
    def _record(self) -> Any:
        return self._worlds[0]

    @property
    def _has_more(self) -> bool:
        """Whether anything is due or to be posted."""
        world = self._record
        return bool(world["due"]["count"] or world["next_post"] < world["posts"]["count"])

    def _begin_posts(self) -> None:
        try:
            self._give_posts()
        except RefusalError as refusal:
            if self._feed.draws:
                # What has been drawn by now is lost to the reference engine.
                raise _cannot_go_on(refusal) from None
            raise

    def _give_more_posts(self) -> None:
        try:
            self._give_posts()
        except RefusalError as refusal:
            raise _cannot_go_on(refusal) from None
        self._record["status"] = RUNNING

    def _give_posts(self) -> None:
        """Gives more of what is posted, as far as it is wanted."""
        world = self._record
        fresh = [self._feed.refill(world)]
        if world["more_posts"] and world["next_post"] == world["posts"]["count"]:
            rows = self._feed.chunk(CHUNK)
            before = contents(world["posts"], kinds.KINDS["posts"])
            check_order(rows["time_ps"], int(before[-1]["time_ps"]) if len(before) else 0)
            world["more_posts"] = len(rows) == CHUNK
            give_back_block(world["posts"])
            fill(world["posts"], rows)
            world["next_post"] = 0
            fresh.append(rows[rows["stream"] < 0])
        self._make_plans(np.concatenate(fresh))

    def _make_plans(self, rows: Rows) -> None:
        building, step = self._building, self._path.address_step
        keys = np.stack((rows["operation"], rows["size_bytes"], rows["address"] % step))
        known = len(building.plans)
        for code, size_bytes, rest in np.unique(keys, axis=1).T.tolist():
            building.add_kind(OPERATIONS[code], size_bytes, rest)
        if len(building.plans) > known:
            building.load_plans(self._worlds)

    def _tell(self, on_complete: Callable[[Completed], None]) -> None:
        """Tells of what is complete since this was called last."""
        lines = self.log()
        if self._record["logs"] == COMPLETIONS:
            self._record["log"]["count"] = 0
        for time_ps, kind, number, submitted_ps, initiator, operation in lines.tolist():
            if kind == COMPLETED:
                on_complete(
                    Completed(number, OPERATIONS[operation], initiator, submitted_ps, time_ps)
                )

    def _take_sums(self) -> None:
        """Takes what was summed up, so that the sums start again from zero."""
        world = self._record
        counts, sums = contents(world["bucket_counts"]), contents(world["bucket_sums"])
        buckets = np.flatnonzero(counts)
        found = buckets.tolist()
        self.latency.merge(
            dict(zip(found, counts[buckets].tolist(), strict=True)),
            dict(zip(found, sums[buckets].tolist(), strict=True)),
            int(world["latency_largest_ps"]),
        )
        counts[buckets] = sums[buckets] = 0
        closed = contents(world["plans"], PLAN)["closed"]
        charged = self._charged()
        for plan, count in zip(self._building.plans, closed.tolist(), strict=True):
            if count:
                self.ledger.merge(plan, count, charged)
                charged = {}
        closed[:] = 0
        stations = contents(world["stations"], STATION)
        for station, one in zip(self._building.stations, stations, strict=True):
            self._place_ps[station.index] += int(one["place_ps"])
            one["place_ps"] = 0
        self._inside_before_ps += int(world["inside_ps"])
        world["all_inside_ps"] -= world["inside_ps"]
        world["inside_ps"] = world["latency_sum_ps"] = 0

    def _charged(self) -> dict[tuple[str, str], int]:
        """Stage and part to the sum over what has completed since this was called last."""
        building, entries = self._building, self._path.table.entries
        charged = contents(self._record["charged"]).reshape(-1, self._record["part_count"])
        sums = {
            (entries[entry].name, building.parts[part]): int(charged[entry, part])
            for entry, part in np.argwhere(charged).tolist()
        }
        charged[:] = 0
        return sums

    def _inside(self) -> list[Request]:
        """The requests that are still inside, by number."""
        found = []
        for one in contents(self._record["requests"], REQUEST):
            if one["inside"]:
                plan = self._building.plans[one["plan"]]
                request = Request(
                    int(one["sequence"]),
                    plan.operation,
                    plan.size_bytes,
                    int(one["address"]),
                    int(one["submitted_ps"]),
                    plan,
                )
                request.hop = int(one["hop"])
                request.accepted_ps = int(one["accepted_ps"])
                found.append(request)
        return sorted(found, key=lambda request: request.sequence)

    def _settle(self) -> None:
        """Leaves the stations and pools of the path as they are at the end of the run."""
        stations = contents(self._record["stations"], STATION)
        for station, one in zip(self._building.stations, stations, strict=True):
            for name in ("accepted", "busy", "free_ps", "free_edge", "resumed_edge"):
                setattr(station, name, int(one[name]))
            station.taken = int(one["taken"])
            # It counts from time 0 on what is taken still.
            before_ps = station.taken * int(one["placed_ps"])
            station.place_ps = self._place_ps[station.index] - before_ps
            station.refill_ps = deque(ring_numbers(one["refill_ps"]))
        of_pools: list[dict[Any, tuple[int, int]]] = [{} for _ in self._building.pools]
        pools = contents(self._record["pools"], POOL)
        for key, one in enumerate(contents(self._record["keyed"], KEYED)):
            updated_ps = int(pools[one["pool"]]["updated_ps"])
            unit_ps = int(one["unit_ps"] + one["held"] * (updated_ps - one["updated_ps"]))
            of_pools[one["pool"]][key] = int(one["held"]), unit_ps
        for pool, one, keys in zip(self._building.pools, pools, of_pools, strict=True):
            pool.count_as(int(one["held"]), int(one["unit_ps"]), int(one["updated_ps"]), keys)


def _cannot_go_on(refusal: RefusalError) -> FaultError:
    return FaultError(f"the fast engine can't go on: {refusal}; expected '--engine reference'")
