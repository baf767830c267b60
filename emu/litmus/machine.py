"""Machine: a path with values, on which threads run one schedule of a litmus test after another."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from emu.buffers import Buffers, Reuse
from emu.litmus.draw import Group
from emu.litmus.model import LOCATION_BYTES, LitmusTest, Outcome
from emu.litmus.schema import REUSED, SIZE_BYTES, Post
from emu.litmus.threads import Thread
from emu.memory import Memory
from emu.path import Path
from emu.random import Random
from emu.request import Operation, Request
from emu.trace.events import Listener
from emu.waits import DeadlockError, who_waits_for_whom

#: Hears what a thread does besides posting: the time, the thread, and what it is.
Notes = Callable[[int, str, str], None]


class Machine:
    """Threads over a path.

    A thread does something between two instants of the engine: it sees what became visible before
    that picosecond, and what it posts competes with all else of it. After an answer it goes on in
    the next picosecond at the earliest.

    Each schedule starts when nothing of the one before is left, with locations at addresses that
    were never used.
    """

    def __init__(
        self,
        test: LitmusTest,
        mode: str,
        group: Group,
        *,
        listener: Listener | None = None,
        notes: Notes | None = None,
    ) -> None:
        #: When this schedule began, and what time it is.
        self.start_ps = self.now_ps = 0
        #: Label to what it found.
        self.found: dict[str, int | None] = {}
        #: What each request is called: its thread, and its label.
        self.names: dict[int, str] = {}
        self._test = test
        self._spec = test.spec
        self._mode = mode
        self._notes = notes
        self._memory = Memory()
        self._path = Path(group.table, group.path_seed, self._memory)
        self._kernel = self._path.kernel(self._answered, drop=self._answered, listener=listener)
        self._locations = list(test.spec.locations)
        self._places: dict[str, tuple[int, int]] = {}
        self._owners: dict[Request, tuple[Thread, str]] = {}
        self._steps: list[tuple[int, int]] = []
        self._threads: list[Thread] = []
        self._runs = 0

    def run(self, random: Random) -> Outcome:
        """Runs a schedule; `DeadlockError` if requests are left that nothing will ever move."""
        self._begin(random)
        kernel = self._kernel
        while True:
            if self._steps:
                at_ps, index = self._steps[0]
                kernel.run(until_ps=at_ps - 1)
            else:
                kernel.run()
            if kernel.stopped:
                continue  # an answer has brought a step that may be an earlier one
            if not self._steps:
                break
            heappop(self._steps)
            self.now_ps = at_ps
            self._go_on(index)
        if kernel.inside:
            raise DeadlockError(who_waits_for_whom(kernel))
        return {key: self._observed(key) for key in self._test.observed}

    @property
    def reuses(self) -> list[Reuse]:
        """Buffers that were written again too early."""
        return self._buffers.reuses

    def location(self, address: int) -> str:
        """The name of the location at an address."""
        return self._locations[address // LOCATION_BYTES % len(self._locations)]

    # -- what threads call ------------------------------------------------------------------

    def drawn_start(self) -> int:
        """How long after the start of the schedule a thread starts."""
        return self._random.below(self._spec.start + 1)

    def drawn_gap(self) -> int:
        """How long it takes from one instruction to the next."""
        return self._random.below(self._spec.gap + 1)

    def post(
        self, thread: Thread, label: str, operation: Operation, place: str, step: Post | None
    ) -> None:
        """Posts a request with the marks of its label."""
        marks = self._test.marks(self._mode, label)
        node, address = self._places[place]
        size_bytes = SIZE_BYTES if step is None else step.bytes
        number = len(self.names)
        request = Request(
            number,
            operation,
            size_bytes,
            address,
            self.now_ps,
            self._path.plan(operation, size_bytes, address),
            thread.program.initiator,
            node,
            marks.order or "",
            marks.service or "",
            marks.fence,
            0 if step is None or step.value is None else step.value,
            0 if step is None or step.compare is None else step.compare,
        )
        self.names[number] = f"{thread.name}.{label}"
        self._owners[request] = (thread, label)
        self._kernel.submit(request)

    def is_local(self, thread: Thread, place: str) -> bool:
        """Whether a location is at the thread's own node."""
        return self._places[place][0] == thread.program.node

    def find(self, thread: Thread, label: str, place: str) -> None:
        """What stands in a location is what the label found."""
        value = self._memory.value(*self._places[place])
        # A poll is told once for each value that it finds.
        if self.found.get(label) != value:
            self._note(thread, f"{label} = {value}")
        self.found[label] = value

    def write(self, thread: Thread, place: str, value: int) -> None:
        """Writes a location at once."""
        self._memory.write(*self._places[place], value)
        self._note(thread, f"writes {place} = {value}")

    def consumed(self, thread: Thread, place: str, since_ps: int) -> None:
        """Is done with a buffer."""
        self._buffers.consumed(*self._places[place], since_ps, self.now_ps)
        self._note(thread, f"has consumed {place}")

    def flush(self, thread: Thread, place: str) -> None:
        """Forgets what the cache has of a location."""
        self._path.flush(thread.program.initiator, *self._places[place], self.now_ps)
        self._note(thread, f"flushes {place}")

    # -- steps ------------------------------------------------------------------------------

    def _begin(self, random: Random) -> None:
        self._random = random
        self.start_ps = self.now_ps = self._kernel.now_ps + 1 if self._runs else 0
        self.found.clear()
        first = self._runs * len(self._locations)
        self._runs += 1
        for index, (name, place) in enumerate(self._spec.locations.items(), start=first):
            self._places[name] = (place.node, index * LOCATION_BYTES)
            if place.value:
                self._memory.write(*self._places[name], place.value)
        self._buffers = Buffers(self._memory, [self._places[name] for name in self._test.buffers])
        self._threads = [Thread(program, self) for program in self._test.programs_in(self._mode)]
        for index in range(len(self._threads)):
            self._go_on(index)

    def _go_on(self, index: int) -> None:
        """Runs a thread to its next pause."""
        thread = self._threads[index]
        thread.is_waiting = False
        pause = next(thread.pauses, -1)
        if pause is None:
            thread.is_waiting = True
        elif pause >= 0:
            heappush(self._steps, (self.now_ps + pause, index))
        if self._memory.teller is not None:
            self._memory.teller.tell()

    def _answered(self, request: Request) -> None:
        thread, label = self._owners.pop(request)
        thread.answered(label, request)
        if thread.is_waiting:
            thread.is_waiting = False
            heappush(self._steps, (self._kernel.now_ps + 1, self._threads.index(thread)))
            self._kernel.stopped = True

    # -- the rest ---------------------------------------------------------------------------

    def _note(self, thread: Thread, what: str) -> None:
        if self._notes is not None:
            self._notes(self.now_ps, thread.name, what)

    def _observed(self, key: str) -> int | None:
        if key == REUSED:
            return len(self.reuses)
        if key in self._places:
            return self._memory.value(*self._places[key])
        return self.found.get(key)
