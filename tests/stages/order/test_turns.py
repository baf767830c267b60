"""Turns: who is served when, against a cursor that is moved cycle by cycle."""

from hypothesis import given
from hypothesis import strategies as st

from stages.order.turns import RoundRobin, Scan


def test_round_robin_goes_on_after_the_last() -> None:
    turns = RoundRobin()
    served = []
    for ready in ([2, 5], [2, 5], [2, 5], [0, 5, 9], [0, 5, 9], [0, 1]):
        edge, lane = turns.first(ready, 7)
        assert edge == 7
        turns.serve(lane, 7, 1)
        served.append(lane)
    assert served == [2, 5, 2, 5, 9, 0]


@given(
    st.integers(1, 20),
    st.lists(
        st.tuples(
            st.integers(0, 30),
            st.sampled_from(("serve", "stand", "ask")),
            st.sets(st.integers(0, 19), min_size=1),
            st.integers(1, 5),
        ),
        max_size=20,
    ),
)
def test_a_scan_is_where_a_cursor_would_be(
    lanes: int, steps: list[tuple[int, str, set[int], int]]
) -> None:
    scan = Scan(lanes)
    edge = cursor = 0
    for pause, what, wanted, cycles in steps:
        edge, cursor = edge + pause, (cursor + pause) % lanes
        ready = sorted({lane % lanes for lane in wanted})
        if what == "stand":
            scan.stand(cycles)
            edge += cycles
            continue
        found = scan.first(ready, edge)
        looked, at = edge, cursor
        while at not in ready:
            looked, at = looked + 1, (at + 1) % lanes
        assert found == (looked, at)
        if what == "serve":
            scan.serve(at, looked, cycles)
            # The look moves the cursor on, and then the packet is sent.
            edge, cursor = looked + cycles, (at + 1) % lanes
