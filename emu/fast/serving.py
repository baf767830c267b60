"""Serving: what a stage does as it accepts a request; see `emu.handshake.serve`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import CONSTANT, CONTEXT_CACHE, CPU_CACHE
from emu.fast.compiled import compiled
from emu.fast.constants import constant_serve
from emu.fast.context_cache import context_serve
from emu.fast.cpu_cache import cpu_serve
from emu.fast.layout import hops, requests
from emu.fast.versions import touch_serve


@compiled
def serve(world: Any, request_place: int, hop_place: int) -> None:
    """Sets `extra`, `extra_ps`, and lets the request go on by another plan if it is to."""
    world.extra = 0
    world.extra_ps = 0
    world.ends = 0
    world.skips = 0
    hop = hops(world)[hop_place]
    _serve(world, request_place, hop.serve, hop.served)
    request = requests(world)[request_place]
    if world.ends:
        request.plan = hop.ending
    if world.skips:
        request.plan = hop.skipping


@compiled
def _serve(world: Any, request: int, what: int, served: int) -> None:
    if what == CONTEXT_CACHE:
        context_serve(world, request, served)
    elif what == CPU_CACHE:
        cpu_serve(world, request, served)
    elif what == CONSTANT:
        constant_serve(world, request, served)
    else:
        touch_serve(world, request, served)
