"""Driver: brings a workload's requests into a path, and counts what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emu.breakdown import Ledger
from emu.histogram import Histogram
from emu.kernel import Kernel
from emu.request import Request
from emu.rounds import rounds_of
from emu.trace.events import Listener
from emu.waits import DeadlockError, who_waits_for_whom
from emu.where import still_inside
from emu.workload import Access, Workload

if TYPE_CHECKING:
    from emu.path import Path


class Driver:
    """One run of a workload over a fresh path; what it posts at time 0 is in from the start.

    1. At most `requests` are posted; `None` sets no limit.
    2. They are numbered in the order in which they are posted. What is posted at a time known
       beforehand comes before what an answer of that instant lets be posted.
    3. What is posted competes with all else of its instant.
    """

    def __init__(
        self,
        path: Path,
        workload: Workload,
        *,
        requests: int | None = None,
        on_complete: Callable[[Request], None] | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.posted = 0
        self.latency = Histogram()
        self.ledger = Ledger()
        self.rounds = rounds_of(workload)
        #: Stage to how many requests it dropped.
        self.dropped: dict[str, int] = {}
        self.first_post_ps = self.first_completion_ps = self.last_completion_ps = 0
        #: How many were posted with an order, a service mode or a fence.
        self.marked = 0
        #: Requests inside times picoseconds, from the first post to the last completion.
        self.inside_ps = 0
        #: When a request came in or went out last.
        self.changed_ps = 0
        self.is_stopping = False
        self.kernel: Kernel = path.kernel(
            self._completed, drop=self._was_dropped, listener=listener
        )
        self._path = path
        self._is_traced = listener is not None
        self._workload = workload
        self._requests = requests
        self._on_complete = on_complete
        self._all_inside_ps = 0
        self._posts = workload.posts()
        self._next = next(self._posts, None)
        if self._next is not None:
            self.first_post_ps = self.changed_ps = self._next[0]
            if self.first_post_ps == self.kernel.now_ps:
                self._post_next()

    def run(self, until_ps: int | None = None) -> None:
        """Runs to the end, or up to and including `until_ps`.

        `DeadlockError` if requests are left that nothing will ever move.
        """
        kernel = self.kernel
        while self._next is not None and not self.is_stopping:
            at_ps = self._next[0]
            if until_ps is not None and at_ps > until_ps:
                break
            if at_ps > kernel.now_ps:
                kernel.run(until_ps=at_ps - 1)
                if kernel.stopped:
                    return
            self._post_next()
        if self.is_stopping:
            return
        kernel.run(until_ps)
        is_over = kernel.is_idle and self._next is None
        if is_over and kernel.inside and not kernel.stopped:
            raise DeadlockError(who_waits_for_whom(kernel))

    def stop(self) -> None:
        """Ends the run between two instants."""
        self.is_stopping = True
        self.kernel.stopped = True

    @property
    def now_ps(self) -> int:
        """Up to when it has run."""
        return self.kernel.now_ps

    @property
    def in_flight_at(self) -> dict[str, int]:
        """Stage to how many requests are still there, in the order of the path."""
        return still_inside(self.kernel, is_traced=self._is_traced)

    def counts(self, stage: str) -> dict[str, int]:
        """What a stage with rules of its own has counted; `PathError` if there is none."""
        actor = self._path.actor(stage).actor
        assert actor is not None  # that is what `actor` looks for
        return actor.counts()

    def _post_next(self) -> None:
        """Posts all that is to be posted at the next time."""
        assert self._next is not None  # asked by the callers
        at_ps = self._next[0]
        self._count_inside(at_ps, len(self.kernel.inside))
        while self._next is not None and self._next[0] == at_ps and self._may_post:
            self._post(self._next[1], at_ps)
            self._next = next(self._posts, None)
        if not self._may_post:
            self._next = None

    @property
    def _may_post(self) -> bool:
        return self.posted != self._requests

    def _post(self, access: Access, now_ps: int) -> None:
        self.kernel.submit(
            Request(
                self.posted,
                access.operation,
                access.size_bytes,
                access.address,
                now_ps,
                self._path.plan(access.operation, access.size_bytes, access.address),
                *access[3:],
            )
        )
        self.posted += 1
        self.marked += bool(access.order or access.service or access.fence)

    def _completed(self, request: Request) -> None:
        now_ps = request.completed_ps
        if not self.latency.count:
            self.first_completion_ps = now_ps
        self.last_completion_ps = now_ps
        self._count_inside(now_ps, len(self.kernel.inside) + 1)
        self.inside_ps = self._all_inside_ps
        self.latency.add(now_ps - request.submitted_ps)
        self.rounds.add(self.latency.count, now_ps)
        self.ledger.close(request)
        if self._on_complete is not None:
            self._on_complete(request)
        self._post_after(request, now_ps)

    def _was_dropped(self, request: Request) -> None:
        now_ps = self.kernel.now_ps
        stage = request.dropped_at
        self.dropped[stage] = self.dropped.get(stage, 0) + 1
        self._count_inside(now_ps, len(self.kernel.inside) + 1)
        self._post_after(request, now_ps)

    def _post_after(self, request: Request, now_ps: int) -> None:
        if self.is_stopping:
            self.kernel.stopped = True
        if self._may_post:
            access = self._workload.answered(request)
            if access is not None:
                self._post(access, now_ps)

    def _count_inside(self, now_ps: int, inside: int) -> None:
        """Adds the time since the last change, in which so many were inside."""
        self._all_inside_ps += inside * (now_ps - self.changed_ps)
        self.changed_ps = now_ps
