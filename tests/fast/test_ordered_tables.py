"""Tables with stages that keep order, in both engines."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from emu.request import Operation
from emu.table import load
from tests.build import delay, station, table
from tests.fast.whole import both, marked

TABLES = (
    *("ub_ordered", "ub_ordered_early", "ub_ordered_rol", "ub_ordered_completions"),
    *("rc_ordered", "pcie_ordered", "pcie_ordered pcie_order.relaxed=[write,atomic]"),
    *("ordered_link", "ordered_link link.loss=0.2"),
)
#: Requests are lost between all that keeps order, and a read is checked twice.
NARROW = [
    {
        "stage": "ordering_engine",
        "name": "numbers",
        "until": "answer",
        "pick": "round_robin",
        "queues": "unlimited",
        "tracking": "sequence",
        "strict": False,
        "latency": "0 ns",
        "interval": "0 ns",
    },
    station("narrow", "5 ns", interval="2 ns", queue=4, overflow="drop"),
    {"stage": "multi_path", "name": "ways", "latency": "0 ns", "spread": "100 ns"},
    {"stage": "channel_order", "name": "channel", "since": "numbers"},
    {
        "stage": "target_order",
        "name": "target",
        "since": "numbers",
        "until": "check",
        "latency": "1 ns",
        "early_reads": True,
    },
    delay("memory", "10 ns", stage="memory", depth=2, queue=1, interval="0 ns", overflow="drop"),
    {"stage": "multi_path", "name": "back", "latency": "0 ns", "spread": "30 ns"},
    station("narrow_too", "5 ns", interval="8 ns", queue=1, overflow="drop"),
    {"stage": "read_check", "name": "check", "since": "numbers", "reread": "7 ns"},
    {"stage": "multi_path", "name": "far", "latency": "0 ns", "spread": "60 ns"},
    {"stage": "read_check", "name": "check_again", "since": "numbers", "reread": "3 ns"},
    {"stage": "completion_order", "name": "completions", "since": "numbers"},
    delay("answer", "1 ns"),
]


@pytest.mark.parametrize("name", TABLES)
def test_each_request_is_where_it_is_in_the_reference_when_it_is(name: str) -> None:
    name, *overrides = name.split(" ")
    made = load(name, overrides=overrides)
    for seed in range(4):
        draw = Random(seed)
        posts = marked(draw, made.operations, 120, 1000 * draw.choice((10, 100, 1000)))
        reference, _ = both(made, posts, seed)
        assert reference.marked > 60


def test_those_that_are_lost_are_waited_for_no_more() -> None:
    made = table(NARROW)
    repeated, lost = Counter[str](), Counter[str]()
    for seed in range(30):
        draw = Random(seed)
        posts = marked(draw, (Operation.READ, Operation.WRITE), 120, draw.choice((4000, 20_000)))
        _, compiled = both(made, posts, seed)
        for stage in ("check", "check_again"):
            repeated[stage] += compiled.counts(stage)["reads_repeated"]
        lost.update(compiled.dropped)
        # No word is watched for a read that will never be checked.
        assert compiled._record["watched_words"]["count"] == 0
    assert min(repeated["check"], repeated["check_again"]) > 10
    assert min(lost["narrow"], lost["memory"], lost["narrow_too"]) > 10
