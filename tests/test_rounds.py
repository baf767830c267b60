"""The rate of a run, where completions come in rounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.engines import Engine
from emu.path import Path
from emu.random import Random
from emu.rounds import Rounds, rounds_of
from emu.run import run_closed_loop
from emu.workload import Chain, Closed, Timed, stepping
from tests.build import READ, delay, station, table


@pytest.mark.parametrize("engine", ("reference", "fast"))
@pytest.mark.parametrize(("requests", "outstanding"), ((1024, 512), (1500, 512), (64, 8), (9, 1)))
def test_delays_give_as_many_as_are_open_in_each_latency(
    requests: int, outstanding: int, engine: Engine
) -> None:
    path = Path(table([delay("x", "500 ns"), delay("y", "280 ns")]))
    report = run_closed_loop(path, READ, 64, requests, outstanding, engine=engine)
    assert report.rate_per_s == pytest.approx(outstanding / 780e-9, rel=1e-12)


@pytest.mark.parametrize("engine", ("reference", "fast"))
def test_rounds_that_do_not_fill_the_latency(engine: Engine) -> None:
    # A round takes 512 ns to come in, and 2000 ns to come back.
    path = [station("x", "1 ns", interval="1 ns"), delay("y", "1999 ns")]
    report = run_closed_loop(Path(table(path)), READ, 64, 1536, 512, engine=engine)
    assert report.rate_per_s == pytest.approx(512 / 2000e-9, rel=1e-12)
    assert report.rounds == Rounds(512, 3, 2_511_000, 6_511_000)
    # With one round and a part of the next, the part shows its rate within the round.
    part = run_closed_loop(Path(table(path)), READ, 64, 1000, 512, engine=engine)
    assert part.rate_per_s == 488 / (4_487_000 - 2_511_000) * 1e12


def test_a_stage_that_binds_makes_the_rate() -> None:
    path = [station("x", "1 ns", interval="4 ns"), delay("y", "15 ns")]
    report = run_closed_loop(Path(table(path)), READ, 64, 100, 30)
    assert report.rate_per_s == 250e6


def test_less_than_a_round_is_counted_from_the_first_completion() -> None:
    path = [station("x", "1 ns", interval="4 ns")]
    report = run_closed_loop(Path(table(path)), READ, 64, 11, 30)
    assert (report.rounds.count, report.rate_per_s) == (0, 250e6)
    at_once = run_closed_loop(Path(table([delay("x", "1 ns")])), READ, 64, 7, 7)
    assert at_once.rate_per_s is None


@given(st.integers(1, 20), st.lists(st.integers(0, 5), min_size=1, max_size=100))
def test_rounds_are_those_of_the_list(size: int, gaps_ps: list[int]) -> None:
    rounds, now_ps, ends_ps = Rounds(size), 0, []
    for completed, gap_ps in enumerate(gaps_ps, start=1):
        now_ps += gap_ps
        rounds.add(completed, now_ps)
        ends_ps.append(now_ps)
    ends_ps = ends_ps[size - 1 :: size]
    assert rounds.count == len(ends_ps)
    assert [rounds.first_ps, rounds.last_ps] == ([ends_ps[0], ends_ps[-1]] if ends_ps else [0, 0])


def test_what_a_workload_keeps_open_makes_a_round() -> None:
    assert rounds_of(Closed([stepping(READ, 64)] * 3, 8)).size == 24
    assert rounds_of(Chain(READ, 64, Random(1, "x"), chains=5)).size == 5
    assert rounds_of(Timed([])).size == 1
