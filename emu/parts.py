"""The parts of a breakdown: what a picosecond of a request can belong to."""

from __future__ import annotations

SERVICE = "service"
BEATS = "beats"
SERIALISATION = "serialisation"
ALIGNMENT = "alignment"
INTERVAL = "interval"
ARBITRATION = "arbitration"
RESOURCE = "resource:"
CACHE_MISS = "cache_miss"
BACKPRESSURE = "backpressure"
RETRANSMIT = "retransmit"
ORDERING = "ordering"
ROUNDING = "rounding"

#: The parts that a stage may add to its own time.
STAGE_PARTS = (SERVICE, CACHE_MISS)

#: The parts of a request's stay at an actor, besides `resource:NAME`.
ACTOR_PARTS = (
    *(SERVICE, BEATS, SERIALISATION, ALIGNMENT, INTERVAL, ARBITRATION),
    *(ORDERING, CACHE_MISS, BACKPRESSURE, RETRANSMIT),
)

#: Waits first unmet first, as a request waiting to be accepted is charged.
ORDER = (SERVICE, BEATS, SERIALISATION, CACHE_MISS, ARBITRATION, INTERVAL, ALIGNMENT, BACKPRESSURE)
