"""DUTs that wait for answers: from a memory, or from the far end of what they send."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cosim.run import Beside, run_lockstep
from emu.cosim.stimulus import Answers
from emu.errors import EmuError
from emu.random import Random
from tests.cosim.bound import HDL, simulators

HEAD = """\
schema: 1
clock: {signal: clk, period: 3106 ps}
reset: {signal: rst, active: high, cycles: 4}
"""

SCHEDULER = (
    HEAD
    + """\
parameters: {W: 32, QUEUES: 4, DEPTH: 4}
ports:
  in:
    side: sink
    valid: s_tvalid
    ready: s_tready
    last: s_tlast
    fields:
      {id: "s_tdata[15:0]", initiator: "s_tdata[23:16]", fence: "s_tdata[28]",
       is_read: "s_tdata[29]"}
  out:
    side: source
    valid: m_tvalid
    ready: m_tready
    last: m_tlast
    fields:
      {id: "m_tdata[15:0]", initiator: "m_tdata[23:16]", fence: "m_tdata[28]",
       is_read: "m_tdata[29]"}
  answer: {side: sink, valid: a_tvalid, ready: a_tready, fields: {initiator: a_tdata}}
memory:
  scheduler: {request: out, answer: answer, tag: initiator}
"""
)

SCHEDULER_TABLE = """\
schema: 1
name: under_test
title: A scheduler under test
clocks: {nic: 322 MHz}
messages:
  read: {request: 64 B, response: payload}
  write: {request: payload, response: 8 B}
path:
  - stage: scheduler
    clock: nic
    pick: scan
    queues: 4
    depth: 4
    latency: 1 cycle
    interval: 1 cycle
    source: {text: a test, kind: assumed}
"""

DMA = (
    HEAD
    + """\
parameters: {W: 32, TAGS: 4, DEPTH: 16, TAG_UNTIL_LEFT: 1}
ports:
  in: {side: sink, valid: s_tvalid, ready: s_tready, fields: {id: "s_tdata[15:0]"}}
  out: {side: source, valid: m_tvalid, ready: m_tready, fields: {id: "m_tdata[15:0]"}}
  ask: {side: source, valid: r_tvalid, ready: r_tready, fields: {tag: r_tid, data: r_tdata}}
  answer: {side: sink, valid: c_tvalid, ready: c_tready, fields: {tag: c_tid, data: c_tdata}}
memory:
  host: {request: ask, answer: answer, tag: tag}
"""
)

DMA_TABLE = """\
schema: 1
name: under_test
title: A DMA engine under test
clocks: {nic: 322 MHz}
messages: {read: {request: 64 B, response: payload}}
resources:
  tags: {kind: pool, capacity: 4}
path:
  - stage: descriptor_dma
    clock: nic
    latency: 21 cycles
    interval: 1 cycle
    depth: 16
    queue: 1
    uses: [{resource: tags}]
    source: {text: a cycle to ask and 20 for the memory, kind: assumed}
"""


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_answers_to_what_has_left_open_fences(simulator: str, tmp_path: Path, builds: Path) -> None:
    binding = written(tmp_path, "scheduler.yaml", SCHEDULER)
    table = written(tmp_path, "under_test.yaml", SCHEDULER_TABLE)
    sources = [HDL / "pipeline.sv", HDL / "scheduler.sv"]
    beside = Beside(table, requests=150, seeds=range(1, 5), limits={"initiator": 6})
    results = run_lockstep(
        binding, sources, "scheduler", beside, simulator=simulator, builds=builds
    )
    assert results[-1].is_equal, "\n".join(results[-1].lines())
    assert len(results) == 4
    # A fence that does not wait is seen: fault 10.
    (*_, result) = run_lockstep(
        binding,
        sources,
        "scheduler",
        beside,
        simulator=simulator,
        parameters={"FAULT": 10},
        builds=builds,
    )
    found = result.difference
    assert found is not None
    assert found.port == "out"
    assert found.dut is not None
    assert found.dut.fields["fence"] == 1
    assert found.explanation is not None
    assert found.explanation.item == found.dut.fields["id"]
    assert "waited in front of scheduler" in found.explanation.waited


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_a_memory_behind_the_dut_answers_with_its_tag(
    simulator: str, tmp_path: Path, builds: Path
) -> None:
    binding = written(tmp_path, "dma.yaml", DMA)
    table = written(tmp_path, "under_test.yaml", DMA_TABLE)
    sources = [HDL / name for name in ("pipeline.sv", "channel.sv", "descriptor_dma.sv")]

    def different(answer_cycles: tuple[int, int]) -> bool:
        beside = Beside(table, requests=100, seeds=range(1, 4), answer_cycles=answer_cycles)
        results = run_lockstep(
            binding, sources, "descriptor_dma", beside, simulator=simulator, builds=builds
        )
        return not results[-1].is_equal

    assert not different((20, 20))
    assert different((21, 21))


@pytest.mark.parametrize("simulator", simulators("icarus"))
@pytest.mark.parametrize(
    ("good", "bad", "what"),
    (
        (
            "memory:\n  scheduler: {request: out, answer: answer, tag: initiator}\n",
            "",
            (
                "port 'answer' is neither where the path begins or ends nor of a memory; expected "
                "it under 'memory', or left out"
            ),
        ),
        (
            "  out:\n",
            "  give:\n",
            "memory.scheduler.request: there is no port 'out'; expected one of in, give or answer",
        ),
        (
            'id: "m_tdata[15:0]"',
            'nr: "m_tdata[15:0]"',
            (
                "field 'nr' of port 'out' is none of port 'in'; expected one of id, initiator, "
                "fence, is_read or last, which the DUT is to pass on"
            ),
        ),
        (
            'id: "m_tdata[15:0]"',
            'id: "m_tdata[14:0]"',
            "field 'id' has 15 bits at port 'out' and 16 at port 'in'; expected the same",
        ),
    ),
)
def test_ports_that_do_not_fit_a_path_are_told(
    simulator: str, tmp_path: Path, builds: Path, good: str, bad: str, what: str
) -> None:
    assert good in SCHEDULER
    binding = written(tmp_path, "scheduler.yaml", SCHEDULER.replace(good, bad, 1))
    table = written(tmp_path, "under_test.yaml", SCHEDULER_TABLE)
    sources = [HDL / "pipeline.sv", HDL / "scheduler.sv"]
    with pytest.raises(EmuError) as error:
        run_lockstep(
            binding, sources, "scheduler", Beside(table), simulator=simulator, builds=builds
        )
    assert str(error.value).startswith(f"{binding}:")
    assert str(error.value).endswith(what)


@given(
    shortest=st.integers(1, 30),
    spread=st.integers(0, 30),
    gaps=st.lists(st.integers(1, 5), max_size=60),
    seed=st.integers(0, 2**32),
)
def test_answers_come_one_a_cycle_and_not_before_their_time(
    shortest: int, spread: int, gaps: list[int], seed: int
) -> None:
    answers = Answers(Random(seed, "answers"), shortest, shortest + spread)
    cycle, due = 0, []
    for gap in gaps:
        cycle += gap
        due.append(answers.due(cycle))
        assert due[-1] >= cycle + shortest
    assert len(set(due)) == len(due)
    if not spread:
        assert [one - shortest for one in due] == [sum(gaps[: at + 1]) for at in range(len(gaps))]
