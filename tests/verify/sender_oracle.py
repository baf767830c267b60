"""OpenURMA's sender, flit by flit and cycle by cycle: its rules, written down a second time.

Shares nothing with the emulator. Each step is one cycle of all stages; what a stage emits in a
cycle the next one finds in the cycle after.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]

QUEUES, DEPTH = 16, 31
HEADERS = ("btah_b", "tpc_tx", "cwnd", "retrans", "rtph_b", "nth_b")
#: More than any wait for a turn or a packet: if so many cycles change nothing, nothing will.
STILL = 100


@dataclass(eq=False)
class Packet:
    """A request on its way; `flits` is one for a header alone."""

    id: int
    initiator: int
    flits: int
    is_read: bool
    fence: bool
    counts: bool
    waits: bool
    is_held: bool = False


#: A packet, and which of its flits.
Flit = tuple[Packet, int]


@dataclass
class Queues:
    """The queues of a stage, the cursor that looks at them, and the packet that is being sent."""

    queues: list[deque[Flit]] = field(default_factory=lambda: [deque() for _ in range(QUEUES)])
    cursor: int = 0
    sending: deque[Flit] | None = None

    def of(self, packet: Packet) -> deque[Flit]:
        return self.queues[packet.initiator % QUEUES]

    def scan(self, may_go: Any) -> Flit | None:
        """One cycle: a look, unless a packet is being sent, and then a flit of the packet."""
        if self.sending is None:
            queue = self.queues[self.cursor]
            self.cursor = (self.cursor + 1) % QUEUES
            if queue and may_go(queue[0][0]):
                self.sending = queue
        if not self.sending:
            return None
        packet, number = self.sending.popleft()
        if number == packet.flits - 1:
            self.sending = None
        return packet, number


class Sender:
    """The whole pipeline."""

    def __init__(self, events: list[Event]) -> None:
        self.events = deque(sorted(events, key=lambda event: event["cycle"]))
        self.posted: deque[Flit] = deque()
        self.releases: dict[str, deque[int]] = {"fence_release": deque(), "order_release": deque()}
        #: What stands in front of each stage.
        self.inputs: dict[str, deque[Flit]] = defaultdict(deque)
        self.scheduler, self.engine = Queues(), Queues()
        self.reads: dict[int, int] = defaultdict(int)
        self.outstanding: dict[int, int] = defaultdict(int)
        self.dropped: set[Packet] = set()
        self.framer_free = 0
        self.framed: Packet | None = None
        #: The framer has got the flits of one packet between those of another.
        self.is_mixed = False
        self.expect: dict[str, list[list[int]]] = {
            name: [] for name in ("doorbell", "jsched", "ord_ini", *HEADERS)
        }
        self.wire: list[int] = []

    def run(self) -> tuple[dict[str, list[list[int]]], list[int]]:
        """Cycles until nothing changes any more: when each header left each stage, and the wire."""
        cycle = still = 0
        while still < STILL:
            cycle += 1
            before = self._state()
            self._step(cycle)
            self._post(cycle)
            waits = self.events or self.framer_free > cycle
            still = 0 if waits or self._state() != before else still + 1
        return self.expect, self.wire

    def _state(self) -> tuple[int, ...]:
        """What tells whether anything happened."""
        left = sum(len(times) for times in self.expect.values())
        releases = (len(queue) for queue in self.releases.values())
        waiting = (len(queue) for queue in self.inputs.values())
        return left, len(self.posted), len(self.wire), *releases, sum(waiting)

    def _post(self, cycle: int) -> None:
        """What happens at a cycle is seen from the next one on."""
        while self.events and self.events[0]["cycle"] == cycle:
            event = self.events.popleft()
            if event["kind"] != "request":
                self.releases[event["kind"]].append(event["initiator"])
                continue
            packet = Packet(
                event["id"],
                event["initiator"],
                event["flits"],
                event["op"] == "read",
                event["fence"],
                event["order"] in ("RO", "SO"),
                event["service"] == "ROI" and event["order"] == "SO",
            )
            self.posted.extend((packet, number) for number in range(packet.flits))

    def _step(self, cycle: int) -> None:
        emitted = {
            "doorbell": self.posted.popleft() if self.posted else None,
            "jsched": self._schedule(),
            "ord_ini": self._order(),
        }
        for name in HEADERS:
            emitted[name] = self.inputs[name].popleft() if self.inputs[name] else None
        self._frame(cycle)
        following = ("jsched", "ord_ini", *HEADERS, "ethenc")
        for (name, flit), after in zip(emitted.items(), following, strict=True):
            if flit is not None:
                self.inputs[after].append(flit)
                if flit[1] == 0:
                    self.expect[name].append([cycle, flit[0].id])

    def _schedule(self) -> Flit | None:
        self._release("fence_release", self.reads)
        if self.inputs["jsched"]:
            packet, number = self.inputs["jsched"].popleft()
            queue = self.scheduler.of(packet)
            if number == 0 and len(queue) >= DEPTH:
                self.dropped.add(packet)
            if packet not in self.dropped:
                queue.append((packet, number))
        flit = self.scheduler.scan(lambda one: not (one.fence and self.reads[one.initiator]))
        if flit is not None and flit[1] == 0:
            self.reads[flit[0].initiator] += flit[0].is_read
        return flit

    def _order(self) -> Flit | None:
        self._release("order_release", self.outstanding)
        if self.inputs["ord_ini"]:
            packet, number = self.inputs["ord_ini"].popleft()
            if number == 0:
                packet.is_held = packet.waits and self.outstanding[packet.initiator] > 0
            if not packet.is_held:
                self.outstanding[packet.initiator] += number == 0 and packet.counts
                return packet, number
            self.engine.of(packet).append((packet, number))
        flit = self.engine.scan(lambda one: not self.outstanding[one.initiator])
        if flit is not None and flit[1] == 0:
            self.outstanding[flit[0].initiator] += 1
        return flit

    def _release(self, kind: str, counts: dict[int, int]) -> None:
        if self.releases[kind]:
            initiator = self.releases[kind].popleft()
            counts[initiator] = max(0, counts[initiator] - 1)

    def _frame(self, cycle: int) -> None:
        """Two chunks and an idle cycle for a header; with an extension three, sent once it came."""
        waiting = self.inputs["ethenc"]
        if cycle < self.framer_free or not waiting:
            return
        packet, number = waiting.popleft()
        if self.framed is None and packet.flits == 2:
            # An idle cycle; the extension can be taken in the one after.
            self.framed = packet
            self.framer_free = cycle + 2
            return
        self.is_mixed |= self.framed not in (None, packet) or (self.framed is None and number > 0)
        self.framed = None
        self.wire.append(cycle + 1)
        self.framer_free = cycle + packet.flits + 3
