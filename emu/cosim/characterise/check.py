"""Checks a written table: what the DUT did in random runs, against what the emulator does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from emu.cosim.characterise.bench import (
    Answers,
    Bench,
    Play,
    Seen,
    Values,
    Wish,
    after,
    no_answers,
    nothing,
)
from emu.cosim.characterise.findings import Findings
from emu.cosim.characterise.report import Checked, Rate
from emu.cosim.characterise.table import ANSWER, MEMORY
from emu.cosim.characterise.writer import BEAT
from emu.cosim.model import Handshakes, Model
from emu.cosim.stimulus import NUMBER, Always, Stimulus, Willing
from emu.errors import RunError
from emu.table import load
from emu.table.schema import Table

#: What the memory takes in the runs, one after another.
CHECKED_CYCLES = (4, 30, 100)
#: Rates are taken with these, over so many rounds of all tags, after so many others.
RATED_CYCLES = (25, 50, 100, 200, 400)
MOST_BEATS = 8
ROUNDS, ROUNDS_BEFORE = 12, 4
#: Of what is not limited, so many count as a round.
MOST_A_ROUND = 32
#: For so many cycles after the last item nothing more may come.
AFTER_CYCLES = 64
#: Bits of the number of an item in the emulator, which has no port that limits it.
NUMBER_BITS = 32


async def check(
    bench: Bench,
    file: Path,
    stimulus: Stimulus,
    *,
    settle: int,
    patience_cycles: int,
    memory_cycles: int,
    is_told: bool,
) -> Checked:
    """Plays one random run into the DUT, and the same into the emulator with the table in a file.

    A memory takes `memory_cycles`, on both sides. With `is_told` the stage of the table is told
    what the fields of a request say, which are random then, and of answers to what has left.
    """
    if bench.port(bench.roles.output).ready is None:
        # What cannot be stopped is taken in every cycle.
        stimulus = replace(stimulus, ready=Always())
    count = stimulus.requests
    offer = _willing(stimulus.may_offer())
    has_memory = bench.roles.memory is not None
    far_end = bench.far_end if is_told else None
    model = Model(
        _with_memory(file, memory_cycles) if has_memory else load(file),
        stimulus,
        bench.widths if is_told else {NUMBER: NUMBER_BITS},
        carry=lambda values: values[0],
        period_ps=bench.binding.clock.period,
        answered=[] if far_end is None else [far_end],
    )
    seen = await bench.play(
        Play(
            lambda seen: _is_over(seen, count, patience_cycles),
            count * patience_cycles,
            offer=lambda seen: len(seen.offered) < count and offer(seen),
            take=_willing(stimulus.is_ready()),
            answer=after(memory_cycles) if has_memory else no_answers,
            reply=no_answers if far_end is None else _replies(model, far_end, stimulus),
            values=_values(bench, stimulus) if is_told else nothing,
            settle=settle,
        )
    )
    said = model.advance(seen.cycle)
    differences = list(_differences(bench, seen, said))
    first = min(differences, default=None)
    return Checked(
        seed=stimulus.seed,
        offer=str(stimulus.offers),
        ready=str(stimulus.readies),
        requests=count,
        memory_cycles=memory_cycles if has_memory else None,
        cycles=seen.cycle + 1,
        is_equal=first is None,
        difference="" if first is None else f"cycle {first[0]}: {first[1]}",
        most_cycles_apart=_apart(seen, said),
    )


def rated_beats(findings: Findings, beat_bytes: int) -> tuple[int, ...]:
    """With how many beats in an answer rates are taken."""
    most = min(MOST_BEATS, beat_bytes)
    return (1, most) if findings.values.get(BEAT) is not None and most > 1 else (1,)


def rated_cycles(bench: Bench) -> tuple[int | None, ...]:
    """With which memories rates are taken."""
    return (None,) if bench.roles.memory is None else RATED_CYCLES


async def rate(
    bench: Bench,
    file: Path,
    *,
    settle: int,
    patience_cycles: int,
    memory_cycles: int | None,
    beats: int,
    most: int,
) -> Rate:
    """The rates without pauses, `most` requests being inside at most.

    A memory, if there is one, takes `memory_cycles`, and its answers have so many beats.
    """
    warm_up, measured = ROUNDS_BEFORE * most, ROUNDS * most
    count = warm_up + measured
    longest = patience_cycles + (memory_cycles or 0) + beats
    seen = await bench.play(
        Play(
            lambda seen: len(seen.given) >= count or seen.idle_cycles >= longest,
            count * longest,
            answer=no_answers if memory_cycles is None else after(memory_cycles),
            settle=settle,
            beats=beats,
        )
    )
    stimulus = Stimulus(count, offer=Always(), ready=Always())
    model = Model(
        load(file) if memory_cycles is None else _with_memory(file, memory_cycles, beats),
        stimulus,
        {NUMBER: NUMBER_BITS},
        carry=lambda values: values[0],
        period_ps=bench.binding.clock.period,
    )
    given = model.advance(count * longest).given
    for who, cycles in (("the DUT", seen.given), ("the emulator", given)):
        if len(cycles) < count:
            raise RunError(
                f"without pauses {who} gives {len(cycles)} of {count} requests, and then nothing "
                f"for {longest} cycles; expected all"
            )
    return Rate(
        memory_cycles,
        beats,
        measured,
        seen.given[-1] - seen.given[-1 - measured],
        given[-1] - given[-1 - measured],
    )


def _values(bench: Bench, stimulus: Stimulus) -> Values:
    """The items that the emulator is sent."""
    items = stimulus.items(bench.widths)
    names = items.names
    return lambda number: dict(zip(names, items.take(number), strict=True))


def _replies(model: Model, name: str, stimulus: Stimulus) -> Answers:
    """Answers to what the emulator's stage waits for, in the cycles in which it gets them."""
    answers = stimulus.answers_of(name)
    due: dict[int, int] = {}
    heard = 0

    def reply(seen: Seen) -> list[int]:
        nonlocal heard
        while heard < len(seen.given):
            if model.awaits(name, seen.given_said[heard]):
                due[answers.due(seen.given[heard])] = heard
            heard += 1
        number = due.pop(seen.cycle + 1, None)
        return [] if number is None else [number]

    return reply


def _with_memory(file: Path, memory_cycles: int, beats: int = 1) -> Table:
    """The table of an engine with that memory, whose answers have so many beats."""
    overrides = [f"{MEMORY}.latency={memory_cycles} cycles"]
    table = load(file, overrides=overrides)
    if beats == 1:
        return table
    answer = next(entry for entry in table.entries if entry.name == ANSWER)
    beat = answer.timing.beat
    assert beat is not None  # else no answer has more than one
    # An answer is a beat in the table; so it has more where one is smaller.
    return load(file, overrides=[*overrides, f"{ANSWER}.beat.bytes={beat.bytes // beats} B"])


def _is_over(seen: Seen, count: int, patience_cycles: int) -> bool:
    return seen.idle_cycles >= (AFTER_CYCLES if len(seen.given) >= count else patience_cycles)


def _willing(willing: Willing) -> Wish:
    return lambda seen: willing.first(seen.cycle + 1) == seen.cycle + 1


def _differences(bench: Bench, seen: Seen, said: Handshakes) -> Iterator[tuple[int, str]]:
    """The first difference at each port."""
    roles = bench.roles
    ports = ((roles.input, seen.taken, said.taken), (roles.output, seen.given, said.given))
    for port, dut, emulator in ports:
        for number, (one, other) in enumerate(zip_longest(dut, emulator)):
            if one != other:
                cycle = min(cycle for cycle in (one, other) if cycle is not None)
                yield (
                    cycle,
                    (
                        f"handshake {number} at port '{port}' is {_when(one)} of the DUT and "
                        f"{_when(other)} of the emulator"
                    ),
                )
                break
    bits = bench.out.widths.get(NUMBER)
    if bits is not None and NUMBER in bench.widths:
        mask = (1 << min(bits, bench.widths[NUMBER])) - 1
        for cycle, one, other in zip(seen.given, seen.given_ids, said.items, strict=False):
            if one != other & mask:
                yield (
                    cycle,
                    f"port '{roles.output}' gives request {one}, the emulator {other & mask}",
                )
                break


def _when(cycle: int | None) -> str:
    return "none" if cycle is None else f"at cycle {cycle}"


def _apart(seen: Seen, said: Handshakes) -> int:
    ports = ((seen.taken, said.taken), (seen.given, said.given))
    return max(
        (abs(one - other) for port in ports for one, other in zip(*port, strict=False)), default=0
    )
