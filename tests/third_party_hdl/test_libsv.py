"""libsv's skid buffer and ring arbiter: measured, and in lockstep with the tables that follow."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from emu.cosim.characterise.run import characterise
from emu.cosim.run import Beside, run_lockstep
from emu.errors import RunError
from tests.cosim.bound import simulators

HERE = Path(__file__).parent
(ICARUS,), (VERILATOR,) = simulators("icarus"), simulators("verilator")
#: Verilator's builds take long.
BOTH = (ICARUS, pytest.param(*VERILATOR.values, marks=(*VERILATOR.marks, pytest.mark.long)))


def libsv() -> Path:
    spec = find_spec("libsv")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.mark.parametrize("simulator", BOTH)
def test_the_skid_buffer_is_two_places_free_at_the_next_edge(
    tmp_path: Path, simulator: str
) -> None:
    binding, sources = HERE / "skid_buffer.yaml", [libsv() / "fifos" / "skid_buffer.sv"]
    builds = tmp_path / "builds"
    found = characterise(binding, sources, "skid_buffer", simulator=simulator, builds=builds)
    said = found.as_json()
    assert {key: said[key] for key in ("latency_cycles", "interval_cycles", "depth", "refill")} == {
        "latency_cycles": 1,
        "interval_cycles": 1,
        "depth": 2,
        "refill": "next_edge",
    }
    assert said["settle_cycles"] == 1
    assert found.is_exact, "\n".join(found.lines())
    table = tmp_path / "found.yaml"
    table.write_text(found.table, encoding="utf-8")
    beside = Beside(table=table, requests=300, seeds=range(20))
    results = run_lockstep(
        binding, sources, "skid_buffer", beside, simulator=simulator, builds=builds
    )
    assert len(results) == 20
    assert results[-1].is_equal, "\n".join(results[-1].lines())


ARBITER = "ring_arbiter_stream"


def arbiter_sources(*first: Path) -> list[Path]:
    package = libsv()
    arbiter = package / "arbiters" / "ring_arbiter.sv"
    return [package.parent, *first, arbiter, HERE / "ring_arbiter_stream.sv"]


@pytest.mark.parametrize("simulator", BOTH)
def test_the_arbiter_passes_on_what_comes_at_any_input_as_its_skid_buffer_does(
    tmp_path: Path, simulator: str
) -> None:
    binding, builds = HERE / "ring_arbiter.yaml", tmp_path / "builds"
    sources = arbiter_sources(HERE / "rotate.sv")
    found = characterise(binding, sources, ARBITER, simulator=simulator, builds=builds)
    said = found.as_json()
    assert (said["latency_cycles"], said["depth"], said["refill"]) == (1, 2, "next_edge")
    assert found.is_exact, "\n".join(found.lines())
    table = tmp_path / "found.yaml"
    table.write_text(found.table, encoding="utf-8")
    # The stimulus draws the input of each request.
    beside = Beside(table=table, requests=300, seeds=range(10))
    results = run_lockstep(binding, sources, ARBITER, beside, simulator=simulator, builds=builds)
    assert len(results) == 10
    assert results[-1].is_equal, "\n".join(results[-1].lines())


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_the_arbiter_with_its_own_rotate_takes_nothing(tmp_path: Path, simulator: str) -> None:
    with pytest.raises(RunError, match=r"port 'out' gave [0-9]+ times for 0 requests at 'in'"):
        characterise(
            HERE / "ring_arbiter.yaml",
            arbiter_sources(),
            ARBITER,
            simulator=simulator,
            patience_cycles=100,
            builds=tmp_path / "builds",
        )
