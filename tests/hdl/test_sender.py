"""sender.sv beside OpenURMA's own sender: every stage, every cycle."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.cosim.bound import simulators
from tests.hdl.bench import Run, play
from tests.hdl.player import Event
from tests.hdl.reference import W, is_last
from tests.hdl.stimuli import header, source
from tests.needs import builds

SCENARIOS = files("timing_tables") / "published/openurma/ub_tx_cycle_scenarios.jsonl"
COUNT = 82
STEPS = ("btah_b", "tpc_tx", "cwnd", "retrans", "rtph_b", "nth_b")
#: The modules whose output is that of a stage.
INSIDE = {name: name for name in ("doorbell", "jsched", "ord_ini")} | {
    name: f"g_step.{index}.element" for index, name in enumerate(STEPS, 3)
}
ORDERS = ("NO", "RO", "SO")
SERVICES = ("ROI", "ROT", "ROL", "UNO")
#: So long after the last thing that happens, nothing more does.
AFTERWARDS = 10

Scenario = dict[str, Any]


def scenarios() -> list[Scenario]:
    return [json.loads(line) for line in SCENARIOS.read_text().splitlines()]


def run_of(scenario: Scenario) -> Run:
    """What is posted or answered in a cycle, counted from 1, can be taken from the next on."""
    events = sorted(scenario["events"], key=lambda event: event["cycle"])
    posted = [beat for event in events if event["kind"] == "request" for beat in flits(event)]
    last = max(
        *scenario["wire_first_flit"],
        *(cycle for left in scenario["expect"].values() for cycle, _ in left),
    )
    return Run(
        last + AFTERWARDS,
        {
            "s": source(posted, [1]),
            "f": source(answers(events, "fence_release"), [1]),
            "a": source(answers(events, "order_release"), [1]),
        },
        {"m": [1]},
        inside=INSIDE,
    )


def flits(event: dict[str, Any]) -> list[list[int]]:
    first = header(
        event["id"],
        event["initiator"],
        ORDERS.index(event["order"]),
        SERVICES.index(event["service"]),
        int(event["fence"]),
        int(event["op"] == "read"),
    )
    of_packet = [first, *[first & 0xFF_FFFF] * (event["flits"] - 1)]
    of_packet[-1] |= 1 << W
    return [[flit, event["cycle"]] for flit in of_packet]


def answers(events: list[dict[str, Any]], kind: str) -> list[list[int]]:
    return [[event["initiator"], event["cycle"]] for event in events if event["kind"] == kind]


def seen(events: list[Event]) -> tuple[dict[str, list[list[int]]], list[int]]:
    """As a scenario says it: the cycle in which each header left each stage; each first chunk.

    What leaves a stage in cycle t, counted from 1, is taken by the next in t + 1, which is cycle t
    here, where the first is 0.
    """
    headers: dict[str, list[list[int]]] = {name: [] for name in INSIDE}
    chunks: list[int] = []
    is_under_way = dict.fromkeys([*INSIDE, "m"], False)
    for cycle, port, beat in events:
        assert isinstance(beat, int), f"{port} is not known at cycle {cycle}"
        if port not in is_under_way:
            continue
        if not is_under_way[port]:
            if port == "m":
                chunks.append(cycle)
            else:
                headers[port].append([cycle, beat & 0xFFFF])
        is_under_way[port] = not is_last(beat)
    return headers, chunks


@pytest.mark.parametrize("simulator", simulators("icarus", "verilator"))
def test_the_scenarios(simulator: str, tmp_path: Path) -> None:
    given = scenarios()
    assert len(given) == COUNT
    played = play("sender", simulator, [run_of(one) for one in given], tmp_path, {})
    different = [
        scenario["name"]
        for scenario, events in zip(given, played, strict=True)
        if seen(events) != (scenario["expect"], scenario["wire_first_flit"])
    ]
    assert not different


@pytest.mark.parametrize("stage", (0, 1, 2, 5, 9))
@builds("icarus")
def test_a_fault_of_a_stage_shows_there(stage: int, tmp_path: Path) -> None:
    """The first header is a cycle late where the fault is, and nowhere before."""
    scenario = scenarios()[0]
    late = {"FAULT": 1, "FAULT_STAGE": stage}
    (events,) = play("sender", "icarus", [run_of(scenario)], tmp_path, late)
    headers, chunks = seen(events)
    for name in list(INSIDE)[:stage]:
        assert headers[name] == scenario["expect"][name]
    if stage < len(INSIDE):
        name = list(INSIDE)[stage]
        assert headers[name][0][0] == scenario["expect"][name][0][0] + 1
    else:
        assert chunks[0] == scenario["wire_first_flit"][0] + 1
