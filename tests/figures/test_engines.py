"""The compiled engine gives every figure as the reference does; and what keeps some from it."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

import pytest

from emu.engines import Engine, EngineError
from emu.figures import context_cache, measure
from emu.figures.engine import EDGES, SINGLE_PARTS, measuring, needs_reference
from emu.figures.model import Figure
from emu.figures.registry import FIGURES, reproduce
from emu.request import Operation
from emu.table import load
from emu.workload import Access, Closed

#: What a figure asks for that compiled code does not tell.
PREVENTED = {
    "read-paths": SINGLE_PARTS,
    "slots": SINGLE_PARTS,
    "shared-channel": SINGLE_PARTS,
    "loss": SINGLE_PARTS,
    "dependencies": SINGLE_PARTS,
    "phase": EDGES,
    "ordering": EDGES,
    "buffer-reuse": "the figure follows values in memory",
}
#: Those that take the reference engine seconds.
SLOW = (
    *("request-rate", "pcie-tags", "pcie-asymmetry", "context-cache", "connectx4"),
    "shared-channel",
)
#: So many requests of each share, and not a million.
FEW = 500


def bare(figure: Figure) -> Figure:
    """Without the engine that it was made on."""
    return replace(figure, engine="", prevented=None)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if n in SLOW else n for n in FIGURES]
)
def test_both_engines_give_the_same(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(context_cache, "SAMPLED", FEW)
    fast, reference = reproduce(name, "auto"), reproduce(name, "reference")
    assert bare(fast) == bare(reference)
    prevented = PREVENTED.get(name)
    assert (fast.engine, fast.prevented) == ("reference" if prevented else "fast", prevented)
    assert (reference.engine, reference.prevented) == ("reference", None)


@pytest.mark.parametrize("name", PREVENTED)
def test_what_needs_the_reference_does_not_run_on_the_compiled_one_alone(name: str) -> None:
    with pytest.raises(EngineError) as caught:
        reproduce(name, "fast")
    assert str(caught.value) == (
        f"figure {name}: the fast engine can't run this: {PREVENTED[name]}; expected "
        "--engine auto or reference"
    )


@pytest.mark.long
def test_a_million_requests_of_a_million_queue_pairs_are_the_same_on_both() -> None:
    def warm(engine: Engine) -> context_cache.Warm:
        with measuring(engine) as used:
            found = context_cache.when_warm(
                load("context_pcie"),
                lambda: context_cache.pairs_at_random(1024),
                2048,
                context_cache.SAMPLED,
            )
        assert used.ran == engine
        return found

    assert warm("fast") == warm("reference")


# -- a few runs -----------------------------------------------------------------------------------


def rate(outstanding: int) -> float:
    """Of reads through a link, measured with what figures measure with."""
    return measure.millions_per_s(
        measure.closed("bdp_link", Operation.READ, 256, outstanding=outstanding, requests=200)
    )


def test_without_an_engine_it_is_the_reference() -> None:
    alone = rate(8)
    with measuring("reference") as used:
        assert rate(8) == alone
    assert (used.ran, used.prevented) == ("reference", None)
    with measuring("auto") as used:
        assert rate(8) == alone
    assert (used.ran, used.prevented) == ("fast", None)


def test_one_run_on_the_reference_is_enough_to_say_so_and_the_first_says_why() -> None:
    with measuring("auto") as used:
        rate(2)
        needs_reference("the one")
        needs_reference("the other")
        rate(4)
    assert (used.ran, used.prevented) == ("reference", "the one")
    with measuring("auto") as used:
        rate(2)
    assert used.prevented is None


def test_what_the_compiled_engine_refuses_is_why() -> None:
    def two() -> Closed:
        return Closed([repeat(Access(Operation.READ, 256, 0, who)) for who in range(2)], 1)

    why = "the workload has several iterators that may draw from one another"
    with measuring("auto") as used:
        run = measure.run("bdp_link", two(), requests=10)
    assert run.latency.count == 10
    assert (used.ran, used.prevented) == ("reference", why)
    with measuring("fast"), pytest.raises(EngineError, match=why):
        measure.run("bdp_link", two(), requests=10)
