"""What compiled code posts is what the workload posts, whatever is answered when."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, repeat
from types import SimpleNamespace
from typing import Any, cast

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.fast.blocks import contents, fill, give_back, give_back_block
from emu.fast.codes import FAILED, OPERATIONS, ORDERS, SERVICES
from emu.fast.layout import POST, POST_T, REQUEST, WORLD, requests
from emu.fast.memory import view
from emu.fast.random import RANDOM
from emu.fast.refusal import RefusalError
from emu.fast.source import KINDS, answered, name_access, next_access, wants_more
from emu.fast.source_feed import make_source
from emu.random import Random
from emu.request import Operation, Request
from emu.workload import Access, Chain, Closed, Stream, Timed, Workload, staying, stepping
from emu.workload.arrivals import Arrivals, at_fixed_rate
from emu.workload.build import described
from emu.workload.choice import Constant, InTurn, Uniform, Weighted, Zipf
from emu.workload.read import read_workload
from emu.workload.stream import Addresses, Slots, SteppingAddresses
from tests.build import READ, WRITE
from tests.properties.test_workloads import WORKLOADS

#: A step takes the next of what is posted at known times, or answers what a slot holds, or drops
#: that.
POSTS, ANSWERS, DROPS = range(3)
#: Time, -1 for an answer, and access; or that there is none.
Row = tuple[int, ...]
NOTHING: Row = (-1,) * 9

SAME = Constant(0)


class Told:
    """A workload of the reference: steps drawn at random, and what it posts in each."""

    def __init__(self, workload: Workload, count: int, seed: int = 1) -> None:
        self.steps: list[tuple[int, int]] = []
        self.rows: list[Row] = []
        self._workload = workload
        self._posts = workload.posts()
        #: By slot what is open there; and the slots of all that is.
        self._open: list[Access | None] = []
        self._slots: list[int] = []
        # What is posted first is so before anything is answered.
        self._has_first = not isinstance(workload, Timed)
        dice = random.Random(seed)
        for _ in range(count):
            if self._slots and not self._has_first and dice.random() < 0.7:
                self._answer(dice.choice(self._slots), ANSWERS if dice.random() < 0.8 else DROPS)
            else:
                self._post()

    def _post(self) -> None:
        at_ps, access = next(self._posts, (-1, None))
        self._has_first &= access is not None
        self.steps.append((POSTS, len(self._open)))
        self._slots.append(len(self._open))
        self._open.append(None)
        self._note(at_ps, access)

    def _answer(self, slot: int, how: int) -> None:
        access = self._open[slot]
        request = SimpleNamespace(
            **access._asdict() if access is not None else {},
            completed_ps=0 if how == ANSWERS else -1,
        )
        self.steps.append((how, slot))
        self._note(-1, self._workload.answered(cast(Request, request)))

    def _note(self, at_ps: int, access: Access | None) -> None:
        slot = self.steps[-1][1]
        self._open[slot] = access
        if access is None:
            self._slots.remove(slot)
            self.rows.append(NOTHING)
            return
        operation, size_bytes, address, initiator, destination, order, service, fence, *_ = access
        codes = ORDERS.index(order), SERVICES.index(service), int(fence)
        where = address, initiator, destination
        self.rows.append((at_ps, OPERATIONS.index(operation), size_bytes, *where, *codes))


class Compiled:
    """The same of compiled code; what Python gives comes `chunk` at a time."""

    def __init__(self, workload: Any, slots: int, chunk: int = 1000) -> None:
        self.worlds = np.zeros(1, WORLD)
        self.world = self.worlds[0]
        self._chunk = chunk
        self._sources: list[Any] = []
        self._randoms: list[int] = []
        self.feed = make_source(workload, self)
        fill(self.world["source"], np.concatenate(self._sources))
        fill(self.world["randoms"], np.array(self._randoms, RANDOM))
        fill(self.world["requests"], np.zeros(slots, REQUEST))

    def add(self, block: str, record: Any) -> int:
        """A record of the world."""
        assert block == "source"
        self._sources.append(record)
        return 0

    def random(self, random: Random) -> int:
        """The place of a generator."""
        self._randoms.append(random.state)
        return len(self._randoms) - 1

    def rows(self, steps: list[tuple[int, int]]) -> list[Row]:
        """What it posts in each step."""
        out = np.full((len(steps), len(NOTHING)), -1)
        listed = np.array(steps)
        at = play(self.worlds, listed, 0, out)
        while at < len(steps) and self.world["status"] != FAILED:
            self.feed.refill(self.world)
            if steps[at][0] == POSTS and self.world["next_post"] == self.world["posts"]["count"]:
                give_back_block(self.world["posts"])
                chunk = self.feed.chunk(self._chunk)
                assert len(chunk) <= self._chunk
                fill(self.world["posts"], chunk)
                self.world["next_post"] = 0
                # There may be no more.
                at += not len(chunk)
            at = play(self.worlds, listed, at, out)
        return [tuple(row) for row in out.tolist()]

    def close(self) -> None:
        """Gives its memory back."""
        give_back(self.worlds, {**KINDS, "requests": REQUEST, "posts": POST, "randoms": RANDOM})


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def play(worlds: Any, steps: Any, at: int, out: Any) -> int:
    """Goes on from a step until something is wanted; gives the step for which it is."""
    world = worlds[0]
    while at < len(steps):
        what, slot = steps[at]
        time_ps = -1
        if wants_more(world):
            break
        if what == POSTS:
            if world.next_post == world.posts.count:
                break
            post = view(world.posts, POST_T)[world.next_post]
            world.next_post += 1
            time_ps = post.time_ps
            found = True
            if post.stream >= 0:
                found = next_access(world, post.stream)
            else:
                name_access(world, post)
        else:
            found = answered(world, slot, what == DROPS)
        if found:
            row = out[at]
            row[0] = time_ps
            row[1], row[2], row[3] = world.operation, world.size_bytes, world.address
            row[4], row[5] = world.initiator, world.destination
            row[6], row[7], row[8] = world.order, world.service, world.fence
            request = requests(world)[slot]
            request.address, request.initiator = world.address, world.initiator
        at += 1
    return at


def check(make: Callable[[], Any], count: int, seed: int = 1, chunk: int = 1000) -> list[Row]:
    """Two equal workloads, one compiled, post the same; gives what that is."""
    told = Told(make(), count, seed)
    compiled = Compiled(make(), count, chunk)
    assert compiled.rows(told.steps) == told.rows
    compiled.close()
    return told.rows


def made(text: str, seed: int = 1) -> Workload:
    return described(*read_workload(text), (READ, 64), seed, None).workload


MIX = "[{operation: read, bytes: 64 B, weight: 3}, {operation: write, bytes: 5 KB, weight: 2}]"
UNIFORM, ZIPF = "{count: 1000, choose: uniform}", "{count: 1000, choose: zipf, exponent: 0.99}"


@pytest.mark.parametrize(
    "text",
    (
        "{kind: burst}",
        f"{{kind: burst, mix: {MIX}, initiators: {UNIFORM}, destinations: {ZIPF}}}",
        f"{{kind: open, rate: 3.000001 G/s, addresses: {ZIPF}}}",
        f"{{kind: open, rate: 130 M/s, arrivals: poisson, destinations: {UNIFORM}}}",
        f"{{kind: closed, outstanding: 1, initiators: 5, mix: {MIX}, destinations: {UNIFORM}}}",
        "{kind: closed, outstanding: 9, initiators: 7, destinations: {count: 4, choose: by_round}}",
        f"{{kind: closed, outstanding: 3000, per: all, initiators: {ZIPF}, addresses: {UNIFORM}}}",
        "{kind: chain, chains: 3, nodes: 1000, initiators: 2}",
    ),
)
def test_the_first_ten_thousand(text: str) -> None:
    rows = check(lambda: made(text), 10_000)
    assert sum(row != NOTHING for row in rows) > 5000


@given(WORKLOADS, st.integers(0, 3), st.integers(0, 2**32), st.integers(1, 50))
def test_every_workload(spec: Any, seed: int, dice: int, chunk: int) -> None:
    check(lambda: described(spec, {}, (READ, 64), seed, None).workload, 100, dice, chunk)


@st.composite
def makers(draw: st.DrawFn) -> Callable[[], list[Stream]]:
    """Streams of one initiator each that share choices and generators, and have been drawn from."""
    count = draw(st.integers(1, 4))
    indices = st.integers(0, 4)
    choices = [(draw(indices), draw(indices)) for _ in range(count)]
    where = [draw(st.integers(0, 2)) for _ in range(count)]
    lefts = [draw(st.none() | st.integers(0, 20)) for _ in range(count)]
    drawn = [draw(st.integers(0, 10)) for _ in range(count)]

    def make() -> list[Stream]:
        one, other = Random(1, "x"), Random(2, "x")
        of = (
            InTurn(3, 2),
            Uniform(3, one),
            Zipf(3, 0.99, one),
            Weighted([1, 5, 2], other),
            Constant(2),
        )
        addresses: list[Addresses] = [SteppingAddresses(), Slots(of[0], 64), Slots(of[2], 4096)]
        kinds = [(READ, 64), (WRITE, 1), (Operation.SEND, 4096)]
        streams = []
        for number, (kind, destination) in enumerate(choices):
            at, left = addresses[where[number]], lefts[number]
            initiator = Constant(number)
            streams.append(Stream(kinds, of[kind], at, initiator, of[destination], left))
        for stream, times in zip(streams, drawn, strict=True):
            list(islice(stream, times))
        return streams

    return make


@given(makers(), st.integers(1, 5), st.integers(0, 2**32))
def test_streams_that_share_choices(
    make: Callable[[], list[Stream]], outstanding: int, dice: int
) -> None:
    check(lambda: Closed(make(), outstanding, 7), 100, dice, 3)


MARKED = [
    Access(WRITE, 64, 64 * n, n % 3, n % 5, ORDERS[n % 4], SERVICES[n % 5], n % 2 == 0)
    for n in range(20_000)
]
MARKED_AT = [(n // 3, access) for n, access in enumerate(MARKED)]


@pytest.mark.parametrize("chunk", (1, 7, 1000))
@pytest.mark.parametrize(
    "make",
    (
        lambda: Timed(MARKED_AT),
        lambda: Timed(iter(MARKED_AT)),
        lambda: Timed(iter(MARKED_AT[:20])),
        lambda: Timed(Arrivals(at_fixed_rate(Fraction(10**9)), stepping(READ, 64, 1000))),
        lambda: Closed([iter(MARKED)], 30, 5),
        lambda: Closed([iter(MARKED[:20])], 30),
        lambda: Closed([repeat(MARKED[9])], 4),
        lambda: Closed([staying(READ, 8, 0), staying(WRITE, 9, 1)], 4),
    ),
)
def test_what_python_gives(make: Callable[[], Workload], chunk: int) -> None:
    rows = check(make, 100 if chunk == 1 else 12_000, chunk=chunk)
    assert rows[0] != NOTHING


def test_nothing_at_all() -> None:
    for workload in (Timed([]), Timed(iter(())), Closed([], 3), Closed([stepping(READ, 64, 0)], 3)):
        assert len(Compiled(workload, 1).feed.chunk(10)) == 0


def test_streams_of_so_many_requests() -> None:
    rows = check(lambda: Closed([stepping(READ, 64, 5)], 8), 50)
    assert len([row for row in rows if row != NOTHING]) == 5


def test_nothing_is_drawn_before_it_is_asked_for() -> None:
    accesses = iter(MARKED)
    feed = Compiled(Closed([accesses], 4), 1).feed
    assert next(accesses) == MARKED[0]
    assert feed.kinds == []
    posts = ((0, access) for access in MARKED)
    Compiled(Timed(posts), 1)
    assert next(posts) == (0, MARKED[0])


def test_what_may_be_drawn() -> None:
    assert Compiled(made(f"{{kind: burst, mix: {MIX}}}"), 1).feed.kinds == [
        (READ, 64),
        (WRITE, 5000),
    ]
    assert Compiled(made("{kind: chain}"), 1).feed.kinds == [(READ, 64)]


def test_the_first_of_streams_that_end() -> None:
    """All first posts, in turns, with those left out that have none."""
    streams = [stepping(READ, 64, left) for left in (2, 0, 1)]
    for number, stream in enumerate(streams):
        stream.initiators = Constant(number)
    feed = Compiled(Closed(streams, 5, 3), 1).feed
    rows = [feed.chunk(2) for _ in range(3)]
    assert [row["stream"].tolist() for row in rows] == [[0, 2], [0], []]
    assert {time_ps for row in rows for time_ps in row["time_ps"].tolist()} == {3}


def test_a_slow_rate_goes_as_far_as_times_do() -> None:
    times = at_fixed_rate(Fraction(1, 10**6))
    feed = Compiled(Timed(Arrivals(times, stepping(READ, 64))), 1).feed
    # No run comes as far as 2**61.
    assert feed.chunk(5)["time_ps"].tolist() == [0, 10**18, 2 * 10**18, 2**61, 2**61]


def test_given_accesses_that_run_out_are_no_end() -> None:
    compiled = Compiled(Closed([repeat(MARKED[0])], 1), 1)
    compiled.feed.refill(compiled.world)
    source = contents(compiled.world["source"], KINDS["source"])[0]
    source["taken"] = source["given"]["count"]
    out = np.full((1, len(NOTHING)), -1)
    source["least_given"] = 0
    play(compiled.worlds, np.array([(ANSWERS, 0)]), 0, out)
    assert compiled.world["status"] == FAILED


class Other(Closed):
    """A workload of another's making."""


def of_choice(choice: Iterator[int], addresses: Addresses | None = None) -> Closed:
    return Closed([Stream([(READ, 64)], SAME, addresses or SteppingAddresses(), choice, SAME)], 1)


TWICE = stepping(READ, 64)


@pytest.mark.parametrize(
    ("workload", "why"),
    (
        (Other([stepping(READ, 64)], 1), "is of the class Other, which posts as it likes"),
        (
            Closed([stepping(READ, 64), iter(MARKED)], 1),
            "has several iterators that may draw from one another",
        ),
        (
            Closed([stepping(READ, 64), staying(READ, 64, 2)], 1),
            "has streams that are not of one initiator each",
        ),
        (Closed([TWICE, TWICE], 1), "has one stream twice"),
        (Closed([stepping(READ, 64)], 1, 2**60), "posts at 1152921.504606846976 s or later"),
        (of_choice(iter([1])), "chooses by a list_iterator of its own making"),
        (of_choice(SAME, lambda size_bytes: 0), "has addresses of its own making"),
        (of_choice(SAME, Slots(InTurn(2**30), 2**32)), "has numbers of more than 62 bits"),
        (of_choice(Constant(2**63)), "has numbers of more than 63 bits"),
        (Closed([stepping(READ, 2**32 + 1)], 1), f"has accesses of more than {2**32} B"),
        (Timed([(0, Access(WRITE, 8, 0, operand=1))]), "brings values to memory"),
        (Timed([(0, Access(READ, 8, 2**63))]), "has numbers of more than 63 bits"),
        (Timed([(2**60, Access(READ, 8, 0))]), "posts at 1152921.504606846976 s or later"),
        (Timed([(0, Access(READ, 8, 2**62))]), "has numbers of more than 62 bits"),
        (Chain(READ, 2**59, Random(1, "x"), nodes=8), f"is a chain through {2**59} B each"),
    ),
)
def test_what_is_left_to_the_reference(workload: Any, why: str) -> None:
    with pytest.raises(RefusalError) as error:
        Compiled(workload, 1)
    assert str(error.value) == f"the workload {why}"
