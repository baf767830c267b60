"""Profile: which stage or resource binds a run, and how much room all others have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emu.report import Report
from emu.utilisation import Used

#: What is in use for so much of the time is full: at a run's beginning and end little is inside.
FULL = 0.9
#: By so much two rates may differ and count as equal.
NEAR = 0.02


@dataclass(frozen=True)
class Profile:
    """All that can be used up, most used first; if anything `binds`, that is the first.

    `full_too` is as good as used up beside it, and `following` what has room left and is used most.
    `uncounted` are stages that requests passed and that have no limit which is counted.
    """

    delivered: int
    used: list[Used]
    binds: Used | None
    full_too: list[Used]
    following: Used | None
    uncounted: list[str]

    def as_json(self) -> list[dict[str, Any]]:
        """The profile as scripts read it."""
        return [
            {
                "name": one.name,
                "kind": one.kind,
                "utilisation": one.utilisation,
                "capacity": one.capacity,
                "full_at_per_s": one.full_at_per_s(self.delivered),
                "binds": one is self.binds,
            }
            for one in self.used
        ]


def profile(report: Report) -> Profile:
    """The profile of a run.

    What is full binds at the lowest rate; a stage that takes several together is full once they
    are as many as it can take. Places and units that are all held do not bind while a stage or a
    link is full at about the same rate: what holds them waits for that, and more of them would
    wait as well.
    """
    used = sorted(report.used, key=lambda one: -one.utilisation)
    rates = [(one.full_at_per_s(report.delivered), one) for one in used if _is_full(one)]
    full = [(rate, one) for rate, one in rates if rate is not None]
    binds = None
    if full:
        level = min(rate for rate, _ in full) * (1 + NEAR)
        near = [one for rate, one in full if rate <= level]
        binds = next((one for one in near if not one.is_held), near[0])
        used = [binds, *(one for one in used if one is not binds)]
    others = [one for one in used if one is not binds]
    counted = {one.name for one in used}
    return Profile(
        delivered=report.delivered,
        used=used,
        binds=binds,
        full_too=[one for one in others if _is_full(one)],
        following=next((one for one in others if one.utilisation and not _is_full(one)), None),
        uncounted=[name for name in report.stages if name not in counted],
    )


def _is_full(one: Used) -> bool:
    return one.utilisation * one.filled >= FULL
