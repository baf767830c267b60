"""Stimulus: what is sent and when each side is willing, the same for the DUT and for the model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from emu.cosim.errors import CosimError
from emu.random import Random

#: So many values have fields that stand for something: a value more is no value of it.
#: `order`: none or NO, RO, SO; a width of two bits would have a fourth.
VALUES = {"order": 3}
#: The field that numbers the items, as far as it is wide enough.
NUMBER = "id"
#: Longest run of a burst, in cycles.
LONGEST_BURST = 40


class Willing:
    """The cycles in which one side of a port is willing, by runs; asked in rising order."""

    def __init__(self, runs: Iterator[tuple[int, int]]) -> None:
        self._runs = runs
        self._start = self._end = 0

    def first(self, cycle: int) -> int:
        """The first cycle from `cycle` on in which it is."""
        while cycle >= self._end:
            pause, length = next(self._runs)
            self._start = self._end + pause
            self._end = self._start + length
        return max(cycle, self._start)

    def change(self, cycle: int) -> int:
        """The first cycle after `cycle` in which it is not what it is in `cycle`."""
        return self._end if self.first(cycle) == cycle else self._start


@dataclass(frozen=True)
class Always:
    """Willing in every cycle."""

    def runs(self, random: Random) -> Iterator[tuple[int, int]]:
        """Pairs of a pause and a length, in cycles; no pause but the first is 0."""
        yield 0, 1 << 62

    def __str__(self) -> str:
        return "always"


@dataclass(frozen=True)
class Pauses:
    """Willing in each cycle by chance: in so many of a hundred."""

    percent: int

    def __post_init__(self) -> None:
        if not 1 <= self.percent <= 99:
            raise CosimError(f"pauses({self.percent}): expected a duty of 1 to 99 percent")

    def runs(self, random: Random) -> Iterator[tuple[int, int]]:
        """Pairs of a pause and a length, in cycles; no pause but the first is 0."""
        # Eight cycles a draw: a cycle is open where its byte is below the limit.
        limit = max(1, self.percent * 256 // 100)
        pause = length = 0
        while True:
            for byte in random.bits().to_bytes(8, "little"):
                if byte < limit:
                    length += 1
                elif length:
                    yield pause, length
                    pause, length = 1, 0
                else:
                    pause += 1

    def __str__(self) -> str:
        return f"pauses({self.percent})"


@dataclass(frozen=True)
class Bursts:
    """Willing for a while, and then not; each up to so many cycles long."""

    open_cycles: int
    closed_cycles: int

    def __post_init__(self) -> None:
        if self.open_cycles < 1 or self.closed_cycles < 1:
            raise CosimError(
                f"bursts({self.open_cycles}, {self.closed_cycles}): expected cycles from 1 on"
            )

    def runs(self, random: Random) -> Iterator[tuple[int, int]]:
        """Pairs of a pause and a length, in cycles; no pause but the first is 0."""
        pause = random.below(self.closed_cycles + 1)
        while True:
            yield pause, 1 + random.below(self.open_cycles)
            pause = 1 + random.below(self.closed_cycles)

    def __str__(self) -> str:
        return f"bursts({self.open_cycles}, {self.closed_cycles})"


Pattern = Always | Pauses | Bursts
_PATTERN = re.compile(r"(always)|pauses\((\d{1,3})\)|bursts\((\d{1,6}), *(\d{1,6})\)")


def read_pattern(text: str) -> Pattern:
    """The pattern that a text names: `always`, `pauses(30)` or `bursts(20, 5)`."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise CosimError(
            f"'{text}' is no pattern; expected always, pauses(PERCENT) or "
            "bursts(OPEN_CYCLES, CLOSED_CYCLES)"
        )
    if match[1]:
        return Always()
    if match[2]:
        return Pauses(int(match[2]))
    return Bursts(int(match[3]), int(match[4]))


def drawn(random: Random) -> Pattern:
    """A pattern by chance: always willing, now and then, or in bursts."""
    kind = random.below(4)
    if kind == 0:
        return Always()
    if kind == 3:
        return Bursts(1 + random.below(LONGEST_BURST), 1 + random.below(LONGEST_BURST))
    return Pauses(5 + random.below(91))


class Answers:
    """When answers come: each a random number of cycles after what it answers, one in a cycle."""

    def __init__(self, random: Random, shortest_cycles: int, longest_cycles: int) -> None:
        self._random = random
        self._shortest = shortest_cycles
        self._choices = longest_cycles - shortest_cycles + 1
        self._given: dict[int, None] = {}

    def due(self, cycle: int) -> int:
        """The cycle of the answer to what was asked in this one; to be called in their order."""
        due = cycle + self._shortest + self._random.below(self._choices)
        while due in self._given:
            due += 1
        for over in [one for one in self._given if one <= cycle]:
            del self._given[over]
        self._given[due] = None
        return due


class Items:
    """The items that are sent, each a value for every field; number k is the same each time.

    `fields` is the width of each in bits, `limits` to how many values a field is held. `id` counts
    the items; all else is random. They are made as they are asked for, and kept until they are
    taken.
    """

    def __init__(
        self, fields: Mapping[str, int], random: Random, limits: Mapping[str, int] | None = None
    ) -> None:
        given = limits or {}
        unknown = [name for name in given if name not in fields]
        if unknown:
            raise CosimError(f"a limit for '{unknown[0]}', which is no field of what is sent")
        self._draw = random.stream().__next__
        self._fields = [(name, width, _limit(name, width, given)) for name, width in fields.items()]
        self._made = 0
        self._bits = self._left = 0
        self._kept: dict[int, tuple[int, ...]] = {}

    @property
    def names(self) -> Sequence[str]:
        """The fields, in the order of an item's values."""
        return [name for name, _, _ in self._fields]

    def __getitem__(self, number: int) -> tuple[int, ...]:
        while self._made <= number:
            self._kept[self._made] = self._make(self._made)
            self._made += 1
        return self._kept[number]

    def take(self, number: int) -> tuple[int, ...]:
        """The item, which is not asked for any more; quickest in turn."""
        if number == self._made:
            self._made += 1
            return self._make(number)
        values = self[number]
        del self._kept[number]
        return values

    def _make(self, number: int) -> tuple[int, ...]:
        values = []
        for name, width, limit in self._fields:
            if name == NUMBER:
                values.append(number & (limit - 1))
            elif limit == 1 << width:
                # A draw is enough for several fields.
                if self._left < width:
                    self._bits, self._left = self._at_least(width)
                values.append(self._bits & (limit - 1))
                self._bits >>= width
                self._left -= width
            else:
                values.append(self._draw() * limit >> 64)
        return tuple(values)

    def _at_least(self, width: int) -> tuple[int, int]:
        """Random bits, at least so many, and how many they are."""
        bits, left = self._draw(), 64
        while left < width:
            bits |= self._draw() << left
            left += 64
        return bits, left


def _limit(name: str, width: int, limits: Mapping[str, int]) -> int:
    whole = 1 << width
    limit = limits.get(name, min(whole, VALUES.get(name, whole)))
    if not 1 <= limit <= whole:
        raise CosimError(f"field '{name}' is held to {limit} values; expected 1 to {whole}")
    if name == NUMBER and limit != whole:
        raise CosimError(f"field '{name}' counts the items; expected no limit for it")
    return limit


@dataclass(frozen=True)
class Stimulus:
    """What is sent and when: so many items, when the source may offer and the sink is ready.

    A pattern that is not given is drawn from the seed.
    """

    requests: int = 1000
    seed: int = 1
    offer: Pattern | None = None
    ready: Pattern | None = None
    #: To how many values a field is held: `{"initiator": 4}`.
    limits: tuple[tuple[str, int], ...] = ()
    #: The most beats that a request has: each has a random number of them, from 1 on.
    most_beats: int = 1
    #: The shortest and the longest time, in cycles, from a request to its answer, where the DUT
    #: asks a memory or waits for answers to what it gave.
    answers: tuple[int, int] = (1, 40)

    def __post_init__(self) -> None:
        if self.requests < 1:
            raise CosimError(f"{self.requests} requests; expected 1 or more")
        if self.most_beats < 1:
            raise CosimError(f"{self.most_beats} beats of a request; expected 1 or more")
        shortest, longest = self.answers
        if not 1 <= shortest <= longest:
            raise CosimError(
                f"answers after {shortest} to {longest} cycles; expected 1 or more, the shorter "
                "time first"
            )

    @property
    def offers(self) -> Pattern:
        """When the source may offer."""
        return self.offer or drawn(Random(self.seed, "offer"))

    @property
    def readies(self) -> Pattern:
        """When the sink is ready."""
        return self.ready or drawn(Random(self.seed, "ready"))

    def may_offer(self) -> Willing:
        """A fresh run through the cycles in which the source may offer."""
        return Willing(self.offers.runs(Random(self.seed, "offer.cycles")))

    def is_ready(self) -> Willing:
        """A fresh run through the cycles in which the sink is ready."""
        return Willing(self.readies.runs(Random(self.seed, "ready.cycles")))

    def answers_of(self, name: str) -> Answers:
        """A fresh run of the answers of one memory."""
        return Answers(Random(self.seed, f"answers.{name}"), *self.answers)

    def beats_of_items(self) -> Iterator[int]:
        """How many beats each item has, in turn: as many as its size says at most."""
        random = Random(self.seed, "beats")
        while True:
            yield 1 + random.below(self.most_beats)

    def items(self, fields: Mapping[str, int]) -> Items:
        """Fresh items of these fields, each so many bits wide."""
        return Items(fields, Random(self.seed, "items"), dict(self.limits))
