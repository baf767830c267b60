"""Writers: a table's numbers from findings, each with how it was measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emu.cosim.characterise.findings import Findings, counted

_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")
CLOCK = "dut"
BEAT = "answer_beat_cycles"


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
