"""Who comes last before whom, of those that are not done."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from stages.order.ledger import Ledger
from tests.stages.requests import request


def test_the_last_one_before_that_is_not_done() -> None:
    ledger = Ledger()
    first, second, third = request(), request(), request()
    for number, one in enumerate((first, second, third)):
        ledger.add(number, one)
    assert ledger.before(2) is second
    ledger.done(1)
    assert ledger.before(2) is first
    assert ledger.before(0) is None
    ledger.done(0)
    assert ledger.before(2) is None


def test_numbers_may_have_gaps() -> None:
    ledger = Ledger()
    one = request()
    ledger.add(7, one)
    assert ledger.before(7) is None
    ledger.add(12, request())
    assert ledger.before(12) is one
    ledger.done(12)
    ledger.done(7)
    assert ledger.before(20) is None


@given(st.lists(st.booleans()), st.randoms(use_true_random=False))
def test_it_is_the_greatest_number_below(adds: list[bool], draws: Random) -> None:
    ledger = Ledger()
    open_: dict[int, object] = {}
    added = 0
    for add in adds:
        if add or not open_:
            open_[added] = one = request()
            ledger.add(added, one)
            added += 1
        else:
            number = draws.choice(sorted(open_))
            del open_[number]
            ledger.done(number)
        asked = draws.randint(0, added)
        below = [number for number in open_ if number < asked]
        assert ledger.before(asked) is (open_[max(below)] if below else None)
