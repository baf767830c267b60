"""Each model beside its stage, in one simulation: equal in every cycle."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import zip_longest
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
from tests.needs import builds as needs_build

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
    builds: Path,
    seeds: Sequence[int],
    initiators: int = 0,
    holds: bool = True,
    events: Path | None = None,
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
            holds=holds,
        ),
        simulator=simulator,
        parameters=for_simulators(stages.parameters | planted),
        events=events,
        builds=builds,
    )


def check(
    model: str,
    simulator: str,
    draw: int,
    seeds: int,
    folder: Path,
    builds: Path,
    events: Path | None = None,
) -> None:
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
        stages,
        model,
        simulator,
        folder / str(draw),
        builds=builds,
        seeds=run,
        initiators=initiators,
        events=events,
    )
    assert len(results) == len(run)
    for result in results:
        assert result.is_equal, "\n".join(result.lines())
        assert result.matched == {"in": REQUESTS, "out": REQUESTS}


@pytest.mark.parametrize("model", STAGES)
@needs_build("icarus")
def test_a_model_equals_its_stage(model: str, tmp_path: Path, builds: Path) -> None:
    check(model, "icarus", 0, 5, tmp_path, builds)


@pytest.mark.long
@pytest.mark.parametrize("model", STAGES)
@needs_build("icarus")
def test_a_model_equals_its_stage_for_many_seeds(model: str, tmp_path: Path, builds: Path) -> None:
    for draw in range(1, 41):
        check(model, "icarus", draw, 10, tmp_path, builds)


@pytest.mark.long
@pytest.mark.parametrize("model", STAGES)
@needs_build("verilator")
def test_a_model_equals_its_stage_on_verilator(model: str, tmp_path: Path, builds: Path) -> None:
    for draw in range(8):
        check(model, "verilator", draw, 30, tmp_path, builds)


@pytest.mark.long
@pytest.mark.parametrize("model", IN_VHDL)
@needs_build("ghdl")
def test_a_model_equals_its_stage_in_vhdl(model: str, tmp_path: Path, builds: Path) -> None:
    for draw in range(40):
        check(model, "ghdl", draw, 10, tmp_path, builds)


#: What differs from simulator to simulator is soon seen in these; the others take longer to build.
SOON = ("pipeline", "completion_writer")


@pytest.mark.parametrize(
    "model",
    [model if model in SOON else pytest.param(model, marks=pytest.mark.long) for model in STAGES],
)
@needs_build("icarus")
@needs_build("verilator")
def test_the_events_of_icarus_and_verilator_are_the_same_bytes(
    model: str, tmp_path: Path, builds: Path
) -> None:
    files = [tmp_path / f"{simulator}.jsonl" for simulator in ("icarus", "verilator")]
    for file in files:
        check(model, file.stem, 0, 3, tmp_path, builds, file)
    icarus, verilator = (file.read_bytes() for file in files)
    assert icarus.count(b"\n") >= 2 * REQUESTS
    assert icarus == verilator


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


@needs_build("icarus")
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


Events = list[tuple[int, dict[str, int]]]


def handshakes(file: Path, seed: int) -> dict[str, Events]:
    """Port to cycle and fields of what the DUT did with a seed."""
    found: dict[str, Events] = {"in": [], "out": []}
    for line in file.read_text().splitlines():
        said = json.loads(line)
        if said["seed"] == seed:
            found[said["port"]].append((said["cycle"], said["fields"]))
    return found


def parting(one: Events, other: Events) -> int:
    """The first cycle in which one has a handshake that the other does not have so."""
    pairs = zip_longest(one, other)
    first = next(pair for pair in pairs if pair[0] != pair[1])
    return min(event[0] for event in first if event is not None)


@pytest.mark.long
@pytest.mark.parametrize(("model", "fault", "port", "changes"), PLANTED)
@needs_build("icarus")
def test_a_fault_is_found_at_its_port_and_cycle(
    model: str, fault: int, port: str, changes: dict[str, int], tmp_path: Path, builds: Path
) -> None:
    parameters = DEFAULTS[model] | WIDE.get(model, {}) | changes
    stages = emulated.stages_of(model, parameters, MEMORY_CYCLES)

    def run(name: str, seeds: Sequence[int], planted: int) -> tuple[Result, dict[str, Events]]:
        events = tmp_path / f"{name}.jsonl"
        result = lockstep(
            stages,
            model,
            "icarus",
            tmp_path / name,
            builds=builds,
            seeds=seeds,
            initiators=6,
            # What is taken back is seen where it is missing.
            holds=False,
            events=events,
            FAULT=planted,
            FAULT_AT=5,
        )[-1]
        return result, handshakes(events, result.seed)

    faulty, did = run("faulty", range(1, 21), fault)
    found = faulty.difference
    assert found is not None
    # The same model without the fault does the same up to there.
    whole, does = run("whole", [faulty.seed], 0)
    assert whole.is_equal, "\n".join(whole.lines())
    assert found.port == port
    assert found.cycle == parting(did[port], does[port])
    others = [parting(did[name], does[name]) for name in did if did[name] != does[name]]
    assert found.cycle == min(others)
