"""When a request alone leaves: from the table that is run."""

import pytest

from emu.figures import phase
from tests.figures.changed import change, off


def test_each_cycle_later_is_a_cycle_less_to_wait() -> None:
    today, published = phase.figure().series
    assert list(today.y) == list(range(28, 12, -1))
    # Of the 24 published cycles 11 are the framer's; the request was posted 11 after a look.
    assert list(published.y) == list(range(35, 19, -1))
    assert published.y[11] == 24


@pytest.mark.parametrize(
    ("changed", "names"),
    (
        ("jsched.queues=8", {"most cycles", "phases that differ"}),
        ("cwnd.latency=2 cycles", {"fewest cycles", "most cycles"}),
        ("ethenc.beat.latency=3 cycles", {"fewest cycles", "most cycles"}),
    ),
)
def test_another_table_gives_other_cycles(
    monkeypatch: pytest.MonkeyPatch, changed: str, names: set[str]
) -> None:
    change(monkeypatch, changed)
    assert off(phase.figure()) >= names


def test_without_the_scan_there_is_no_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, "jsched.pick=round_robin")
    assert "phases that differ" in off(phase.figure())
