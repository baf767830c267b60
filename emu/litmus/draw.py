"""What is random in a schedule: its table, its timings, and when each thread goes on."""

from __future__ import annotations

from dataclasses import dataclass

from emu.litmus.model import LitmusTest
from emu.litmus.schema import Mode
from emu.random import Random
from emu.table.schema import Table

#: So many schedules, one after the other, run on one path: it takes longer to build than to use.
#: So many choices of timings there are, because a table takes longer still to load.
GROUP = 16
TIMINGS = 64


@dataclass(frozen=True)
class Group:
    """What the schedules of a group have in common; a schedule's is that of its number.

    `timings` is what was drawn for the table, as `--set` would put it over it.
    """

    table: Table
    timings: tuple[str, ...]
    path_seed: int


def group_of(number: int) -> range:
    """The numbers of the schedules that run on one path, up to this one."""
    return range(number // GROUP * GROUP, number + 1)


def draw_group(test: LitmusTest, mode: str, seed: int, number: int) -> Group:
    """The group of the schedule of that number; the same whatever ran before it."""
    spec = test.spec.modes[mode]
    group = number // GROUP
    choice = group % TIMINGS
    timings = _timings(spec, seed, choice)
    table = test.table(spec, choice % len(spec.tables), timings)
    path_seed = Random(seed, f"{test.spec.name} {mode} group {group}").bits()
    return Group(table, timings, path_seed)


def draw(test: LitmusTest, mode: str, seed: int, number: int) -> Random:
    """What the threads of the schedule of that number draw from."""
    return Random(seed, f"{test.spec.name} {mode} schedule {number}")


def _timings(mode: Mode, seed: int, choice: int) -> tuple[str, ...]:
    """What a choice of timings puts over a table; modes that vary the same share it."""
    texts = []
    for key, one in mode.vary.items():
        first, last = one.from_, one.to
        count = first.count + Random(seed, f"{key} {choice}").below(last.count - first.count + 1)
        texts.append(f"{key}={type(first)(count)}")
    return tuple(texts)
