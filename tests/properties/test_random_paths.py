"""What holds on every path, under every load."""

from __future__ import annotations

import random
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.breakdown import of_request
from emu.table.schema import Table
from tests.build import Post, Run, clocked, delay, run, table
from tests.properties.random_paths import bursts, loads, narrow_tables, tables
from tests.replay import Replay

#: The space is wide, and an example takes 10 ms: more of them than usual, and as many as asked for.
many = settings(max_examples=max(300, settings.default.max_examples if settings.default else 0))


@many
@given(tables(), loads())
def test_nothing_is_lost_and_the_parts_sum_to_the_total(source: Table, load: list[Post]) -> None:
    replay = Replay(source, load)
    replay.check_way()
    replay.check_parts()


@many
@given(tables(), loads())
def test_every_handshake_is_at_its_one_right_time(source: Table, load: list[Post]) -> None:
    replay = Replay(source, load)
    replay.check_limits()
    replay.check_handshakes()


@many
@given(tables(), loads())
def test_every_moment_of_a_wait_is_charged_to_the_first_unmet(
    source: Table, load: list[Post]
) -> None:
    Replay(source, load).check_attribution()


@many
@given(narrow_tables(), bursts())
def test_a_stage_with_every_limit_holds_to_them_all(source: Table, load: list[Post]) -> None:
    replay = Replay(source, load)
    replay.check_way()
    replay.check_parts()
    replay.check_limits()
    replay.check_handshakes()
    replay.check_attribution()


@many
@given(tables(), loads(), st.integers(0, 2**32))
def test_the_order_of_evaluation_changes_no_trace(
    source: Table, load: list[Post], seed: int
) -> None:
    plain = run(source, load)
    shuffled = run(source, load, shuffle=random.Random(seed))
    assert shuffled.events == plain.events
    assert breakdowns(shuffled) == breakdowns(plain)


@many
@given(tables(), loads())
def test_a_listener_changes_nothing(source: Table, load: list[Post]) -> None:
    heard = run(source, load)
    alone = run(source, load, listen=False)
    assert alone.completions_ps() == heard.completions_ps()
    assert breakdowns(alone) == breakdowns(heard)
    assert [r.sequence for r in alone.completed] == [r.sequence for r in heard.completed]


@many
@given(tables(), loads())
def test_the_same_input_gives_the_same_output(source: Table, load: list[Post]) -> None:
    first, second = run(source, load), run(source, load)
    assert first.events == second.events
    assert breakdowns(first) == breakdowns(second)


@many
@given(tables(), loads(), st.lists(st.integers(0, 60_000), max_size=8))
def test_a_run_may_be_cut_anywhere(source: Table, load: list[Post], cuts_ps: list[int]) -> None:
    whole = run(source, load)
    cut = Run(source, load)
    for until_ps in sorted(cuts_ps):
        cut.kernel.run(until_ps=until_ps)
        assert cut.kernel.now_ps == until_ps
        assert cut.events == [event for event in whole.events if event.time_ps <= until_ps]
    cut.finish()
    assert cut.events == whole.events
    assert breakdowns(cut) == breakdowns(whole)


def breakdowns(of: Run) -> list[list[dict[str, int]]]:
    return [of_request(request) for request in of.requests]


FREQUENCIES = st.fractions(min_value=50, max_value=2000, max_denominator=64).map(
    lambda mhz: f"{mhz.numerator * 1_000_000 // mhz.denominator} Hz"
)
# No period is shorter than 500 ps, so each of these phases is less than one.
PHASES = st.integers(0, 499).map(lambda phase: f"{phase} ps")
CLOCKS = st.fixed_dictionaries({"frequency": FREQUENCIES, "phase": PHASES})
LONE_STAGES = st.one_of(
    st.tuples(st.just(None), st.integers(0, 500_000)),
    st.tuples(st.sampled_from(("a", "b")), st.integers(0, 30)),
)


@many
@given(
    CLOCKS,
    CLOCKS,
    st.lists(LONE_STAGES, min_size=1, max_size=12),
    st.integers(0, 10**7),
)
def test_alone_it_takes_what_is_derived_and_the_alignments(
    a: dict[str, str], b: dict[str, str], stages: list[tuple[str | None, int]], at_ps: int
) -> None:
    path = [
        delay(f"s{n}", f"{latency} ps") if clock is None else clocked(f"s{n}", latency, clock=clock)
        for n, (clock, latency) in enumerate(stages)
    ]
    made = run(table(path, clocks={"a": a, "b": b}), [Post(at_ps)])
    derived_ps = made.path.derived_ps(made.requests[0].operation, 64)
    emulated_ps = made.requests[0].latency_ps
    parts = made.parts(0)
    before = None
    entries = []
    for clock, _ in stages:
        if clock is not None and clock != before:
            entries.append(made.path.table.clocks[clock].period_ps)
        before = clock
    alignment_ps = parts.get("alignment", 0)
    clocked_stages = sum(clock is not None for clock, _ in stages)
    assert set(parts) <= {"service", "alignment"}
    assert alignment_ps == 0 or 0 < alignment_ps < sum(entries, Fraction())
    assert 0 <= emulated_ps - derived_ps - alignment_ps <= clocked_stages
