"""PCIe's order in front of a host's memory: who waits for whom, to the picosecond."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.actor import Actor, Port
from emu.request import Operation, Request
from emu.trace.events import Held, Kind
from stages.pcie_order import POSTED
from tests.build import READ, WRITE, Post, Run, delay, run, table

STORE, LOAD, SEND = Operation.STORE, Operation.LOAD, Operation.SEND
ADD, SWAP = Operation.FETCH_AND_ADD, Operation.COMPARE_AND_SWAP
MESSAGES = {
    word: {"request": "64 B", "response": "8 B"}
    for word in ("read", "write", "send", "atomic", "load", "store")
}


class Ways(Actor):
    """Takes as many nanoseconds as the address says."""

    def arrive(self, request: Request, port: Port) -> None:
        """Each by itself."""
        time_ps = 1000 * request.address
        parts = (("service", time_ps),) if time_ps else ()
        port.call_at(port.now_ps + time_ps, lambda: port.emit(request, parts))

    def on_paper(self, request: Request) -> dict[str, int]:
        """The same."""
        return {"service": 1000 * request.address}


def ordered(*load: Post, relaxed: list[str] | None = None, **how: Any) -> Run:
    """One gets to memory by ways of its own length, and is there when it has left memory."""
    order: dict[str, Any] = {"stage": "pcie_order", "name": "order", "until": "memory"}
    if relaxed is not None:
        order["relaxed"] = relaxed
    path = [order, delay("ways", "0 ns"), {**delay("memory", "1 ns"), "stage": "memory"}]
    return run(table(path, messages=MESSAGES, behaviour={"ways": Ways}), load, **how)


def there_ns(*load: tuple[Operation, int], **how: Any) -> list[int]:
    """When each has left memory, in ns: all come at once, each with its way in nanoseconds."""
    posts = [Post(0, operation, 8, way_ns) for operation, way_ns in load]
    return [time_ps // 1000 for time_ps in ordered(*posts, **how).completions_ps()]


@pytest.mark.parametrize("posted", POSTED)
def test_posted_writes_are_there_in_the_order_in_which_they_came(posted: Operation) -> None:
    assert there_ns((posted, 90), (WRITE, 10), (posted, 10)) == [91, 102, 113]


@pytest.mark.parametrize("operation", (READ, LOAD, ADD, SWAP))
def test_what_needs_an_answer_pushes_the_writes_before_it(operation: Operation) -> None:
    made = ordered(Post(0, WRITE, 8, 90), Post(0, WRITE, 8, 5), Post(5000, operation, 8, 10))
    # 91 and 6 ns for the writes, and 11 after that.
    assert made.completions_ps() == [91_000, 97_000, 108_000]
    assert made.parts_at(2, "order") == {"ordering": 92_000}
    assert sum(made.parts(2).values()) == 103_000


@pytest.mark.parametrize("operation", (READ, LOAD, ADD, SWAP))
def test_a_posted_write_passes_what_needs_an_answer(operation: Operation) -> None:
    assert there_ns((operation, 90), (operation, 40), (WRITE, 10)) == [91, 41, 11]


def test_reads_wait_for_no_reads_and_for_no_later_writes() -> None:
    assert there_ns((WRITE, 20), (READ, 50), (WRITE, 5), (READ, 1)) == [21, 72, 27, 29]


def test_a_relaxed_write_passes_the_writes_before_it() -> None:
    assert there_ns((SEND, 90), (WRITE, 10), relaxed=["write"]) == [91, 11]


def test_what_is_not_relaxed_waits_for_what_is() -> None:
    # It is the one behind that may pass, and not the one before that lets pass.
    assert there_ns((WRITE, 90), (SEND, 10), (READ, 1), relaxed=["write"]) == [91, 102, 104]


@pytest.mark.parametrize(
    ("relaxed", "add_ns", "swap_ns"),
    ((["atomic"], 6, 6), (["fetch_and_add"], 6, 97), (["write", "store"], 97, 97)),
)
def test_a_relaxed_atomic_carries_data_and_passes(
    relaxed: list[str], add_ns: int, swap_ns: int
) -> None:
    assert there_ns((SEND, 90), (ADD, 5), (SWAP, 5), relaxed=relaxed) == [91, add_ns, swap_ns]


def test_each_destination_is_a_host_of_its_own() -> None:
    made = ordered(
        Post(0, WRITE, 8, 90, 0, 0), Post(0, WRITE, 8, 10, 0, 1), Post(0, READ, 8, 5, 1, 1)
    )
    assert made.completions_ps() == [91_000, 11_000, 17_000]


def test_initiators_of_one_host_share_its_order() -> None:
    made = ordered(Post(0, WRITE, 8, 90, 0), Post(0, WRITE, 8, 10, 1), Post(0, READ, 8, 5, 2))
    assert made.completions_ps() == [91_000, 102_000, 108_000]


def test_it_says_behind_which_request_each_is_held() -> None:
    made = ordered(
        *(Post(0, WRITE, 8, way) for way in (50, 20)), Post(0, READ, 8, 1), Post(0, WRITE, 8, 1)
    )
    held = [(one.time_ps, one.request, one.behind) for one in made.events if isinstance(one, Held)]
    # Behind the last write before it; a write does not wait for the read before it.
    assert held == [(0, 1, 0), (0, 2, 1), (0, 3, 1)]
    assert made.times_ps(Kind.ACCEPTED, "order") == [0, 51_000, 72_000, 72_000]


def test_when_a_relaxed_write_is_there_those_behind_are_held_behind_the_one_before() -> None:
    load = [Post(0, SEND, 8, 50), Post(0, WRITE, 8, 20), Post(0, READ, 8, 1), Post(0, SEND, 8, 1)]
    made = ordered(*load, relaxed=["write"])
    held = [(one.time_ps, one.request, one.behind) for one in made.events if isinstance(one, Held)]
    assert held == [(0, 2, 1), (0, 3, 1), (21_000, 2, 0), (21_000, 3, 0)]
    assert made.completions_ps() == [51_000, 21_000, 53_000, 53_000]


def test_a_write_that_is_lost_is_waited_for_no_more() -> None:
    order = {"stage": "pcie_order", "name": "order", "until": "memory"}
    path = [
        order,
        delay("ways", "0 ns"),
        {
            **delay("memory", "10 ns"),
            "stage": "memory",
            "interval": "10 ns",
            "depth": 1,
            "queue": 1,
            "overflow": "drop",
        },
    ]
    source = table(path, messages=MESSAGES, behaviour={"ways": Ways})
    # Three reads fill memory and its queue, so the third and the first write are lost.
    load = [*(Post(0, READ) for _ in range(3)), Post(0, WRITE, 8, 1), Post(0, WRITE, 8, 15)]
    made = run(source, load)
    assert [one.sequence for one in made.dropped] == [2, 3]
    assert made.completions_ps() == [10_000, 20_000, -1, -1, 30_000]
    assert made.parts_at(4, "order") == {"ordering": 1000}


def test_alone_it_costs_nothing() -> None:
    made = ordered(Post(0, WRITE, 8, 0))
    assert made.completions_ps() == [1000]
    assert made.path.derived_ps(WRITE, 8) == 1000


OPERATIONS = st.sampled_from((READ, WRITE, SEND, ADD))
LOADS = st.lists(
    st.builds(
        Post,
        st.integers(0, 60).map(lambda time_ns: 1000 * time_ns),
        OPERATIONS,
        st.just(8),
        st.integers(0, 30),
        st.integers(0, 1),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=16,
)


@given(LOADS, st.sampled_from((None, ["write"], ["atomic"], ["send", "atomic"])))
def test_no_one_passes_whom_it_may_not_and_waits_for_no_one_else(
    load: list[Post], relaxed: list[str] | None
) -> None:
    made = ordered(*load, relaxed=relaxed)
    words = relaxed or []
    came = sorted(made.requests, key=lambda one: (one.submitted_ps, one.sequence))
    let_go_ps = made.times_ps(Kind.EMITTED, "order")
    for place, request in enumerate(came):
        is_relaxed = request.operation.value in words or (
            request.operation is ADD and "atomic" in words
        )
        before_ps = [
            one.completed_ps
            for one in came[:place]
            if one.operation in POSTED and one.destination == request.destination
        ]
        waits_for_ps = [] if is_relaxed else before_ps
        expected_ps = max([request.submitted_ps, *waits_for_ps])
        assert let_go_ps[request.sequence] == expected_ps, request.sequence
