"""One channel over a link that loses packets, worked out anew by going through all that was sent.

Nothing here shares code with the stage. It keeps no state but the list of sendings: what a receiver
has, and what a sender has heard, is read from that list whenever it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """A packet on the link, its flight, the way back of what is known, and the timer."""

    packet_ps: int
    flight_ps: int
    back_ps: int
    timeout_ps: int


@dataclass(frozen=True)
class Heard:
    """What a sender hears: all before `expected` is there, and these are missing."""

    at_ps: int
    number: int
    expected: int
    asks: tuple[int, ...]


class Reference:
    """Packets that are there to be sent at their times, in order, and when each is delivered."""

    def __init__(
        self,
        ready_ps: Sequence[int],
        times: Times,
        lost: frozenset[int],
        *,
        goes_back: bool,
        window: int,
        room: int,
    ) -> None:
        self.ready_ps = ready_ps
        self.times = times
        self.lost = lost
        self.goes_back = goes_back
        self.window = window
        self.room = room
        #: Sequence number and last byte of each sending.
        self.sent: list[tuple[int, int]] = []
        self.delivered_ps: dict[int, int] = {}
        self.heard: list[Heard] = []
        while len(self.delivered_ps) < len(ready_ps):
            self._send_next()
            self._receive_all()

    def _receive_all(self) -> None:
        """The receiver's whole life: who came when, and what it answered."""
        times = self.times
        self.delivered_ps, self.heard = {}, []
        expected, asked, held, refused = 0, -1, set[int](), set[int]()
        for number, (psn, end_ps) in enumerate(self.sent):
            if number in self.lost:
                heard = Heard(end_ps + times.timeout_ps, number, 0, (psn,))
                self.heard.append(heard)
                continue
            at_ps = end_ps + times.flight_ps
            asks: set[int] = set()
            if psn == expected:
                held.add(psn)
                while expected in held:
                    self.delivered_ps[expected] = at_ps
                    held.discard(expected)
                    expected += 1
                asks, refused = refused, set()
            elif self.goes_back:
                if asked != expected:
                    asks = {expected}
                asked = expected
            else:
                asks = set(range(asked + 1, psn))
                (held if len(held) < self.room else refused).add(psn)
            if not self.goes_back:
                asked = max(asked, psn)
            answer = Heard(at_ps + times.back_ps, number, expected, tuple(sorted(asks)))
            self.heard.append(answer)
        self.heard.sort(key=lambda one: one.at_ps)

    def _send_next(self) -> None:
        """The earliest instant at which the link is free and something is to be sent."""
        free_ps = self.sent[-1][1] if self.sent else 0
        changes = {free_ps, *self.ready_ps, *(one.at_ps for one in self.heard)}
        for at_ps in sorted(change for change in changes if change >= free_ps):
            psn = self._to_send(at_ps)
            if psn is not None:
                self.sent.append((psn, at_ps + self.times.packet_ps))
                return
        raise AssertionError("nothing will ever be sent again")

    def _to_send(self, at_ps: int) -> int | None:
        last = {psn: number for number, (psn, _) in enumerate(self.sent)}
        start_ps = [end_ps - self.times.packet_ps for _, end_ps in self.sent]
        acknowledged = 0
        again: set[int] = set()
        for one in self.heard:
            if one.at_ps > at_ps:
                break
            acknowledged = max(acknowledged, one.expected)
            for psn in one.asks:
                # Not if it was sent again by then: after what tells of it, and before it is told.
                if any(
                    other == psn and number > one.number and start_ps[number] < one.at_ps
                    for number, (other, _) in enumerate(self.sent)
                ):
                    continue
                # All that had been sent when the sender heard.
                known = {
                    other
                    for number, (other, _) in enumerate(self.sent)
                    if start_ps[number] < one.at_ps
                }
                these = {other for other in known if other >= psn} if self.goes_back else {psn}
                again |= {psn for psn in these if start_ps[last[psn]] < one.at_ps}
        if again:
            return min(again)
        new = len(last)
        if new == len(self.ready_ps) or self.ready_ps[new] > at_ps:
            return None
        return new if new - acknowledged < self.window else None
