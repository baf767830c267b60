"""What an ordering engine is measured for: what it holds, until when, and who may pass."""

from __future__ import annotations

from emu.cosim.characterise.dispatch import (
    NO_LIMIT,
    NO_TURNS,
    SHORT_BURST,
    Dispatching,
    Item,
    sawtooth_of,
)
from emu.cosim.characterise.findings import UNLIMITED, counted
from emu.cosim.characterise.stream import MOST_INSIDE
from emu.cosim.model import ORDERS, SERVICES

#: Fields of requests: without order, in relaxed order, and in strict order, which waits.
FREE = {"order": ORDERS.index("NO"), "service": SERVICES.index("ROI")}
RELAXED = {"order": ORDERS.index("RO"), "service": SERVICES.index("ROI")}
STRICT = {"order": ORDERS.index("SO"), "service": SERVICES.index("ROI")}


class Ordering(Dispatching):
    """The experiments with what holds requests until others have been answered."""

    async def measure(self) -> None:
        """All of them."""
        self.findings.found(
            "stage", "ordering_engine", "its output is answered, and requests have an order"
        )
        await self._latency()
        await self._depth()
        await self._turns()
        await self._who_passes()
        await self.count_unanswered(RELAXED)

    async def _latency(self) -> None:
        """What need not wait goes straight on."""
        found = self.findings
        tooth = await self.latencies(FREE)
        latency = tooth.least
        if tooth.queues == 1:
            found.found("latency_cycles", latency, "of what need not wait")
        else:
            said = "of what need not wait depends on when it comes"
            found.found("latency_cycles", None, said, assumed=latency)
        await self.note_interval([0] * SHORT_BURST, "need not wait", is_scan=True)

    async def _depth(self) -> None:
        found, depth = self.findings, await self.fill()
        if depth is None:
            said = f"port '{self.bench.roles.output}' has no ready, so it cannot be blocked"
            found.found("depth", None, said)
        elif depth >= MOST_INSIDE:
            found.found("depth", UNLIMITED, f"more than {MOST_INSIDE} wait in front of it")
        else:
            said = f"wait in front of it with the output blocked, {NO_LIMIT}"
            found.found("depth", depth, said)

    async def _turns(self) -> None:
        """When what was held leaves, once that for which it waits has been answered."""
        reply_at = 3 * self.quiet

        async def released(at: int) -> int | None:
            seen = await self.play(
                [(0, STRICT), (self.quiet, STRICT)], replies=[(reply_at + at, 0)]
            )
            if len(seen.given) < 2 or seen.given[1] < reply_at:
                return None
            return seen.given[1] - seen.replied[0]

        found, latency = self.findings, self.findings.number("latency_cycles")
        tooth = await sawtooth_of(released)
        least, queues = tooth.least, tooth.queues
        if least is None or queues is None:
            said = (
                "a request in strict order does not wait for the answer to the one before it"
                if least is None
                else "how long what was held waits after an answer is not as with a scan"
            )
            found.found("queues", None, said, assumed=1)
            found.found("pick", None, said, assumed="scan")
            return
        if latency is not None and least != latency:
            found.notes.append(
                f"what was held leaves {counted(least)} after an answer, and what need not wait "
                f"{counted(latency)} after it came; in a table both take the latency"
            )
        if queues == 1:
            said = "what was held leaves in a fixed time after an answer"
            found.found("queues", 1, said)
            found.found("pick", None, NO_TURNS, assumed="scan")
        else:
            said = f"what was held waits up to {counted(queues - 1)} after an answer"
            found.found("queues", queues, said)
            found.found("pick", "scan", f"{said}, depending on when that comes")

    async def _who_passes(self) -> None:
        """Whether others pass what is held, and whether those delay it."""
        found = self.findings
        if not self.bench.is_numbered:
            said = "the output does not say which request leaves"
            found.found("strict", None, said, assumed=False)
            found.found("tracking", None, said, assumed="count")
            return
        items: list[Item] = [(0, STRICT), (self.quiet, STRICT), (2 * self.quiet, FREE)]
        seen = await self.play(items)
        passes = self.given_at(seen, 2) is not None
        said = "what need not wait passes" if passes else "nothing of an initiator passes"
        found.found("strict", not passes, f"{said} what is held")
        if not passes:
            said = "what is sent is what came first, whichever it knows"
            found.found("tracking", None, said, assumed="count")
            return
        # Of two that are sent, only the first came before what is held.
        items = [(0, RELAXED), (self.quiet, STRICT), (2 * self.quiet, RELAXED)]
        seen = await self.play(items, replies=[(4 * self.quiet, 0)])
        if self.given_at(seen, 1) is None:
            said = "one that came after it and has left delays what is held"
            found.found("tracking", "count", said)
        else:
            said = "what is held waits only for those that came before it"
            found.found("tracking", "sequence", said)
