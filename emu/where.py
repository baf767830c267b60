"""Where requests are that are still inside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from emu.request import Request

#: What waits to enter the first stage is nowhere yet.
OUTSIDE = "outside"


class Engine(Protocol):
    """An engine at rest: what is inside, and the time."""

    @property
    def inside(self) -> Iterable[Request]:
        """Requests submitted and not complete."""

    @property
    def now_ps(self) -> int:
        """Up to when it has run."""


def still_inside(engine: Engine, *, is_traced: bool = False) -> dict[str, int]:
    """Stage name to how many requests are in it or in its channel, in the order of the path.

    One without a listener takes a run of plain delays as one event; with one it `is_traced`.
    """
    found: dict[str, tuple[int, int]] = {}
    for request in engine.inside:
        entry, name = _place(request, engine.now_ps, is_traced)
        found[name] = (entry, found.get(name, (entry, 0))[1] + 1)
    in_order = sorted(found.items(), key=lambda item: item[1][0])
    return {name: count for name, (_, count) in in_order}


def _place(request: Request, now_ps: int, is_traced: bool) -> tuple[int, str]:
    """The entry of the table, and its name."""
    hops = request.plan.hops
    index = request.hop
    if index < 0:
        return -1, OUTSIDE
    if is_traced:
        return hops[index].entry, hops[index].name
    # For all of a run of plain delays the request stands in the last of them.
    last = index
    while index and hops[index - 1].run_hops == hops[index].run_hops + 1:
        index -= 1
    left_ps = now_ps - request.accepted_ps
    while index < last and left_ps >= hops[index].derived_ps:
        left_ps -= hops[index].derived_ps
        index += 1
    return hops[index].entry, hops[index].name
