"""A context cache as one number: beyond so many records, every operation misses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from emu.request import Request
from emu.stage import Served, Stage, parameters
from emu.table.fields import TimeField
from emu.time import Picoseconds


def records(count: Literal["qp", "jetty", "receivers"], connections: int, receivers: int) -> int:
    """How many records n connections and k receivers need.

    `qp`: a queue pair for each application, peer and receiver, n² · k. `jetty`: a Jetty for each
    application, a transport channel for each peer and a record for each receiver, 2n + k.
    `receivers`: the receivers alone, k.
    """
    if count == "qp":
        return connections**2 * receivers
    if count == "jetty":
        return 2 * connections + receivers
    return receivers


class ContextThreshold(Stage):
    """A step that costs a constant once the records in use are more than a limit.

    Stands for a controller's cache of connection records, which either holds them all or misses
    with every operation: `crossing` and `access` are the way to a record in memory. Real
    caches slide rather than step; this is the model that the published rows were made with. Of
    `receivers`, it stands for the software that finds the one that a message is for.
    """

    @parameters
    class Parameters:
        """What is counted, how much of it fits, and what it costs beyond that."""

        connections: Annotated[
            int, Field(gt=0, strict=True, description="applications, and peers, at each end (n)")
        ]
        receivers: Annotated[
            int, Field(gt=0, strict=True, description="receivers that a message can go to (k)")
        ]
        count: Annotated[
            Literal["qp", "jetty", "receivers"],
            Field(description="what is counted: qp n²·k, jetty 2n+k, receivers k"),
        ]
        limit: Annotated[
            int, Field(gt=0, strict=True, description="the most of them that cost nothing")
        ]
        crossing: Annotated[
            TimeField, Field(description="beyond the limit: the way to memory, by PCIe or bus")
        ]
        access: Annotated[
            TimeField, Field(description="beyond the limit: the memory itself, or software")
        ]

    has_latency = False
    source = "OpenURMA (arXiv 2605.28717), two-node simulator: context refetch beyond a capacity"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        used = records(parameters.count, parameters.connections, parameters.receivers)
        self._served: Served | None = None
        if used > parameters.limit:
            # Finding a receiver is the software's work, not a fetch of a record.
            part = "service" if parameters.count == "receivers" else "cache_miss"
            cost = Picoseconds(parameters.crossing) + Picoseconds(parameters.access)
            self._served = Served(parts=((part, cost),))

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The cost beyond the limit, the same for every request."""
        return self._served
