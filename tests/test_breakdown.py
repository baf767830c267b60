import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.breakdown import BreakdownError, Ledger, charge_wait, of_request, ordered, total
from tests.build import READ, WRITE, Post, clocked, delay, posts, run, station, table

TAG, SLOT = "tag", "slot"


@pytest.mark.parametrize(
    ("first_ps", "interval_ps", "blocked", "expected"),
    (
        # A wait from 100 to 200.
        (0, 0, [], [("alignment", 100)]),
        (0, 150, [], [("interval", 50), ("alignment", 50)]),
        (130, 150, [], [("arbitration", 30), ("interval", 20), ("alignment", 50)]),
        (150, 130, [], [("arbitration", 50), ("alignment", 50)]),
        (100, 100, [], [("alignment", 100)]),
        (200, 200, [], [("arbitration", 100)]),
        (300, 300, [], [("arbitration", 100)]),
        (0, 300, [], [("interval", 100)]),
        (0, 0, [(0, 90, TAG)], [("alignment", 100)]),
        (0, 0, [(0, 100, TAG)], [("alignment", 100)]),
        (0, 0, [(0, 140, TAG)], [("resource:tag", 40), ("alignment", 60)]),
        (0, 0, [(0, 300, TAG)], [("resource:tag", 100)]),
        (0, 0, [(200, 300, TAG)], [("alignment", 100)]),
        (
            130,
            150,
            [(110, 120, TAG), (120, 125, SLOT), (140, 145, TAG), (160, 200, SLOT)],
            [
                ("arbitration", 10),
                ("resource:tag", 10),
                ("resource:slot", 5),
                ("arbitration", 5),
                ("interval", 10),
                ("resource:tag", 5),
                ("interval", 5),
                ("alignment", 10),
                ("resource:slot", 40),
            ],
        ),
    ),
)
def test_a_wait_is_charged_to_the_first_that_is_unmet(
    first_ps: int,
    interval_ps: int,
    blocked: list[tuple[int, int, str]],
    expected: list[tuple[str, int]],
) -> None:
    assert charge_wait(100, first_ps, interval_ps, 200, blocked) == expected


times = st.integers(0, 60)


@given(times, times, times, times, st.lists(st.integers(0, 60), max_size=8))
def test_every_moment_of_a_wait_is_charged_once(
    arrived_ps: int, length_ps: int, first_ps: int, interval_ps: int, cuts: list[int]
) -> None:
    accepted_ps = arrived_ps + length_ps
    cuts = sorted(set(cuts))
    blocked = [(a, b, TAG) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    pieces = charge_wait(arrived_ps, first_ps, interval_ps, accepted_ps, blocked)
    moments: list[str] = []
    for part, time_ps in pieces:
        assert time_ps > 0
        moments += [part] * time_ps
    expected = []
    for at_ps in range(arrived_ps, accepted_ps):
        if any(a <= at_ps < b for a, b, _ in blocked):
            expected.append("resource:tag")
        elif at_ps < first_ps:
            expected.append("arbitration")
        else:
            expected.append("interval" if at_ps < interval_ps else "alignment")
    assert moments == expected


PATH = [
    clocked("x", 3, 2),
    delay("y", {"read": "5 ns", "write": "7 ns"}),
    station("z", "1 ns", interval="4 ns"),
]


def test_a_request_has_a_breakdown_for_each_stage() -> None:
    made = run(table(PATH), posts(0, 0))
    assert of_request(made.requests[1]) == [
        {"service": 3000, "interval": 2000},
        {"service": 5000},
        {"service": 1000, "interval": 2000},
    ]


def test_a_ledger_sums_by_stage_and_by_part() -> None:
    made = run(table(PATH), [Post(0), Post(0, WRITE), Post(50_500)])
    ledger = Ledger()
    for request in made.completed:
        ledger.close(request)
    assert ledger.by_stage() == {
        "x": {"service": 9000, "interval": 2000, "alignment": 500},
        "y": {"service": 17_000},
        "z": {"service": 3000},
    }
    assert list(ledger.by_stage()) == ["x", "y", "z"]
    assert ledger.parts() == {"service": 29_000, "interval": 2000, "alignment": 500}
    assert sum(ledger.parts().values()) == sum(r.latency_ps for r in made.completed)


def test_a_ledger_of_nothing_is_empty() -> None:
    assert Ledger().by_stage() == {}
    assert Ledger().parts() == {}


@pytest.mark.parametrize("off_ps", (-1, 1))
def test_a_ledger_refuses_a_request_whose_parts_do_not_sum(off_ps: int) -> None:
    request = run(table(PATH), posts(0)).requests[0]
    request.charges.append((0, "service", off_ps))
    ledger = Ledger()
    with pytest.raises(BreakdownError) as error:
        ledger.close(request)
    assert str(error.value) == (
        f"request 0 (read, 64 B): the parts sum to {9000 + off_ps} ps, and it took 9000 ps"
    )


def test_parts_are_shown_in_one_order_and_never_empty() -> None:
    parts = {
        "rounding": -3,
        "resource:tag": 1,
        "backpressure": 2,
        "alignment": 3,
        "interval": 4,
        "arbitration": 5,
        "cache_miss": 6,
        "serialisation": 7,
        "beats": 0,
        "resource:slot": 8,
        "service": 9,
    }
    assert list(ordered(parts).items()) == [
        ("service", 9),
        ("serialisation", 7),
        ("cache_miss", 6),
        ("arbitration", 5),
        ("interval", 4),
        ("alignment", 3),
        ("backpressure", 2),
        ("resource:slot", 8),
        ("resource:tag", 1),
        ("rounding", -3),
    ]


def test_a_total_adds_part_by_part() -> None:
    assert total([{"service": 1, "rounding": -1}, {"rounding": 1}, {"service": 2}]) == {
        "service": 3
    }
    assert total([]) == {}


def test_an_early_end_leaves_out_the_stages_behind() -> None:
    made = run(table(PATH), posts(0))
    request = made.requests[0]
    ended = request.plan.ending_at(1)
    assert [hop.name for hop in ended.hops] == ["x", "y"]
    assert ended.derived_ps == 8000
    assert request.plan.ending_at(1) is ended
    assert made.path.plan(READ, 64).derived_ps == 9000
