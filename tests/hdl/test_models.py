"""Each model, in each simulator, does what its reference does; and so does the emulator's stage."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.hdl.bench import IN_VHDL, play
from tests.hdl.emulated import comparable, events
from tests.hdl.player import Event
from tests.hdl.reference import W, expected, in_order
from tests.hdl.stimuli import STAGES, STIMULI
from tests.needs import builds

RUNS = 6


def compare(model: str, simulator: str, seed: int, folder: Path) -> None:
    """Random parameters, and random runs in one simulation."""
    draw, draw_run = STIMULI[model]
    rng = random.Random(f"{model} {seed}")
    parameters = draw(rng)
    runs = [draw_run(rng, parameters) for _ in range(RUNS)]
    # Two are enough to see how ports behave while nothing is taken.
    runs[0].strict = runs[1].strict = True
    folder.mkdir()
    played = play(model, simulator, runs, folder, parameters)
    assert sum(map(len, played)) > 50
    for run, did in zip(runs, played, strict=True):
        assert in_order(did) == expected(model, run, parameters)


@pytest.mark.parametrize("model", STIMULI)
@builds("icarus")
def test_a_model_on_icarus(model: str, tmp_path: Path) -> None:
    for seed in range(3):
        compare(model, "icarus", seed, tmp_path / str(seed))


# The framer is built with the sender.
@pytest.mark.parametrize("model", STAGES)
@builds("verilator")
def test_a_model_on_verilator(model: str, tmp_path: Path) -> None:
    compare(model, "verilator", 0, tmp_path / "0")


@pytest.mark.parametrize("model", IN_VHDL)
@builds("ghdl")
def test_a_model_in_vhdl(model: str, tmp_path: Path) -> None:
    for seed in range(3):
        compare(model, "ghdl", seed, tmp_path / str(seed))


@pytest.mark.long
@pytest.mark.parametrize("model", STIMULI)
@builds("icarus")
def test_a_model_on_icarus_with_many_parameters(model: str, tmp_path: Path) -> None:
    for seed in range(3, 43):
        compare(model, "icarus", seed, tmp_path / str(seed))


@pytest.mark.long
@pytest.mark.parametrize("model", STIMULI)
@builds("verilator")
def test_a_model_on_verilator_with_more_parameters(model: str, tmp_path: Path) -> None:
    for seed in range(1, 6):
        compare(model, "verilator", seed, tmp_path / str(seed))


@pytest.mark.long
@pytest.mark.parametrize("model", IN_VHDL)
@builds("ghdl")
def test_a_model_in_vhdl_with_many_parameters(model: str, tmp_path: Path) -> None:
    for seed in range(3, 43):
        compare(model, "ghdl", seed, tmp_path / str(seed))


def emulated_as_expected(model: str, seed: int) -> None:
    table, parameters, run = comparable(model, random.Random(f"{model} {seed}"))
    happened = expected(model, run, parameters)
    answers = [event for event in happened if event[1] == "a"]
    seen = [without_last(event) for event in happened if event[1] in "sm"]
    assert [without_last(event) for event in events(table, run, answers)] == seen


def without_last(event: Event) -> Event:
    """The emulator knows no beats of a packet."""
    cycle, port, beat = event
    assert isinstance(beat, int)
    return cycle, port, beat & ((1 << W) - 1)


@pytest.mark.parametrize("model", STAGES)
def test_the_emulated_stage_does_the_same(model: str) -> None:
    for seed in range(20):
        emulated_as_expected(model, seed)


@pytest.mark.long
@pytest.mark.parametrize("model", STAGES)
def test_the_emulated_stage_does_the_same_for_many_seeds(model: str) -> None:
    for seed in range(20, 500):
        emulated_as_expected(model, seed)
