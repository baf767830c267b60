"""Line: a run of equal requests that pass no stage where order or a choice is decided.

They stay in the order of their numbers at every stage, so that all times of a request follow from
those of the requests before it, stage by stage: there are no events.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu import parts
from emu.breakdown import BreakdownError
from emu.engines import TooFarError
from emu.fast.alike import NEVER_PS, alike
from emu.fast.blocks import give_back, ring_numbers
from emu.fast.compiled import compile_once
from emu.fast.counted import Counted
from emu.fast.line_run import BUCKETS, LINE, MOST_PS, advance
from emu.fast.refusal import RefusalError
from emu.fast.stop import CHARGES
from emu.fast.stops import stops_of, why_not
from emu.path import Path
from emu.rounds import rounds_of
from emu.time import format_time
from emu.where import OUTSIDE
from emu.workload import Workload

#: So many requests pass between two looks at whether to stop.
STRETCH = 1 << 18

_PARTS = {
    "alignment": parts.ALIGNMENT,
    "interval": parts.INTERVAL,
    "arbitration": parts.ARBITRATION,
    "service": parts.SERVICE,
    "backpressure": parts.BACKPRESSURE,
}


class Line(Counted):
    """One run of a workload over a fresh path, request for request as `emu.driver.Driver`.

    `RefusalError` for what is no line.
    """

    def __init__(
        self,
        path: Path,
        workload: Workload,
        *,
        requests: int | None = None,
        until_ps: int | None = None,
    ) -> None:
        load = alike(workload)
        plan = path.plan(*load.kind)
        reason = why_not(plan)
        if reason is not None:
            raise RefusalError(reason)
        super().__init__()
        self._path = path
        self._is_stopping = False
        #: Nothing is lost on a line.
        self.dropped: dict[str, int] = {}
        self._plan = plan
        self._chunks = load.chunks
        self._marked = load.marked
        # Of those inside at the end, their times inside up to the last completion.
        self._late_sum_ps = 0
        limits = [limit for limit in (requests, load.left) if limit is not None]
        self._lines = np.zeros(1, LINE)
        self._stops, behind_ps = stops_of(plan)
        line = self._record
        line["limit"] = min(limits, default=-1)
        line["until_ps"] = -1 if until_ps is None else min(until_ps, NEVER_PS)
        line["outstanding"] = load.outstanding
        line["round"] = line["round_left"] = rounds_of(workload).size
        line["behind_ps"] = behind_ps
        self._hop_ps = np.array([hop.derived_ps for hop in plan.hops], np.int64)
        self._bucket_counts = np.zeros(BUCKETS, np.int64)
        self._bucket_sums = np.zeros(BUCKETS, np.int64)
        self._inside_at = np.zeros(len(plan.hops) + 1, np.int64)
        self._posts = np.full(load.outstanding, load.start_ps, np.int64)
        if not load.outstanding:
            self._give_posts()
        any_post = self._posts.size and load.left != 0
        self.first_post_ps = int(self._posts[0]) if any_post else 0

    def __del__(self) -> None:
        stops = getattr(self, "_stops", None)
        if stops is not None:
            give_back(stops, {})

    # -- running ----------------------------------------------------------------------------

    def stop(self) -> None:
        """Lets the run end soon, with the last completion by then."""
        self._is_stopping = True

    def run(self) -> None:
        """Runs to the end, or up to and including `until_ps`."""
        compile_once(advance, lambda: self.advance(0))
        while not self.is_over:
            if self._is_stopping:
                self._end_here()
            self.advance(STRETCH)

    def counts(self, stage: str) -> dict[str, int]:
        """What a stage with rules of its own has counted; `PathError` if there is none."""
        actor = self._path.actor(stage).actor
        assert actor is not None  # that is what `actor` looks for
        # Requests of other operations may pass it; those of a line have not.
        return actor.counts()

    @property
    def is_over(self) -> bool:
        """Whether the run has come to its end."""
        return bool(self._record["is_over"])

    def advance(self, at_most: int) -> None:
        """Lets at most so many requests pass; fewer where sums would not fit.

        `TooFarError` for times that do not fit, and a `BreakdownError` if parts do not sum up.
        """
        line = self._record
        closed = int(line["closed"])
        advance(
            self._lines,
            self._stops,
            self._posts,
            self._hop_ps,
            self._bucket_counts,
            self._bucket_sums,
            self._inside_at,
            at_most,
        )
        if line["latest_ps"] > MOST_PS:
            raise TooFarError(
                f"the run goes beyond {format_time(MOST_PS)}, which is as far as the fast "
                "engine counts; expected '--engine reference'"
            )
        self._take_sums(int(line["closed"]) - closed)
        if line["next"] == self._posts.size:
            self._give_posts()
        if self.is_over:
            self._settle()

    # -- what the run gave ------------------------------------------------------------------

    @property
    def marked(self) -> int:
        """How many were posted with an order, a service mode or a fence."""
        return int(self._marked[: self.posted].sum())

    @property
    def changed_ps(self) -> int:
        """When a request came in or went out last."""
        line = self._record
        return int(max(self.first_post_ps, line["last_post_ps"], line["last_completion_ps"]))

    @property
    def now_ps(self) -> int:
        """Up to when it has run, as far as it concerns requests."""
        return int(max(self._record["until_ps"], self.changed_ps))

    @property
    def inside_ps(self) -> int:
        """Requests inside times picoseconds, from the first post to the last completion."""
        return self.latency.sum + self._late_sum_ps

    @property
    def in_flight_at(self) -> dict[str, int]:
        """Stage name to how many requests are still there, as `emu.where.still_inside`."""
        names = (OUTSIDE, *(hop.name for hop in self._plan.hops))
        counts = zip(names, self._inside_at.tolist(), strict=True)
        return {name: count for name, count in counts if count}

    # -- between two calls ------------------------------------------------------------------

    @property
    def _record(self) -> Any:
        return self._lines[0]

    def _end_here(self) -> None:
        line = self._record
        line["until_ps"] = line["last_completion_ps"] if self.latency.count else self.first_post_ps

    def _give_posts(self) -> None:
        """The posts at the next times; without any more of them it is over."""
        line = self._record
        self._posts = next(self._chunks, np.zeros(0, np.int64))
        line["next"] = 0
        line["is_over"] |= not self._posts.size

    def _settle(self) -> None:
        """Leaves the stations of the path as they are at the end of the run."""
        line = self._record
        for stop in self._stops:
            hop = self._plan.hops[stop["hop"]]
            station = hop.station
            station.accepted = int(stop["accepted"] - stop["late"])
            station.busy = station.accepted * hop.busy
            free = stop["free"]["n" if stop["clocked"] else "time_ps"]
            free = int(stop["free_at_end"] if stop["late"] else free)
            if stop["clocked"]:
                station.free_edge = free
                station.resumed_edge = int(stop["resumed_at_end" if stop["late"] else "resumed"])
            else:
                station.free_ps = free
            until_ps = NEVER_PS if line["until_ps"] < 0 else int(line["until_ps"])
            station.refill_ps.extend(min(ps, until_ps) for ps in ring_numbers(stop["left"]))

    def _take_sums(self, closed: int) -> None:
        """Takes what was summed up, so that the sums start again from zero."""
        line = self._record
        buckets = np.flatnonzero(self._bucket_counts)
        counts = self._bucket_counts[buckets].tolist()
        sums = self._bucket_sums[buckets].tolist()
        keys = buckets.tolist()
        self.latency.merge(
            dict(zip(keys, counts, strict=True)),
            dict(zip(keys, sums, strict=True)),
            int(line["largest_ps"]),
        )
        charged = self._charged_by_stage()
        total_ps = sum(charged.values()) + closed * self._plan.derived_ps
        if total_ps != sum(sums):
            raise BreakdownError(
                f"up to request {self.posted - 1} the parts of {closed} requests sum to {total_ps} "
                f"ps, and they took {sum(sums)} ps"
            )
        if closed:
            self.ledger.merge(self._plan, closed, charged)
        self._late_sum_ps += int(line["late_sum_ps"])
        line["latency_sum_ps"] = line["late_sum_ps"] = 0
        self._bucket_counts[buckets] = self._bucket_sums[buckets] = 0
        for charge in CHARGES:
            self._stops[f"{charge}_sum_ps"] = 0
        for stop in self._stops:
            self._plan.hops[stop["hop"]].station.place_ps += int(stop["place_ps"])
            stop["place_ps"] = 0

    def _charged_by_stage(self) -> dict[tuple[str, str], int]:
        """Stage name and part to the sum that was charged since it was taken last."""
        charged: dict[tuple[str, str], int] = {}
        for charge in CHARGES:
            sums_ps = self._stops[f"{charge}_sum_ps"]
            for stop in np.flatnonzero(sums_ps):
                at = int(self._stops["hop"][stop])
                if charge == "backpressure":
                    # What can't enter the first channel waits outside: charged to that stage.
                    at = max(0, at - 1)
                name = self._plan.hops[at].name
                key = name, _PARTS.get(charge, f"{parts.RESOURCE}{name}.depth")
                charged[key] = charged.get(key, 0) + int(sums_ps[stop])
        return charged
