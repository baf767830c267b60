"""Comparison: both sides' handshakes, without a simulator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cosim.compare import Comparison, Mismatch, Rule, Seen
from emu.errors import EmuError

EXACT = Rule()
ORDER = Rule("order")
Events = list[tuple[int, int]]


def compare(
    rule: Rule, dut: dict[str, Events], emulator: dict[str, Events], cycle: int = 1000
) -> tuple[Comparison, Mismatch | None]:
    """All handshakes at once, each a cycle and a value, at ports in this order."""
    comparison = Comparison(list(dut), rule)
    for port, one in comparison.ports.items():
        one.of_dut([c for c, _ in dut[port]], [v for _, v in dut[port]])
        one.of_emulator([c for c, _ in emulator[port]], [v for _, v in emulator[port]])
    return comparison, comparison.check(cycle)


SAME: Events = [(3, 7), (4, 8), (9, 9)]


@pytest.mark.parametrize("rule", (EXACT, Rule("bounded", 2), ORDER))
def test_what_is_the_same_agrees(rule: Rule) -> None:
    comparison, found = compare(rule, {"in": SAME, "out": []}, {"in": SAME, "out": []})
    assert found is None
    assert (comparison.matched, comparison.ports["in"].matched) == (3, 3)
    assert comparison.finish(0) is None
    assert list(comparison.ports["in"].last_of_dut) == [Seen(0, 3, 7), Seen(1, 4, 8), Seen(2, 9, 9)]


@pytest.mark.parametrize(
    ("dut", "found"),
    (
        # A cycle late, a cycle early, lost, one too many, other values.
        ([(3, 7), (5, 8), (9, 9)], Mismatch("out", 4, None, Seen(1, 4, 8))),
        ([(2, 7), (4, 8), (9, 9)], Mismatch("out", 2, Seen(0, 2, 7), None)),
        ([(3, 7), (9, 9)], Mismatch("out", 4, None, Seen(1, 4, 8))),
        ([(3, 7), (4, 8), (5, 8), (9, 9)], Mismatch("out", 5, Seen(2, 5, 8), None)),
        ([(3, 7), (4, 5), (9, 9)], Mismatch("out", 4, Seen(1, 4, 5), Seen(1, 4, 8))),
        ([(3, 7), (4, 8)], Mismatch("out", 9, None, Seen(2, 9, 9))),
        ([(3, 7), (4, 8), (9, 9), (10, 1)], Mismatch("out", 10, Seen(3, 10, 1), None)),
    ),
)
def test_exact_finds_the_first_difference(dut: Events, found: Mismatch) -> None:
    assert compare(EXACT, {"out": dut}, {"out": SAME})[1] == found


@pytest.mark.parametrize(
    ("dut", "found"),
    (
        ([(5, 7), (6, 8), (11, 9)], None),
        ([(1, 7), (4, 8), (7, 9)], None),
        ([(6, 7), (7, 8), (11, 9)], Mismatch("out", 3, Seen(0, 6, 7), Seen(0, 3, 7))),
        ([(4, 7), (5, 1), (11, 9)], Mismatch("out", 4, Seen(1, 5, 1), Seen(1, 4, 8))),
        ([(3, 7), (4, 8)], Mismatch("out", 9, None, Seen(2, 9, 9))),
    ),
)
def test_bounded_allows_a_skew(dut: Events, found: Mismatch | None) -> None:
    assert compare(Rule("bounded", 2), {"out": dut}, {"out": SAME})[1] == found


def test_bounded_waits_until_the_skew_is_over() -> None:
    rule = Rule("bounded", 2)
    assert compare(rule, {"out": []}, {"out": [(9, 1)]}, cycle=10)[1] is None
    assert compare(rule, {"out": []}, {"out": [(9, 1)]}, cycle=11)[1] is not None


@pytest.mark.parametrize(
    ("dut", "found"),
    (
        ([(300, 7), (500, 8), (501, 9)], None),
        ([(3, 7), (4, 9), (9, 8)], Mismatch("out", 4, Seen(1, 4, 9), Seen(1, 4, 8))),
        # It is seen where the DUT shows it, however far ahead the emulator is.
        ([(300, 7), (500, 9)], Mismatch("out", 500, Seen(1, 500, 9), Seen(1, 4, 8))),
        ([(3, 7)], None),
    ),
)
def test_order_looks_at_nothing_but_order(dut: Events, found: Mismatch | None) -> None:
    assert compare(ORDER, {"out": dut}, {"out": SAME})[1] == found


def test_in_order_all_that_the_dut_showed_before_its_difference_agrees() -> None:
    emulator = [(number, number) for number in range(10)]
    late = [(100 + 7 * number, number) for number in range(10)]
    broken = [*late[:8], (late[8][0], 9)]
    comparison, found = compare(
        ORDER, {"in": late, "out": broken}, {"in": emulator, "out": emulator}
    )
    assert found == Mismatch("out", 156, Seen(8, 156, 9), Seen(8, 8, 8))
    # At the input also what came in that cycle.
    assert (comparison.ports["in"].matched, comparison.ports["out"].matched) == (9, 8)
    assert comparison.ports["out"].last_of_dut[-1] == Seen(7, 149, 7)


def test_what_may_be_left_over_is_said() -> None:
    comparison, found = compare(ORDER, {"out": [(3, 7)]}, {"out": SAME})
    assert found is None
    assert comparison.finish(1) == Mismatch("out", 4, None, Seen(1, 4, 8))
    assert comparison.finish(2) is None
    assert comparison.finish(None) is None
    assert (comparison.open_of_dut, comparison.open_of_emulator) == (0, 2)


def test_the_earliest_difference_of_all_ports_is_the_first() -> None:
    late, early = [(3, 7), (4, 8), (10, 9)], [(3, 7), (5, 8), (9, 9)]
    found = compare(EXACT, {"in": late, "out": early}, {"in": SAME, "out": SAME})[1]
    assert found == Mismatch("out", 4, None, Seen(1, 4, 8))
    found = compare(EXACT, {"in": early, "out": late}, {"in": SAME, "out": SAME})[1]
    assert found == Mismatch("in", 4, None, Seen(1, 4, 8))


def test_in_one_cycle_the_output_is_what_the_input_follows() -> None:
    late = [(3, 7), (5, 8), (9, 9)]
    found = compare(EXACT, {"in": late, "out": late}, {"in": SAME, "out": SAME})[1]
    assert found is not None
    assert found.port == "out"


def test_the_last_that_agree_are_those_before_the_difference() -> None:
    many = [(cycle, cycle) for cycle in range(100)]
    broken = [*many[:50], *many[51:]]
    comparison, found = compare(EXACT, {"in": many, "out": broken}, {"in": many, "out": many})
    assert found == Mismatch("out", 50, None, Seen(50, 50, 50))
    assert [one.cycle for one in comparison.ports["in"].last_of_dut] == [47, 48, 49, 50]
    assert [one.cycle for one in comparison.ports["out"].last_of_dut] == [46, 47, 48, 49]


@given(
    gaps=st.lists(st.integers(1, 5), min_size=1, max_size=60),
    cuts=st.lists(st.integers(0, 200), max_size=6),
    late=st.integers(0, 59),
)
def test_it_does_not_matter_where_the_run_is_cut(
    gaps: list[int], cuts: list[int], late: int
) -> None:
    events = [(sum(gaps[: at + 1]), at) for at in range(len(gaps))]
    late = min(late, len(events) - 1)
    other = [*events[:late], (events[late][0], -1), *events[late + 1 :]]
    comparison = Comparison(["out"], EXACT)
    found, start = None, -1
    for end in sorted({*cuts, 400}):
        for side, tell in (
            (other, comparison.ports["out"].of_dut),
            (events, comparison.ports["out"].of_emulator),
        ):
            part = [event for event in side if start < event[0] <= end]
            tell([cycle for cycle, _ in part], [value for _, value in part])
        found = comparison.check(end)
        if found is not None:
            break
        start = end
    cycle = events[late][0]
    assert found == Mismatch("out", cycle, Seen(late, cycle, -1), Seen(late, cycle, late))
    assert comparison.matched == late


@pytest.mark.parametrize(
    ("mode", "skew", "what"),
    (
        (
            "exat",
            0,
            "mode 'exat' is not known; expected exact, bounded or order; did you mean 'exact'?",
        ),
        ("bounded", 0, "mode bounded without a skew; expected 1 cycle or more"),
        ("exact", 2, "a skew of 2 in mode exact; expected bounded"),
    ),
)
def test_rules_that_say_nothing_are_told(mode: str, skew: int, what: str) -> None:
    with pytest.raises(EmuError) as error:
        Rule(mode, skew)  # type: ignore[arg-type]  # as a user's may be
    assert str(error.value) == what
