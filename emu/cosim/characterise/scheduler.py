"""What a scheduler is measured for: its queues, whose turn it is, and what a fence waits for."""

from __future__ import annotations

from collections.abc import Sequence

from emu.cosim.characterise.dispatch import NO_TURNS, SHORT_BURST, Dispatching, Item
from emu.cosim.characterise.findings import UNLIMITED, counted, refill
from emu.cosim.characterise.stream import MOST_INSIDE

#: In the order of turns so many queues take part.
PICKED = 3


class Scheduler(Dispatching):
    """The experiments with what keeps a queue for each initiator."""

    async def measure(self) -> None:
        """All of them."""
        self.findings.found("stage", "scheduler", "there is a queue for each initiator or for some")
        queues = await self._turns()
        await self._depth()
        if queues == 1:
            await self._queues()
        await self._pick(queues)
        await self._interval(queues)
        await self._refill()
        fields = self.bench.widths
        if "fence" in fields and "is_read" in fields:
            await self._fence()
        if "is_read" in fields:
            await self.count_unanswered({"is_read": 1})

    # -- turns ------------------------------------------------------------------------------

    async def _turns(self) -> int | None:
        """The latency, and how many queues a cursor passes, 1 if there is none."""
        found = self.findings
        tooth = await self.latencies({})
        least, queues = tooth.least, tooth.queues
        if least is None or queues is None:
            words = "depends on when it comes, and not as with a scan"
            found.found("latency_cycles", None, words, assumed=least)
            found.found("queues", None, words, assumed=UNLIMITED)
            return None
        found.found("latency_cycles", least, "from the choice to the output handshake")
        if queues > 1:
            words = f"a request alone waits up to {counted(queues - 1)}, depending on when it comes"
            found.found("queues", queues, words)
        if tooth.phase:
            found.notes.append(
                f"the cursor is at queue 0 in cycle {tooth.phase}; a table's is there in cycle 0"
            )
        return queues

    async def _depth(self) -> None:
        found, depth = self.findings, await self.fill()
        if depth is None:
            said = f"port '{self.bench.roles.output}' has no ready, so no queue can be filled"
            found.found("depth", None, said, assumed=UNLIMITED)
        elif depth >= MOST_INSIDE:
            said = f"more than {MOST_INSIDE} of an initiator wait"
            found.found("depth", UNLIMITED, said)
        else:
            said = "of an initiator wait in its queue, with the output blocked"
            found.found("depth", depth, said)

    async def _queues(self) -> None:
        """Which initiator finds the queue of initiator 0 full."""
        found, depth, count = self.findings, self.findings.number("depth"), self.initiators
        if not depth:
            said = "no queue can be filled, so it does not show whose it is"
            found.found("queues", None, said, assumed=UNLIMITED)
            return
        if count == 1:
            said = "there is only one initiator"
            found.found("queues", None, said, assumed=UNLIMITED)
            return
        items: list[Item] = [(0, {}), *([(self.quiet, {})] * depth)]
        items += [(self.quiet, {"initiator": one}) for one in range(1, count)]
        seen = await self.play(items, take_from=None)
        others = len(seen.taken) - 1 - depth
        if others == count - 1:
            found.found("queues", UNLIMITED, f"each of {count} initiators has a queue of its own")
        else:
            said = f"the queue of initiator 0 is that of initiator {others + 1}"
            found.found("queues", others + 1, said)

    async def _pick(self, cursor: int | None) -> None:
        found = self.findings
        if cursor != 1:
            value = None if cursor is None else "scan"
            words = "how long a request alone waits depends on when it comes"
            found.found("pick", value, words, assumed="round_robin")
            return
        queues = found.number("queues") or self.initiators
        count = min(queues, self.initiators, PICKED)
        depth = found.assumed("depth")
        if count == 1:
            found.found("pick", None, NO_TURNS, assumed="round_robin")
            return
        if not self.can_block or depth == 0:
            said = "several cannot be made to wait"
            found.found("pick", None, said, assumed="round_robin")
            return
        times = 2 if depth == UNLIMITED or (isinstance(depth, int) and depth > 1) else 1
        waiting = [one for _ in range(times) for one in reversed(range(count))]
        items: list[Item] = [
            (0, {"initiator": 0}),
            *((self.quiet, {"initiator": one}) for one in waiting),
        ]
        seen = await self.play(items, take_from=len(items) + 3 * self.quiet)
        if self.bench.is_numbered:
            left = [items[number][1]["initiator"] for number in seen.given_ids[1:]]
        else:
            left = [said.get("initiator", 0) for said in seen.given_said[1:]]
        # The turn after initiator 0 is that of 1.
        turns = [*range(1, count), 0] * times
        said = f"those of initiators {_list(waiting)} leave as {_list(left)}"
        value = "round_robin" if left == turns else None
        found.found("pick", value, said, assumed="round_robin")

    async def _interval(self, cursor: int | None) -> None:
        """What follows at once: of a scan those whose turn is next, else all of one."""
        count = min(cursor or 1, self.initiators, SHORT_BURST)
        if cursor != 1 and count == 1:
            said = "a scan comes by only once a round, and there is only one initiator"
            self.findings.found("interval_cycles", None, said, assumed=1)
            return
        initiators = [0] * SHORT_BURST if cursor == 1 else list(range(count))
        await self.note_interval(initiators, "can leave at once", is_scan=cursor != 1)

    async def _refill(self) -> None:
        """A full queue, and one more: when that is taken, once one has been chosen."""
        found, depth = self.findings, self.findings.number("depth")
        latency = found.number("latency_cycles")
        if not depth or latency is None:
            said = "no queue can be filled, so no place becomes free"
            found.found("refill", None, said)
            return
        items: list[Item] = [(0, {}), *([(self.quiet, {})] * (depth + 1))]
        seen = await self.play(items, take_from=(depth + 4) * self.quiet)
        late = seen.taken[depth + 1] - (seen.given[1] - latency)
        said = f"a place in a queue is taken {counted(late)} after its request was chosen"
        found.found("refill", refill(late), said)

    # -- fences -----------------------------------------------------------------------------

    async def _fence(self) -> None:
        """A request with a fence behind a read, and behind a write."""
        found = self.findings
        if not self.bench.is_numbered:
            said = "the output does not say which request leaves"
            found.found("fence", None, said)
            return
        behind_read = await self._waits_behind({"is_read": 1})
        behind_write = await self._waits_behind({"is_read": 0})
        value = {
            (True, False): "reads",
            (False, False): "nothing",
            (True, True): "all",
            (False, True): "writes",
        }[behind_read, behind_write]
        said = f"what of its initiator has to be answered before a fence goes: {value}"
        found.found("fence", value, said)
        if value != "reads":
            found.notes.append(f"a fence waits for {value}; a table's waits for reads")

    async def _waits_behind(self, first: dict[str, int]) -> bool:
        """Whether a request with a fence waits for the answer to one that has left."""
        reply_at = 3 * self.quiet
        seen = await self.play([(0, first), (self.quiet, {"fence": 1})], replies=[(reply_at, 0)])
        left = self.given_at(seen, 1)
        return left is None or left >= reply_at


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
