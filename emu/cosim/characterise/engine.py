"""What engines that read memory are measured for: reads outstanding, and how long a tag is held."""

from __future__ import annotations

from dataclasses import dataclass

from emu.cosim.characterise.bench import Answers, Bench, Play, Seen, always, never, no_answers
from emu.cosim.characterise.findings import UNLIMITED, Findings, between, counted
from emu.cosim.characterise.stream import MOST_INSIDE, differences, repeating
from emu.errors import RunError

#: Idle cycles before something is changed that a DUT at rest is to react to.
IDLE_CYCLES = 8
#: Beats of answers that have several.
BEATS = 4


@dataclass
class Engine:
    """The experiments with the memory; `findings` grows with each."""

    bench: Bench
    findings: Findings
    settle: int
    quiet: int
    #: The DUT with all reads outstanding that it can have, and no answer.
    withheld: Seen | None = None

    async def measure(self) -> None:
        """All of them."""
        await self._outstanding()
        await self._from()
        await self._until()
        await self._answers()
        await self._order()

    @property
    def outstanding(self) -> int:
        """How many reads it has outstanding; 0 where that is unknown."""
        return self.findings.number("outstanding") or 0

    @property
    def _why_no_two(self) -> str:
        """Why there are no two answers that could be compared."""
        if self.findings.values["outstanding"] == UNLIMITED:
            return "measured only where the reads outstanding have a limit"
        return "fewer than two reads are outstanding"

    async def _play(
        self,
        *,
        take: bool = True,
        hear: bool = True,
        answer: Answers = no_answers,
        beats: int = 1,
    ) -> Seen:
        """Requests without pause, until nothing moves any more."""

        def over(seen: Seen) -> bool:
            return len(seen.taken) > MOST_INSIDE or seen.idle_cycles >= self.quiet

        return await self.bench.play(
            Play(
                over,
                (MOST_INSIDE + 1) * (self.quiet + 1),
                take=always if take else never,
                hear=always if hear else never,
                answer=answer,
                settle=self.settle,
                beats=beats,
            )
        )

    # -- from when on -----------------------------------------------------------------------

    async def _outstanding(self) -> None:
        found = self.findings
        self.withheld = seen = await self._play()
        if len(seen.taken) > MOST_INSIDE:
            said = f"more than {MOST_INSIDE} reads are outstanding without an answer"
            found.found("outstanding", UNLIMITED, said)
            return
        count = len(seen.asked)
        said = f"reads go out without an answer, and none in {self.quiet} cycles more"
        found.found("outstanding", count, said)
        gaps = differences(seen.asked)
        if len(set(gaps)) == 1:
            said = "between reads while nothing but time limits them"
            found.found("request_interval_cycles", gaps[0], said)
        else:
            said = f"reads leave {between(gaps)} apart" if gaps else "only one read leaves"
            found.found("request_interval_cycles", None, said, assumed=min(gaps, default=1))
        tags = seen.asked_tags
        if len(set(tags)) < count:
            found.notes.append(
                "reads that are outstanding together have the same tag: "
                + ", ".join(str(tag) for tag in tags[:16])
            )

    async def _from(self) -> None:
        """Whether a tag is taken when a request comes, or when its read leaves."""
        found, seen = self.findings, self.withheld
        memory = self.bench.roles.memory
        assert memory is not None  # measured only then
        assert seen is not None  # measured before
        if not self.outstanding:
            said = "there is no limit that a tag could be"
            found.found("hold_from", None, said, assumed="input")
            return
        waiting = len(seen.taken) - len(seen.asked)
        said = "are accepted beyond those whose reads are outstanding, and wait for a tag"
        found.found("waiting", waiting, said)
        if waiting:
            said = f"{waiting} more than are outstanding are accepted, and wait for a tag inside"
            found.found("hold_from", "request", said)
            return
        if self.bench.port(memory.request).ready is None:
            said = "no more are accepted than are outstanding"
            found.found("hold_from", "input", said)
            return
        blocked = await self._play(hear=False)
        if not blocked.taken:
            said = f"a request is accepted in the cycle in which its read leaves '{memory.request}'"
            found.found("hold_from", "request", said)
            return
        accepted = len(blocked.taken)
        said = (
            f"{accepted} are accepted while no read can leave '{memory.request}', of "
            f"{self.outstanding} that can be outstanding, and none more while none is answered"
        )
        found.found("hold_from", "input", said)

    # -- until when -------------------------------------------------------------------------

    def _moves(self, seen: Seen) -> list[int]:
        """What takes a tag: the input handshakes, or those of reads."""
        return seen.asked if self.findings.values["hold_from"] == "request" else seen.taken

    async def _until(self) -> None:
        """One answer while all reads are outstanding; then one output handshake."""
        found = self.findings
        count = self.outstanding
        if not count:
            said = "there is no limit that a tag could be"
            found.found("hold_until", None, said, assumed="answer")
            found.found("tag_return_cycles", None, said, assumed=0)
            return
        assert self.withheld is not None  # measured before
        before = len(self._moves(self.withheld))
        answer_at = self.withheld.last_move + IDLE_CYCLES
        open_at = answer_at + self.quiet + IDLE_CYCLES
        is_named = False

        def answer(seen: Seen) -> list[int]:
            nonlocal is_named
            if is_named or seen.cycle + 1 < answer_at:
                return []
            is_named = True
            return [0]

        seen = await self.bench.play(
            Play(
                lambda seen: seen.cycle >= open_at + self.quiet,
                open_at + self.quiet + 1,
                take=lambda seen: seen.cycle + 1 >= open_at,
                answer=answer,
                settle=self.settle,
            )
        )
        if not seen.answered:
            raise RunError(
                f"the answer to the first of {count} reads was not taken within "
                f"{2 * self.quiet} cycles; expected it to be"
            )
        events = [cycle for cycle in self._moves(seen)[before:] if cycle >= seen.answered[0]]
        if not events:
            said = f"after one answer and one output no tag was taken again in {self.quiet} cycles"
            found.found("hold_until", None, said, assumed="output")
            found.found("tag_return_cycles", None, said, assumed=0)
            return
        if events[0] < open_at:
            at, late, what = "answer", events[0] - seen.answered[0], "the last beat of its answer"
        else:
            given = seen.given[0] if seen.given else open_at
            at, late, what = "output", events[0] - given, "its output handshake"
        self._refill(seen)
        until = at if not late else f"{at} + {counted(late)}"
        found.found("hold_until", until, f"a tag is taken again {counted(late)} after {what}")
        found.found("tag_return_cycles", late, f"after {what}")

    def _refill(self, seen: Seen) -> None:
        """When a place of those that wait for a tag is taken, beside the read that got the tag."""
        if not self.findings.number("waiting"):
            return
        assert self.withheld is not None  # measured before
        asked_at = seen.asked[len(self.withheld.asked)]
        taken = seen.taken[len(self.withheld.taken) :]
        if not taken:
            said = f"none is accepted within {self.quiet} cycles after a read has left"
            self.findings.found("waiting_refill_cycles", None, said, assumed=0)
            return
        late = taken[0] - asked_at
        when = f"{counted(late)} after" if late >= 0 else f"{counted(-late)} before"
        said = f"a place of those that wait is taken {when} the read leaves"
        self.findings.found("waiting_refill_cycles", late, said)

    # -- answers ----------------------------------------------------------------------------

    async def _answers(self) -> None:
        """All answers at once: how fast they are taken, and what each further beat adds."""
        found, count = self.findings, self.outstanding
        if count < 2:
            found.found("answer_interval_cycles", None, self._why_no_two, assumed=1)
            return
        gaps = await self._answer_gaps(1)
        if len(set(gaps)) == 1:
            said = f"between {count} answers of a beat that wait"
            found.found("answer_interval_cycles", gaps[0], said)
        else:
            pattern = repeating(gaps) or gaps
            said = f"answers that wait are taken {between(gaps)} apart"
            mean = -(-sum(pattern) // len(pattern))
            found.found("answer_interval_cycles", None, said, assumed=mean)
        memory = self.bench.roles.memory
        assert memory is not None  # measured only then
        if self.bench.port(memory.answer).last is not None:
            self._note_beats(gaps, await self._answer_gaps(BEATS))

    async def _answer_gaps(self, beats: int) -> list[int]:
        """Cycles between the ends of answers of so many beats that all wait."""
        assert self.withheld is not None  # measured before
        count, answer_at = self.outstanding, self.withheld.last_move + IDLE_CYCLES
        named = 0

        def answer(seen: Seen) -> list[int]:
            nonlocal named
            if seen.cycle + 1 < answer_at or named:
                return []
            named = count
            return list(range(count))

        seen = await self._play(answer=answer, beats=beats)
        if len(seen.answered) < count:
            raise RunError(
                f"{len(seen.answered)} of {count} answers of {counted(beats, 'beat')} were taken "
                f"within {self.quiet} cycles; expected all"
            )
        return differences(seen.answered[:count])

    def _note_beats(self, single: list[int], several: list[int]) -> None:
        """What a further beat adds to the time between two answers."""
        added = [b - a for a, b in zip(single, several, strict=True)]
        if len(set(added)) == 1 and added[0] % (BEATS - 1) == 0:
            said = f"each further beat of an answer, from answers of {BEATS} beats that wait"
            self.findings.found("answer_beat_cycles", added[0] // (BEATS - 1), said)
        else:
            said = f"{BEATS - 1} further beats of an answer add {between(added)}"
            mean = max(added) // (BEATS - 1)
            self.findings.found("answer_beat_cycles", None, said, assumed=mean)

    async def _order(self) -> None:
        """The second answer first: whether it comes out before the first has come."""
        found, count = self.findings, self.outstanding
        if count < 2:
            found.found("order", None, self._why_no_two)
            return
        assert self.withheld is not None  # measured before
        second_at = self.withheld.last_move + IDLE_CYCLES
        first_at = second_at + self.quiet + IDLE_CYCLES
        named = 0

        def answer(seen: Seen) -> list[int]:
            nonlocal named
            if named == 0 and seen.cycle + 1 >= second_at:
                named = 1
                return [1]
            if named == 1 and seen.cycle + 1 >= first_at:
                named = 2
                return [0]
            return []

        seen = await self.bench.play(
            Play(
                lambda seen: seen.cycle >= first_at + self.quiet,
                first_at + self.quiet + 1,
                answer=answer,
                settle=self.settle,
            )
        )
        if not seen.given:
            said = f"of two answers, the second first, none came out within {self.quiet} cycles"
            found.found("order", None, said)
        elif seen.given[0] < first_at:
            said = "an answer that overtakes another comes out first"
            found.found("order", "answers", said)
        else:
            said = "an answer that overtakes another waits for it"
            found.found("order", "requests", said)
