"""Characterise with an engine that reads memory: reads outstanding, and how long a tag is held."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.cosim.characterise.findings import counted
from emu.cosim.characterise.run import characterise
from emu.cosim.errors import CosimError
from emu.cosim.run import Beside, run_lockstep
from emu.errors import RunError
from tests.cosim.bound import HDL, simulators
from tests.cosim.measured import CACHE, DMA_FILES, of_cache, of_dma

icarus = pytest.mark.parametrize("simulator", simulators("icarus"))

#: Tags, places, cycles to the memory, interval, cycles for which a tag is kept after its data is
#: back, whether it is kept until the request has left, whether a place is taken at the next edge,
#: and whether requests leave in order.
Numbers = tuple[int, int, int, int, int, int, int, int]
FEW: tuple[Numbers, ...] = (
    (5, 9, 4, 1, 3, 0, 1, 1),
    (4, 16, 2, 2, 2, 1, 0, 0),
)
MANY: tuple[Numbers, ...] = (
    (1, 4, 1, 1, 1, 0, 0, 1),
    (8, 16, 1, 1, 0, 0, 0, 1),
    *(
        (tags, tags + more, issue, interval, kept, until_left, next_edge, in_order)
        for tags, more in ((2, 3), (4, 12), (7, 1))
        for issue, interval in ((1, 1), (3, 2))
        for kept in (0, 2)
        for until_left, next_edge in ((0, 0), (0, 1), (1, 0))
        for in_order in (0, 1)
    ),
)


def check(folder: Path, builds: Path, numbers: Numbers, simulator: str) -> None:
    tags, places, issue, interval, kept, until_left, next_edge, in_order = numbers
    parameters: dict[str, int | str] = {
        "TAGS": tags,
        "DEPTH": places,
        "ISSUE": issue,
        "INTERVAL": interval,
        "TAG_RETURN": kept,
        "TAG_UNTIL_LEFT": until_left,
        "REFILL_NEXT_EDGE": next_edge,
        "IN_ORDER": in_order,
    }
    found = of_dma(folder, builds, parameters, simulator=simulator)
    said = found.as_json()
    at = "output" if until_left else "answer"
    assert {key: said[key] for key in ("outstanding", "hold_from", "hold_until")} == {
        "outstanding": tags,
        "hold_from": "input",
        "hold_until": f"{at} + {counted(kept)}" if kept else at,
    }
    assert (said["request_cycles"], said["answer_cycles"], said["latency_cycles"]) == (
        issue,
        0,
        issue,
    )
    # A tag that is held until its request has left is all that limits what is inside.
    assert said["depth"] == (tags if until_left else places)
    if until_left:
        assert said["refill_cycles"] == kept
    else:
        assert said["refill"] == ("at_once", "next_edge")[next_edge]
    assert said["tag_return_cycles"] == kept
    if tags == 1:
        assert (said["interval_cycles"], said["order"]) == (None, None)
    else:
        assert said["interval_cycles"] == interval
        assert said["order"] == ("answers", "requests")[in_order]
        assert said["answer_interval_cycles"] == 1
    assert found.is_exact, "\n".join(found.lines())
    assert [one.memory_cycles for one in found.checked] == [4, 30]
    assert [one.memory_cycles for one in found.rates] == [25, 50, 100, 200, 400]
    assert [one.dut_cycles for one in found.rates] == [one.emulator_cycles for one in found.rates]
    # The table says the same to a lockstep run, with a memory of any latency.
    table = folder / "found.yaml"
    table.write_text(found.table, encoding="utf-8")
    cycles = 5 * issue
    results = run_lockstep(
        folder / "dma.yaml",
        [HDL / file for file in DMA_FILES],
        "descriptor_dma",
        Beside(
            table=table,
            overrides=(f"memory.latency={cycles} cycles",),
            requests=100,
            seeds=range(11, 14),
            answer_cycles=(cycles, cycles),
        ),
        simulator=simulator,
        parameters=parameters,
        builds=builds,
    )
    assert results[-1].is_equal, "\n".join(results[-1].lines())


@icarus
@pytest.mark.parametrize("numbers", FEW)
def test_it_finds_the_parameters_of_the_dma_engine(
    tmp_path: Path, builds: Path, numbers: Numbers, simulator: str
) -> None:
    check(tmp_path, builds, numbers, simulator)


@pytest.mark.long
@icarus
@pytest.mark.parametrize("numbers", MANY)
def test_it_finds_many_parameters_of_the_dma_engine(
    tmp_path: Path, builds: Path, numbers: Numbers, simulator: str
) -> None:
    check(tmp_path, builds, numbers, simulator)


@icarus
@pytest.mark.parametrize(
    ("queue", "tags", "issue", "kept"),
    (
        (3, 4, 3, 0),
        *(pytest.param(*some, marks=pytest.mark.long) for some in ((3, 4, 1, 0), (1, 2, 1, 2))),
    ),
)
def test_requests_that_wait_for_a_tag_inside_have_places_of_their_own(
    tmp_path: Path, builds: Path, simulator: str, queue: int, tags: int, issue: int, kept: int
) -> None:
    parameters: dict[str, int | str] = {
        "QUEUE": queue,
        "TAGS": tags,
        "ISSUE": issue,
        "TAG_RETURN": kept,
    }
    found = of_dma(tmp_path, builds, parameters, simulator=simulator, queued=True)
    said = found.as_json()
    assert (said["outstanding"], said["waiting"], said["hold_from"]) == (tags, queue, "request")
    assert (said["depth"], said["request_cycles"]) == (8 + queue, 2 + issue)
    # Seen where the read leaves, which is so long after its tag was free.
    assert said["hold_until"] == f"answer + {counted(kept + issue)}"
    assert found.is_exact, "\n".join(found.lines())
    assert [one.dut_cycles for one in found.rates] == [one.emulator_cycles for one in found.rates]


@icarus
@pytest.mark.parametrize(
    ("credit", "after"), ((3, 20), pytest.param(2, 10, marks=pytest.mark.long))
)
def test_credits_are_so_many_acceptances_in_a_time(
    tmp_path: Path, builds: Path, simulator: str, credit: int, after: int
) -> None:
    parameters: dict[str, int | str] = {"CREDITS": credit, "CREDIT_RETURN": after, "INTERVAL": 2}
    found = of_dma(tmp_path, builds, parameters, simulator=simulator)
    said = found.as_json()
    assert (said["credits"], said["credit_return_cycles"]) == (credit, after)
    assert (said["interval_cycles"], said["outstanding"]) == (2, 8)
    assert found.is_exact, "\n".join(found.lines())


@icarus
@pytest.mark.parametrize(
    ("places", "interval", "next_edge", "queue"),
    (
        (3, 3, 0, 5),
        *(pytest.param(*some, marks=pytest.mark.long) for some in ((4, 1, 0, 64), (4, 1, 1, 2))),
    ),
)
def test_the_misses_of_the_context_cache(
    tmp_path: Path,
    builds: Path,
    simulator: str,
    places: int,
    interval: int,
    next_edge: int,
    queue: int,
) -> None:
    parameters: dict[str, int | str] = {
        "DEPTH": places,
        "INTERVAL": interval,
        "REFILL_NEXT_EDGE": next_edge,
        "QUEUE": queue,
    }
    found = of_cache(tmp_path, builds, parameters)
    said = found.as_json()
    assert (said["outstanding"], said["waiting"]) == (places, queue)
    assert (said["request_interval_cycles"], said["latency_cycles"]) == (interval, 0)
    assert said["hold_until"] == ("output", "output + 1 cycle")[next_edge]
    assert found.is_exact, "\n".join(found.lines())
    assert [one.dut_cycles for one in found.rates] == [one.emulator_cycles for one in found.rates]


@icarus
def test_requests_that_read_nothing_are_told_with_what_may_help(
    tmp_path: Path, builds: Path, simulator: str
) -> None:
    binding = tmp_path / "cache.yaml"
    binding.write_text(CACHE, encoding="utf-8")
    sources = [HDL / "channel.sv", HDL / "context_cache.sv"]
    with pytest.raises(RunError) as error:
        characterise(binding, sources, "context_cache", builds=builds)
    assert str(error.value) == (
        "26 requests made 1 read at port 'read'; expected one for each (does a field have to "
        "differ from request to request: --count FIELD?)"
    )
    with pytest.raises(CosimError) as unknown:
        characterise(binding, sources, "context_cache", counting=["initator"], builds=builds)
    assert str(unknown.value) == (
        f"{binding}: field 'initator' cannot count requests; expected one of id or initiator; did "
        "you mean 'initiator'?"
    )
