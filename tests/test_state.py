import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.state import (
    RECORD_BYTES,
    StateError,
    groups,
    most_that_fit,
    per_pair,
    private,
    shared,
    ub,
)

MIB = 2**20
COUNTS = st.integers(1, 10_000)


def test_a_thousand_applications_and_peers() -> None:
    assert per_pair(1024, 1024).bytes() == 536_903_680
    assert ub(1024, 1024).bytes() == 110_592


@given(n=COUNTS, m=COUNTS)
def test_pairs_as_the_chapter_counts_them(n: int, m: int) -> None:
    assert per_pair(n, m).bytes() == 512 * n * m + 32 * n
    assert ub(n, m).bytes() == 52 * n + 56 * m


@given(ends=COUNTS, to=COUNTS, k=st.integers(1, 64))
def test_transports_as_the_chapter_counts_them(ends: int, to: int, k: int) -> None:
    e, r, t = 256, 64, 1024
    assert private(ends, to).bytes() == ends * e + ends * to * (r + t)
    assert shared(ends, to).bytes() == ends * e + ends * to * r + to * t
    assert groups(ends, to, k).bytes() == ends * e + ends * to * r + k * to * t


def test_64_endpoints_and_128_destinations() -> None:
    assert private(64, 128).bytes() == 8_929_280
    assert shared(64, 128).bytes() == 671_744
    assert most_that_fit(lambda k: groups(64, 128, k), 2 * MIB) == 11


def test_what_one_mib_holds() -> None:
    assert most_that_fit(lambda n: per_pair(n, n), MIB) == 45
    assert most_that_fit(lambda n: ub(n, n), MIB) == 9709


def test_sizes_can_be_others() -> None:
    full = {**RECORD_BYTES, "jetty": 48}
    assert ub(10, 1).bytes(full) == 10 * 80 + 56


@given(memory=st.integers(0, 10_000), jetty=st.integers(0, 300), channel=st.integers(1, 300))
def test_one_more_than_fits_does_not_fit(memory: int, jetty: int, channel: int) -> None:
    sizes = {"jetty": jetty, "segment": 0, "channel": channel}
    most = most_that_fit(lambda n: ub(n, n), memory, sizes)
    assert most == 0 or ub(most, most).bytes(sizes) <= memory
    assert ub(most + 1, most + 1).bytes(sizes) > memory


def test_records_without_bytes_fit_without_end() -> None:
    with pytest.raises(StateError, match="any number fits"):
        most_that_fit(lambda n: ub(n, n), MIB, dict.fromkeys(RECORD_BYTES, 0))
