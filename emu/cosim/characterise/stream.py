"""What every DUT is measured for: latency, interval, depth, and when a freed place is taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from emu.cosim.binding import in_reset
from emu.cosim.characterise.bench import (
    Answers,
    Bench,
    Play,
    Seen,
    after,
    never,
    no_answers,
)
from emu.cosim.characterise.findings import UNLIMITED, Findings, between, counted, refill
from emu.cosim.stimulus import NUMBER
from emu.errors import RunError

#: Idle cycles between requests that are alone.
GAPS = (*range(1, 21), 25, 32, 33, 47, 64, 100)
#: So many of them are long enough that the DUT is idle.
LONG_GAPS = 6
#: How long the memory takes where its latency does not matter, and where it does.
SOON_CYCLES = 8
#: Experiments that find how long the DUT needs after its reset: how long each is, and how late
#: the one begins by which all are measured.
SETTLE_PLAY_CYCLES = 300
SETTLED_CYCLES = 512
#: So many items are taken in before what is inside counts as unlimited.
MOST_INSIDE = 4096
#: A burst: so many items, of which the last so many count.
BURST = 384
BURST_TAIL = 192
#: At least for so long nothing must happen before nothing more is expected.
LEAST_QUIET_CYCLES = 64
#: The longest pattern that is looked for in a steady burst, in items.
LONGEST_PATTERN = 64


class Stream:
    """The experiments at the input and the output; `findings` grows with each."""

    def __init__(self, bench: Bench, findings: Findings, patience_cycles: int) -> None:
        self.bench = bench
        self.findings = findings
        self.patience_cycles = patience_cycles
        self.settle = 0
        self.quiet = patience_cycles
        #: Handshakes while a burst filled the blocked DUT, and while only room limited it.
        self.filled = self.free = Seen()
        #: How many places of a full DUT one output handshake frees.
        self.frees = 1

    async def begin(self) -> None:
        """A request alone, and how long the DUT needs after its reset."""
        await self._alone()
        await self._settle()
        await self._alone()

    async def measure(self) -> None:
        """All the others."""
        await self._fill()
        await self._refill()
        if self.bench.roles.memory is not None:
            # With answers a burst gets tags back as it goes on.
            self.free = await self._withheld()
        await self._burst()

    def memory(self, latency_cycles: int = SOON_CYCLES) -> Answers:
        """A memory of that latency, if the DUT has one."""
        return no_answers if self.bench.roles.memory is None else after(latency_cycles)

    # -- alone ------------------------------------------------------------------------------

    async def _alone(self) -> None:
        bench, input_, output = self.bench, self.bench.roles.input, self.bench.roles.output

        def offer(seen: Seen) -> bool:
            count = len(seen.given)
            if len(seen.offered) != count or count == len(GAPS):
                return False
            return not count or seen.cycle + 1 > seen.given[-1] + GAPS[count]

        def over(seen: Seen) -> bool:
            is_through = len(seen.given) == len(GAPS) and seen.quiet_cycles >= GAPS[-1]
            return is_through or seen.quiet_cycles >= self.patience_cycles

        seen = await bench.play(
            Play(
                over,
                len(GAPS) * (self.patience_cycles + GAPS[-1]),
                offer=offer,
                answer=self.memory(),
                settle=self.settle,
            )
        )
        if len(seen.given) > len(seen.taken):
            raise RunError(
                f"port '{output}' gave {counted(len(seen.given), 'time')} for "
                f"{counted(len(seen.taken), 'request')} at '{input_}'; expected one output for "
                f"each, or 'last' of port '{output}' in the binding where it has several beats"
            )
        if len(seen.given) < len(GAPS):
            raise RunError(self._nothing_came(seen))
        self._note_alone(seen)

    def _note_alone(self, seen: Seen) -> None:
        found = self.findings
        latencies = [given - taken for taken, given in zip(seen.taken, seen.given, strict=True)]
        if self.bench.roles.memory is not None:
            self._note_reads(seen)
        waits = [taken - offered for offered, taken in zip(seen.offered, seen.taken, strict=True)]
        self.quiet = max(LEAST_QUIET_CYCLES, 4 * (max(latencies) + max(waits)))
        if self.bench.roles.memory is not None:
            inside = [
                latency - (answered - asked)
                for latency, asked, answered in zip(
                    latencies, seen.asked, seen.answered, strict=True
                )
            ]
            what = "in the DUT, without the time from a read's handshake to that of its answer"
        else:
            inside, what = latencies, "from the input handshake to the output handshake"
        if len(set(inside)) == 1:
            found.found("latency_cycles", inside[0], f"{what}, {len(GAPS)} requests alone")
        else:
            varies = f"varies, {between(inside)}, {what}"
            found.found("latency_cycles", None, varies, assumed=max(inside))
        # After a short gap the interval can still be running.
        waits = waits[-LONG_GAPS:]
        if len(set(waits)) == 1:
            said = "an idle DUT takes a request so long after valid"
            found.found("accept_cycles", waits[0], said)
        else:
            said = f"an idle DUT takes a request {between(waits)} after valid"
            found.found("accept_cycles", None, said, assumed=min(waits))

    def _note_reads(self, seen: Seen) -> None:
        """Of an engine: how long its read takes to leave, and its answer to come out."""
        memory = self.bench.roles.memory
        assert memory is not None  # asked by the caller
        if len(seen.asked) != len(seen.taken):
            raise RunError(
                f"{counted(len(seen.taken), 'request')} made {counted(len(seen.asked), 'read')} at "
                f"port '{memory.request}'; expected one for each (does a field have to differ from "
                "request to request: --count FIELD?)"
            )
        ways = (
            ("request_cycles", seen.taken, seen.asked, "from the input handshake to its read's"),
            (
                "answer_cycles",
                seen.answered,
                seen.given,
                "from the answer's handshake to the output's",
            ),
            (
                "answer_accept_cycles",
                seen.answer_offered,
                seen.answer_begun,
                "an answer is taken so long after valid",
            ),
        )
        for key, starts, ends, what in ways:
            spans = [end - start for start, end in zip(starts, ends, strict=True)]
            if len(set(spans)) == 1:
                self.findings.found(key, spans[0], what)
            else:
                said = f"varies, {between(spans)}, {what}"
                self.findings.found(key, None, said, assumed=max(spans))

    def _nothing_came(self, seen: Seen) -> str:
        roles, reset = self.bench.roles, self.bench.binding.reset
        bound = f"within {self.patience_cycles} cycles"
        hint = in_reset(reset)
        if len(seen.offered) > len(seen.taken):
            return (
                f"port '{roles.input}': ready stayed 0 {bound} after valid of request "
                f"{len(seen.taken)} at cycle {seen.offered[-1]}; expected 1 of an idle DUT "
                f"({hint}, or must some input be tied?)"
            )
        memory = roles.memory
        if memory is not None and len(seen.asked) < len(seen.taken):
            where = f"no read came out at port '{memory.request}'"
        elif memory is not None and len(seen.answer_offered) > len(seen.answered):
            where = f"its answer was not taken at port '{memory.answer}'"
        else:
            where = f"nothing came out at port '{roles.output}'"
        return (
            f"request {len(seen.given)} was taken at cycle {seen.taken[-1]}, and {where} {bound}; "
            f"expected one output for each request ({hint}, must some input be tied, or does it "
            "wait for more?)"
        )

    # -- after reset ------------------------------------------------------------------------

    async def _settle(self) -> None:
        """How many cycles after its reset the DUT is as it will be."""
        found = self.findings
        reset = self.bench.binding.reset
        given = 0 if reset is None else reset.settle
        settled = await self._first_handshakes(SETTLED_CYCLES)
        if await self._first_handshakes(0) == settled:
            said = "what the binding says is enough" if given else "it is ready as its reset ends"
            found.found("settle_cycles", given, said)
            return
        if await self._first_handshakes(2 * SETTLED_CYCLES) != settled:
            said = "what it does depends on how long ago its reset was"
            found.found("settle_cycles", None, said, assumed=0)
            return
        low, high = 0, SETTLED_CYCLES
        while high - low > 1:
            middle = (low + high) // 2
            if await self._first_handshakes(middle) == settled:
                high = middle
            else:
                low = middle
        self.settle = high
        cycles = given + high
        said = f"only {counted(cycles)} after its reset it does what it does later on"
        found.found("settle_cycles", cycles, said)
        found.notes.append(
            f"for a lockstep run with the table, the binding's 'reset' needs 'settle: {cycles}'"
        )

    async def _first_handshakes(self, settle: int) -> list[list[int]]:
        """What a burst does, if a memory takes long to answer, and if it does not."""
        found: list[list[int]] = []
        for memory_cycles in (SETTLE_PLAY_CYCLES // 2, SOON_CYCLES):
            seen = await self.bench.play(
                Play(
                    never,
                    SETTLE_PLAY_CYCLES,
                    answer=self.memory(memory_cycles),
                    settle=settle,
                )
            )
            found += [seen.taken, seen.given, seen.answered]
            if self.bench.roles.memory is None:
                break
        return found

    # -- blocked ----------------------------------------------------------------------------

    def _is_quiet(self, seen: Seen) -> bool:
        return seen.idle_cycles >= self.quiet

    async def _fill(self) -> None:
        """How many it accepts with its output blocked, and how soon after one another."""
        found, roles = self.findings, self.bench.roles
        if self.bench.port(roles.output).ready is None:
            said = f"port '{roles.output}' has no ready, so it cannot be blocked"
            found.found("depth", None, said, assumed=UNLIMITED)
            return

        def over(seen: Seen) -> bool:
            return len(seen.taken) > MOST_INSIDE or self._is_quiet(seen)

        self.filled = self.free = seen = await self.bench.play(
            Play(
                over,
                (MOST_INSIDE + 1) * (self.quiet + 1),
                take=never,
                answer=self.memory(),
                settle=self.settle,
            )
        )
        depth = len(seen.taken)
        if depth > MOST_INSIDE:
            if self.bench.port(roles.input).ready is None:
                said = f"port '{roles.input}' has no ready: it takes whatever comes"
            else:
                said = f"more than {MOST_INSIDE} are accepted with the output blocked"
            found.found("depth", UNLIMITED, said)
        else:
            said = f"are accepted with the output blocked, and none in {self.quiet} cycles more"
            found.found("depth", depth, said)

    async def _withheld(self) -> Seen:
        """How soon requests are accepted after one another while nothing is answered."""
        return await self.bench.play(
            Play(
                lambda seen: len(seen.taken) > MOST_INSIDE or self._is_quiet(seen),
                (MOST_INSIDE + 1) * (self.quiet + 1),
                settle=self.settle,
            )
        )

    async def _refill(self) -> None:
        """Full and blocked, with more to come: one output handshake, and when the next is taken."""
        depth = self.findings.number("depth")
        if depth is None:
            self._no_refill("it cannot be filled, so no place becomes free")
            return
        if depth == 0:
            self._no_refill("it keeps nothing, so no place becomes free")
            return
        full_at = self.filled.cycle

        def take(seen: Seen) -> bool:
            return seen.cycle >= full_at and len(seen.taken) == depth and self._is_quiet(seen)

        def over(seen: Seen) -> bool:
            is_over = len(seen.taken) > depth or len(seen.given) == depth
            return seen.cycle > full_at and is_over and self._is_quiet(seen)

        seen = await self.bench.play(
            Play(
                over,
                full_at + (depth + 1) * (self.quiet + 2),
                take=take,
                answer=self.memory(),
                settle=self.settle,
            )
        )
        if not seen.given:
            self._no_refill(f"full with {depth}, it gives nothing within {self.quiet} cycles")
            return
        if len(seen.taken) == depth:
            self._no_refill(f"full with {depth}, it gives all of them and accepts none more")
            return
        self._note_refill(seen.taken[depth:], seen.given)

    def _note_refill(self, taken: Sequence[int], given: Sequence[int]) -> None:
        """What was taken after the output handshakes, one by one, of a full DUT."""
        found = self.findings
        late = taken[0] - given[-1]
        if len(given) > 1:
            said = f"only after {len(given)} output handshakes of a full DUT is a place taken"
            found.found("refill", None, said)
            found.found("refill_cycles", None, said, assumed=late)
            return
        self.frees = len(taken)
        said = f"a place is taken {counted(late)} after the output handshake that frees it"
        found.found("refill", refill(late), said)
        found.found("refill_cycles", late, said)

    def _no_refill(self, why: str) -> None:
        self.findings.found("refill", None, why)
        self.findings.found("refill_cycles", None, why, assumed=0)

    # -- burst ------------------------------------------------------------------------------

    async def _burst(self) -> None:
        found = self.findings

        def offer(seen: Seen) -> bool:
            return len(seen.offered) < BURST

        seen = await self.bench.play(
            Play(
                self._is_quiet,
                (BURST + 1) * (self.quiet + 1),
                offer=offer,
                answer=self.memory(),
                settle=self.settle,
            )
        )
        if len(seen.given) != BURST:
            raise RunError(
                f"{len(seen.taken)} requests without pause were taken, and {len(seen.given)} came "
                f"out at port '{self.bench.roles.output}' within {self.quiet} cycles after the "
                f"last; expected one output for each{self._not_once(seen)}"
            )
        if self.bench.is_numbered and seen.given_ids != self._ids(BURST):
            wrong = self._not_once(seen)
            found.notes.append(
                f"what comes out is not what went in{wrong}"
                if wrong
                else "requests do not leave in the order in which they came"
            )
        gaps = differences(seen.taken)
        pattern = repeating(gaps[-BURST_TAIL:])
        what = "from one input handshake to the next, without pause on either side"
        if pattern is None:
            tail = gaps[-BURST_TAIL:]
            said = f"{what}: no steady pattern, {sum(tail)} cycles for {len(tail)} requests"
            found.found("steady_interval_cycles", None, said)
        else:
            mean = Fraction(sum(pattern), len(pattern))
            whole = mean.numerator if mean.denominator == 1 else None
            ratio = "" if whole is not None else f": {mean.numerator}/{mean.denominator}"
            found.found("steady_interval_cycles", whole, f"{what}{ratio}")
        self._interval(gaps)

    def _not_once(self, seen: Seen) -> str:
        """The first request of a burst that did not come out once, for people; nothing if all."""
        if not self.bench.is_numbered:
            return ""
        expected, came = Counter(self._ids(BURST)), Counter(seen.given_ids)
        for number in sorted(expected | came):
            if came[number] != expected[number]:
                times = counted(came[number], "time")
                return f": '{NUMBER}' {number} came out {times}, expected {expected[number]}"
        return ""

    def _ids(self, count: int) -> list[int]:
        bits = min(self.bench.data.widths[NUMBER], self.bench.out.widths[NUMBER])
        return [number & ((1 << bits) - 1) for number in range(count)]

    def _interval(self, gaps: Sequence[int]) -> None:
        """The least cycles between two acceptances where there is room for both.

        `gaps` are those of a burst; from each place that is free another could be accepted.
        """
        found = self.findings
        filling = differences(self.free.taken)
        is_one = found.number("depth") == 1 or len(self.free.taken) == 1
        if not filling and not is_one:
            filling = list(gaps)
        if len(set(filling)) == 1:
            found.found("interval_cycles", filling[0], "between acceptances while there is room")
        elif (limit := limiter(self.free.taken)) is not None:
            found.found("interval_cycles", filling[0], "between the first acceptances")
            count, cycles = limit
            said = f"are accepted in any {counted(cycles)}, however much room there is"
            found.found("credits", count, said)
            found.found("credit_return_cycles", cycles, "after which another is accepted for each")
        elif filling:
            pattern = repeating(filling) or filling
            said = (
                f"acceptances while there is room come {between(filling)} apart: "
                f"{sum(pattern)} cycles for {len(pattern)}"
            )
            found.found("interval_cycles", None, said, assumed=min(filling))
        else:
            self._interval_of_one(gaps)

    def _interval_of_one(self, gaps: Sequence[int]) -> None:
        """Where only one is inside, its stay hides the interval, unless that is the longer."""
        found = self.findings
        latency, word = found.number("latency_cycles"), found.values.get("refill")
        least = min(gaps)
        is_engine = self.bench.roles.memory is not None
        stay = None if latency is None or is_engine else latency + (word == "next_edge")
        if least == 1 or (stay is not None and least > stay):
            found.found("interval_cycles", least, "between acceptances in a burst")
        else:
            said = f"only one is inside at a time, which hides an interval of up to {least} cycles"
            found.found("interval_cycles", None, said, assumed=1)


def differences(cycles: Sequence[int]) -> list[int]:
    """From each to the next."""
    return [b - a for a, b in pairwise(cycles)]


def limiter(cycles: Sequence[int]) -> tuple[int, int] | None:
    """How many of these come in how many cycles, if that alone says when each comes.

    The first come as fast as they can; each other comes so long after the one so many before it.
    """
    gaps = differences(cycles)
    count = next((at for at, gap in enumerate(gaps) if gap != gaps[0]), len(gaps)) + 1
    if len(cycles) < count + 2:
        return None
    span = cycles[count] - cycles[0]
    is_so = all(cycles[at] - cycles[at - count] == span for at in range(count, len(cycles)))
    return (count, span) if is_so else None


def repeating(gaps: Sequence[int]) -> list[int] | None:
    """The shortest pattern that the gaps repeat at least twice, up to where it is cut off."""
    for length in range(1, min(LONGEST_PATTERN, len(gaps) // 2) + 1):
        if all(gaps[at] == gaps[at - length] for at in range(length, len(gaps))):
            return list(gaps[:length])
    return None
