"""Report: what a run gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emu.histogram import Histogram
from emu.request import Operation
from emu.time import PS_PER_S

PERCENTILES_PER_MILLE = {"p50": 500, "p99": 990, "p999": 999}


@dataclass(frozen=True)
class Report:
    """What was posted and delivered, how long it took, and where the time went.

    All times are picoseconds; `stages` and `parts` are sums over the delivered requests.
    """

    table: str
    operation: Operation
    size_bytes: int
    requests: int
    outstanding: int
    engine: str
    latency: Histogram
    posted: int
    dropped: int
    in_flight: int
    first_completion_ps: int
    last_completion_ps: int
    stages: dict[str, dict[str, int]]
    parts: dict[str, int]
    derived_ps: int
    wall_s: float
    interrupted: bool

    @property
    def delivered(self) -> int:
        """Completed requests."""
        return self.latency.count

    @property
    def rate_per_s(self) -> float | None:
        """(delivered - 1) / (last - first completion); `None` where all completed at once."""
        window_ps = self.last_completion_ps - self.first_completion_ps
        return (self.delivered - 1) * PS_PER_S / window_ps if window_ps > 0 else None

    def latencies_ps(self) -> dict[str, float | int | None]:
        """Mean, percentiles and largest; `None` where nothing was delivered."""
        latency = self.latency
        if not latency.count:
            return dict.fromkeys(("mean", *PERCENTILES_PER_MILLE, "max"))
        mean = latency.sum // latency.count if latency.sum % latency.count == 0 else latency.mean()
        return {
            "mean": mean,
            **{name: latency.percentile(rank) for name, rank in PERCENTILES_PER_MILLE.items()},
            "max": latency.largest,
        }

    def as_json(self) -> dict[str, Any]:
        """The report as scripts read it."""
        return {
            "table": self.table,
            "operation": self.operation.value,
            "bytes": self.size_bytes,
            "requests": self.requests,
            "outstanding": self.outstanding,
            "engine": self.engine,
            "latency_ps": self.latencies_ps(),
            "rate_per_s": self.rate_per_s,
            "posted": self.posted,
            "delivered": self.delivered,
            "dropped": self.dropped,
            "in_flight": self.in_flight,
            "parts": self.parts,
            "wall_s": self.wall_s,
        }
