"""A transport channel: its two ends, and what keeps its new packets back."""

from __future__ import annotations

from stages.transport.packet import Message, Packet
from stages.transport.receiver import Receiver
from stages.transport.sender import Sender


class Channel:
    """Two ends, and how long the window and repairs have kept new packets back so far.

    Repairs keep them back while the channel sends again; a full window does until its oldest
    packet should have been acknowledged, and from then on it is repairs that do. What neither
    keeps back is on the link, or waits for it.
    """

    def __init__(self, sender: Sender, receiver: Receiver) -> None:
        self.sender = sender
        self.receiver = receiver
        #: Messages of which all has come, and which wait for one before them.
        self.early: dict[Message, None] = {}
        #: The packet of this channel that is on the link.
        self.on_link: Packet | None = None
        self._kept_ps = (0, 0)
        # New packets are kept back since then: by the window until then, and then by repairs.
        self._since_ps = 0
        self._window_until_ps: int | None = None

    def note(self, now_ps: int) -> None:
        """Looks anew at what keeps new packets back; called after each change."""
        until_ps = self._look()
        if until_ps != self._window_until_ps:
            self._kept_ps = self.kept_ps(now_ps)
            self._since_ps = now_ps
            self._window_until_ps = until_ps

    def first_missing(self) -> Message:
        """The message that those that came early wait for."""
        return self.sender.find(self.receiver.expected).message

    def kept_ps(self, now_ps: int) -> tuple[int, int]:
        """How long the window, and how long repairs, have kept new packets back up to now."""
        window_ps, repairs_ps = self._kept_ps
        if self._window_until_ps is None:
            return window_ps, repairs_ps
        split_ps = min(max(self._window_until_ps, self._since_ps), now_ps)
        return window_ps + split_ps - self._since_ps, repairs_ps + now_ps - split_ps

    def _look(self) -> int | None:
        sender = self.sender
        if self.on_link is not None and self.on_link.sendings == 1:
            return None
        if self.on_link is not None or sender.repeats:
            return 0
        return sender.outstanding[0].due_ps if sender.is_full else None
