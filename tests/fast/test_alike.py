from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from emu.fast.alike import CHUNK, NEVER_PS, alike
from emu.fast.refusal import RefusalError
from emu.random import Random
from emu.request import Operation
from emu.workload import Access, Chain, Closed, Timed, stepping
from emu.workload.arrivals import Arrivals, at_fixed_rate
from emu.workload.choice import Constant, InTurn
from emu.workload.stream import Slots, Stream, staying
from tests.build import READ, WRITE


def test_a_closed_loop_of_several_streams_is_one_of_as_many_requests() -> None:
    load = alike(Closed([staying(READ, 64, initiator) for initiator in range(3)], 5, 700))
    assert (load.kind, load.outstanding, load.start_ps, load.left) == ((READ, 64), 15, 700, None)


def test_a_stream_that_ends_limits_the_run() -> None:
    load = alike(Closed([stepping(WRITE, 8, 20)], 5))
    assert (load.kind, load.outstanding, load.left) == ((WRITE, 8), 5, 20)


def test_chains_have_one_request_open_each() -> None:
    load = alike(Chain(Operation.LOAD, 64, Random(1, "chain"), chains=7, nodes=4))
    assert (load.kind, load.outstanding, load.start_ps) == ((Operation.LOAD, 64), 7, 0)


def test_arrivals_come_in_chunks() -> None:
    load = alike(Timed(Arrivals(at_fixed_rate(Fraction(3 * 10**11)), staying(READ, 64))))
    assert (load.kind, load.outstanding) == ((READ, 64), 0)
    first, second = next(load.chunks), next(load.chunks)
    assert first[:4].tolist() == [0, 3, 6, 10]
    assert len(first) == len(second) == CHUNK
    assert second[0] == CHUNK * 10 // 3


def test_posts_beyond_63_bits_never_come() -> None:
    posts = [(at_ps, Access(READ, 64, 0)) for at_ps in (5, 2**61 + 1, 2**80)]
    assert next(alike(Timed(posts)).chunks).tolist() == [5, NEVER_PS, NEVER_PS]


def test_a_replay_knows_which_posts_bear_marks() -> None:
    accesses = [
        *(Access(READ, 64, 0), Access(READ, 64, 64, order="SO"), Access(READ, 64, 0)),
        *(Access(READ, 64, 8, service="ROL"), Access(READ, 64, 8, fence=True)),
    ]
    assert alike(Timed(list(zip(count(), accesses)))).marked.tolist() == [0, 1, 0, 1, 1]


MIXED = Stream([(READ, 64), (READ, 8)], InTurn(2), Slots(Constant(0), 64), Constant(0), Constant(0))


@pytest.mark.parametrize(
    ("workload", "reason"),
    (
        (Closed([MIXED], 4), "requests of several kinds, or none"),
        (Closed([], 4), "requests of several kinds, or none"),
        (Timed([]), "requests of several kinds, or none"),
        (
            Timed([(0, Access(READ, 64, 0)), (0, Access(WRITE, 64, 0))]),
            "requests of several kinds, or none",
        ),
        (Closed([iter([Access(READ, 64, 0)])], 4), "accesses of its own making"),
        (Timed(iter([(0, Access(READ, 64, 0))])), "accesses of its own making"),
        (
            Closed([staying(READ, 64), staying(READ, 64, 2)], 4),
            "streams that end, or are not of one initiator each",
        ),
        (
            Closed([staying(READ, 64), stepping(READ, 64, 9)], 4),
            "streams that end, or are not of one initiator each",
        ),
    ),
)
def test_what_may_differ_is_refused(workload: Any, reason: str) -> None:
    with pytest.raises(RefusalError, match=f"the workload has {reason}"):
        alike(workload)


def test_a_workload_of_another_kind_is_refused() -> None:
    with pytest.raises(RefusalError, match="the workload is a dict, which posts as it likes"):
        alike({})
