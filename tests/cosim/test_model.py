"""The model: cycles of its handshakes, without a simulator."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.actor import Actor, Port
from emu.cosim.errors import CosimError
from emu.cosim.explain import explain, waits_at
from emu.cosim.model import Handshakes, Model, lets_go_in_turn, one_stage
from emu.cosim.stimulus import Always, Bursts, Pauses, Stimulus, Willing
from emu.random import Random
from emu.request import Operation, Request
from emu.table.schema import Table
from emu.trace.events import Listener, Submitted
from tests.build import StageDict, clocked, delay, table

PERIOD_PS = 3106


def pipeline(latency: int, interval: int = 1, depth: object = 4, refill: str = "at_once") -> Table:
    return table([clocked("x", latency, interval, depth=depth, queue=1, refill=refill)])


def model(
    source: Table,
    stimulus: Stimulus,
    fields: dict[str, int] | None = None,
    *,
    period_ps: int = PERIOD_PS,
    start_ps: int = 0,
    listener: Listener | None = None,
) -> Model:
    return Model(
        source,
        stimulus,
        fields or {"id": 16},
        carry=lambda values: values[0],
        period_ps=period_ps,
        start_ps=start_ps,
        listener=listener,
    )


def handshakes(
    source: Table,
    stimulus: Stimulus,
    cycles: int = 500,
    *,
    period_ps: int = PERIOD_PS,
    start_ps: int = 0,
) -> Handshakes:
    return model(source, stimulus, period_ps=period_ps, start_ps=start_ps).advance(cycles)


ALWAYS = Stimulus(requests=6, offer=Always(), ready=Always())


def test_one_a_cycle_comes_out_after_the_latency() -> None:
    said = handshakes(pipeline(4), ALWAYS)
    assert said == Handshakes(
        [0, 1, 2, 3, 4, 5], [4, 5, 6, 7, 8, 9], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]
    )


@pytest.mark.parametrize(
    ("refill", "taken"), (("at_once", [0, 1, 4, 5, 8, 9]), ("next_edge", [0, 1, 5, 6, 10, 11]))
)
def test_a_place_that_becomes_free_is_taken_at_once_or_from_the_next_edge_on(
    refill: str, taken: list[int]
) -> None:
    said = handshakes(pipeline(4, depth=2, refill=refill), ALWAYS)
    assert said.taken == taken
    assert said.given == [cycle + 4 for cycle in taken]


def test_an_interval_keeps_the_next_one_out() -> None:
    assert handshakes(pipeline(1, interval=3), ALWAYS).taken == [0, 3, 6, 9, 12, 15]


def test_depth_is_what_is_taken_while_nothing_comes_out() -> None:
    # The sink is not ready before cycle 21: its first pause is that long.
    seed = next(
        seed
        for seed in range(1000)
        if Stimulus(seed=seed, ready=Bursts(1, 40)).is_ready().first(0) > 20
    )
    stimulus = Stimulus(requests=9, seed=seed, offer=Always(), ready=Bursts(1, 40))
    assert len(model(pipeline(3, depth=5), stimulus).advance(20).taken) == 5


def reference(
    latency: int, interval: int, depth: int, refill: str, stimulus: Stimulus, cycles: int
) -> Handshakes:
    """The same pipeline, cycle by cycle, as its words define it."""
    may_offer, is_ready = stimulus.may_offer(), stimulus.is_ready()
    said = Handshakes([], [], [], [])
    inside: list[tuple[int, int]] = []
    offering, number, next_at = False, 0, 0
    for cycle in range(cycles):
        if not offering and number < stimulus.requests and may_offer.first(cycle) == cycle:
            offering = True
        frees = bool(inside) and inside[0][0] <= cycle and is_ready.first(cycle) == cycle
        if frees:
            item = inside.pop(0)[1]
            said.given.append(cycle)
            said.items.append(item)
        taken = len(inside) + (1 if frees and refill == "next_edge" else 0)
        if offering and cycle >= next_at and taken < depth:
            inside.append((cycle + latency, number))
            said.taken.append(cycle)
            offering, number, next_at = False, number + 1, cycle + interval
    return said


@given(
    latency=st.integers(1, 9),
    interval=st.integers(1, 4),
    depth=st.integers(1, 12),
    refill=st.sampled_from(("at_once", "next_edge")),
    seed=st.integers(0, 2**32),
    period_ps=st.integers(2, 10_000),
    start_ps=st.integers(0, 10_000),
)
def test_a_stage_is_the_pipeline_that_its_words_define(
    latency: int,
    interval: int,
    depth: int,
    refill: str,
    seed: int,
    period_ps: int,
    start_ps: int,
) -> None:
    stimulus = Stimulus(requests=40, seed=seed)
    found = handshakes(
        pipeline(latency, interval, depth, refill),
        stimulus,
        cycles=400,
        period_ps=period_ps,
        start_ps=start_ps,
    )
    expected = reference(latency, interval, depth, refill, stimulus, 401)
    assert (found.taken, found.given, found.items) == (
        expected.taken,
        expected.given,
        expected.items,
    )


@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 400), max_size=8))
def test_it_does_not_matter_where_a_run_is_cut(seed: int, cuts: list[int]) -> None:
    stimulus = Stimulus(requests=40, seed=seed)
    whole = handshakes(pipeline(3, 2, 2), stimulus, cycles=400)
    parts = model(pipeline(3, 2, 2), stimulus)
    found = Handshakes([], [], [], [])
    for cycle in sorted({*cuts, 400}):
        part = parts.advance(cycle)
        found.taken.extend(part.taken)
        found.given.extend(part.given)
        found.items.extend(part.items)
        found.values.extend(part.values)
    assert found == whole


@given(
    latency=st.integers(1, 9),
    interval=st.integers(1, 4),
    depth=st.integers(1, 12),
    refill=st.sampled_from(("at_once", "next_edge")),
    seed=st.integers(0, 2**32),
)
def test_a_listener_changes_nothing_also_where_the_sink_is_always_ready(
    latency: int, interval: int, depth: int, refill: str, seed: int
) -> None:
    source = pipeline(latency, interval, depth, refill)
    stimulus = Stimulus(requests=40, seed=seed, ready=Always())
    alone = model(source, stimulus)
    heard = model(source, stimulus, listener=lambda event: None)
    assert alone.advance(400) == heard.advance(400)
    assert alone.is_over == heard.is_over


@pytest.mark.parametrize(
    ("stage", "in_turn"),
    (
        (clocked("x", 4), True),
        (clocked("x", 4, interval=0), False),
        (clocked("x", {"read": "2 cycles", "write": "3 cycles"}), False),
        (clocked("x", 4, batch=2), False),
        (clocked("x", 4, when=["read"]), False),
        (delay("x", "4 ns"), False),
    ),
)
def test_which_stage_lets_no_two_go_in_one_cycle(stage: StageDict, in_turn: bool) -> None:
    assert lets_go_in_turn(table([stage])) is in_turn


def test_a_path_of_several_stages_has_its_ends_as_ports() -> None:
    path: list[StageDict] = [
        clocked("a", 2, depth=2, queue=1),
        clocked("b", 3, depth=3, queue=1),
    ]
    said = handshakes(table(path), ALWAYS)
    assert said.taken == [0, 1, 2, 3, 4, 5]
    assert said.given == [cycle + 5 for cycle in said.taken]


def test_a_stage_without_a_clock_comes_out_at_the_next_edge() -> None:
    said = handshakes(table([delay("x", "7 ns")]), ALWAYS)
    # 7 ns are 2.25 cycles.
    assert said.taken == [0, 1, 2, 3, 4, 5]
    assert said.given == [3, 4, 5, 6, 7, 8]


class Pairs(Actor):
    """Lets two go together."""

    clocked = True

    def __init__(self, parameters: object) -> None:
        super().__init__(parameters)
        self._kept: list[Request] = []

    def arrive(self, request: Request, port: Port) -> None:
        """The second opens."""
        self._kept.append(request)
        if len(self._kept) == 2:
            for one in self._kept:
                port.emit(one, (("ordering", port.now_ps - one.arrived_ps),))
            self._kept.clear()


def test_an_actor_takes_what_arrives_at_it() -> None:
    source = table([clocked("x", 1)], behaviour={"x": Pairs})
    said = handshakes(source, ALWAYS)
    assert said.taken == [0, 1, 2, 3, 4, 5]
    assert said.given == [1, 2, 3, 4, 5, 6]


class Reverses(Actor):
    """Keeps three and lets them go, the last first."""

    clocked = True

    def __init__(self, parameters: object) -> None:
        super().__init__(parameters)
        self._kept: list[Request] = []

    def arrive(self, request: Request, port: Port) -> None:
        """The third opens."""
        self._kept.append(request)
        if len(self._kept) == 3:
            for one in reversed(self._kept):
                port.emit(one, (("ordering", port.now_ps - one.arrived_ps),))
            self._kept.clear()


def test_items_may_come_out_in_another_order() -> None:
    source = table([clocked("x", 1)], behaviour={"x": Reverses})
    said = handshakes(source, ALWAYS)
    assert said.items == [2, 1, 0, 5, 4, 3]
    assert said.values == said.items


def test_fields_are_what_requests_are() -> None:
    fields = {"initiator": 3, "order": 2, "service": 2, "fence": 1, "is_read": 1, "address": 6}
    stimulus = Stimulus(requests=50, offer=Always(), ready=Always())
    events: list[Submitted] = []
    made = model(
        pipeline(1),
        stimulus,
        fields,
        listener=lambda event: events.append(event) if isinstance(event, Submitted) else None,
    )
    made.advance(100)
    assert made.is_over
    items = stimulus.items(fields)
    orders, services = ("NO", "RO", "SO"), ("ROI", "ROT", "ROL", "UNO")
    assert [(e.initiator, e.order, e.service, e.fence, e.operation, e.address) for e in events] == [
        (
            values[0],
            orders[values[1]],
            services[values[2]],
            bool(values[3]),
            Operation.READ if values[4] else Operation.WRITE,
            values[5],
        )
        for values in (items[number] for number in range(50))
    ]


# -- what cannot be a model ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "fields", "what"),
    (
        (
            table(
                [clocked("a", 1), clocked("b", 1, clock="far")],
                clocks={"nic": "1 GHz", "far": "2 GHz"},
            ),
            {"id": 8},
            "under_test has the clocks nic or far; expected one beside a DUT, or one stage of it",
        ),
        (
            table([clocked("sink", 1)]),
            {"id": 8},
            "under_test has a stage 'sink'; expected another name beside a DUT",
        ),
        (
            table([clocked("x", 1)], messages={"send": {"request": "64 B", "response": "8 B"}}),
            {"is_read": 1},
            (
                "under_test has no read, and the field 'is_read' tells reads from writes; expected "
                "both among its operations: send"
            ),
        ),
    ),
)
def test_what_cannot_stand_beside_a_dut_is_told(
    source: Table, fields: dict[str, int], what: str
) -> None:
    with pytest.raises(CosimError) as error:
        model(source, ALWAYS, fields)
    assert str(error.value) == what


def test_one_stage_is_taken_with_its_clock() -> None:
    source = table(
        [clocked("a", 1), clocked("b", 7, clock="far"), delay("c", "1 ns")],
        clocks={"nic": "1 GHz", "far": "2 GHz"},
    )
    assert handshakes(one_stage(source, "b"), ALWAYS).given[0] == 7
    with pytest.raises(CosimError) as error:
        one_stage(source, "d")
    assert str(error.value) == "under_test has no stage 'd'; expected a, b or c"


# -- explanations -------------------------------------------------------------------------------


def maker(source: Table, stimulus: Stimulus) -> Callable[[Listener | None], Model]:
    return lambda listener: model(source, stimulus, listener=listener)


@pytest.mark.parametrize(
    ("item", "cycle", "waited"),
    (
        (0, 0, "x accepted it in this cycle"),
        (0, 2, "it was being served at x, until cycle 4"),
        (0, 4, "it left x in this cycle"),
        (0, 9, "it had left at cycle 4"),
        (2, 1, "it was offered from cycle 2 on, by the stimulus"),
        (2, 3, "it waited in front of x: resource:x.depth"),
        (2, 5, "it was being served at x, until cycle 8"),
    ),
)
def test_the_emulator_says_what_an_item_waited_for(item: int, cycle: int, waited: str) -> None:
    said = explain(maker(pipeline(4, depth=2), ALWAYS), lambda _: item, cycle)
    assert (said.item, said.waited) == (item, waited)


def test_it_says_where_an_item_was_from_when_to_when() -> None:
    said = explain(maker(pipeline(4, depth=2), ALWAYS), lambda _: 2, 3)
    (visit,) = said.stages
    assert (visit.arrived, visit.accepted, visit.emitted, visit.left) == (2, 4, 8, 8)
    assert visit.parts == {"service": "4 cycles", "resource:x.depth": "2 cycles"}
    assert str(visit) == (
        "x: arrived 2, accepted 4, finished 8, left 8 (service 4 cycles, resource:x.depth 2 cycles)"
    )


def test_it_says_who_is_inside_and_why() -> None:
    class Keeps(Actor):
        """Never lets go."""

        clocked = True

        def arrive(self, request: Request, port: Port) -> None:
            """Nothing."""

    source = table([clocked("x", 1)], behaviour={"x": Keeps})
    lines = waits_at(maker(source, Stimulus(requests=1, offer=Always())), 10)
    assert lines[0].endswith("with 1 request inside:")
    assert lines[1] == "  request 0 (read) at x is kept by the rules of that stage"


def test_pauses_of_the_source_are_not_made_up_for() -> None:
    stimulus = Stimulus(requests=30, seed=3, offer=Pauses(30), ready=Always())
    may_offer = Willing(Pauses(30).runs(Random(3, "offer.cycles")))
    expected, cycle = [], 0
    for _ in range(30):
        cycle = may_offer.first(cycle)
        expected.append(cycle)
        cycle += 1
    assert handshakes(pipeline(1), stimulus).taken == expected
