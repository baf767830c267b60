"""Bench: plays an experiment into a DUT, cycle by cycle, and notes what its ports did."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge

from emu.cosim.binding import Bound, MemoryPort, Port
from emu.cosim.characterise.ports import roles_of
from emu.cosim.errors import BadSignalError
from emu.cosim.signals import LAST, Data, Dut, Signal, is_one
from emu.cosim.stimulus import NUMBER
from emu.errors import RunError

#: After so many cycles who watches is told.
WATCHED_CYCLES = 1024


@dataclass
class Seen:
    """What the ports did so far, in cycles from the start of an experiment on.

    All but `asked_tags` and `given_said` are cycles, one for each item or memory request in the
    order of its port. Of a packet of several beats the last counts.
    """

    #: The last cycle that is over.
    cycle: int = -1
    #: When valid was raised for an item, and its handshake.
    offered: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    #: When an item was valid at the output first, its handshake, and its fields.
    shown: list[int] = field(default_factory=list)
    given: list[int] = field(default_factory=list)
    given_said: list[dict[str, int]] = field(default_factory=list)
    #: When a memory request was valid first, its handshake, and its tag.
    asked_shown: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    asked_tags: list[int] = field(default_factory=list)
    #: Answers: when the first beat was offered, the handshakes of the first and the last beat, and
    #: which memory request was answered.
    answer_offered: list[int] = field(default_factory=list)
    answer_begun: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    answered_requests: list[int] = field(default_factory=list)
    #: Handshakes of answers to what the output gave.
    replied: list[int] = field(default_factory=list)

    @property
    def given_ids(self) -> list[int]:
        """The numbers of what the output gave; -1 where it does not say."""
        return [said.get(NUMBER, -1) for said in self.given_said]

    @property
    def last_move(self) -> int:
        """The last cycle with a handshake; -1 if there was none."""
        ports = (self.taken, self.given, self.asked, self.answered, self.replied)
        return max((cycles[-1] for cycles in ports if cycles), default=-1)

    @property
    def idle_cycles(self) -> int:
        """For how long there has been no handshake."""
        return self.cycle - self.last_move

    @property
    def quiet_cycles(self) -> int:
        """For how long there has been no handshake, and no item offered anew."""
        return self.cycle - max([self.last_move, *self.offered[-1:]])


#: What is wanted of a port in the next cycle, by what has been seen up to now.
Wish = Callable[[Seen], bool]
#: Which memory requests, or which of the items that the output gave, are to be answered next, in
#: that order, by what has been seen up to now; those that have been named before are not to be
#: named again.
Answers = Callable[[Seen], list[int]]
#: What fields of an item are, by its number.
Values = Callable[[int], Mapping[str, int]]


def always(seen: Seen) -> bool:
    """In every cycle."""
    return True


def never(seen: Seen) -> bool:
    """In no cycle."""
    return False


def after(latency_cycles: int) -> Answers:
    """A memory that offers each answer so many cycles after its request, in their order."""
    named = 0

    def answers(seen: Seen) -> list[int]:
        nonlocal named
        first = named
        while named < len(seen.asked) and seen.asked[named] + latency_cycles <= seen.cycle + 1:
            named += 1
        return list(range(first, named))

    return answers


def no_answers(seen: Seen) -> list[int]:
    """A memory that never answers."""
    return []


def nothing(number: int) -> Mapping[str, int]:
    """An item of which no field says anything."""
    return {}


@dataclass(frozen=True)
class Play:
    """An experiment: what is wanted of each port, until it is over, in so many cycles at most."""

    over: Wish
    cycles: int
    offer: Wish = always
    take: Wish = always
    hear: Wish = always
    answer: Answers = no_answers
    reply: Answers = no_answers
    #: Of an item all fields that do not count and are not 0.
    values: Values = nothing
    #: Cycles after reset in which nothing is wanted; cycle 0 is the one after them.
    settle: int = 0
    #: Beats of each answer.
    beats: int = 1


class Bench:
    """A DUT on its clock, with a source, a sink and a memory around it.

    The fields `counting` of a request are its number, all others 0 where an experiment does not say
    what they are; and so are those of answers that the request of the memory does not have. `watch`
    is called now and then, as time goes on.
    """

    def __init__(
        self,
        top: HierarchyObject,
        bound: Bound,
        counting: Sequence[str],
        watch: Callable[[], None],
    ) -> None:
        self.bound = bound
        self.binding = bound.binding
        self.roles = roles_of(bound)
        self.dut = Dut(top, bound)
        self.data = self.dut.data(self.roles.input)
        self.out = self.dut.data(self.roles.output)
        self.counting = frozenset(counting)
        self._edge = RisingEdge(self.dut.clock)
        self._clock = self.dut.start_clock()
        self._watch = watch
        #: Cycles that have been simulated, in all experiments.
        self.cycles = 0

    @property
    def widths(self) -> dict[str, int]:
        """Fields of a request to their widths in bits."""
        return {name: width for name, width in self.data.widths.items() if name != LAST}

    @property
    def is_numbered(self) -> bool:
        """Whether the output says which item leaves."""
        return all(NUMBER in data.widths for data in (self.data, self.out))

    @property
    def beat_bytes(self) -> int:
        """What a beat of an answer carries: the bytes of its widest field, 0 where it has none."""
        memory = self.roles.memory
        if memory is None:
            return 0
        widths = self.dut.data(memory.answer).widths
        return max((bits for name, bits in widths.items() if name != memory.tag), default=0) // 8

    @property
    def far_end(self) -> str | None:
        """The name of the pair that answers the output, if there is one."""
        pairs = self.binding.memory.items()
        return next((name for name, pair in pairs if pair == self.roles.answers), None)

    def port(self, name: str) -> Port:
        """What the binding says of a port."""
        return self.binding.ports[name]

    def stop(self) -> None:
        """Stops the clock."""
        self._clock.stop()

    async def play(self, play: Play) -> Seen:
        """Resets the DUT and plays an experiment; `RunError` for X and Z, with signal and cycle."""
        sink = _Sink(self, play)
        source = _Source(self, play)
        memory = _Memory(self, play) if self.roles.memory is not None else None
        sides: list[_Sink | _Source | _Memory | _FarEnd] = [sink, source]
        if memory is not None:
            sides.append(memory)
        if self.roles.answers is not None:
            sides.append(_FarEnd(self, self.roles.answers, play.reply))
        for side in sides:
            side.rest()
        await self._reset()
        for _ in range(play.settle):
            await self._edge
        seen = Seen()
        for side in sides:
            side.drive(seen)
        try:
            while seen.cycle + 1 < play.cycles:
                await self._edge
                seen.cycle += 1
                if seen.cycle % WATCHED_CYCLES == 0:
                    self._watch()
                for side in sides:
                    side.sample(seen)
                if play.over(seen):
                    break
                for side in sides:
                    side.drive(seen)
        except BadSignalError as error:
            raise RunError(
                f"cycle {error.cycle + play.settle} after reset: {error}, so nothing can be "
                "measured"
            ) from None
        self.cycles += seen.cycle + 1 + play.settle
        return seen

    async def _reset(self) -> None:
        for name in self.roles.at_rest:
            port = self.port(name)
            if port.side == "sink":
                self.dut.signal(port.valid).value = 0
                self.dut.data(name).write(0)
            elif port.ready is not None:
                self.dut.signal(port.ready).value = 1
        edges = await self.dut.reset(lambda: self._edge)
        if not edges:
            await self._edge
        self.cycles += edges

    def ready_of(self, name: str) -> Signal | None:
        """The handle of a port's ready, if it has one."""
        ready = self.port(name).ready
        return None if ready is None else self.dut.signal(ready)


class _Sink:
    """Offers items at the port where the DUT takes."""

    def __init__(self, bench: Bench, play: Play) -> None:
        port = bench.port(bench.roles.input)
        self._valid = bench.dut.signal(port.valid)
        self._ready = bench.ready_of(bench.roles.input)
        self._data = bench.data
        self._counting = bench.counting
        self._wish = play.offer
        self._said = play.values
        self._is_offering = False

    def rest(self) -> None:
        self._valid.value = 0
        self._data.write(0)

    def drive(self, seen: Seen) -> None:
        # Once raised, valid stays until the item is taken.
        if self._is_offering:
            return
        if self._wish(seen):
            self._data.write(self._data.pack(self._values(len(seen.taken))))
            self._valid.value = 1
            self._is_offering = True
            seen.offered.append(seen.cycle + 1)
        else:
            self._valid.value = 0

    def _values(self, number: int) -> Iterator[int]:
        said = {LAST: 1, **self._said(number)}
        for name, width in self._data.widths.items():
            counts = name in self._counting and name not in said
            yield number & ((1 << width) - 1) if counts else said.get(name, 0)

    def sample(self, seen: Seen) -> None:
        if self._is_offering and (self._ready is None or is_one(self._ready, seen.cycle, "ready")):
            seen.taken.append(seen.cycle)
            self._is_offering = False


class _Source:
    """Takes items at the port where the DUT gives."""

    def __init__(self, bench: Bench, play: Play) -> None:
        port = bench.port(bench.roles.output)
        self._valid = bench.dut.signal(port.valid)
        self._ready = bench.ready_of(bench.roles.output)
        self._data = bench.out
        self._wish = play.take
        self._is_ready = False
        self._is_shown = False

    def rest(self) -> None:
        if self._ready is not None:
            self._ready.value = 0

    def drive(self, seen: Seen) -> None:
        # What cannot be stopped is taken in every cycle.
        self._is_ready = self._ready is None or self._wish(seen)
        if self._ready is not None:
            self._ready.value = int(self._is_ready)

    def sample(self, seen: Seen) -> None:
        if not is_one(self._valid, seen.cycle, "valid"):
            return
        said = self._data.unpack(self._data.read(seen.cycle))
        if not self._is_shown:
            self._is_shown = True
            seen.shown.append(seen.cycle)
        if not self._is_ready:
            return
        if said.get(LAST, 1):
            self._is_shown = False
            seen.given.append(seen.cycle)
            seen.given_said.append(said)


class _Memory:
    """Hears what the DUT asks, and answers what it is told to."""

    def __init__(self, bench: Bench, play: Play) -> None:
        memory = bench.roles.memory
        assert memory is not None  # asked by the bench
        asked, answer = bench.port(memory.request), bench.port(memory.answer)
        self._tag = memory.tag
        self._asked: Data = bench.dut.data(memory.request)
        self._asked_valid = bench.dut.signal(asked.valid)
        self._asked_ready = bench.ready_of(memory.request)
        self._answer: Data = bench.dut.data(memory.answer)
        self._answer_valid = bench.dut.signal(answer.valid)
        self._answer_ready = bench.ready_of(memory.answer)
        self._hear, self._answers, self._beats = play.hear, play.answer, play.beats
        self._hears = False
        self._is_shown = False
        self._said: list[dict[str, int]] = []
        self._due: deque[int] = deque()
        #: The request whose answer is offered, and the beat of it.
        self._offered: int | None = None
        self._beat = 0

    def rest(self) -> None:
        if self._asked_ready is not None:
            self._asked_ready.value = 0
        self._answer_valid.value = 0
        self._answer.write(0)

    def drive(self, seen: Seen) -> None:
        self._hears = self._asked_ready is None or self._hear(seen)
        if self._asked_ready is not None:
            self._asked_ready.value = int(self._hears)
        self._due.extend(self._answers(seen))
        if self._offered is None and self._due:
            self._offered, self._beat = self._due.popleft(), 0
            seen.answer_offered.append(seen.cycle + 1)
            self._write()
        elif self._offered is None:
            self._answer_valid.value = 0

    def sample(self, seen: Seen) -> None:
        if is_one(self._asked_valid, seen.cycle, "valid"):
            said = self._asked.unpack(self._asked.read(seen.cycle))
            if not self._is_shown:
                self._is_shown = True
                seen.asked_shown.append(seen.cycle)
            if self._hears and said.get(LAST, 1):
                self._is_shown = False
                self._said.append(said)
                seen.asked.append(seen.cycle)
                seen.asked_tags.append(said[self._tag])
        if self._offered is None:
            return
        if self._answer_ready is not None and not is_one(self._answer_ready, seen.cycle, "ready"):
            return
        if self._beat == 0:
            seen.answer_begun.append(seen.cycle)
        self._beat += 1
        if self._beat < self._beats:
            self._write()
            return
        seen.answered.append(seen.cycle)
        seen.answered_requests.append(self._offered)
        self._offered = None

    def _write(self) -> None:
        """Shows a beat of the answer: it has those fields of the request that its port has."""
        assert self._offered is not None
        said = dict(self._said[self._offered])
        said[LAST] = int(self._beat == self._beats - 1)
        self._answer.write(self._answer.pack(said.get(n, 0) for n in self._answer.widths))
        self._answer_valid.value = 1


class _FarEnd:
    """Answers what the output gave when it is told to."""

    def __init__(self, bench: Bench, pair: MemoryPort, wish: Answers) -> None:
        port = bench.port(pair.answer)
        self._data: Data = bench.dut.data(pair.answer)
        self._valid = bench.dut.signal(port.valid)
        self._ready = bench.ready_of(pair.answer)
        self._wish = wish
        self._due: deque[int] = deque()
        self._is_offering = False

    def rest(self) -> None:
        self._valid.value = 0
        self._data.write(0)

    def drive(self, seen: Seen) -> None:
        self._due.extend(self._wish(seen))
        if self._is_offering:
            return
        if self._due:
            said = {**seen.given_said[self._due.popleft()], LAST: 1}
            self._data.write(self._data.pack(said.get(name, 0) for name in self._data.widths))
            self._valid.value = 1
            self._is_offering = True
        else:
            self._valid.value = 0

    def sample(self, seen: Seen) -> None:
        if self._is_offering and (self._ready is None or is_one(self._ready, seen.cycle, "ready")):
            seen.replied.append(seen.cycle)
            self._is_offering = False
