"""Scripts: what is offered, taken and answered when, to see whose turn it is and who waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from emu.cosim.characterise.bench import Bench, Play, Seen
from emu.cosim.characterise.findings import UNLIMITED, Findings, between
from emu.cosim.characterise.stream import MOST_INSIDE, differences

#: The most queues that are looked for.
MOST_QUEUES = 1024
#: So many without an answer count as any number.
MOST_UNANSWERED = 320
#: Requests of a short burst.
SHORT_BURST = 4
#: What is said of limits that a table does not have, and where nobody has a turn.
NO_LIMIT = "which a table does not limit"
NO_TURNS = "with one queue there are no turns"

#: From which cycle on an item is offered, and its fields.
Item = tuple[int, Mapping[str, int]]
#: From which cycle on what is answered: the output's handshake of that number.
Reply = tuple[int, int]


@dataclass(frozen=True)
class Sawtooth:
    """A time that is a cycle less the later it begins, until a cursor has just passed.

    `least` is the shortest, and `queues` how many the cursor passes: one, if the time is always the
    same, and `None` where it is no such time. It is the shortest `phase` cycles after the first
    beginning that was tried, or so many more as there are queues.
    """

    least: int | None
    queues: int | None
    phase: int = 0


@dataclass
class Dispatching:
    """What the experiments with queues have in common; `findings` grows with each.

    `limits` says to how many values a field is held.
    """

    bench: Bench
    findings: Findings
    settle: int
    quiet: int
    limits: Mapping[str, int]

    @property
    def initiators(self) -> int:
        """How many initiators there can be."""
        width = self.bench.widths.get("initiator", 0)
        return min(1 << width, self.limits.get("initiator", 1 << width))

    @property
    def can_block(self) -> bool:
        """Whether the output can be blocked."""
        return self.bench.port(self.bench.roles.output).ready is not None

    async def play(
        self, items: Sequence[Item], *, take_from: int | None = 0, replies: Sequence[Reply] = ()
    ) -> Seen:
        """Plays a script from reset on, until nothing moves any more.

        The output is taken from a cycle on, or never.
        """
        last = max([take_from or 0, *(at for at, _ in items), *(at for at, _ in replies)])
        left = list(replies)

        def offer(seen: Seen) -> bool:
            number = len(seen.offered)
            return number < len(items) and seen.cycle + 1 >= items[number][0]

        def reply(seen: Seen) -> list[int]:
            due = [one for one in left if one[0] <= seen.cycle + 1 and one[1] < len(seen.given)]
            for one in due:
                left.remove(one)
            return [number for _, number in due]

        return await self.bench.play(
            Play(
                lambda seen: seen.cycle >= last and seen.idle_cycles >= self.quiet,
                last + (len(items) + len(replies) + 1) * (self.quiet + 1),
                offer=offer,
                take=lambda seen: take_from is not None and seen.cycle + 1 >= take_from,
                reply=reply,
                values=lambda number: items[number][1],
                settle=self.settle,
            )
        )

    def given_at(self, seen: Seen, number: int) -> int | None:
        """When an item left, `None` if it did not."""
        ids = seen.given_ids
        return seen.given[ids.index(number)] if number in ids else None

    async def latencies(self, said: Mapping[str, int]) -> Sawtooth:
        """From the input handshake of a request alone, with these fields, to the output's."""

        async def alone(at: int) -> int | None:
            seen = await self.play([(at, said)])
            return seen.given[0] - seen.taken[0] if seen.given else None

        return await sawtooth_of(alone)

    async def fill(self) -> int | None:
        """How many are accepted while one that has come out is not taken."""
        if not self.can_block:
            return None
        items: list[Item] = [(0, {}), *([(self.quiet, {})] * (MOST_INSIDE + 1))]
        seen = await self.play(items, take_from=None)
        return len(seen.taken) - 1

    async def note_interval(self, initiators: Sequence[int], what: str, *, is_scan: bool) -> None:
        """Cycles between what leaves of a short burst."""
        found = self.findings
        seen = await self.play([(0, {"initiator": one}) for one in initiators])
        gaps = differences(seen.given)
        if len(set(gaps)) == 1 and (gaps[0] == 1 or not is_scan):
            found.found("interval_cycles", gaps[0], f"between two that {what}")
            return
        said = f"two that {what} leave {between(gaps)} apart"
        said += "; a table's scan lets one go in a cycle" if is_scan else ""
        found.found("interval_cycles", None, said, assumed=1)

    async def count_unanswered(self, said: Mapping[str, int]) -> None:
        """How many of these leave while none is answered."""
        seen = await self.play([(0, said)] * MOST_UNANSWERED)
        count, found = len(seen.given), self.findings
        words = "of an initiator leave without an answer"
        if count == MOST_UNANSWERED:
            found.found("unanswered", UNLIMITED, f"{count} {words}")
        else:
            found.found("unanswered", count, f"{words}, and none more, {NO_LIMIT}")

    async def overtakes(self) -> bool:
        """Whether a request of one initiator leaves before an earlier one of another."""
        if self.initiators < 2 or not self.can_block or not self.bench.is_numbered:
            return False
        items: list[Item] = [
            (at, {"initiator": one}) for at, one in ((0, 1), (self.quiet, 1), (self.quiet, 0))
        ]
        # In one cycle or the other it is not initiator 1 at which a scan looks.
        for more in (0, 1):
            seen = await self.play(items, take_from=3 * self.quiet + more)
            if seen.given_ids != sorted(seen.given_ids):
                return True
        return False


async def sawtooth_of(span: Callable[[int], Awaitable[int | None]]) -> Sawtooth:
    """How a time depends on when it begins: `span` is it where that is so many cycles later."""
    first = before = await span(0)
    for at in range(1, MOST_QUEUES + 1):
        now = await span(at)
        if before is None or now is None:
            return Sawtooth(None, None)
        if now == before == first and at == 1:
            return Sawtooth(before, 1)
        if now > before:
            queues = now - before + 1
            again = await span(at - 1 + queues)
            is_so = again == before
            return Sawtooth(before, queues if is_so else None, (at - 1) % queues)
        if now != before - 1:
            break
        before = now
    return Sawtooth(before, None)
