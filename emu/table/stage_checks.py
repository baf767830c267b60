"""Cross checks of one stage entry: its timing, its clock, its places, what is of no use there."""

from __future__ import annotations

from collections.abc import Iterator

from emu.actor import Actor
from emu.errors import did_you_mean, listed
from emu.request import OPERATION_GROUPS
from emu.table.entries import is_plain, passing
from emu.table.errors import Problem, problem
from emu.table.fields import OTHER, operation_key
from emu.table.parse import Draft, Parsed
from emu.table.resources import kind_of
from emu.table.schema import CARRIERS, POOLS, Beat, StageTiming
from emu.table.shape import EXAMPLES
from emu.table.sources import check_sources
from emu.table.translate import dotted, real_path
from emu.time import Clock, Cycles, Duration

_LINK_ONLY = ("cut_through", "mtu", "header")
_QUEUED_ONLY = ("queue", "channel", "refill", "overflow", "arbitration")


class StageChecks:
    """The checks of one entry; each looks only at keys that could be read."""

    def __init__(self, parsed: Parsed, draft: Draft, clocks: dict[str, Clock]) -> None:
        self._parsed = parsed
        self._draft = draft
        self._clocks = clocks

    def problems(self) -> Iterator[Problem]:
        """All problems of the entry."""
        timing = self._draft.timing
        if timing is None:
            return
        yield from self._when(timing)
        yield from self._declared_clock(timing)
        yield from check_sources(self._draft.node, self._draft.where)
        stage = self._draft.stage
        if stage is not None and issubclass(stage, Actor):
            return
        yield from self._latency()
        yield from self._clock(timing)
        yield from self._units(timing)
        yield from self._operations(timing)
        yield from self._link(timing)
        if timing.batch == 1:
            what = "a batch of 1 is of no use"
            yield self._at_value("batch", what, "expected 2 or more, 'unlimited', or no 'batch'")
        if not self._draft.broken & _LIMITS:
            yield from self._plain_delay(timing) if is_plain(timing) else self._places(timing)

    def _given(self, key: str) -> bool:
        return key in self._draft.node.mapping

    def _at_key(self, key: str, what: str, expected: str) -> Problem:
        return problem(self._draft.node.mapping[key].key_at, self._draft.where, what, expected)

    def _at_value(
        self, key: str, what: str, expected: str, *rest: str | int, hint: str = ""
    ) -> Problem:
        path, node = real_path((key, *rest), self._draft.node)
        return problem(node.at, dotted(self._draft.where, path), what, expected, hint)

    def _missing(self, key: str, expected: str) -> Problem:
        return problem(self._draft.node.at, self._draft.where, f"'{key}' is missing", expected)

    def _when(self, timing: StageTiming) -> Iterator[Problem]:
        if timing.when is None or not self._messages_known:
            return
        if not timing.when:
            yield self._at_value(
                "when", "no operation is named", "expected at least one, or no 'when'"
            )
        elif not passing(self._parsed.head, timing):
            yield self._at_value(
                "when",
                f"the table has no messages for {listed(timing.when)}",
                f"expected an operation of this table: {listed(passing(self._parsed.head))}",
            )
        else:
            known = passing(self._parsed.head)
            for place, word in enumerate(timing.when):
                if not any(operation in known for operation in OPERATION_GROUPS[word]):
                    what = f"'{word}' is of no use: the table has no messages for it"
                    yield self._at_value("when", what, f"expected one of {listed(known)}", place)

    def _latency(self) -> Iterator[Problem]:
        stage = self._draft.stage
        if stage is None:
            return
        if stage.has_latency and not self._given("latency"):
            yield self._missing("latency", f"expected for example '{EXAMPLES['latency']}'")
        if not stage.has_latency and self._given("latency"):
            what = "'latency' is given, but this stage times itself"
            yield self._at_key("latency", what, "expected only its own parameters")

    def _declared_clock(self, timing: StageTiming) -> Iterator[Problem]:
        declared = list(self._parsed.root.section("clocks"))
        if timing.clock is not None and timing.clock not in declared:
            yield self._at_value(
                "clock",
                f"there is no clock '{timing.clock}'",
                f"expected one of the table's clocks: {listed(declared)}",
                hint=did_you_mean(timing.clock, declared),
            )

    def _clock(self, timing: StageTiming) -> Iterator[Problem]:
        if timing.clock is None:
            return
        if not self._given("interval"):
            expected = f"expected for a stage with a clock, as in '{EXAMPLES['interval']}'"
            yield self._missing("interval", expected)
        if self._given("bandwidth"):
            what = "'bandwidth' is given, but a stage with a clock moves beats"
            yield self._at_key("bandwidth", what, "expected 'beat', or no clock")
        clock = self._clocks.get(timing.clock)
        if clock is not None and clock.aligned and self._parsed.head.resolution is not None:
            what = f"the table has a resolution, but clock '{timing.clock}' is aligned"
            yield self._at_value("clock", what, "expected a clock with 'aligned: false'")

    def _units(self, timing: StageTiming) -> Iterator[Problem]:
        """A clocked stage counts cycles, all others time."""
        if "clock" in self._draft.broken:
            return
        for *path, duration in self._durations(timing):
            text = self._text(*path)
            if timing.clock is None and isinstance(duration, Cycles):
                what = f"{text} of which clock?"
                yield self._at_value(
                    path[0], what, "expected a 'clock', or a time such as '28 ns'", *path[1:]
                )
            elif timing.clock is not None and not isinstance(duration, Cycles):
                what = f"'{text}' is no number of cycles, but the stage has a clock"
                expected = "expected for example '9 cycles', or no 'clock'"
                yield self._at_value(path[0], what, expected, *path[1:])

    def _durations(self, timing: StageTiming) -> Iterator[tuple[str, str, Duration]]:
        for key, values in (("latency", timing.latency), ("interval", timing.interval)):
            for word, duration in (values or {}).items():
                yield key, word, duration
        if timing.beat is not None:
            for key in ("cost", "latency", "interval"):
                if (duration := getattr(timing.beat, key)) is not None:
                    yield "beat", key, duration

    def _text(self, key: str, below: str) -> object:
        """A duration as it is written: `key` holds it, or a mapping that does."""
        node = self._draft.node.mapping[key]
        return (node.get(below) or node).value

    def _operations(self, timing: StageTiming) -> Iterator[Problem]:
        """Each operation that passes has its latency and interval, and no other has one."""
        if not self._messages_known or "when" in self._draft.broken:
            return
        here = passing(self._parsed.head, timing)
        for key, values in (("latency", timing.latency), ("interval", timing.interval)):
            node = self._draft.node.get(key)
            if values is None or not here or node is None or not isinstance(node.value, dict):
                continue
            used = {operation: operation_key(values, operation) for operation in here}
            missing = [operation for operation, word in used.items() if word is None]
            if missing:
                yield self._at_value(
                    key,
                    f"there is no {key} for {listed(missing)}",
                    f"expected one for each operation that passes here, or '{OTHER}'",
                )
            for word in values:
                if word not in used.values():
                    what = f"'{word}' is of no use: no operation that passes here takes it"
                    at = node.mapping[word].key_at
                    expected = f"expected one of {listed(here)}"
                    yield problem(at, f"{self._draft.where}.{key}", what, expected)

    @property
    def _messages_known(self) -> bool:
        return "messages" not in self._parsed.broken and bool(self._parsed.head.messages)

    def _link(self, timing: StageTiming) -> Iterator[Problem]:
        root = self._parsed.root
        kinds = [kind_of(root, use.resource) for use in timing.uses or []]
        # A resource whose kind could not be read may be a link.
        carries = "uses" in self._draft.broken or any(kind not in POOLS for kind in kinds)
        for key in _LINK_ONLY:
            if self._given(key) and not (
                self._given("bandwidth") or (carries and key == "cut_through")
            ):
                what = f"'{key}' is of no use without a bandwidth"
                expected = "expected for example 'bandwidth: 50 GB/s'"
                if carries:
                    expected = "expected no such key: the link that it uses has its own"
                yield self._at_key(key, what, expected)
        if timing.mtu == 0:
            yield self._at_value(
                "mtu", "a packet of no bytes carries nothing", "expected for example '4096 B'"
            )
        if timing.beat is not None:
            yield from self._beat(timing.beat)
        if timing.beat is not None and timing.beat.bytes == 0:
            what = "a beat of no bytes carries nothing"
            yield self._at_value("beat", what, "expected for example '32 B'", "bytes")

    def _beat(self, beat: Beat) -> Iterator[Problem]:
        given = [key for key in ("cost", "latency", "interval") if getattr(beat, key) is not None]
        if given not in (["cost"], ["latency", "interval"]):
            what = f"a beat with {' and '.join(given)}" if given else "a beat that adds nothing"
            expected = "expected 'cost' for both, or 'latency' and 'interval'"
            yield self._at_value("beat", what, expected)

    def _uses_link(self, timing: StageTiming) -> bool:
        resources = self._parsed.root.section("resources")
        used = (resources.get(use.resource) for use in timing.uses or [])
        kinds = [node.get("kind") for node in used if node is not None]
        return any(kind is not None and kind.value in CARRIERS for kind in kinds)

    def _plain_delay(self, timing: StageTiming) -> Iterator[Problem]:
        for key in _QUEUED_ONLY:
            if self._given(key):
                what = (
                    f"'{key}' is of no use: without clock, interval, bandwidth, depth, batch and "
                    "uses a stage takes any number of requests at once"
                )
                yield self._at_key(key, what, _NO_KEY)
        if self._given("depth"):
            what = (
                "'depth: unlimited' is of no use: a stage without clock, interval, bandwidth, "
                "batch and uses takes any number of requests at once"
            )
            yield self._at_key("depth", what, _NO_KEY)

    def _places(self, timing: StageTiming) -> Iterator[Problem]:
        defaults = self._parsed.head.defaults
        known = self._parsed.root.section("defaults")
        for key in ("queue", "depth"):
            if not self._given(key) and key not in known and self._defaults_known:
                example = f"'{EXAMPLES[key]}' or '{key}: unlimited'"
                yield self._missing(key, f"expected for example {example}, here or in 'defaults'")
        clock = self._clocks.get(timing.clock or "")
        depth = timing.depth if self._given("depth") else defaults.depth
        no_edges = timing.clock is None or (clock is not None and not clock.aligned)
        if timing.refill == "next_edge" and self._uses_link(timing):
            what = "'next_edge' is of no use: places are free when the data is there"
            yield self._at_key("refill", what, "expected no 'refill' where a link is used")
        if timing.refill == "next_edge" and no_edges:
            what = "'next_edge' needs a clock with edges"
            yield self._at_value("refill", what, "expected 'at_once', or a clock that is aligned")
        elif timing.refill == "next_edge" and depth is None and self._defaults_known:
            what = "'next_edge' is of no use: the depth is unlimited"
            yield self._at_value("refill", what, "expected 'at_once', or a depth")
        queue = timing.queue if self._given("queue") else defaults.queue
        known_queue = "queue" not in self._draft.broken and self._defaults_known
        if timing.overflow is not None and queue is None and known_queue:
            what = f"'overflow: {timing.overflow}' is of no use: the queue is unlimited"
            yield self._at_key(
                "overflow", what, "expected a queue that can be full, or no such key"
            )
        if timing.channel == "registered" and no_edges:
            what = "'registered' needs a clock with edges"
            yield self._at_value("channel", what, "expected 'bypass', or a clock that is aligned")

    @property
    def _defaults_known(self) -> bool:
        return "defaults" not in self._parsed.broken


_NO_KEY = "expected no such key, or an 'interval' or 'depth' that limits it"
#: What decides whether a stage is a plain delay.
_LIMITS = {"clock", "interval", "bandwidth", "uses", "depth", "batch"}
