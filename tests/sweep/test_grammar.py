"""`--vary`: what can be said, and what is said of anything else."""

import pytest

from emu.sweep import Axis, SweepError, read_axes


@pytest.mark.parametrize(
    ("text", "values"),
    (
        ("size=64", (64,)),
        ("size=8,64 B,4K,1MiB", (8, 64, 4096, 2**20)),
        ("size=8..64:x2", (8, 16, 32, 64)),
        ("size=16K..64K:x2", (16384, 32768, 65536)),
        ("size=0..100 B:+40 B", (0, 40, 80)),
        ("size=1.5K", (1536,)),
        ("size=64..128:x1.5", (64, 96)),
        ("size=8..64K:x16", (8, 128, 2048, 32768)),
        ("outstanding=1,4,16..48:+16", (1, 4, 16, 32, 48)),
        ("requests=10..1000:x10", (10, 100, 1000)),
        ("seed=0..3:+1", (0, 1, 2, 3)),
        ("op=read,write,atomic", ("read", "write", "atomic")),
        ("op = read , write", ("read", "write")),
        ("wire.latency=50 ns,100  ns", ("50 ns", "100 ns")),
        ("wire.latency=100 ns..300 ns:+100 ns", ("100 ns", "200 ns", "300 ns")),
        ("wire.latency=500 ns..2 us:x2", ("500 ns", "1000 ns", "2000 ns")),
        ("wire.latency=1 us..2 us:+500 ns", ("1 us", "1.5 us", "2 us")),
        ("wire.latency=0.25ns..1ns:x2", ("0.25 ns", "0.5 ns", "1 ns")),
        ("nic.latency=1 cycle..4 cycles:x2", ("1 cycles", "2 cycles", "4 cycles")),
        ("pcie.tags=16..64:x2,unlimited", ("16", "32", "64", "unlimited")),
        ("wire.bandwidth=50 GB/s..200 GB/s:x2", ("50 GB/s", "100 GB/s", "200 GB/s")),
        (
            "wire.latency={read: 1 ns, write: 2 ns},3 ns",
            ("{read: 1 ns, write: 2 ns}", "3 ns"),
        ),
    ),
)
def test_values(text: str, values: tuple[int | str, ...]) -> None:
    assert read_axes([text]) == (Axis(text.partition("=")[0].strip(), values),)


@pytest.mark.parametrize(
    ("text", "problem"),
    (
        (
            "size",
            (
                "this names no axis and values; expected NAME=VALUES, as in 'size=8..64K:x2' or "
                "'wire.latency=50 ns,100 ns'"
            ),
        ),
        (
            "sise=8",
            (
                "'sise' is no axis; expected size, outstanding, requests, seed, op or "
                "NAME.PARAMETER; did you mean 'size'?"
            ),
        ),
        ("size=8,,16", "there is nothing between two commas; expected a value"),
        ("size=8,8", "8 is there twice; expected each value once"),
        (
            "size=8..64",
            (
                "'8..64' has no step; expected xFACTOR or +STEP after it, as in '8..64K:x2' or "
                "'16..64:+16'"
            ),
        ),
        (
            "size=8..64:y2",
            (
                "'8..64:y2' has the step 'y2'; expected xFACTOR or +STEP after it, as in "
                "'8..64K:x2' or '16..64:+16'"
            ),
        ),
        (
            "size=8..64:xtwo",
            (
                "'two' is no factor; expected xFACTOR or +STEP after it, as in '8..64K:x2' or "
                "'16..64:+16'"
            ),
        ),
        (
            "size=8..64:x1",
            (
                "'8..64:x1' never gets anywhere; expected a step above 0, or a factor above 1 and "
                "a start above 0"
            ),
        ),
        (
            "size=0..64:x2",
            (
                "'0..64:x2' never gets anywhere; expected a step above 0, or a factor above 1 and "
                "a start above 0"
            ),
        ),
        ("size=64..8:x2", "'64..8:x2' ends before it starts; expected the lesser value first"),
        ("size=8..64:x1.5", "size 40.5 is not whole; expected a whole number"),
        (
            "size=8 BB",
            (
                "'8 BB' has the unknown unit 'BB'; expected one of B, KiB, MiB, GiB, KB, kB, MB or "
                "GB; did you mean 'B'?"
            ),
        ),
        ("outstanding=0", "outstanding 0 is too small; expected 1 or more"),
        ("outstanding=-4", "'-4' is no whole number; expected one, as in 'outstanding=16'"),
        ("outstanding=4 B", "'4 B' is no whole number; expected one, as in 'outstanding=16'"),
        ("outstanding=2.5", "outstanding 2.5 is not whole; expected a whole number"),
        (
            "seed=0..9999999:+1",
            "'0..9999999:+1' has over 1000000 values; expected fewer",
        ),
        (
            "op=reed",
            (
                "'reed' is no operation; expected read, write, send, fetch_and_add, "
                "compare_and_swap, load, store or atomic; did you mean 'read'?"
            ),
        ),
        (
            "op=read..write:+1",
            "'read..write:+1' is a range; expected operations, as in 'op=read,write'",
        ),
        (
            "wire.latency=short..long:x2",
            "'short' is no number with its unit; expected one, as in 'wire.latency=100 ns'",
        ),
        (
            "wire.latency=1 ns..4 B:x2",
            (
                "'1 ns..4 B:x2' has units of several kinds; expected one kind, as in "
                "'100 ns..1 us:+100 ns'"
            ),
        ),
        (
            "wire.latency=1 ns..4 ns:+1",
            (
                "'1 ns..4 ns:+1' has units of several kinds; expected one kind, as in "
                "'100 ns..1 us:+100 ns'"
            ),
        ),
        (
            "wire.latency=10 Gb/s..400 GB/s:+30 Gb/z",
            (
                "'10 Gb/s..400 GB/s:+30 Gb/z' has the unknown unit 'Gb/z'; expected one of ps, ns, "
                "us, µs, ms, s, cycle, cycles, B, KiB, MiB, GiB, KB, kB, MB, GB, Hz, kHz, MHz, "
                "GHz, B/s, KB/s, MB/s, GB/s, TB/s, GiB/s, Mb/s, Gb/s or Tb/s; did you mean 'Gb/s'?"
            ),
        ),
    ),
)
def test_errors(text: str, problem: str) -> None:
    with pytest.raises(SweepError) as caught:
        read_axes([text])
    assert str(caught.value) == f"--vary {text}: {problem}"


def test_all_errors_come_at_once() -> None:
    with pytest.raises(SweepError) as caught:
        read_axes(["size=8", "size=16", "outstanding=0,1,x"])
    assert str(caught.value).splitlines() == [
        "--vary size=16: size is varied twice; expected each axis once",
        "--vary outstanding=0,1,x: outstanding 0 is too small; expected 1 or more",
        "--vary outstanding=0,1,x: 'x' is no whole number; expected one, as in 'outstanding=16'",
    ]
