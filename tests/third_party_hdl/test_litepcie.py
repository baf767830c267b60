"""LitePCIe's TLP controller, measured: its tags decide its rate, and the table has that rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.cosim.characterise.run import characterise
from tests.cosim.bound import simulators
from tests.third_party_hdl.litepcie_controller import TOP, write_verilog

BINDING = Path(__file__).with_name("litepcie.yaml")
LATENCIES_CYCLES = [25, 50, 100, 200, 400]
MOST_PERCENT = 1


def check(folder: Path, tags: int, simulator: str) -> None:
    verilog = folder / "litepcie.v"
    write_verilog(verilog, tags)
    found = characterise(BINDING, [verilog], TOP, simulator=simulator, builds=folder / "builds")
    said = found.as_json()
    assert (said["outstanding"], said["hold_from"], said["hold_until"]) == (
        tags,
        "request",
        "answer + 3 cycles",
    )
    assert (said["request_cycles"], said["answer_cycles"], said["interval_cycles"]) == (0, 2, 2)
    # Two queues of so many tags behind one another: one more read is inside than has a tag.
    assert (said["depth"], said["order"], said["settle_cycles"]) == (tags + 1, "requests", 32)
    assert found.is_exact, "\n".join(found.lines())
    assert said["answer_beat_cycles"] == 1
    assert [(one.beats, one.memory_cycles) for one in found.rates] == [
        (beats, cycles) for beats in (1, 8) for cycles in LATENCIES_CYCLES
    ]
    for rate in found.rates:
        assert abs(rate.error_percent) < MOST_PERCENT, rate.line()
        assert rate.memory_cycles is not None
        # A round is the memory, its answer from a cycle later on, and three until the tag is back;
        # a read leaves every two cycles at most, and an answer has a cycle before its beats.
        round_cycles = rate.memory_cycles + 1 + (rate.beats - 1) + 3
        cycles = max(round_cycles / tags, 2, 1 + rate.beats)
        assert rate.dut_cycles / rate.requests == pytest.approx(cycles, rel=0.02)


@pytest.mark.parametrize("simulator", simulators("verilator"))
def test_the_table_has_the_rate_of_the_controller(tmp_path: Path, simulator: str) -> None:
    check(tmp_path, 2, simulator)


@pytest.mark.long
@pytest.mark.parametrize("simulator", simulators("verilator"))
@pytest.mark.parametrize("tags", (4, 8, 16, 32))
def test_the_table_has_the_rate_with_any_number_of_tags(
    tmp_path: Path, simulator: str, tags: int
) -> None:
    check(tmp_path, tags, simulator)
