"""The tests that the project ships: each mode forbids what it should, and holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from emu.litmus.catalog import find, litmus_names
from emu.litmus.count import Count
from emu.litmus.listing import trace
from emu.litmus.model import LitmusTest
from emu.litmus.read import read_test
from emu.litmus.verdict import judge
from emu.table.errors import TableError
from stages.order.in_turn import InTurn

ROOT = Path(__file__).parents[2]
TESTS = litmus_names()
#: So many schedules of each mode.
MANY = 10_000

#: What must not come out, by test and outcome, and the modes that say so.
FORBIDDEN = {
    ("message_passing", "stale"): "initiator target channel waits reliable_connection",
    ("message_passing_two_nodes", "stale"): "initiator waits",
    (
        "stale_read",
        "stale",
    ): "initiator target early channel fence after_the_flag reliable_connection",
    ("stale_read_data_first", "stale"): "",
    (
        "store_buffering",
        "neither",
    ): "initiator target early channel waits reliable_connection",
    ("store_buffering_two_nodes", "neither"): "initiator waits",
    ("load_buffering", "both"): "fence initiator target channel waits reliable_connection",
    ("write_write", "reversed"): "initiator target channel waits reliable_connection",
    ("write_read", "before"): "initiator target early channel waits reliable_connection",
    (
        "read_read",
        "backwards",
    ): "fence initiator target early channel waits reliable_connection",
    (
        "two_readers",
        "disagree",
    ): "fence initiator target early channel waits reliable_connection",
    ("two_adds", "lost"): "unordered unordered_service target reliable_connection",
    ("two_swaps", "neither_or_both"): "unordered unordered_service target reliable_connection",
    ("fence", "read_late"): "fence fence_in_a_connection initiator only_the_read target",
    ("fence", "atomic_late"): "fence fence_in_a_connection initiator target",
    ("buffer_reuse", "overwritten"): "consumed consumed_in_a_connection",
    (
        "independent",
        "c_ahead",
    ): "total_at_initiator total_at_target channel reliable_connection",
    (
        "independent",
        "broken",
    ): "needed_at_initiator needed_at_target total_at_initiator total_at_target channel "
    "reliable_connection",
    ("tracking", "overtaken"): "sequence sequence_and_scan",
    ("stale_load", "stale"): "flushed uncached uncacheable",
    ("pcie_message_passing", "stale"): "strict",
    ("pcie_read_pushes_write", "on_its_way"): "pushes pushes_itself",
    ("pcie_write_passes_read", "newer"): "waits",
}


def shipped(name: str) -> LitmusTest:
    return read_test(find(name))


def test_every_test_is_in_the_list() -> None:
    assert sorted({name for name, _ in FORBIDDEN}) == TESTS


@pytest.mark.parametrize(("name", "outcome"), list(FORBIDDEN))
def test_forbidden_is_what_must_not_come_out_and_nothing_less(name: str, outcome: str) -> None:
    modes = shipped(name).spec.modes
    forbid = [mode for mode, spec in modes.items() if outcome in spec.forbidden]
    assert forbid == FORBIDDEN[name, outcome].split()


def holds(name: str, schedules: int | None) -> None:
    test = shipped(name)
    modes = [(test, mode) for mode in test.spec.modes]
    for counted in Count(modes, 1, schedules).run(1):
        judged = judge(counted)
        assert judged.wrong == (), (counted.mode, judged.wrong)
        assert judged.missing == (), (counted.mode, judged.missing)
        assert counted.schedules == (schedules or test.spec.schedules)


@pytest.mark.parametrize("name", TESTS)
def test_every_mode_holds(name: str) -> None:
    holds(name, None)


@pytest.mark.long
@pytest.mark.parametrize("name", TESTS)
def test_every_mode_holds_over_many_schedules(name: str) -> None:
    holds(name, MANY)


@pytest.mark.parametrize("name", TESTS)
def test_is_called_as_its_file(name: str) -> None:
    assert shipped(name).spec.name == name
    assert find(name).name == f"{name}.yaml"


def test_an_unknown_test_is_told_the_near_one() -> None:
    with pytest.raises(TableError, match=r"stale_red: there is no such .* mean 'stale_read'\?"):
        find("stale_red")
    assert find("./own.yaml") == Path("own.yaml")


def test_the_stale_read_sampled_before_the_update_and_was_delivered_after_the_flag() -> None:
    test = shipped("stale_read")
    mode = "delivered_in_order"
    counted = next(iter(Count([(test, mode)], 1, 300).run(1)))
    stale = counted.seen[1, 0]
    found = trace(test, mode, 1, stale.first)
    when = {(line.who, line.what): line.time_ps for line in found.lines}
    update_ps = when["writer", "writes data = 1"]
    assert when["writer", "writes flag = 1"] - update_ps >= 1_000_000
    assert when["reader.seen_data", "finds data = 0"] < update_ps
    assert when["reader.seen_flag", "finds flag = 1"] > when["writer", "writes flag = 1"]
    # The flag is delivered first, as it was asked for first, and the old value after it.
    assert when["reader.seen_flag", "completed"] <= when["reader.seen_data", "completed"]


def test_the_counting_tracker_lets_c_pass_while_b_is_held() -> None:
    test = shipped("tracking")
    counted = next(iter(Count([(test, "count")], 1, 300).run(1)))
    found = trace(test, "count", 1, counted.seen[1, 0, 1].first)
    told = [(line.who, line.what) for line in found.lines]
    assert ("writer.b_write", "waits behind writer.a_write") in told
    assert not any(who == "writer.c_write" and "waits behind" in what for who, what in told)
    visible = [what for _, what in told if what.startswith("makes visible")]
    assert visible == ["makes visible a = 1", "makes visible c = 1", "makes visible b = 1"]


#: Rules that are taken away.
INITIATOR = ("stages.order.trackers.SequenceTracker.behind", lambda self, request: None)
COUNT = ("stages.order.trackers.CountTracker.behind", lambda self, request: None)
TARGET = ("stages.target_order.TargetOrder.waits", lambda self, request: False)
EARLY = ("stages.read_check.ReadCheck.turn", InTurn.turn)
CHANNEL = ("stages.channel_order.ChannelOrder.order_of", lambda self, request: None)
FENCE = ("stages.scheduler.Scheduler.behind", lambda self, request: None)

#: By test and mode, the rule without which a forbidden outcome comes, and that outcome.
MISSED: dict[tuple[str, str], tuple[tuple[str, Any], set[str]]] = {
    ("read_read", "initiator"): (INITIATOR, {"backwards"}),
    ("read_read", "target"): (TARGET, {"backwards"}),
    ("read_read", "early"): (EARLY, {"backwards"}),
    ("read_read", "channel"): (CHANNEL, {"backwards"}),
    ("read_read", "fence"): (FENCE, {"backwards"}),
    ("fence", "fence_in_a_connection"): (FENCE, {"both_late"}),
    ("tracking", "count"): (COUNT, {"broken"}),
    ("tracking", "sequence"): (INITIATOR, {"overtaken", "broken"}),
    ("tracking", "sequence_and_scan"): (INITIATOR, {"overtaken", "broken"}),
}


@pytest.mark.parametrize(("name", "mode"), MISSED)
def test_a_rule_that_is_taken_away_is_missed(
    name: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule, outcomes = MISSED[name, mode]
    monkeypatch.setattr(*rule)
    (counted,) = Count([(shipped(name), mode)], 1, None).run(1)
    assert {row.outcome for row in judge(counted).wrong} == outcomes


def test_the_example_of_the_documentation_is_a_test(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "litmus.md").read_text(encoding="utf-8")
    file = tmp_path / "example.yaml"
    file.write_text(text.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    test = read_test(file)
    for counted in Count([(test, mode) for mode in test.spec.modes], 1, None).run(1):
        assert judge(counted).ok
