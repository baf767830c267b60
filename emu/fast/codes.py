"""Codes: the small whole numbers that stand for words in compiled code."""

from __future__ import annotations

from emu.parts import (
    ALIGNMENT,
    ARBITRATION,
    BACKPRESSURE,
    BEATS,
    CACHE_MISS,
    INTERVAL,
    ORDERING,
    RETRANSMIT,
    ROUNDING,
    SERIALISATION,
    SERVICE,
)
from emu.request import Operation

#: Parts of a breakdown; those of resources, by name, follow.
PARTS = (
    *(SERVICE, BEATS, SERIALISATION, ALIGNMENT, INTERVAL, ARBITRATION, ORDERING),
    *(CACHE_MISS, BACKPRESSURE, RETRANSMIT, ROUNDING),
)
P_SERVICE, P_BEATS, P_SERIALISATION, P_ALIGNMENT, P_INTERVAL, P_ARBITRATION = range(6)
P_ORDERING, P_CACHE_MISS, P_BACKPRESSURE, P_RETRANSMIT, P_ROUNDING = range(6, 11)

OPERATIONS = tuple(Operation)
(
    READ,
    WRITE,
    SEND,
    FETCH_AND_ADD,
    COMPARE_AND_SWAP,
    LOAD,
    STORE,
) = range(len(OPERATIONS))

ORDERS = ("", "NO", "RO", "SO")
NO, RO, SO = 1, 2, 3
SERVICES = ("", "ROI", "ROT", "ROL", "UNO")
ROI, ROT, ROL, UNO = 1, 2, 3, 4

#: What happens to what does not fit into a channel.
OVERFLOWS = ("hold", "drop", "error")
HOLD, DROP, ERROR = range(3)

#: What an item is that is due at a time.
DUE_REQUEST, DUE_STATION, DUE_UNIT = range(3)

#: How a run stands: it can go on, is over, or wants something of its caller.
RUNNING, OVER, WANTS_POSTS, FAILED = range(4)
#: What has failed.
DEADLOCK, UNSETTLED, OVERFLOW, STAGE_FAULT, BREAKDOWN = range(1, 6)

#: What a stage does as it accepts a request.
SERVES_NOTHING, CONSTANT, CONTEXT_CACHE, CPU_CACHE, TOUCHES_MEMORY = range(5)
#: Rules of its own that a stage has.
NO_ACTOR, SCHEDULER, ORDERING_ENGINE, TARGET_ORDER, READ_CHECK = range(5)
CHANNEL_ORDER, COMPLETION_ORDER, PCIE_ORDER, MULTI_PATH, RELIABLE_WIRE = range(5, 10)

#: When a unit comes back after its request has left: at once, so long or so many edges after.
AT_ONCE, AFTER_PS, AFTER_EDGES = range(3)

#: What an alarm of an actor is about that stands for an answer from outside.
ANSWERED = -1
