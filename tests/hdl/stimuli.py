"""Random parameters of each model, and random runs for them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.hdl.bench import Run, pattern
from tests.hdl.reference import W

Parameters = dict[str, int]


def header(
    number: int, initiator: int, order: int = 0, service: int = 0, fence: int = 0, is_read: int = 0
) -> int:
    """The tdata of a request."""
    return number | initiator << 16 | order << 24 | service << 26 | fence << 28 | is_read << 29


def packets(headers: list[int], rng: random.Random, longest: int) -> list[list[int]]:
    """Beats with tlast, each header followed by up to `longest` - 1 extensions."""
    beats: list[list[int]] = []
    for one in headers:
        extensions = rng.randint(0, longest - 1)
        flits = [one, *([one & 0xFF_FFFF] * extensions)]
        flits[-1] |= 1 << W
        beats += [[flit, 0] for flit in flits]
    return beats


def plain(headers: list[int]) -> list[list[int]]:
    """Beats without tlast."""
    return [[one, 0] for one in headers]


def source(beats: list[list[int]], may_offer: list[int]) -> dict[str, Any]:
    return {"beats": beats, "may_offer": may_offer}


def pipeline(rng: random.Random) -> Parameters:
    latency, interval = rng.randint(1, 12), rng.choice((1, 1, 1, 2, 3, 5))
    depth = rng.choice((1, rng.randint(1, 6), latency, latency + 3))
    return {
        "LATENCY": latency,
        "INTERVAL": interval,
        "DEPTH": depth,
        "REFILL_NEXT_EDGE": rng.randint(0, 1),
    }


def pipeline_run(rng: random.Random, p: Parameters) -> Run:
    beats = [header(number, rng.randrange(256)) for number in range(150)]
    return Run(300, {"s": source(plain(beats), pattern(rng, 300))}, {"m": pattern(rng, 300)})


def scheduler(rng: random.Random) -> Parameters:
    pick = rng.randint(0, 1)
    return {
        "QUEUES": rng.choice((1, 2, 4, 5, 16)),
        "DEPTH": rng.choice((1, 3, 8, 31)),
        "INITIATORS": rng.choice((8, 16, 32)),
        "OUTSTANDING": rng.choice((1, 3, 255)),
        "PICK": pick,
        "LATENCY": rng.choice((1, 1, 2, 5)),
        "INTERVAL": rng.choice((1, 2)) if pick else 1,
    }


def answers(rng: random.Random, p: Parameters, busy: int) -> dict[str, Any]:
    beats = [[rng.randrange(busy), 0] for _ in range(200)]
    return source(beats, pattern(rng, 400))


def scheduler_run(rng: random.Random, p: Parameters, longest: int = 3) -> Run:
    busy = rng.choice((1, 3, p["INITIATORS"]))
    headers = [
        header(
            number,
            rng.randrange(busy),
            fence=int(rng.random() < 0.3),
            is_read=int(rng.random() < 0.4),
        )
        for number in range(200)
    ]
    return Run(
        400,
        {
            "s": source(packets(headers, rng, rng.randint(1, longest)), pattern(rng, 400)),
            "a": answers(rng, p, busy),
        },
        {"m": pattern(rng, 400)},
    )


def ordering_engine(rng: random.Random) -> Parameters:
    return {
        "QUEUES": rng.choice((1, 2, 4, 16)),
        "DEPTH": rng.choice((1, 3, 8, 32)),
        "INITIATORS": rng.choice((8, 16)),
        "OUTSTANDING": rng.choice((2, 255)),
        "WINDOW": rng.choice((2, 8, 16)),
        "TRACKING": rng.randint(0, 1),
        "STRICT": rng.choice((0, 0, 1)),
        "LATENCY": rng.choice((1, 1, 3)),
    }


def ordering_engine_run(rng: random.Random, p: Parameters, longest: int = 3) -> Run:
    busy = rng.choice((1, 3, p["INITIATORS"]))
    headers = [
        header(
            number,
            rng.randrange(busy),
            order=rng.randint(0, 2),
            service=rng.choice((0, 0, 1, 2, 3)),
        )
        for number in range(200)
    ]
    return Run(
        400,
        {
            "s": source(packets(headers, rng, rng.randint(1, longest)), pattern(rng, 400)),
            "a": answers(rng, p, busy),
        },
        {"m": pattern(rng, 400)},
    )


def framer(rng: random.Random) -> Parameters:
    short_bytes = rng.choice((16, 58, 64))
    return {
        "SHORT_BYTES": short_bytes,
        "LONG_BYTES": short_bytes + rng.choice((1, 20, 64)),
        "CHUNK_BYTES": rng.choice((8, 32, 64)),
    }


def framer_run(rng: random.Random, p: Parameters) -> Run:
    headers = [header(number, rng.randrange(256)) for number in range(100)]
    return Run(
        400, {"s": source(packets(headers, rng, 2), pattern(rng, 400))}, {"m": pattern(rng, 400)}
    )


def context_cache(rng: random.Random) -> Parameters:
    return {
        "SETS": rng.choice((1, 1, 2, 3, 8)),
        "WAYS": rng.choice((1, 2, 4, 8)),
        "REPLACEMENT": rng.randint(0, 2),
        "SEED": rng.getrandbits(64),
        "KIND": rng.randint(0, 3),
        "DEPTH": rng.choice((1, 2, 4, 7)),
        "INTERVAL": rng.choice((1, 1, 3)),
        "REFILL_NEXT_EDGE": rng.randint(0, 1),
        "QUEUE": rng.choice((1, 4, 64)),
        "BACKLOG": rng.choice((1, 4, 64)),
    }


def context_cache_run(rng: random.Random, p: Parameters) -> Run:
    busy = rng.choice((4, p["SETS"] * p["WAYS"] + 2, 256))
    headers = [header(number, rng.randrange(min(busy, 256))) for number in range(200)]
    latency = rng.randint(1, 30)
    delays = [latency] if rng.random() < 0.5 else [rng.randint(1, 30) for _ in range(200)]
    return Run(
        400,
        {"s": source(plain(headers), pattern(rng, 400)), "c": source([], [1])},
        {"m": pattern(rng, 400), "r": rng.choice(([1], pattern(rng, 400)))},
        [{"request": "r", "answer": "c", "delays": delays}],
    )


def descriptor_dma(rng: random.Random) -> Parameters:
    return {
        "TAGS": rng.choice((1, 2, 5, 8, 32)),
        "CREDITS": rng.choice((0, 0, 1, 6)),
        "CREDIT_RETURN": rng.choice((1, 4, 20)),
        "DEPTH": rng.choice((1, 3, 8, 33)),
        "INTERVAL": rng.choice((1, 1, 2, 4)),
        "ISSUE": rng.choice((1, 2, 6)),
        "IN_ORDER": rng.choice((1, 1, 0)),
        "TAG_RETURN": rng.choice((0, 0, 1, 5)),
        "TAG_UNTIL_LEFT": rng.choice((0, 0, 1)),
        "REFILL_NEXT_EDGE": rng.randint(0, 1),
    }


def descriptor_dma_run(rng: random.Random, p: Parameters) -> Run:
    headers = [header(number, rng.randrange(256)) for number in range(200)]
    latency = rng.randint(1, 40)
    delays = [latency] if rng.random() < 0.4 else [rng.randint(1, 40) for _ in range(200)]
    return Run(
        400,
        {"s": source(plain(headers), pattern(rng, 400)), "c": source([], [1])},
        {"m": pattern(rng, 400), "r": rng.choice(([1], pattern(rng, 400)))},
        [{"request": "r", "answer": "c", "delays": delays}],
    )


def completion_writer(rng: random.Random) -> Parameters:
    return {
        "QUEUE": rng.choice((1, 4, 16)),
        "BATCH": rng.choice((1, 2, 4, 16)),
        "LATENCY": rng.choice((1, 2, 7)),
        "INTERVAL": rng.choice((1, 1, 5, 12)),
        "DEPTH": rng.choice((1, 2, 5)),
        "REFILL_NEXT_EDGE": rng.randint(0, 1),
    }


completion_writer_run = pipeline_run

#: The parameters and the runs of each model; the sender is compared with its whole table.
STIMULI: dict[
    str, tuple[Callable[[random.Random], Parameters], Callable[[random.Random, Parameters], Run]]
] = {
    "completion_writer": (completion_writer, completion_writer_run),
    "context_cache": (context_cache, context_cache_run),
    "descriptor_dma": (descriptor_dma, descriptor_dma_run),
    "framer": (framer, framer_run),
    "ordering_engine": (ordering_engine, ordering_engine_run),
    "pipeline": (pipeline, pipeline_run),
    "scheduler": (scheduler, scheduler_run),
}
#: The framer has no stage of its own.
STAGES = [model for model in STIMULI if model != "framer"]
