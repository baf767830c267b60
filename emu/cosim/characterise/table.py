"""Writes findings as a timing table, every number with how it was measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from emu.cosim.characterise.batches import FRONT_CYCLES, FRONT_PLACES
from emu.cosim.characterise.findings import REFILL, UNLIMITED, Findings, counted
from emu.cosim.characterise.writer import BEAT, CLOCK, Measured, StageWriter, Writer
from emu.time import format_time

#: The stages of an engine that reads memory.
FRONT, TAG, REQUEST, MEMORY, ANSWER, OUTPUT = (
    *("front", "tag", "request"),
    *("memory", "answer", "output"),
)
#: The stage of a DUT that is slower than its input.
SLOWER = "slower"
#: Resources, and the entries of the path.
Form = tuple[dict[str, Any], list[dict[str, Any]]]
#: What the memory of a written table takes, until its user says otherwise.
MEMORY_CYCLES = 100


def table_text(findings: Findings, measured: Measured) -> str:
    """The table in YAML."""
    document = _document(findings, measured)
    head = f"# Written by emu characterise from {measured} in {measured.simulator}.\n"
    return head + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def _document(findings: Findings, measured: Measured) -> dict[str, Any]:
    writer = Writer(findings, measured)
    is_engine = "outstanding" in findings.words
    form = _FORMS.get(str(findings.values.get("stage")), _engine if is_engine else _stage)
    resources, path = form(writer)
    # Where beats count, what was measured had one: whoever wants more says so here.
    answer = f"{measured.beat_bytes} B" if writer.has_beats else "payload"
    message = {"request": "payload", "response": answer}
    return {
        "schema": 1,
        "name": measured.name,
        "title": f"{measured}, as measured",
        "source": {
            "text": f"the clock of the binding; requests and answers of one beat at {measured}",
            "kind": "assumed",
        },
        "clocks": {CLOCK: {"period": format_time(measured.period_ps)}},
        **({"resources": resources} if resources else {}),
        "messages": {name: dict(message) for name in ("read", "write")},
        "path": path,
    }


def _stage(writer: Writer) -> Form:
    """A DUT without a memory: one stage, or two where something inside is slower than its input."""
    resources: dict[str, Any] = {}
    entry = StageWriter(writer, writer.name)
    depth, late_cycles = writer.value("depth") or 1, writer.number("refill_cycles")
    is_slower = writer.is_slower_inside
    if is_slower:
        latency = writer.derived(f"all of it is that of '{SLOWER}'")
        entry.put("latency", "0 cycles", latency)
    else:
        entry.cycles("latency", "latency_cycles")
    entry.cycles("interval", "interval_cycles")
    if depth == UNLIMITED or (late_cycles < len(REFILL) and not is_slower):
        entry.put("depth", depth, writer.source("depth"))
    else:
        resources["places"] = writer.pool(depth, "depth")
        entry.put("depth", UNLIMITED, writer.derived("its places are those of the pool"))
        until = SLOWER if is_slower else None
        entry.use(_held("places", until, late_cycles), writer.source("refill_cycles"))
    if depth != UNLIMITED and late_cycles < len(REFILL) and not is_slower:
        entry.put("refill", REFILL[late_cycles], writer.source("refill_cycles"))
    entry.in_front("accept_cycles", 1)
    _credits(writer, entry, resources)
    if not is_slower:
        return resources, [entry.entry]
    slower = StageWriter(writer, SLOWER)
    slower.cycles("latency", "latency_cycles")
    slower.cycles("interval", "steady_interval_cycles")
    limited = writer.derived("the pool limits what is inside")
    slower.put("depth", UNLIMITED, limited)
    slower.put("queue", UNLIMITED, limited)
    return resources, [entry.entry, slower.entry]


def _engine(writer: Writer) -> Form:
    """A request's way to the memory, the memory, and the answer's way out.

    A pool of tags is held as long as was measured, and a pool of places up to the output. What
    waits for a tag inside has places of its own, and takes tag and place where it ends to wait.
    """
    resources: dict[str, Any] = {}
    uses: list[dict[str, Any]] = []
    outstanding, depth = writer.value("outstanding"), writer.value("depth")
    until = str(writer.value("hold_until"))
    waiting = writer.waiting
    # A place of those that wait is taken again before the read leaves: so long after its tag.
    late_cycles = writer.number("waiting_refill_cycles") if waiting else 0
    issue_cycles = max(0, -late_cycles)
    if outstanding != UNLIMITED:
        resources["tags"] = writer.pool(outstanding, "outstanding")
        last = ANSWER if until.startswith("answer") else OUTPUT
        uses.append(_held("tags", last, writer.number("tag_return_cycles") - issue_cycles))
    places = depth if isinstance(depth, str) else depth - waiting
    if places != UNLIMITED and (places != outstanding or until.startswith("answer")):
        resources["places"] = writer.pool(places or 1, "depth")
        plus_cycles = writer.number("refill_cycles") - max(0, late_cycles)
        uses.append(_held("places", OUTPUT, plus_cycles))
    limited = writer.derived("the pools limit what is inside")

    path: list[StageWriter] = []
    if waiting:
        resources["waiting"] = writer.pool(waiting, "waiting")
        front = StageWriter(writer, FRONT)
        front.put(
            "latency",
            counted(writer.number("request_cycles") - issue_cycles),
            writer.source("request_cycles"),
        )
        _way_in(
            front, resources, [_held("waiting", TAG, max(0, late_cycles))], "waiting_refill_cycles"
        )
        tag = StageWriter(writer, TAG)
        tag.put("latency", "0 cycles", writer.derived("it goes on as it gets its tag"))
        tag.put("uses", uses, writer.source("hold_until"))
        request = StageWriter(writer, REQUEST)
        request.put("latency", counted(issue_cycles), writer.source("waiting_refill_cycles"))
        tag.cycles("interval", "request_interval_cycles")
        tag.put("depth", UNLIMITED, limited)
        tag.put("queue", UNLIMITED, limited)
        _no_limit(request, limited)
        path += [front, tag, request]
    else:
        request = StageWriter(writer, REQUEST)
        request.cycles("latency", "request_cycles")
        _way_in(request, resources, uses, "hold_until")
        path.append(request)

    memory = StageWriter(writer, MEMORY, stage="memory")
    known = writer.assumed("not of the DUT: set it to what the memory takes")
    memory.put("latency", counted(MEMORY_CYCLES), known)
    _no_limit(memory, known)

    answer = StageWriter(writer, ANSWER)
    answer.put("latency", "0 cycles", writer.derived("ends with the answer's handshake"))
    answer.cycles("interval", "answer_interval_cycles")
    if writer.has_beats:
        # One beat of an answer carries so many bytes; a longer one takes longer to come in.
        beat = {"bytes": f"{writer.beat_bytes} B", "cost": counted(writer.number(BEAT))}
        answer.put("beat", beat, writer.source(BEAT))
    answer.put("depth", UNLIMITED, limited)
    answer.in_front("answer_accept_cycles", UNLIMITED)

    output = StageWriter(writer, OUTPUT)
    output.cycles("latency", "answer_cycles")
    _no_limit(output, limited)
    return resources, [one.entry for one in (*path, memory, answer, output)]


def _held(resource: str, stage: str | None, late_cycles: int) -> dict[str, Any]:
    use: dict[str, Any] = {"resource": resource, **({"until": stage} if stage else {})}
    return {**use, "plus": counted(late_cycles)} if late_cycles > 0 else use


def _no_limit(stage: StageWriter, source: dict[str, str]) -> None:
    """One a cycle goes through, and any number is inside."""
    stage.put("interval", "1 cycle", source)
    stage.put("depth", UNLIMITED, source)
    stage.put("queue", UNLIMITED, source)


def _way_in(
    stage: StageWriter, resources: dict[str, Any], uses: list[dict[str, Any]], key: str
) -> None:
    """What takes requests in, and what limits how many."""
    stage.cycles("interval", "interval_cycles")
    stage.put("depth", UNLIMITED, stage.writer.derived("the pools limit what is inside"))
    if uses:
        stage.put("uses", uses, stage.writer.source(key))
    stage.in_front("accept_cycles", 1)
    _credits(stage.writer, stage, resources)


def _credits(writer: Writer, stage: StageWriter, resources: dict[str, Any]) -> None:
    """What limits how many are accepted in a time."""
    if writer.credits is None:
        return
    resources["credits"] = writer.pool(*writer.credits)
    stage.use(
        {"resource": "credits", "for": format_time(writer.credit_return_ps)},
        writer.source("credit_return_cycles"),
    )


def _completion(writer: Writer) -> Form:
    """What takes several together: a register, a queue, and the batches behind it."""
    front = StageWriter(writer, FRONT)
    known = writer.derived("a register: what comes is in the queue at the next edge")
    for parameter, value in (
        ("latency", counted(FRONT_CYCLES)),
        ("interval", "1 cycle"),
        ("depth", FRONT_PLACES),
        ("queue", 1),
    ):
        front.put(parameter, value, known)
    stage = StageWriter(writer, writer.name, stage="completion")
    latency = counted(writer.number("latency_cycles") - FRONT_CYCLES)
    stage.put("latency", latency, writer.source("latency_cycles"))
    stage.cycles("interval", "batch_interval_cycles")
    stage.put("depth", writer.value("batches"), writer.source("batches"))
    stage.put("refill", writer.value("refill"), writer.source("refill"))
    stage.put("queue", writer.value("waiting"), writer.source("waiting"))
    if writer.number("batch") > 1:
        stage.put("batch", writer.value("batch"), writer.source("batch"))
    return {}, [front.entry, stage.entry]


def _scheduler(writer: Writer) -> Form:
    """A queue for each initiator, or for several."""
    stage = _dispatcher(writer, "scheduler")
    stage.put("depth", writer.value("depth") or 1, writer.source("depth"))
    stage.put("overflow", "hold", writer.derived("a full queue is not ready"))
    return {}, [stage.entry]


def _ordering_engine(writer: Writer) -> Form:
    """What holds requests until others have been answered."""
    stage = _dispatcher(writer, "ordering_engine")
    for parameter in ("tracking", "strict"):
        stage.put(parameter, writer.value(parameter), writer.source(parameter))
    return {}, [stage.entry]


def _dispatcher(writer: Writer, name: str) -> StageWriter:
    stage = StageWriter(writer, writer.name, stage=name)
    for parameter in ("pick", "queues"):
        stage.put(parameter, writer.value(parameter), writer.source(parameter))
    stage.cycles("latency", "latency_cycles")
    stage.cycles("interval", "interval_cycles")
    return stage


#: The stages that are written for what they are, and not only for how long they take.
_FORMS: dict[str, Callable[[Writer], Form]] = {
    "completion": _completion,
    "ordering_engine": _ordering_engine,
    "scheduler": _scheduler,
}
