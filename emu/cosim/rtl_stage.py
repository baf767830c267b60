"""RtlStage: a stage of a path whose behaviour is a DUT."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from emu.actor import Actor, Port
from emu.blocked import BlockedLane
from emu.cosim.awaiting import wait_for
from emu.cosim.compare import Value
from emu.cosim.errors import BadKind, BadSignalError, CosimError
from emu.cosim.model import TakesAnswers
from emu.cosim.place import FIELDS, ID
from emu.cosim.signals import LAST, Data
from emu.cosim.steps import REST, Driven, Shown, Steps
from emu.errors import RunError
from emu.handshake import blocked_wait
from emu.kernel import Kernel
from emu.parts import SERVICE
from emu.request import Request
from emu.station import Station
from emu.time import Clock, format_time
from emu.waits import who_waits_for_whom

#: It is looked at for so many cycles more once nothing is inside: nothing may come out then.
AFTER_CYCLES = 64


class StallError(RunError):
    """A DUT at which nothing moves any more, in a path in which nothing else does."""


@dataclass(frozen=True)
class RtlParameters:
    """What an `RtlStage` is made from."""

    steps: Steps
    #: Capacity of the queue in front; `None` is unlimited.
    queue: int | None
    #: How many beats a request has that moves so many bytes: one for each of these.
    beat_bytes: int | None
    #: On paper it takes what the stages take in whose place it is.
    on_paper: Callable[[Request], dict[str, int]]
    #: Port of the DUT to the stage of the table that would wait for what is answered there.
    answers: dict[str, TakesAnswers]
    #: The stage that a request has left when it is answered; empty for none.
    until: str
    #: So many cycles in which nothing moves are borne.
    patience_cycles: int


@dataclass(slots=True)
class Beat:
    """What is offered: a beat of a request, with the number of those that follow it."""

    request: Request
    values: tuple[int, ...]
    offer: Value
    follow: int
    is_first: bool = True


@dataclass(slots=True)
class Stay:
    """A request that the DUT has taken: when, and with which values in its fields."""

    request: Request
    accepted_ps: int
    values: dict[str, int]


class RtlStage(Actor):
    """A DUT in the place of a stage, or of several in a row.

    1. Edge n of the stage's clock is cycle n of the DUT. A request is offered from the first
       edge on at which it has come and is first in the queue; it is accepted with the handshake of
       its first beat, and has left the DUT, as `emitted`, at the first edge at which its first beat
       is valid at the output. The DUT is not let go on before the request has gone on.
    2. From accepting to emitting all is `service`. Before, it is `arbitration` until a request is
       first in the queue. Then it is `resource:NAME.depth` while as many are inside as the
       table says, or, without a limit there, while the DUT does not take and its output is
       blocked; `interval` while it does not take for another reason, of which nothing can be seen;
       and `alignment` up to the edge. What was emitted and can't go on is `backpressure`; one that
       is finished in the DUT behind another that can't is not seen, and its time still `service`.
    3. The DUT is looked at on every edge while something is inside and a while longer, and idles in
       between.
    """

    clocked = True
    bounded = True

    _kernel: Kernel
    _station: Station
    _clock: Clock

    def __init__(self, parameters: RtlParameters) -> None:
        super().__init__(parameters)
        self._steps = parameters.steps
        self._queue = parameters.queue
        self._given = parameters
        #: Those that have come, each with what had held up the queue by then.
        self._waiting: deque[Request] = deque()
        self._lane = BlockedLane()
        self._beat: Beat | None = None
        #: By what its field `id` says: those that have been accepted and have not come out.
        self._inside: dict[int, Stay] = {}
        self._next_id = 0
        #: What is at the output, what it shows, and whether it has gone on already.
        self._out: Request | None = None
        self._out_value: Value = 0
        self._has_gone = False
        #: Whether beats that follow a first one are being taken.
        self._follows = False
        self._answers: dict[str, deque[Request]] = {name: deque() for name in parameters.answers}
        #: The edge that is looked at, how the DUT is driven there, and what it shows.
        self._edge = -1
        self._driven: Driven = REST
        self._shown = Shown(True, None, frozenset())
        self._accepted_edge = -1
        #: Whether it kept others out there, and not for want of a place.
        self._keeps_out = False
        #: For which edge an alarm is set; when anything was handed over last.
        self._alarm_edge = -1
        self._moved_edge = 0

    def open(self, kernel: Kernel, station: Station, clock: Clock) -> None:
        """To be called before the path runs."""
        self._kernel, self._station, self._clock = kernel, station, clock

    # -- what the engine calls --------------------------------------------------------------

    @property
    def watched(self) -> str:
        """The stage whose leaving answers a request."""
        return self._given.until

    def has_room(self, request: Request) -> bool:
        """Whether there is a place in the queue in front of the DUT."""
        return self._queue is None or len(self._waiting) < self._queue

    def arrive(self, request: Request, port: Port) -> None:
        """It waits to be offered."""
        request.blocked_before = self._lane.so_far(port.now_ps)
        self._waiting.append(request)
        self._moved_edge = self._clock.edge_at_or_after(port.now_ps)
        self._wake(port)

    def left(self, request: Request, port: Port) -> None:
        """The place that it had in the DUT is free, and the DUT may give the next."""
        self._note_places(port.now_ps)
        if request is self._out:
            self._has_gone = True
        self._wake(port)

    def passed(self, request: Request, port: Port) -> None:
        """Tells the DUT, at each port where it waits for an answer to such a request."""
        for name, stage in self._given.answers.items():
            if stage.awaits(request):
                self._answers[name].append(request)
                self._wake(port)

    def on_paper(self, request: Request) -> dict[str, int]:
        """What the table says of the stages in whose place it is."""
        return self._given.on_paper(request)

    # -- an edge ----------------------------------------------------------------------------

    def _wake(self, port: Port) -> None:
        """Looks at the next edge, or once more at this one."""
        edge = self._clock.edge_at_or_after(port.now_ps)
        if self._clock.edge(edge) > port.now_ps:
            self._set_alarm(edge, port)
        elif edge == self._edge:
            port.when_settled(partial(self._decide, port))
        else:
            self._look(edge, port)

    def _set_alarm(self, edge: int, port: Port) -> None:
        if edge > self._alarm_edge:
            self._alarm_edge = edge
            port.call_at(self._clock.edge(edge), partial(self._look, edge, port))

    def _look(self, edge: int, port: Port) -> None:
        """Goes on to an edge, and takes what is there at its beginning: the output."""
        if edge == self._edge:
            return
        self._end_cycle()
        self._edge = edge
        self._note_places(port.now_ps)
        self._settle(port)
        port.when_settled(partial(self._decide, port))

    def _decide(self, port: Port) -> None:
        """All that come in this instant have come: what is offered may be taken."""
        if self._driving() != self._driven:
            self._settle(port)
        beat = self._beat
        is_accepted = self._accepted_edge == self._edge
        can_take = self._shown.can_take and (beat is None or beat.is_first)
        if beat is not None and can_take and not is_accepted:
            self._accept(beat, port)
            is_accepted = True
        self._note_places(port.now_ps)
        self._keeps_out = not (can_take or is_accepted or self._is_full(port.now_ps))
        if self._is_busy():
            self._set_alarm(self._edge + 1, port)

    def _settle(self, port: Port) -> None:
        """Drives the DUT, and lets out what it shows at its output."""
        before = self._shown
        self._driven = self._driving()
        try:
            self._shown = shown = wait_for(self._steps.look(self._edge, self._driven))
        except BadSignalError as error:
            raise self._bad(error.kind, str(error)) from None
        if self._accepted_edge == self._edge and before.can_take and not shown.can_take:
            raise self._bad("ready", "ready falls within a cycle in which there is an offer")
        if shown.gives is None:
            if self._out is not None:
                raise self._bad("valid", "valid falls before what is shown is taken")
        elif self._out is not None:
            if shown.gives != self._out_value:
                raise self._bad("data", "what is shown changes before it is taken")
        elif not self._follows:
            self._emit(shown.gives, port)

    def _driving(self) -> Driven:
        """How the DUT is to be driven by now."""
        if self._beat is None and self._waiting:
            self._beat = self._first_beat(self._waiting[0])
        beat = self._beat
        offer = None if beat is None else beat.offer
        answers = {
            name: self._answer(self._steps.answers[name], waiting[0])
            for name, waiting in self._answers.items()
            if waiting
        }
        goes_on = self._out is None or self._has_gone or self._steps.cannot_stop
        return Driven(offer, goes_on, answers)

    def _end_cycle(self) -> None:
        """The edge that was looked at last is over: what was handed over at it."""
        driven, shown, beat = self._driven, self._shown, self._beat
        moved = False
        if beat is not None and driven.offer is not None and shown.can_take:
            moved = True
            self._beat = self._next_beat(beat) if beat.follow else None
        if shown.gives is not None and driven.is_ready:
            moved = True
            self._follows = not self._steps.source.unpack(shown.gives).get(LAST, 1)
            self._out, self._has_gone = None, False
        for name in shown.takes_answers:
            moved = True
            self._answers[name].popleft()
        if moved:
            self._moved_edge = self._edge
        if self._keeps_out:
            self._keeps_out = False
            self._station.free_edge = self._edge + 1
            self._station.busy += 1

    def _is_busy(self) -> bool:
        """Whether the next edge has to be looked at; `StallError` if that leads to nothing."""
        is_empty = not (
            self._waiting
            or self._beat
            or self._inside
            or self._out
            or self._follows
            or any(self._answers.values())
        )
        quiet = self._edge - self._moved_edge
        is_patient = quiet < self._given.patience_cycles
        if is_empty:
            return quiet < AFTER_CYCLES or (is_patient and not self._shown.can_take)
        if not is_patient and self._kernel.is_idle:
            raise self._stalled()
        return True

    # -- requests ---------------------------------------------------------------------------

    def _accept(self, beat: Beat, port: Port) -> None:
        request, now_ps = beat.request, port.now_ps
        station, edge = self._station, self._edge
        self._waiting.popleft()
        self._accepted_edge = edge
        request.accepted_ps = now_ps
        interval_ps = self._clock.edge(station.free_edge) if station.accepted else 0
        waits = blocked_wait(self._lane, request, station.first_ps, interval_ps)
        request.charges += [(request.hop, part, time_ps) for part, time_ps in waits]
        station.first_ps = now_ps
        station.accepted += 1
        station.busy += 1
        station.free_edge = edge + 1
        self._lane.accept(now_ps)
        station.take_place(now_ps)
        self._note_places(now_ps)
        values = dict(zip(self._steps.sink.widths, beat.values, strict=True))
        self._inside[values[ID]] = Stay(request, now_ps, values)
        port.accept(request)

    def _emit(self, value: Value, port: Port) -> None:
        said = self._steps.source.unpack(value)
        said.pop(LAST, None)
        stay = self._inside.pop(said[ID], None)
        if stay is None:
            inside = ", ".join(map(str, self._inside)) or "nothing"
            raise self._bad("data", f"{ID} {said[ID]} comes out, and inside is {inside}")
        for name, one in said.items():
            if one != stay.values[name]:
                raise self._bad(
                    "data",
                    f"field '{name}' of {ID} {said[ID]} comes out as {one}, and went in as "
                    f"{stay.values[name]}",
                )
        self._out, self._out_value, self._has_gone = stay.request, value, False
        service_ps = port.now_ps - stay.accepted_ps
        port.emit(stay.request, ((SERVICE, service_ps),) if service_ps else ())

    def _first_beat(self, request: Request) -> Beat:
        data = self._steps.sink
        width = data.widths[ID]
        if len(self._inside) >> width:
            raise CosimError(
                f"{self._here()}: {len(self._inside)} requests are inside, and '{ID}' has {width} "
                "bits; expected more"
            )
        while self._next_id in self._inside:
            self._next_id = (self._next_id + 1) & ((1 << width) - 1)
        number, self._next_id = self._next_id, (self._next_id + 1) & ((1 << width) - 1)
        follow = self._beats(request) - 1
        values = self._values(data, request, number, follow)
        return Beat(request, values, data.pack(values), follow)

    def _next_beat(self, beat: Beat) -> Beat:
        """The same again, but for `last`."""
        data = self._steps.sink
        follow = beat.follow - 1
        values = tuple(
            int(follow == 0) if name == LAST else value
            for name, value in zip(data.widths, beat.values, strict=True)
        )
        return Beat(beat.request, values, data.pack(values), follow, is_first=False)

    def _beats(self, request: Request) -> int:
        """How many beats the request is sent in; one where the port has no `last`."""
        beat_bytes = self._given.beat_bytes
        if beat_bytes is None or LAST not in self._steps.sink.widths:
            return 1
        return max(1, -(-request.plan.hops[request.hop].message_bytes // beat_bytes))

    def _answer(self, data: Data, request: Request) -> Value:
        return data.pack(self._values(data, request, 0, 0))

    def _values(self, data: Data, request: Request, number: int, follow: int) -> tuple[int, ...]:
        """What a request has in the fields of a port; `CosimError` where it does not fit."""
        found = []
        for name, width in data.widths.items():
            value = (
                number
                if name == ID
                else int(follow == 0)
                if name == LAST
                else FIELDS[name](request)
            )
            if value >> width:
                raise CosimError(
                    f"{self._here()}: '{name}' of request {request.sequence} is {value}, and the "
                    f"field has {width} bits; expected more"
                )
            found.append(value)
        return tuple(found)

    # -- places -----------------------------------------------------------------------------

    def _note_places(self, now_ps: int) -> None:
        """From now on the DUT is full, or is not."""
        self._lane.note(now_ps, f"{self._station.name}.depth" if self._is_full(now_ps) else "")

    def _is_full(self, now_ps: int) -> bool:
        if self._station.depth is not None:
            return not self._station.has_place(now_ps)
        return self._out is not None and not self._has_gone and not self._shown.can_take

    # -- what goes wrong --------------------------------------------------------------------

    def _bad(self, kind: BadKind, what: str) -> BadSignalError:
        return BadSignalError(kind, self._edge, f"{self._here()}: {what}")

    def _here(self) -> str:
        """Which DUT it is, and when."""
        time = format_time(self._clock.edge(self._edge))
        return f"{self._station.name}, cycle {self._edge}, {time}"

    def _stalled(self) -> StallError:
        quiet = self._edge - self._moved_edge
        what = (
            f"nothing has moved at the DUT in the place of {self._station.name} for {quiet} "
            f"cycles, up to cycle {self._edge}: {len(self._inside)} inside, "
            f"{len(self._waiting)} waiting"
        )
        shown = [f"  {line}" for line in self._steps.state()]
        return StallError("\n".join((what, *shown, who_waits_for_whom(self._kernel))))
