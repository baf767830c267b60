"""Each model beside its stage, in one simulation: equal in every cycle."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from emu.cosim.report import Result
from emu.cosim.run import Beside, run_lockstep
from tests.cosim.bound import simulators
from tests.hdl import emulated
from tests.hdl.bench import HDL, IN_VHDL, files, for_simulators
from tests.hdl.emulated import RUN_SEED, Stages
from tests.hdl.stimuli import STAGES
from tests.hdl.test_faults import DEFAULTS
from tests.needs import builds

#: Room for all that a run can have of what the emulator does not limit.
ROOM = 256
REQUESTS = 150
#: Memories that a model asks.
ASKS = ("context_cache", "descriptor_dma")


def lockstep(
    stages: Stages,
    model: str,
    simulator: str,
    folder: Path,
    *,
    seeds: Sequence[int],
    initiators: int = 0,
    **planted: int,
) -> list[Result]:
    """The model beside its stage, once with each seed; `initiators` holds that field."""
    folder.mkdir(exist_ok=True)
    table = folder / "under_test.yaml"
    table.write_text(json.dumps(stages.document()))
    latency = stages.latency
    return run_lockstep(
        HDL / "bindings" / f"{model}.yaml",
        files(model, "vhd" if simulator == "ghdl" else "sv"),
        model,
        Beside(
            table,
            requests=REQUESTS,
            seeds=seeds,
            limits={"initiator": initiators} if initiators else {},
            answer_cycles=(latency, latency) if model in ASKS else (1, 40),
        ),
        simulator=simulator,
        parameters=for_simulators(stages.parameters | planted),
        builds=folder / "builds",
    )


def check(model: str, simulator: str, draw: int, seeds: int, folder: Path) -> None:
    """Parameters of one draw, and so many seeds of what is sent and when."""
    rng = random.Random(f"{model} {draw}")
    stages = emulated.drawn(model, rng, ROOM)
    p = stages.parameters
    initiators = 0
    if model in ("scheduler", "ordering_engine"):
        initiators = rng.choice((1, 3, p["INITIATORS"]))
    elif model == "context_cache":
        initiators = rng.choice((4, p["SETS"] * p["WAYS"] + 2, 256))
    # Random replacement goes on from a state that belongs to a seed.
    run = [RUN_SEED] if p.get("REPLACEMENT") == 1 else range(1, seeds + 1)
    results = lockstep(
        stages, model, simulator, folder / str(draw), seeds=run, initiators=initiators
    )
    assert len(results) == len(run)
    for result in results:
        assert result.is_equal, "\n".join(result.lines())
        assert result.matched == {"in": REQUESTS, "out": REQUESTS}


@pytest.mark.parametrize("model", STAGES)
@builds("icarus")
def test_a_model_equals_its_stage(model: str, tmp_path: Path) -> None:
    check(model, "icarus", 0, 5, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("model", STAGES)
@builds("icarus")
def test_a_model_equals_its_stage_for_many_seeds(model: str, tmp_path: Path) -> None:
    for draw in range(1, 41):
        check(model, "icarus", draw, 10, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("model", STAGES)
@builds("verilator")
def test_a_model_equals_its_stage_on_verilator(model: str, tmp_path: Path) -> None:
    for draw in range(8):
        check(model, "verilator", draw, 30, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("model", IN_VHDL)
@builds("ghdl")
def test_a_model_equals_its_stage_in_vhdl(model: str, tmp_path: Path) -> None:
    for draw in range(40):
        check(model, "ghdl", draw, 10, tmp_path)


#: The table as the sender is built and driven: requests of one flit, and no more of them inside
#: than it has places for. Nothing stops what is on the wire there, so the sink has to be ready.
AS_BUILT = (
    "doorbell.depth=1",
    "jsched.overflow=hold",
    "messages.write.request=32 B",
    "messages.read.request=32 B",
)


def check_sender(simulator: str, seeds: int, initiators: int, folder: Path) -> None:
    results = run_lockstep(
        HDL / "bindings" / "sender.yaml",
        files("sender"),
        "sender",
        Beside(
            "openurma_tx",
            overrides=AS_BUILT,
            requests=REQUESTS,
            seeds=range(1, seeds + 1),
            ready="always",
            limits={"initiator": initiators},
        ),
        simulator=simulator,
        builds=folder,
    )
    assert len(results) == seeds
    for result in results:
        assert result.is_equal, "\n".join(result.lines())
        assert result.matched == {"in": REQUESTS, "out": REQUESTS}


@builds("icarus")
def test_the_sender_equals_its_table(tmp_path: Path) -> None:
    check_sender("icarus", 4, 16, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("initiators", (1, 3, 16, 200))
@pytest.mark.parametrize("simulator", simulators("icarus", "verilator"))
def test_the_sender_equals_its_table_for_many_seeds(
    simulator: str, initiators: int, tmp_path: Path
) -> None:
    check_sender(simulator, 60, initiators, tmp_path)


MEMORY_CYCLES = 10
#: Model, fault, port, and the parameters that differ from those of `test_faults`.
PLANTED: list[tuple[str, int, str, dict[str, int]]] = [
    *(("pipeline", fault, "out", {"DEPTH": 64}) for fault in (1, 2, 3, 4, 7, 9)),
    *(("pipeline", fault, "in", {"DEPTH": 5}) for fault in (5, 6, 8)),
    ("scheduler", 10, "out", {"DEPTH": 64}),
    ("scheduler", 11, "out", {"DEPTH": 64}),
    ("scheduler", 13, "out", {"DEPTH": 64}),
    ("scheduler", 14, "in", {}),
    ("ordering_engine", 10, "out", {}),
    ("ordering_engine", 11, "out", {}),
    ("ordering_engine", 13, "out", {}),
    *(("context_cache", fault, "out", {}) for fault in (1, 2, 3, 4, 5)),
    ("descriptor_dma", 1, "out", {}),
    ("descriptor_dma", 10, "in", {"TAGS": 1}),
    ("descriptor_dma", 11, "in", {"TAGS": 1}),
    ("descriptor_dma", 12, "in", {"CREDITS": 1, "CREDIT_RETURN": 40}),
    ("completion_writer", 10, "out", {"QUEUE": ROOM, "INTERVAL": 3}),
]
#: With everything else as the sender has it, or as a run can have it at most.
WIDE = {
    "scheduler": {"OUTSTANDING": ROOM},
    "ordering_engine": {"DEPTH": ROOM, "OUTSTANDING": ROOM, "WINDOW": ROOM},
    "context_cache": {"QUEUE": ROOM, "BACKLOG": ROOM},
}


@pytest.mark.long
@pytest.mark.parametrize(("model", "fault", "port", "changes"), PLANTED)
@builds("icarus")
def test_a_fault_is_found_at_its_port(
    model: str, fault: int, port: str, changes: dict[str, int], tmp_path: Path
) -> None:
    parameters = DEFAULTS[model] | WIDE.get(model, {}) | changes
    results = lockstep(
        emulated.stages_of(model, parameters, MEMORY_CYCLES),
        model,
        "icarus",
        tmp_path,
        seeds=range(1, 21),
        initiators=6,
        FAULT=fault,
        FAULT_AT=5,
    )
    found = results[-1].difference
    assert found is not None
    assert found.port == port
