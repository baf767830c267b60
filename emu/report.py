"""Report: what a run gave."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from emu.histogram import Histogram
from emu.parts import ROUNDING, SERVICE
from emu.request import Operation
from emu.rounds import Rounds
from emu.utilisation import Used

PERCENTILES_PER_MILLE = {"p50": 500, "p99": 990, "p999": 999}


@dataclass(frozen=True)
class Report:
    """What was posted and delivered, how long it took, and where the time went.

    All times are picoseconds; `stages` and `parts` are sums over the delivered requests, and
    `inside_ps` is the sum over all of the time inside, from the first post to the last completion.
    `kind` and `derived_ps` are given where all requests are alike, `requests` where they are
    limited. `unkept_marks` is how many were posted with an order, a service mode or a fence, if
    no stage of the path makes any request wait for such.
    """

    table: str
    workload: dict[str, Any]
    seed: int
    kind: tuple[Operation, int] | None
    requests: int | None
    engine: str
    latency: Histogram
    posted: int
    dropped_at: dict[str, int]
    in_flight_at: dict[str, int]
    first_post_ps: int
    first_completion_ps: int
    rounds: Rounds
    last_completion_ps: int
    inside_ps: int
    end_ps: int
    stages: dict[str, dict[str, int]]
    parts: dict[str, int]
    used: list[Used]
    derived_ps: int | None
    wall_s: float
    until_ps: int | None
    interrupted: bool
    unkept_marks: int = 0
    #: What prevented the compiled engine, where it was not to be had.
    prevented: str | None = None

    @property
    def delivered(self) -> int:
        """Completed requests."""
        return self.latency.count

    @property
    def dropped(self) -> int:
        """Requests that stages gave up."""
        return sum(self.dropped_at.values())

    @property
    def in_flight(self) -> int:
        """Requests that were still inside at the end."""
        return sum(self.in_flight_at.values())

    @property
    def rate_per_s(self) -> float | None:
        """Completions a second, see `emu.rounds`; `None` where all came at once."""
        first_ps, last_ps = self.first_completion_ps, self.last_completion_ps
        return self.rounds.rate_per_s(self.delivered, first_ps, last_ps)

    @property
    def window_ps(self) -> int:
        """From the first post to the last completion; 0 where nothing was delivered."""
        return self.last_completion_ps - self.first_post_ps if self.delivered else 0

    @property
    def in_flight_mean(self) -> float | int | None:
        """How many requests were inside on average over the window; `None` where it is empty."""
        return _quotient(self.inside_ps, self.window_ps) if self.window_ps else None

    @cached_property
    def utilisation(self) -> dict[str, float]:
        """Name to a fraction from 0 to 1, in the order of the path; see `emu.utilisation`."""
        return {one.name: one.utilisation for one in self.used}

    @property
    def busiest(self) -> str | None:
        """The stage or resource with the highest utilisation; `None` where nothing is limited."""
        return max(self.utilisation, key=self.utilisation.__getitem__, default=None)

    @property
    def largest_part(self) -> str | None:
        """The largest part of the breakdown beyond service; `None` where there is no other."""
        beyond = [part for part in self.parts if part not in (SERVICE, ROUNDING)]
        return max(beyond, key=self.parts.__getitem__, default=None)

    def latencies_ps(self) -> dict[str, float | int | None]:
        """Mean, percentiles and largest; `None` where nothing was delivered."""
        latency = self.latency
        if not latency.count:
            return dict.fromkeys(("mean", *PERCENTILES_PER_MILLE, "max"))
        return {
            "mean": _quotient(latency.sum, latency.count),
            **{name: latency.percentile(rank) for name, rank in PERCENTILES_PER_MILLE.items()},
            "max": latency.largest,
        }

    def binds(self) -> dict[str, Any]:
        """What limits the run, as scripts read it."""
        name = self.busiest
        return {
            "name": name,
            "utilisation": None if name is None else self.utilisation[name],
            "part": self.largest_part,
        }

    def as_json(self) -> dict[str, Any]:
        """The report as scripts read it."""
        operation, size_bytes = (None, None) if self.kind is None else self.kind
        return {
            "table": self.table,
            "operation": None if operation is None else operation.value,
            "bytes": size_bytes,
            "workload": self.workload,
            "seed": self.seed,
            "requests": self.requests,
            "outstanding": self.workload.get("outstanding"),
            "engine": self.engine,
            "engine_prevented": self.prevented,
            "latency_ps": self.latencies_ps(),
            "rate_per_s": self.rate_per_s,
            "posted": self.posted,
            "delivered": self.delivered,
            "dropped": self.dropped,
            "dropped_at": self.dropped_at,
            "in_flight": self.in_flight,
            "in_flight_at": self.in_flight_at,
            "in_flight_mean": self.in_flight_mean,
            "window_ps": self.window_ps,
            "unkept_marks": self.unkept_marks,
            "parts": self.parts,
            "utilisation": self.utilisation,
            "binds": self.binds(),
            "wall_s": self.wall_s,
        }


def _quotient(total: int, count: int) -> float | int:
    """Whole where it is whole; the nearest float where not."""
    return total // count if total % count == 0 else total / count
