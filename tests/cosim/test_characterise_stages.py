"""Characterise with models that tell requests apart, or take several together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from emu.cosim.characterise.run import characterise
from emu.cosim.run import Beside, run_lockstep
from emu.errors import EmuError
from tests.cosim.bound import HDL, simulators
from tests.hdl.bench import files

icarus = pytest.mark.parametrize("simulator", simulators("icarus"))

REQUESTS = 150
#: Room for all of them in what a table does not limit.
ROOM = 256
#: Queues, flits in each, cycles from the choice on, interval, whether round robin picks, and how
#: many initiators there are.
Scheduler = tuple[int, int, int, int, int, int]
SCHEDULERS: tuple[Scheduler, ...] = (
    (5, 3, 2, 1, 0, 16),
    (4, 2, 1, 2, 1, 8),
)
MANY_SCHEDULERS: tuple[Scheduler, ...] = (
    (16, 31, 1, 1, 0, 256),
    (2, 1, 5, 1, 0, 3),
    (3, 8, 1, 1, 0, 2),
    (8, 4, 3, 1, 0, 1),
    (1, 4, 2, 1, 0, 8),
    (16, 31, 1, 1, 1, 256),
    (2, 1, 3, 3, 1, 8),
    (3, 8, 5, 2, 1, 16),
    (8, 5, 1, 1, 1, 4),
    (5, 3, 2, 4, 1, 1),
    (1, 1, 1, 2, 1, 8),
    (7, 2, 4, 1, 1, 256),
)
#: Queues, cycles from the choice on, whether it knows the sequence, whether nothing passes, and how
#: many initiators there are.
Engine = tuple[int, int, int, int, int]
ENGINES: tuple[Engine, ...] = ((5, 3, 0, 0, 16),)
MANY_ENGINES: tuple[Engine, ...] = (
    (4, 3, 1, 0, 8),
    *(
        (queues, latency, sequence, strict, initiators)
        for queues, latency, initiators in ((1, 1, 3), (2, 2, 8), (16, 1, 256))
        for sequence in (0, 1)
        for strict in (0, 1)
    ),
)
#: Completions that can wait, in a batch, cycles, interval, batches inside, and whether a place is
#: taken at the next edge.
Writer = tuple[int, int, int, int, int, int]
WRITERS: tuple[Writer, ...] = ((16, 4, 4, 3, 2, 1),)
MANY_WRITERS: tuple[Writer, ...] = (
    (16, 4, 4, 1, 2, 0),
    (4, 16, 2, 5, 5, 0),
    (4, 2, 7, 12, 1, 1),
    (4, 4, 7, 5, 1, 0),
    (16, 2, 1, 1, 5, 1),
    (16, 3, 2, 4, 3, 0),
    (8, 16, 1, 1, 1, 0),
    (5, 4, 1, 6, 2, 1),
    (1, 4, 7, 5, 2, 0),
    (1, 2, 4, 3, 1, 1),
    (8, 1, 9, 2, 3, 0),
)


def measured(
    model: str,
    folder: Path,
    builds: Path,
    parameters: dict[str, int | str],
    *,
    simulator: str,
    initiators: int = 0,
    binding: Path | None = None,
) -> dict[str, Any]:
    """What is found of a model, whose table then equals it in lockstep as well."""
    binding = binding or HDL / "bindings" / f"{model}.yaml"
    limits = {"initiator": initiators} if initiators else {}
    sources = files(model, "vhd" if simulator == "ghdl" else "sv")
    found = characterise(
        binding,
        sources,
        model,
        simulator=simulator,
        parameters=parameters,
        limits=limits,
        requests=REQUESTS,
        seeds=(1, 2),
        builds=builds,
    )
    assert found.is_exact, "\n".join(found.lines())
    assert [one.dut_cycles for one in found.rates] == [one.emulator_cycles for one in found.rates]
    table = folder / "found.yaml"
    table.write_text(found.table, encoding="utf-8")
    results = run_lockstep(
        binding,
        sources,
        model,
        Beside(table=table, requests=REQUESTS, seeds=range(11, 15), limits=limits),
        simulator=simulator,
        parameters=parameters,
        builds=builds,
    )
    assert results[-1].is_equal, "\n".join(results[-1].lines())
    return found.as_json()


# -- scheduler --------------------------------------------------------------------------------


def check_scheduler(folder: Path, builds: Path, numbers: Scheduler, simulator: str) -> None:
    queues, depth, latency, interval, pick, initiators = numbers
    said = measured(
        "scheduler",
        folder,
        builds,
        {
            "QUEUES": queues,
            "DEPTH": depth,
            "LATENCY": latency,
            "INTERVAL": interval,
            "PICK": pick,
            "INITIATORS": initiators,
        },
        simulator=simulator,
        initiators=initiators,
    )
    assert (said["stage"], said["latency_cycles"]) == ("scheduler", latency)
    assert (said["depth"], said["refill"]) == (depth, "next_edge")
    assert (said["fence"], said["unanswered"]) == ("reads", 255)
    is_scan = queues > 1 and not pick
    # A single initiator does not show what others would have.
    if is_scan:
        assert (said["pick"], said["queues"]) == ("scan", queues)
    elif initiators == 1:
        assert (said["pick"], said["queues"]) == (None, None)
    else:
        own = "unlimited" if initiators <= queues else queues
        assert (said["pick"], said["queues"]) == ("round_robin" if queues > 1 else None, own)
    assert said["interval_cycles"] == (None if is_scan and initiators == 1 else interval)


@icarus
@pytest.mark.parametrize("numbers", SCHEDULERS)
def test_it_finds_queues_and_turns_of_a_scheduler(
    tmp_path: Path, builds: Path, numbers: Scheduler, simulator: str
) -> None:
    check_scheduler(tmp_path, builds, numbers, simulator)


@pytest.mark.long
@icarus
@pytest.mark.parametrize("numbers", MANY_SCHEDULERS)
def test_it_finds_queues_and_turns_of_many_schedulers(
    tmp_path: Path, builds: Path, numbers: Scheduler, simulator: str
) -> None:
    check_scheduler(tmp_path, builds, numbers, simulator)


@pytest.mark.long
@pytest.mark.parametrize("simulator", simulators("ghdl"))
def test_it_measures_a_scheduler_in_vhdl(tmp_path: Path, builds: Path, simulator: str) -> None:
    check_scheduler(tmp_path, builds, SCHEDULERS[0], simulator)


#: The scheduler as a DUT without fences.
WITHOUT_FENCES = """\
schema: 1
clock: {signal: clk, period: 3106 ps}
reset: {signal: rst, active: high, cycles: 4}
tie: {a_tvalid: 0}
ports:
  in:
    side: sink
    valid: s_tvalid
    ready: s_tready
    last: s_tlast
    fields: {id: "s_tdata[15:0]", initiator: "s_tdata[23:16]"}
  out:
    side: source
    valid: m_tvalid
    ready: m_tready
    last: m_tlast
    fields: {id: "m_tdata[15:0]", initiator: "m_tdata[23:16]"}
"""


@icarus
@pytest.mark.parametrize("pick", (1, pytest.param(0, marks=pytest.mark.long)))
def test_who_overtakes_shows_that_there_are_queues(
    tmp_path: Path, builds: Path, simulator: str, pick: int
) -> None:
    binding = tmp_path / "without_fences.yaml"
    binding.write_text(WITHOUT_FENCES, encoding="utf-8")
    said = measured(
        "scheduler",
        tmp_path,
        builds,
        {"QUEUES": 2, "DEPTH": 4, "LATENCY": 3, "PICK": pick, "INITIATORS": 8},
        simulator=simulator,
        initiators=8,
        binding=binding,
    )
    assert (said["stage"], said["pick"]) == ("scheduler", ("scan", "round_robin")[pick])
    assert (said["queues"], said["depth"], said["latency_cycles"]) == (2, 4, 3)
    assert (said["fence"], said["unanswered"]) == (None, None)


@icarus
@pytest.mark.parametrize(
    ("limits", "what"),
    (
        ({"initator": 8}, "a limit for 'initator', which is no field of what is sent"),
        ({"initiator": 0}, "field 'initiator' is held to 0 values; expected 1 to 256"),
    ),
)
def test_limits_that_cannot_be_kept_are_told(
    builds: Path, simulator: str, limits: dict[str, int], what: str
) -> None:
    binding = HDL / "bindings" / "scheduler.yaml"
    sources = files("scheduler", "sv")
    with pytest.raises(EmuError) as error:
        characterise(
            binding, sources, "scheduler", simulator=simulator, limits=limits, builds=builds
        )
    assert str(error.value) == what


# -- ordering engine --------------------------------------------------------------------------


def check_engine(folder: Path, builds: Path, numbers: Engine, simulator: str) -> None:
    queues, latency, sequence, strict, initiators = numbers
    said = measured(
        "ordering_engine",
        folder,
        builds,
        {
            "QUEUES": queues,
            "DEPTH": ROOM,
            "LATENCY": latency,
            "TRACKING": sequence,
            "STRICT": strict,
            "INITIATORS": initiators,
            "WINDOW": ROOM,
            "OUTSTANDING": ROOM,
        },
        simulator=simulator,
        initiators=initiators,
    )
    assert (said["stage"], said["latency_cycles"]) == ("ordering_engine", latency)
    assert (said["interval_cycles"], said["depth"]) == (1, ROOM)
    assert (said["pick"], said["queues"]) == ("scan" if queues > 1 else None, queues)
    assert said["strict"] is bool(strict)
    # Where nothing passes, what has been sent is what came first.
    assert said["tracking"] == (None if strict else ("count", "sequence")[sequence])
    assert said["unanswered"] == ROOM


@icarus
@pytest.mark.parametrize("numbers", ENGINES)
def test_it_finds_what_an_ordering_engine_holds(
    tmp_path: Path, builds: Path, numbers: Engine, simulator: str
) -> None:
    check_engine(tmp_path, builds, numbers, simulator)


@pytest.mark.long
@icarus
@pytest.mark.parametrize("numbers", MANY_ENGINES)
def test_it_finds_what_many_ordering_engines_hold(
    tmp_path: Path, builds: Path, numbers: Engine, simulator: str
) -> None:
    check_engine(tmp_path, builds, numbers, simulator)


# -- completion writer ------------------------------------------------------------------------


def check_writer(folder: Path, builds: Path, numbers: Writer, simulator: str) -> None:
    waiting, batch, latency, interval, batches, next_edge = numbers
    said = measured(
        "completion_writer",
        folder,
        builds,
        {
            "QUEUE": waiting,
            "BATCH": batch,
            "LATENCY": latency,
            "INTERVAL": interval,
            "DEPTH": batches,
            "REFILL_NEXT_EDGE": next_edge,
        },
        simulator=simulator,
    )
    assert (said["stage"], said["latency_cycles"]) == ("completion", 1 + latency)
    assert (said["waiting"], said["batches"]) == (waiting, batches)
    # More than can wait can't go together.
    assert said["batch"] == (batch if batch < waiting else None)
    is_hidden = batches == 1 and interval <= latency + next_edge
    assert said["batch_interval_cycles"] == (None if is_hidden else interval)
    assert said["refill"] == ("at_once", "next_edge")[next_edge]


@icarus
@pytest.mark.parametrize("numbers", WRITERS)
def test_it_finds_what_goes_together(
    tmp_path: Path, builds: Path, numbers: Writer, simulator: str
) -> None:
    check_writer(tmp_path, builds, numbers, simulator)


@pytest.mark.long
@icarus
@pytest.mark.parametrize("numbers", MANY_WRITERS)
def test_it_finds_what_goes_together_of_many(
    tmp_path: Path, builds: Path, numbers: Writer, simulator: str
) -> None:
    check_writer(tmp_path, builds, numbers, simulator)
