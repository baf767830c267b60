"""What is measured of a DUT that takes several together: batches, and what waits for the next."""

from __future__ import annotations

from dataclasses import dataclass

from emu.cosim.characterise.bench import Bench, Play, Seen, never
from emu.cosim.characterise.findings import Findings, counted
from emu.cosim.characterise.stream import MOST_INSIDE, differences

#: What comes is in a register, from which it goes on into the queue.
FRONT_PLACES = FRONT_CYCLES = 1
#: Requests alone, each so long after the last one that it is in another phase.
RESTS = 8
#: Batches that leave one by one at most while those from the beginning are inside.
MOST_BATCHES = 256


@dataclass
class Batches:
    """The experiments; `findings` grows with each. What is measured of any DUT, has been."""

    bench: Bench
    findings: Findings
    settle: int
    quiet: int

    async def measure(self) -> bool:
        """All of them; whether it can be a DUT that takes several together."""
        found = self.findings
        depth, refill = found.number("depth"), found.values.get("refill")
        if depth is None or refill is None:
            return False
        latency = await self._latency()
        if latency is None or latency <= FRONT_CYCLES:
            return False
        alone = await self._fill_one_by_one()
        size, full = await self._leave_one_by_one(depth)
        if size is None or full is None:
            return False
        if size == 1:
            batches = await self._leave_at_once(depth)
        else:
            batches, rest = divmod(full - alone, size - 1)
            batches = 0 if rest else batches
        waiting = alone - batches - FRONT_PLACES
        if batches < 1 or waiting < 1:
            return False
        found.found("stage", "completion", "what waits when a batch begins goes together")
        found.found("batches", batches, "are begun and have not left, with the output blocked")
        found.found("waiting", waiting, "wait for the next batch, beside one in front of them")
        if size < waiting:
            found.found("batch", size, "go together, of those that wait")
        else:
            said = f"all of {waiting} that can wait go together"
            found.found("batch", None, said, assumed=size)
        await self._interval(batches, latency + (refill == "next_edge") - FRONT_CYCLES)
        return True

    async def _latency(self) -> int | None:
        """Of a request so long after the last one that no interval is running any more."""
        rests = [self.quiet + more for more in range(RESTS)]

        def offer(seen: Seen) -> bool:
            count = len(seen.given)
            if len(seen.offered) != count or count == RESTS:
                return False
            return not count or seen.cycle + 1 >= seen.given[-1] + rests[count]

        seen = await self.bench.play(
            Play(
                lambda seen: len(seen.given) == RESTS,
                RESTS * (3 * self.quiet),
                offer=offer,
                settle=self.settle,
            )
        )
        latencies = {given - taken for taken, given in zip(seen.taken, seen.given, strict=False)}
        if len(latencies) != 1:
            return None
        latency = latencies.pop()
        said = "from the input handshake to the output handshake, a while after the last request"
        self.findings.found("latency_cycles", latency, said)
        return latency

    async def _fill_one_by_one(self) -> int:
        """How many are accepted, one after a while, so that each begins a batch that can."""

        def offer(seen: Seen) -> bool:
            is_quiet = not seen.taken or seen.quiet_cycles >= self.quiet
            return len(seen.offered) == len(seen.taken) and is_quiet

        def over(seen: Seen) -> bool:
            waits = len(seen.offered) > len(seen.taken)
            return waits and seen.cycle - seen.offered[-1] >= self.quiet

        seen = await self.bench.play(
            Play(
                over,
                (MOST_INSIDE + 1) * (2 * self.quiet + 2),
                offer=offer,
                take=never,
                settle=self.settle,
            )
        )
        return len(seen.taken)

    async def _leave_one_by_one(self, depth: int) -> tuple[int | None, int | None]:
        """Full and blocked, one output handshake after the other, with more to come.

        How many are accepted when a batch has left, `None` if it is not the same each time; and
        how many are inside when that of the beginning has left, and only whole batches are.
        """

        def take(seen: Seen) -> bool:
            return len(seen.taken) >= depth and seen.idle_cycles >= self.quiet

        def over(seen: Seen) -> bool:
            return len(seen.given) > depth + MOST_BATCHES or (
                len(seen.given) > depth and seen.taken[-1] >= seen.given[-1] and self._rests(seen)
            )

        seen = await self.bench.play(
            Play(
                over,
                (2 * depth + MOST_BATCHES) * (self.quiet + 2),
                take=take,
                settle=self.settle,
            )
        )
        after = [
            sum(1 for cycle in seen.taken if start <= cycle < end)
            for start, end in zip(seen.given, [*seen.given[1:], seen.cycle + 1], strict=True)
        ]
        sizes = {count for count in after if count}
        if len(sizes) != 1:
            return None, None
        return sizes.pop(), len(seen.taken) - len(seen.given)

    def _rests(self, seen: Seen) -> bool:
        return seen.idle_cycles >= self.quiet - 1

    async def _leave_at_once(self, depth: int) -> int:
        """Of a full DUT that is not blocked any more: how many leave without a pause."""

        def take(seen: Seen) -> bool:
            return len(seen.taken) >= depth and (bool(seen.given) or self._rests(seen))

        seen = await self.bench.play(
            Play(
                lambda seen: len(seen.given) > depth,
                2 * depth * (self.quiet + 2),
                take=take,
                settle=self.settle,
            )
        )
        gaps = differences(seen.given)
        return next((at for at, gap in enumerate(gaps) if gap > 1), len(gaps)) + 1

    async def _interval(self, batches: int, stay: int) -> None:
        """The second of two that come at once is in a batch of its own."""
        found = self.findings
        seen = await self.bench.play(
            Play(
                lambda seen: len(seen.given) == 2,
                2 * self.quiet,
                offer=lambda seen: len(seen.offered) < 2,
                settle=self.settle,
            )
        )
        (gap,) = differences(seen.given)
        if batches > 1 or gap > stay:
            found.found("batch_interval_cycles", gap, "between the beginnings of two batches")
        else:
            said = f"only one batch is inside, which hides an interval of up to {counted(gap)}"
            found.found("batch_interval_cycles", None, said, assumed=1)
