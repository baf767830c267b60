from dataclasses import replace

import pytest

from emu.figures.context_cache import SETTINGS, Latencies, pairs_at_random, when_warm
from emu.table import load

NAMES = {setting.name: setting for setting in SETTINGS}


@pytest.mark.parametrize("name", list(NAMES))
def test_the_step_is_between_the_last_that_fits_and_the_next(name: str) -> None:
    setting = NAMES[name]
    latencies = Latencies(setting)
    few, fits, misses = (latencies.at(n) for n in (1, setting.last_fit, setting.last_fit + 1))
    assert fits == pytest.approx(few, abs=0.001)
    assert misses - fits == pytest.approx(setting.step_ns, abs=latencies.alignment_ns())


@pytest.mark.parametrize("name", list(NAMES)[:2])
def test_a_whole_round_gives_what_its_end_gives(name: str) -> None:
    setting = NAMES[name]
    for n in (setting.last_fit, setting.last_fit + 1):
        whole = Latencies(replace(setting, room=setting.rounds(n)))
        assert whole.at(n) == pytest.approx(Latencies(setting).at(n), abs=0.001)


def test_the_search_finds_the_cliff() -> None:
    latencies = Latencies(SETTINGS[0])
    assert latencies.last_fit(most=64) == 22
    assert 22 in latencies.by_n


def test_used_at_random_a_quarter_that_does_not_fit_is_missed() -> None:
    table = load("context_pcie", overrides=["context_cache.capacity=48 entries"])
    found = when_warm(table, lambda: pairs_at_random(8), warm=500, sampled=1000)
    assert found.missed_share == pytest.approx(0.25, abs=0.055)
    # What fits takes 2222 ns and an edge, and what misses 1000 more.
    assert found.latency_ns == pytest.approx(2230 + 1000 * found.missed_share, abs=1)
