"""What stages behind the initiator's have in common: a request goes when all before it are done."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Protocol

from emu.actor import Actor, Port
from emu.parts import ORDERING
from emu.request import Request
from emu.stage import StageError
from stages.order.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request stands: in which order, and with which number."""

    ledger: Ledger
    number: int


class Since(Protocol):
    """Parameters that name the stage which announces."""

    @property
    def since(self) -> str:
        """An actor before this one."""


class InTurn(Actor):
    """Keeps a request until all before it in its order are done; others go on at once.

    Who is before it, is known from the stage that announces: also those that have not come here
    yet. One is done when it has left the stage that is watched, or was lost on the way there. A
    request is held behind the last one before it that is not done.
    """

    parameters: Since

    def __init__(self, parameters: Since) -> None:
        super().__init__(parameters)
        self._ledgers: dict[Hashable, Ledger] = {}
        self._places: dict[Request, Place] = {}
        #: Who waits here, by whom it is held; each holds one at most, as those that wait are
        #: themselves not done.
        self._held: dict[Request, Request] = {}
        #: Those that may have their turn in this instant.
        self._fresh: list[Request] = []

    # -- what a subclass says ---------------------------------------------------------------

    @abstractmethod
    def order_of(self, request: Request) -> Hashable:
        """What those that are in one order have in common; `None` for a request in no order."""

    @abstractmethod
    def number_of(self, request: Request) -> int:
        """Its number in its order, as it is announced; -1 if it has none."""

    def waits(self, request: Request) -> bool:
        """Whether it is kept here until its turn; if not, only others wait for it."""
        return True

    def turn(self, request: Request, port: Port) -> None:
        """Its turn has come."""
        let_go(request, port)

    # -- what the engine calls --------------------------------------------------------------

    @property
    def announced(self) -> str:
        """Where requests are seen in their order."""
        return self.parameters.since

    def coming(self, request: Request, port: Port) -> None:
        """It takes its place."""
        order = self.order_of(request)
        if order is None:
            return
        number = self.number_of(request)
        if number < 0:
            raise StageError(
                f"stage {port.name}: request {request.sequence} is in an order "
                f"({_marks(request)}), and stage {self.announced} gave it no number; expected "
                "'since' to name a stage that does, an ordering_engine"
            )
        ledger = self._ledgers.setdefault(order, Ledger())
        if number < ledger.next:
            raise StageError(
                f"stage {port.name}: request {request.sequence} comes to stage {self.announced} "
                f"with number {number}, after number {ledger.next - 1} of the same order; expected "
                "'since' to name the stage that gives the numbers"
            )
        ledger.add(number, request)
        self._places[request] = Place(ledger, number)

    def arrive(self, request: Request, port: Port) -> None:
        """It is kept only if it is in an order and waits for its turn in it."""
        if self.order_of(request) is None or not self.waits(request):
            port.accept(request)
            port.emit(request, ())
            return
        if request not in self._places:
            raise StageError(
                f"stage {port.name}: request {request.sequence} waits for its turn "
                f"({_marks(request)}), and has not come by stage {self.announced}, which says "
                "after whom; expected all that comes here to come by there"
            )
        self._look_at(request, port)

    def passed(self, request: Request, port: Port) -> None:
        """It is done."""
        place = self._places.pop(request, None)
        if place is None:
            return
        place.ledger.done(place.number)
        waiting = self._held.pop(request, None)
        if waiting is not None:
            self._look_at(waiting, port)

    def on_paper(self, request: Request) -> dict[str, int]:
        """One alone waits for nobody."""
        return {}

    # -- inside -----------------------------------------------------------------------------

    def _look_at(self, request: Request, port: Port) -> None:
        self._fresh.append(request)
        port.when_settled(partial(self._settle, port))

    def _settle(self, port: Port) -> None:
        fresh, self._fresh = self._fresh, []
        for request in sorted(fresh, key=_by_arrival):
            place = self._places[request]
            before = place.ledger.before(place.number)
            if before is None:
                self.turn(request, port)
            else:
                self._held[before] = request
                port.hold(request, before)


_by_arrival = attrgetter("arrived_ps", "sequence")


def let_go(request: Request, port: Port) -> None:
    """It goes on, and all the time since it came was for the sake of order."""
    waited_ps = port.now_ps - request.arrived_ps
    port.accept(request)
    port.emit(request, ((ORDERING, waited_ps),) if waited_ps else ())


def channel_of(request: Request) -> Hashable:
    """What requests of one initiator to one destination have in common."""
    return request.initiator, request.destination


def _marks(request: Request) -> str:
    marks = " ".join(mark for mark in (request.order, request.service) if mark)
    return f"marked {marks}" if marks else "without marks"
