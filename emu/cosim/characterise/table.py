"""Writes findings as a timing table, every number with how it was measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from emu.cosim.characterise.findings import UNLIMITED, Findings, counted
from emu.time import format_time

_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")
CLOCK = "dut"
#: The stages of an engine that reads memory.
FRONT, TAG, REQUEST, MEMORY, ANSWER, OUTPUT = (
    *("front", "tag", "request"),
    *("memory", "answer", "output"),
)
#: The stage of a DUT that is slower than its input.
SLOWER = "slower"
BEAT = "answer_beat_cycles"
#: By how many cycles after a place became free it is taken.
REFILL = ("at_once", "next_edge")
#: What the memory of a written table takes, until its user says otherwise.
MEMORY_CYCLES = 100


@dataclass(frozen=True)
class Measured:
    """What was measured, and with what."""

    top: str
    simulator: str
    parameters: Mapping[str, int | str]
    period_ps: int
    #: Bytes that a beat of an answer carries; 0 where it carries none.
    beat_bytes: int = 0

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.top} ({said})" if said else self.top

    @property
    def name(self) -> str:
        """The module's name as a table can have it."""
        name = _NO_NAME.sub("_", self.top)
        return name if not name[:1].isdigit() else f"_{name}"


def table_text(findings: Findings, measured: Measured) -> str:
    """The table in YAML."""
    document = _document(findings, measured)
    head = f"# Written by emu characterise from {measured} in {measured.simulator}.\n"
    return head + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def _document(findings: Findings, measured: Measured) -> dict[str, Any]:
    writer = Writer(findings, measured)
    is_engine = "outstanding" in findings.words
    resources, path = _engine(writer) if is_engine else _stage(writer)
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


def _stage(writer: Writer) -> tuple[dict[str, Any], list[dict[str, Any]]]:
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


def _engine(writer: Writer) -> tuple[dict[str, Any], list[dict[str, Any]]]:
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


class Writer:
    """Values of a table from findings, and their sources."""

    def __init__(self, findings: Findings, measured: Measured) -> None:
        self._findings = findings
        self._measured = measured

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._measured.name

    @property
    def has_beats(self) -> bool:
        """Whether an answer can have several beats, each of some bytes."""
        return BEAT in self._findings.words and self.beat_bytes > 0

    @property
    def beat_bytes(self) -> int:
        """What a beat of an answer carries."""
        return self._measured.beat_bytes

    @property
    def waiting(self) -> int:
        """How many requests wait inside an engine for a tag."""
        return self._findings.number("waiting") or 0

    @property
    def is_slower_inside(self) -> bool:
        """Whether without pauses fewer come than interval, places and credits allow."""
        steady, depth = self._findings.number("steady_interval_cycles"), self.value("depth")
        if steady is None:
            return False
        if self.credits is not None:
            return False
        stay = self.number("latency_cycles") + self.number("refill_cycles")
        own = self.number("interval_cycles")
        return steady > own and (not isinstance(depth, int) or steady * max(depth, 1) > stay)

    @property
    def credits(self) -> tuple[int, str] | None:
        """How many are accepted in a time, if that is limited, and by what it was found."""
        count = self._findings.number("credits")
        return None if count is None else (count, "credits")

    @property
    def credit_return_ps(self) -> int:
        """The time in which so many are accepted."""
        return self.number("credit_return_cycles") * self._measured.period_ps

    def value(self, key: str) -> int | str:
        """What was found, or is assumed in its place."""
        value = self._findings.assumed(key)
        assert value is not None, key  # measured, or assumed, for every DUT
        return value

    def number(self, key: str) -> int:
        """The value, which is a number."""
        value = self.value(key)
        assert isinstance(value, int), key
        return value

    def pool(self, capacity: int | str, key: str) -> dict[str, Any]:
        """A resource of so many units."""
        return {"kind": "pool", "capacity": capacity, "source": self.source(key)}

    def source(self, key: str) -> dict[str, str]:
        """How a value was found."""
        words = self._findings.words[key]
        kind = "assumed" if self._findings.values.get(key) is None else "measured"
        return {"text": f"{self._measured} in {self._measured.simulator}: {words}", "kind": kind}

    def derived(self, words: str) -> dict[str, str]:
        """The source of what follows from the rest."""
        return {"text": words, "kind": "derived"}

    def assumed(self, words: str) -> dict[str, str]:
        """The source of what is not known of the DUT."""
        return {"text": words, "kind": "assumed"}


class StageWriter:
    """One entry of the path, a source for each number."""

    def __init__(self, writer: Writer, name: str, *, stage: str = "pipeline_step") -> None:
        self.writer = writer
        self._entry: dict[str, Any] = {"stage": stage, "name": name, "clock": CLOCK}
        self._sources: dict[str, dict[str, str]] = {}

    @property
    def entry(self) -> dict[str, Any]:
        """The entry as it stands in the table."""
        return {**self._entry, "source": self._sources}

    def put(self, parameter: str, value: object, source: dict[str, str]) -> None:
        """A parameter and its source."""
        self._entry[parameter] = value
        self._sources[parameter] = source

    def cycles(self, parameter: str, key: str) -> None:
        """A parameter that was measured in cycles."""
        self.put(parameter, counted(self.writer.number(key)), self.writer.source(key))

    def use(self, use: dict[str, Any], source: dict[str, str]) -> None:
        """One more use of a resource."""
        uses = self._entry.setdefault("uses", [])
        uses.append(use)
        self._sources.setdefault("uses", source)

    def in_front(self, key: str, queue: int | str) -> None:
        """The channel in front: it costs a cycle where valid comes one before the handshake."""
        words = "what is offered waits outside the DUT"
        self.put("queue", queue, self.writer.derived(words))
        if self.writer.number(key):
            self.put("channel", "registered", self.writer.source(key))
