"""What is outstanding: known one by one, or counted."""

import pytest

from emu.request import Request
from stages.order.outstanding import outstanding
from tests.stages.requests import request


def of(initiator: int) -> Request:
    made = request()
    made.initiator = initiator
    return made


@pytest.mark.parametrize("by_request", (True, False))
def test_the_last_is_known_until_all_before_it_have_been_answered(by_request: bool) -> None:
    sent = outstanding(by_request)
    first, second, other = of(1), of(1), of(2)
    assert sent.last(1) is None
    for one in (first, second, other):
        sent.add(one)
        assert one in sent
    assert (sent.last(1), sent.last(2)) == (second, other)
    sent.answer(1, None)
    assert sent.last(1) is second
    sent.answer(1, None)
    assert sent.last(1) is None
    assert second not in sent
    # There is none to answer, and that is not owed.
    sent.answer(1, None)
    sent.add(first)
    assert sent.last(1) is first
    assert sent.last(2) is other


def test_known_ones_are_answered_in_any_order() -> None:
    sent = outstanding(answered_by_request=True)
    first, second, third = (of(1) for _ in range(3))
    for one in (first, second, third):
        sent.add(one)
    sent.answer(1, third)
    assert sent.last(1) is second
    sent.answer(1, third)
    sent.answer(1, first)
    assert sent.last(1) is second
    assert third not in sent
