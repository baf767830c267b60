import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path as FilePath
from typing import Any

import pytest

from emu.engines import ENGINES, Engine, EngineError
from emu.errors import EmuError, RunError
from emu.histogram import Histogram
from emu.kernel import Kernel
from emu.path import Path, PathError
from emu.request import Request
from emu.run import Access, ClosedLoop, run_closed_loop, run_on, stepping
from emu.workload import Closed, Timed
from emu.workload.arrivals import Arrivals
from emu.workload.build import Described, closed_loop, described
from emu.workload.schema import OpenSpec
from tests.build import READ, WRITE, clocked, delay, station, table

PIPELINE = [clocked("x", 9, 2, depth=3), delay("y", "500 ps")]


def test_addresses_step_through_memory_by_the_size() -> None:
    assert list(stepping(WRITE, 64, 3)) == [
        Access(WRITE, 64, 0),
        Access(WRITE, 64, 64),
        Access(WRITE, 64, 128),
    ]


def test_each_completion_posts_the_next() -> None:
    done: list[tuple[int, int, int, int]] = []

    def note(request: Request) -> None:
        done.append((request.sequence, request.address, request.submitted_ps, request.completed_ps))

    loop = ClosedLoop(Path(table(PIPELINE)), stepping(READ, 64, 5), 2, on_complete=note)
    assert loop.posted == 2
    loop.run()
    assert done == [
        (0, 0, 0, 9500),
        (1, 64, 0, 11_500),
        (2, 128, 9500, 19_500),
        (3, 192, 11_500, 21_500),
        (4, 256, 19_500, 29_500),
    ]
    assert (loop.posted, loop.latency.count) == (5, 5)
    assert (loop.first_completion_ps, loop.last_completion_ps) == (9500, 29_500)


def test_a_loop_may_start_later() -> None:
    loop = ClosedLoop(Path(table(PIPELINE)), stepping(READ, 64, 2), 1, start_ps=10**15 + 1)
    loop.run()
    assert loop.first_completion_ps == 10**15 + 1000 + 9500
    assert loop.latency.largest == 10_499


def test_more_outstanding_than_there_is_to_do() -> None:
    report = Path(table(PIPELINE)).run(requests=2, outstanding=64)
    assert (report.posted, report.delivered, report.in_flight) == (2, 2, 0)


@pytest.mark.parametrize(
    ("given", "said"),
    (
        ({"requests": 0}, "requests is 0; expected a whole number, 1 or more"),
        ({"requests": -3}, "requests is -3; expected a whole number, 1 or more"),
        ({"requests": 2.5}, "requests is 2.5; expected a whole number, 1 or more"),
        ({"outstanding": 0}, "outstanding is 0; expected a whole number, 1 or more"),
        ({"size_bytes": -5}, "size_bytes is -5; expected a whole number, 0 or more"),
        ({"size_bytes": "64 B"}, "size_bytes is '64 B'; expected a whole number, 0 or more"),
        ({"operation": "raed"}, "operation is 'raed'; expected one of emu.Operation, as in READ"),
        ({"engine": "fsat"}, "'fsat' is no engine; expected auto, reference or fast; did you mean"),
        ({"engine": None}, "'None' is no engine; expected auto, reference or fast"),
    ),
)
def test_what_cannot_be_run_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(EmuError) as error:
        Path(table(PIPELINE)).run(**given)
    assert str(error.value).startswith(said)


def test_a_report_has_the_keys_that_scripts_read() -> None:
    report = Path(table(PIPELINE)).run(operation=WRITE, size_bytes=128, requests=4, outstanding=4)
    found = json.loads(json.dumps(report.as_json()))
    wall_s = found.pop("wall_s")
    assert isinstance(wall_s, float)
    assert wall_s >= 0
    # Accepted at 0, 2, 4 and 9 ns: three places, and the first comes free at 9 ns.
    expected = {
        "table": "under_test",
        "operation": "write",
        "bytes": 128,
        "requests": 4,
        "outstanding": 4,
        "engine": "reference",
        "latency_ps": {"mean": 13_250, "p50": 11_500, "p99": 18_500, "p999": 18_500, "max": 18_500},
        "rate_per_s": 3 * 10**12 / 9000,
        "posted": 4,
        "delivered": 4,
        "dropped": 0,
        "in_flight": 0,
        "parts": {
            "service": 38_000,
            "arbitration": 2000 + 4000,
            "interval": 2000 + 2000,
            "resource:x.depth": 5000,
        },
    }
    # There may be more keys; these are promised.
    assert {key: found[key] for key in expected} == expected


def test_parts_are_sums_over_what_was_delivered() -> None:
    report = Path(table(PIPELINE)).run(requests=50, outstanding=7)
    assert sum(report.parts.values()) == report.latency.sum
    assert sum(sum(parts.values()) for parts in report.stages.values()) == report.latency.sum
    assert report.derived_ps == 9500


@pytest.mark.parametrize(
    ("latency", "interval", "requests", "rate_per_s"),
    (
        ("10 ns", "0 ns", 11, 1e8),
        ("3 ns", "0 ns", 4, 1e12 / 3000),
        ("10 ns", "0 ns", 1, None),
        ("0 ns", "0 ns", 5, None),
    ),
)
def test_the_rate_is_between_the_first_completion_and_the_last(
    latency: str, interval: str, requests: int, rate_per_s: float | None
) -> None:
    report = Path(table([station("x", latency, interval=interval)])).run(requests=requests)
    assert report.rate_per_s == rate_per_s


def test_a_rate_under_load_is_that_of_the_slowest_stage() -> None:
    path = [clocked("x", 9), clocked("slow", 4, 6), clocked("y", 9)]
    report = Path(table(path)).run(requests=1000, outstanding=64)
    assert report.rate_per_s == 1e12 / 6000


def test_a_mean_is_whole_where_it_is() -> None:
    path = [station("x", "10 ns", interval="1 ns")]
    one = Path(table(path)).run(requests=3, outstanding=3).latencies_ps()
    assert (one["mean"], type(one["mean"])) == (11_000, int)
    two = Path(table(path)).run(requests=2, outstanding=2).latencies_ps()
    assert two["mean"] == 10_500


class InterruptedBy(Path):
    """A path of which somebody presses Ctrl-C when request 2 completes."""

    def kernel(self, complete: Callable[[Request], None], **how: Any) -> Kernel:
        """The kernel, its `complete` replaced."""

        def completed(request: Request) -> None:
            if request.sequence == 2:
                signal.raise_signal(signal.SIGINT)
            complete(request)

        return super().kernel(completed, **how)


def test_ctrl_c_gives_what_was_delivered() -> None:
    report = run_closed_loop(InterruptedBy(table(PIPELINE)), READ, 64, 10, 1)
    assert report.interrupted
    assert (report.posted, report.delivered, report.in_flight) == (4, 3, 1)
    assert sum(report.parts.values()) == report.latency.sum


def test_ctrl_c_means_what_it_did_once_the_run_is_over() -> None:
    before = signal.getsignal(signal.SIGINT)
    run_closed_loop(InterruptedBy(table(PIPELINE)), READ, 64, 10, 1)
    assert signal.getsignal(signal.SIGINT) is before


def interrupted_posts(at: int) -> Iterator[int]:
    """Times without end; somebody presses Ctrl-C when post number `at` is asked for."""
    for number in count():
        if number == at:
            signal.raise_signal(signal.SIGINT)
        yield number * 10_000


def test_ctrl_c_gives_what_the_fast_engine_delivered() -> None:
    workload = Timed(Arrivals(interrupted_posts(20_000), stepping(READ, 64)))
    before = signal.getsignal(signal.SIGINT)
    described = Described(workload, {"kind": "open"}, (READ, 64))
    report = run_on("fast", Path(table(PIPELINE)), described)
    assert signal.getsignal(signal.SIGINT) is before
    assert (report.engine, report.interrupted) == ("fast", True)
    assert report.posted == report.delivered + report.in_flight
    assert 8000 < report.delivered < 20_000
    assert sum(report.parts.values()) == report.latency.sum == report.delivered * 9500


@pytest.mark.parametrize("engine", ("auto", "fast"))
def test_a_closed_loop_is_the_same_on_either_engine(engine: Engine) -> None:
    path = Path(table(PIPELINE))
    reference = path.run(requests=500, outstanding=7)
    fast = path.run(requests=500, outstanding=7, engine=engine)
    assert (reference.engine, fast.engine) == ("reference", "fast")
    told = {"engine": "", "wall_s": 0.0}
    assert {**fast.as_json(), **told} == {**reference.as_json(), **told}
    assert fast.stages == reference.stages
    assert fast.used == reference.used


def test_what_is_no_mere_path_runs_on_the_reference() -> None:
    load = closed_loop((READ, 64), 1, 3)
    report = run_on("auto", InterruptedBy(table(PIPELINE)), load)
    assert report.engine == "reference"
    assert report.prevented == "the path is a InterruptedBy, which is not made of stages alone"
    with pytest.raises(EngineError):
        run_on("fast", InterruptedBy(table(PIPELINE)), load)


def test_nothing_delivered_has_no_latency() -> None:
    report = Path(table(PIPELINE)).run(requests=1)
    report = replace(report, latency=Histogram(), first_completion_ps=0, last_completion_ps=0)
    assert report.latencies_ps() == {
        "mean": None,
        "p50": None,
        "p99": None,
        "p999": None,
        "max": None,
    }
    assert (report.delivered, report.rate_per_s) == (0, None)


SCRIPT = """
import random
from tests.build import READ, WRITE, Post, clocked, delay, run, station, table

uses = [{"resource": "tag", "until": "z"}]
tag = {"kind": "pool", "capacity": 3, "source": {"text": "a test", "kind": "assumed"}}
path = [
    delay("left", "1 ns", when=["read"]),
    station("right", "700 ps", when=["write"]),
    clocked("x", 3, depth=2, queue=2, uses=uses, channel="registered", arbitration=["right"]),
    station("y", "2 ns", bandwidth="7 GB/s", depth=1, queue=1),
    delay("z", "5 ns"),
]
rng = random.Random(7)
load = [Post(rng.randrange(9000), rng.choice((READ, WRITE)), rng.randrange(500)) for _ in range(60)]
made = run(table(path, clocks={"nic": "322.265625 MHz"}, resources={"tag": tag}), load)
for event in made.events:
    print(event.time_ps, event.kind, event.request, event.stage)
for number in range(60):
    print(made.parts(number))
"""


def test_hash_seeds_change_nothing() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=FilePath(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    ]
    assert outputs[0].count("completed") == 60
    assert outputs[1:] == outputs[:1] * 2


def test_ctrl_c_in_a_run_of_a_path_is_what_it_is_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = Path(table(PIPELINE))
    monkeypatch.setattr("emu.path.Path", InterruptedBy)
    with pytest.raises(KeyboardInterrupt):
        path.run(requests=10)


def test_a_handler_of_the_callers_own_is_called_as_well() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda signum, _: heard.append(signum))
    try:
        report = run_closed_loop(InterruptedBy(table(PIPELINE)), READ, 64, 10, 1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (report.interrupted, heard) == (True, [signal.SIGINT])


def test_beyond_what_the_fast_engine_counts_the_reference_goes_on() -> None:
    spec = OpenSpec(kind="open", rate="0.000001 /s")
    load = described(spec, {"kind": "open"}, (READ, 64), 1, 3)
    report = run_on("auto", Path(table(PIPELINE)), load)
    assert (report.engine, report.delivered, report.latency.largest) == ("reference", 3, 9500)
    assert report.prevented is not None
    assert report.prevented.startswith("the run goes beyond 1152921.504606846976 s")
    with pytest.raises(RunError, match="the run goes beyond"):
        run_on("fast", Path(table(PIPELINE)), described(spec, {}, (READ, 64), 1, 3))


def test_what_was_drawn_from_an_iterator_is_not_lost_in_silence() -> None:
    posts = ((number * 1000, Access(READ, 64, 0, operand=number == 7)) for number in range(20))
    load = Described(Timed(posts), {}, None)
    with pytest.raises(RunError, match="can't go on: the workload brings values to memory"):
        run_on("auto", Path(table(PIPELINE)), load)


def test_posts_out_of_order_are_refused_by_both_engines() -> None:
    for engine in ENGINES:
        for times_ps in ((5000, 4000), (-1, 0)):
            posts = [(at_ps, Access(READ, 64, 0)) for at_ps in times_ps]
            with pytest.raises(EmuError):
                run_on(engine, Path(table(PIPELINE)), Described(Timed(posts), {}, None))
    with pytest.raises(EmuError, match="start_ps is -777; expected a time from 0 on"):
        Closed([stepping(READ, 64)], 1, start_ps=-777)
    with pytest.raises(EmuError, match="until_ps is -1; expected a time from 0 on"):
        run_on("fast", Path(table(PIPELINE)), closed_loop((READ, 64), 1, 3), until_ps=-1)


@pytest.mark.parametrize("first", ("reference", "fast"))
@pytest.mark.parametrize("then", ("reference", "fast"))
def test_a_path_runs_once_on_whichever_engine(first: Engine, then: Engine) -> None:
    path = Path(table(PIPELINE))
    run_on(first, path, closed_loop((READ, 64), 1, 3))
    with pytest.raises(PathError, match=r"has run; expected a fresh build\(table\)"):
        run_on(then, path, closed_loop((READ, 64), 1, 3))
