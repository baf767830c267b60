"""What the models must do, cycle for cycle, said a second time in plain Python.

Each function takes a run and the model's parameters, and gives the events of its ports.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from emu.random import Random
from stages.context_cache import Held, Lru, NeverReplaced, RandomlyReplaced, mixed
from tests.hdl.bench import Run
from tests.hdl.player import Event, at

Parameters = Mapping[str, int]


class Ports:
    """The test bench around a model: what it offers in a cycle, when it takes, what happened."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.events: list[Event] = []
        self._waiting: dict[str, list[tuple[int, int, int]]] = {port: [] for port in run.sources}
        self._offered: dict[str, int] = {}
        self._count = 0
        for port, source in run.sources.items():
            for beat, cycle in source["beats"]:
                self._add(port, beat, cycle)
        self._memories = {memory["request"]: memory for memory in run.memories}
        self._asked = dict.fromkeys(self._memories, 0)

    def _add(self, port: str, beat: int, cycle: int) -> None:
        heappush(self._waiting[port], (cycle, self._count, beat))
        self._count += 1

    def offered(self, port: str, cycle: int) -> int | None:
        """The beat that is offered in this cycle."""
        waiting = self._waiting[port]
        if (
            port not in self._offered
            and waiting
            and waiting[0][0] <= cycle
            and at(self.run.sources[port]["may_offer"], cycle)
        ):
            self._offered[port] = heappop(waiting)[2]
        return self._offered.get(port)

    def take(self, port: str, cycle: int) -> int:
        """The model takes what is offered."""
        beat = self._offered.pop(port)
        self.events.append((cycle, port, beat))
        return beat

    def is_ready(self, port: str, cycle: int) -> bool:
        """Whether the test bench takes something in this cycle."""
        return bool(at(self.run.sinks[port], cycle))

    def give(self, port: str, cycle: int, beat: int) -> None:
        """The model gives a beat, and the test bench takes it."""
        self.events.append((cycle, port, beat))
        memory = self._memories.get(port)
        if memory is not None:
            delay = at(memory["delays"], self._asked[port])
            self._asked[port] += 1
            self._add(memory["answer"], beat, cycle + delay)


class Pipe:
    """So many cycles, so far apart, so many inside; first in, first out."""

    def __init__(
        self, latency: int, interval: int = 1, depth: int = 1 << 30, next_edge: int = 0
    ) -> None:
        self.latency, self.interval, self.depth = latency, interval, depth
        self.next_edge = next_edge
        self.inside: deque[tuple[int, int]] = deque()
        self.free_cycle = 0
        self.left_now = 0

    def first(self, cycle: int) -> int | None:
        """What can leave in this cycle."""
        if self.inside and self.inside[0][0] <= cycle:
            return self.inside[0][1]
        return None

    def leave(self) -> int:
        self.left_now = 1
        return self.inside.popleft()[1]

    def has_room(self, cycle: int) -> bool:
        """Asked after what can leave in this cycle has left."""
        held = len(self.inside) + (self.left_now if self.next_edge else 0)
        return cycle >= self.free_cycle and held < self.depth

    def is_blocked(self, cycle: int) -> bool:
        """Whether something is finished and does not leave in this cycle."""
        return self.first(cycle) is not None

    def accept(self, cycle: int, beat: int) -> None:
        self.inside.append((cycle + self.latency, beat))
        self.free_cycle = cycle + self.interval

    def give(self, ports: Ports, port: str, cycle: int) -> None:
        """What can leave through a port does."""
        self.left_now = 0
        beat = self.first(cycle)
        if beat is not None and ports.is_ready(port, cycle):
            ports.give(port, cycle, self.leave())


def pipeline(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    pipe = Pipe(p["LATENCY"], p["INTERVAL"], p["DEPTH"], p["REFILL_NEXT_EDGE"])
    for cycle in range(run.cycles):
        pipe.give(ports, "m", cycle)
        if ports.offered("s", cycle) is not None and pipe.has_room(cycle):
            pipe.accept(cycle, ports.take("s", cycle))
    return ports.events


W = 32


def initiator_of(flit: int) -> int:
    return flit >> 16 & 0xFF


def is_last(flit: int) -> bool:
    return bool(flit >> W & 1)


def scheduler(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    count = p["QUEUES"]
    queues: list[deque[int]] = [deque() for _ in range(count)]
    reads = [0] * 256
    turn, sending = 0, None
    way_out = Pipe(p["LATENCY"], p["INTERVAL"])
    for cycle in range(run.cycles):
        way_out.give(ports, "m", cycle)
        if ports.offered("a", cycle) is not None:
            initiator = ports.take("a", cycle)
            reads[initiator] = max(0, reads[initiator] - 1)
        flit = ports.offered("s", cycle)
        if flit is not None and len(queues[initiator_of(flit) % count]) < p["DEPTH"]:
            queues[initiator_of(flit) % count].append(ports.take("s", cycle))

        def may_go(queue: deque[int]) -> bool:
            if not queue:
                return False
            left = reads[initiator_of(queue[0])]
            fence, is_read = queue[0] >> 28 & 1, queue[0] >> 29 & 1
            return not (fence and left) and not (is_read and left == p["OUTSTANDING"])

        can_emit = not way_out.is_blocked(cycle) and cycle >= way_out.free_cycle
        chosen = sending
        if sending is None:
            if p["PICK"]:
                turns = [(turn + more) % count for more in range(count)]
                chosen = next((one for one in turns if may_go(queues[one])), None)
            else:
                chosen = turn if may_go(queues[turn]) else None
                turn = (turn + 1) % count
        if can_emit and chosen is not None and queues[chosen]:
            flit = queues[chosen].popleft()
            if sending is None:
                reads[initiator_of(flit)] += flit >> 29 & 1
                if p["PICK"]:
                    turn = (chosen + 1) % count
            way_out.accept(cycle, flit)
            sending = None if is_last(flit) else chosen
    return ports.events


@dataclass(eq=False)
class Known:
    """A request that has no answer yet."""

    number: int
    is_sent: bool


def ordering_engine(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    count, is_sequence = p["QUEUES"], p["TRACKING"]
    coming: deque[int] = deque()
    held: list[deque[tuple[int, Known | None]]] = [deque() for _ in range(count)]
    outstanding = [0] * 256
    #: For each initiator, what has not been answered, in order, and the next one's number.
    known: list[list[Known]] = [[] for _ in range(256)]
    numbers = [0] * 256
    cursor, sending = 0, None
    is_extension = was_held = straight_under_way = False
    way_out = Pipe(p["LATENCY"])

    def is_strict(flit: int) -> bool:
        return flit >> 24 & 3 == 2 and flit >> 26 & 3 == 0

    def is_ordered(flit: int) -> bool:
        return flit >> 24 & 3 != 0

    def has_most(initiator: int) -> bool:
        if not is_sequence:
            return outstanding[initiator] == p["OUTSTANDING"]
        # A place is free again when all before it are.
        waiting = known[initiator]
        return bool(waiting) and numbers[initiator] - waiting[0].number == p["WINDOW"]

    def waits(flit: int, entry: Known | None) -> bool:
        initiator = initiator_of(flit)
        if not is_strict(flit):
            return entry is not None and not is_sequence and has_most(initiator)
        if not is_sequence:
            return outstanding[initiator] > 0
        return bool(known[initiator]) and known[initiator][0] is not entry

    for cycle in range(run.cycles):
        way_out.give(ports, "m", cycle)
        if ports.offered("a", cycle) is not None:
            initiator = ports.take("a", cycle)
            outstanding[initiator] = max(0, outstanding[initiator] - 1)
            answered = next((one for one in known[initiator] if one.is_sent), None)
            if answered is not None:
                known[initiator].remove(answered)
        can_emit = not way_out.is_blocked(cycle)
        flit = ports.offered("s", cycle)
        had_room = len(coming) < p["DEPTH"]
        if flit is not None and had_room:
            coming.append(ports.take("s", cycle))
        straight = False
        if coming and can_emit:
            flit = coming[0]
            initiator = initiator_of(flit)
            queue = held[initiator % count]
            counts = not is_extension and is_ordered(flit)
            full = counts and has_most(initiator)
            wait = (
                was_held
                if is_extension
                else (bool(p["STRICT"]) and bool(queue)) or waits(flit, None)
            )
            if not full and (sending is None if not wait else len(queue) < p["DEPTH"]):
                coming.popleft()
                entry = Known(numbers[initiator], is_sent=not wait) if counts else None
                if entry is not None:
                    known[initiator].append(entry)
                    numbers[initiator] += 1
                if wait:
                    queue.append((flit, entry))
                else:
                    straight = True
                    outstanding[initiator] += counts
                    way_out.accept(cycle, flit)
                    straight_under_way = not is_last(flit)
                is_extension, was_held = not is_last(flit), wait
                if not had_room and ports.offered("s", cycle) is not None:
                    coming.append(ports.take("s", cycle))
        if straight:
            continue
        chosen = sending
        if sending is None:
            queue = held[cursor]
            if queue and not waits(*queue[0]) and not straight_under_way:
                chosen = cursor
            cursor = (cursor + 1) % count
        if can_emit and chosen is not None and held[chosen]:
            flit, entry = held[chosen].popleft()
            if sending is None:
                outstanding[initiator_of(flit)] += is_ordered(flit)
                if entry is not None:
                    entry.is_sent = True
            way_out.accept(cycle, flit)
            sending = None if is_last(flit) else chosen
    return ports.events


def framer(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    way_out = Pipe(1, depth=1)
    width = p["CHUNK_BYTES"]
    state, header, size, sent = "free", 0, 0, 0
    for cycle in range(run.cycles):
        way_out.give(ports, "m", cycle)
        flit = ports.offered("s", cycle)
        if state == "free" and flit is not None:
            header = ports.take("s", cycle)
            size = p["SHORT_BYTES"]
            state = "chunks" if is_last(header) else "pause"
        elif state == "pause":
            state = "extension"
        elif state == "extension" and flit is not None:
            ports.take("s", cycle)
            size, state = p["LONG_BYTES"], "chunks"
        elif state == "chunks" and way_out.has_room(cycle):
            kept = min(width, size - sent)
            is_first, sent = sent == 0, sent + kept
            is_over = sent == size
            keep = (1 << kept) - 1
            data = header & ((1 << W) - 1)
            way_out.accept(cycle, data | is_over << W | is_first << W + 1 | keep << W + 2)
            if is_over:
                state, sent = "idle", 0
        elif state == "idle":
            state = "free"
    return ports.events


class Drawn(Random):
    """The emulator's random numbers, from a state on."""

    def __init__(self, state: int) -> None:
        self.state = state


def context_cache(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    random = Drawn(p["SEED"])
    sets: list[Held] = [
        (
            Lru(p["WAYS"]),
            RandomlyReplaced(p["WAYS"], random),
            NeverReplaced(p["WAYS"]),
        )[p["REPLACEMENT"]]
        for _ in range(p["SETS"])
    ]
    waiting: deque[int] = deque()
    fetching: deque[tuple[int, int]] = deque()
    back: set[int] = set()
    leaving: deque[tuple[bool, int]] = deque()
    held = hits = place = free_cycle = 0
    for cycle in range(run.cycles):
        if ports.offered("c", cycle) is not None:
            back.add(ports.take("c", cycle) >> W)
        if fetching and fetching[0][0] in back:
            back.remove(fetching[0][0])
            leaving.append((True, fetching.popleft()[1]))
        flit = ports.offered("s", cycle)
        was_full = len(waiting) == p["QUEUE"] or hits == p["BACKLOG"]
        if flit is not None and not was_full:
            ports.take("s", cycle)
            key = (p["KIND"], initiator_of(flit), 0)
            index = 0 if len(sets) == 1 else mixed(key) % len(sets)
            if sets[index].use(key, 1):
                leaving.append((False, flit))
                hits += 1
            else:
                waiting.append(flit)
        freed = 0
        if leaving and ports.is_ready("m", cycle):
            is_miss, beat = leaving.popleft()
            ports.give("m", cycle, beat)
            freed = is_miss
            hits -= not is_miss
        held -= freed
        has_place = held + (freed if p["REFILL_NEXT_EDGE"] else 0) < p["DEPTH"]
        if waiting and has_place and cycle >= free_cycle and ports.is_ready("r", cycle):
            flit = waiting.popleft()
            ports.give("r", cycle, flit | place << W)
            fetching.append((place, flit))
            place = (place + 1) % p["DEPTH"]
            held += 1
            free_cycle = cycle + p["INTERVAL"]
    return ports.events


def descriptor_dma(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    tags = set(range(p["TAGS"]))
    tags_back: deque[tuple[int, int]] = deque()
    credits_back: deque[int] = deque()
    credits_left = p["CREDITS"]
    inside: deque[int] = deque()
    data: dict[int, int] = {}
    done: deque[int] = deque()
    number = 0
    tag_of: dict[int, int] = {}
    free_cycle = 0
    issue = Pipe(p["ISSUE"])
    held = 0
    for cycle in range(run.cycles):
        issue.give(ports, "r", cycle)
        returned = []
        if ports.offered("c", cycle) is not None:
            beat = ports.take("c", cycle)
            tag = beat >> W
            request = next(one for one in inside if tag_of[one] == tag and one not in data)
            data[request] = beat & ((1 << W) - 1)
            if not p["IN_ORDER"]:
                done.append(request)
            if not p["TAG_UNTIL_LEFT"]:
                returned.append(tag)
        ready = done[0] if done else inside[0] if p["IN_ORDER"] and inside else None
        freed = 0
        if ready is not None and ready in data and ports.is_ready("m", cycle):
            ports.give("m", cycle, data[ready])
            inside.remove(ready)
            del data[ready]
            if done:
                done.popleft()
            if p["TAG_UNTIL_LEFT"]:
                returned.append(tag_of[ready])
            held -= 1
            freed = 1
        tags_back.extend((cycle + p["TAG_RETURN"], tag) for tag in returned)
        while tags_back and tags_back[0][0] <= cycle:
            tags.add(tags_back.popleft()[1])
        while credits_back and credits_back[0] <= cycle:
            credits_back.popleft()
            credits_left += 1
        has_place = held + (freed if p["REFILL_NEXT_EDGE"] else 0) < p["DEPTH"]
        has_credit = credits_left > 0 or not p["CREDITS"]
        flit = ports.offered("s", cycle)
        if flit is not None and cycle >= free_cycle and tags and has_place and has_credit:
            ports.take("s", cycle)
            tag = min(tags)
            tags.remove(tag)
            tag_of[number] = tag
            inside.append(number)
            number += 1
            held += 1
            if p["CREDITS"]:
                credits_left -= 1
                credits_back.append(cycle + p["CREDIT_RETURN"])
            free_cycle = cycle + p["INTERVAL"]
            issue.accept(cycle, flit | tag << W)
    return ports.events


def completion_writer(run: Run, p: Parameters) -> list[Event]:
    ports = Ports(run)
    way_in = Pipe(1, depth=1)
    waiting: deque[int] = deque()
    batches: deque[tuple[int, deque[int]]] = deque()
    free_cycle = 0
    for cycle in range(run.cycles):
        freed = 0
        if batches and batches[0][0] <= cycle and ports.is_ready("m", cycle):
            batch = batches[0][1]
            beat = batch.popleft()
            ports.give("m", cycle, beat | (not batch) << W)
            if not batch:
                batches.popleft()
                freed = 1
        way_in.left_now = 0
        if way_in.first(cycle) is not None and len(waiting) < p["QUEUE"]:
            waiting.append(way_in.leave())
        has_place = len(batches) + (freed if p["REFILL_NEXT_EDGE"] else 0) < p["DEPTH"]
        if waiting and cycle >= free_cycle and has_place:
            size = min(p["BATCH"], len(waiting))
            batch = deque(waiting.popleft() for _ in range(size))
            batches.append((cycle + p["LATENCY"], batch))
            free_cycle = cycle + p["INTERVAL"]
            if way_in.first(cycle) is not None:
                waiting.append(way_in.leave())
        if ports.offered("s", cycle) is not None and way_in.has_room(cycle):
            way_in.accept(cycle, ports.take("s", cycle))
    return ports.events


def expected(model: str, run: Run, p: Parameters) -> list[Event]:
    """The events of a run, in the order of cycles and ports."""
    return in_order(MODELS[model](run, p))


def in_order(events: list[Event]) -> list[Event]:
    """The events by cycle, and in a cycle by port."""
    return sorted(events, key=lambda event: event[:2])


MODELS: dict[str, Callable[[Run, Parameters], list[Event]]] = {
    "completion_writer": completion_writer,
    "context_cache": context_cache,
    "descriptor_dma": descriptor_dma,
    "framer": framer,
    "ordering_engine": ordering_engine,
    "pipeline": pipeline,
    "scheduler": scheduler,
}
