"""A link that loses packets, and a transport that makes up for it."""

from __future__ import annotations

from collections import deque
from decimal import Decimal
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from emu.actor import Actor, Port
from emu.errors import RunError
from emu.parts import ARBITRATION, ORDERING, RESOURCE, RETRANSMIT, SERIALISATION, SERVICE
from emu.plan import Hop
from emu.random import Random
from emu.request import Request
from emu.stage import parameters
from emu.table.fields import BandwidthField, BytesField, CountField, TimeField
from emu.time import format_time
from stages.transport.channel import Channel
from stages.transport.link import Link
from stages.transport.loss import LOSS_SCHEMA, Loss, parse_loss
from stages.transport.packet import Message, Packet, payloads
from stages.transport.receiver import GoBackN, SelectiveRepeat
from stages.transport.sender import Sender


class RetryLimitError(RunError):
    """A packet was lost more often than the table allows it to be sent again."""


class ReliableWire(Actor):
    """One direction of a link that loses packets, with a reliable transport over it.

    A message is cut into packets, which are numbered on its channel; channels take turns on the
    link, a packet each. `go_back_n` receives in order only, and sends again all from the first
    missing packet on; `selective_repeat` holds what comes early, and sends again what is missing.
    Either asks for a missing packet once, when a later one comes; what is lost with nothing behind
    it, or once more, is sent again after `timeout`. A message is delivered when all of it, and all
    before it on its channel, has come.

    Acknowledgements take a time of their own, no bandwidth, and are never lost. A packet is sent
    again up to `retries` times because it was lost; its next loss ends the run with an error. What
    go-back-N sends again in any case may be lost as often as it will.
    """

    @parameters
    class Parameters:
        """The link, the transport over it, and what is lost."""

        bandwidth: Annotated[BandwidthField, Field(gt=0, description="of the link")]
        latency: Annotated[TimeField, Field(description="flight of a packet after its last byte")]
        acknowledgement: Annotated[
            TimeField, Field(description="from a packet's arrival until its sender knows of it")
        ]
        mtu: Annotated[BytesField, Field(gt=0, description="largest payload of one packet")]
        header: Annotated[BytesField, Field(description="bytes added to each packet")]
        sharing: Annotated[
            Literal["private", "shared"],
            Field(
                description="private: a channel for each initiator and destination; shared: one "
                "for each destination"
            ),
        ]
        window: Annotated[
            CountField, Field(description="packets of one channel that are not acknowledged yet")
        ]
        recovery: Annotated[
            Literal["go_back_n", "selective_repeat"], Field(description="what is sent again")
        ]
        receive_buffer: Annotated[
            CountField,
            Field(description="packets that selective repeat can hold, on each channel"),
        ]
        timeout: Annotated[
            TimeField, Field(description="from the last byte of a lost packet to its repetition")
        ]
        retries: Annotated[
            int,
            Field(
                ge=0,
                strict=True,
                description="how often a packet is sent again because it was lost",
            ),
        ]
        loss: Annotated[
            Decimal | list[int],
            PlainValidator(parse_loss),
            WithJsonSchema(LOSS_SCHEMA),
            Field(
                description="a probability, the same for each packet; or a list of those to lose, "
                "counted from 0 in the order of sending"
            ),
        ]

        def __post_init__(self) -> None:
            round_trip_ps = self.latency + self.acknowledgement
            if self.timeout <= round_trip_ps:
                raise ValueError(
                    f"a timeout of {format_time(self.timeout)} is over before an acknowledgement "
                    f"can be there; expected more than latency and acknowledgement together, "
                    f"{format_time(round_trip_ps)}"
                )

    source = (
        "InfiniBand Architecture Specification, volume 1, reliable connections: sequence numbers, "
        "go-back-N, retry limit; selective repeat as in Mittal et al., Revisiting Network Support "
        "for RDMA (SIGCOMM 2018)"
    )

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._table = parameters
        self._link = Link(parameters.bandwidth, parameters.header)
        self._channels: dict[tuple[int | None, int], Channel] = {}
        self._deciding = False
        self._lost = self._again = self._again_bytes = self._held = self._refused = 0

    def start(self, random: Random) -> None:
        """Losses by probability are drawn from the stage's own numbers."""
        self._loss = Loss(self._table.loss, random)

    def counts(self) -> dict[str, int]:
        """Packets and bytes so far; `bytes_repeated` without headers."""
        return {
            "packets_sent": self._link.packets,
            "bytes_sent": self._link.bytes,
            "packets_lost": self._lost,
            "packets_repeated": self._again,
            "bytes_repeated": self._again_bytes,
            "packets_held": self._held,
            "packets_refused": self._refused,
        }

    def arrive(self, request: Request, port: Port) -> None:
        """A message joins its channel."""
        channel = self._channel(request)
        count, cut = payloads(_message_bytes(request), self._table.mtu)
        message = Message(request, port.now_ps, cut, uncut=count, missing=count)
        channel.sender.waiting.append(message)
        channel.note(port.now_ps)
        message.kept_before = channel.kept_ps(port.now_ps)
        self._go_on(channel, port)

    def _channel(self, request: Request) -> Channel:
        table = self._table
        private = table.sharing == "private"
        key = (request.initiator if private else None, request.destination)
        if key not in self._channels:
            goes_back = table.recovery == "go_back_n"
            sender = Sender(table.window, goes_back=goes_back)
            receiver = GoBackN() if goes_back else SelectiveRepeat(table.receive_buffer)
            self._channels[key] = Channel(sender, receiver)
        return self._channels[key]

    def _go_on(self, channel: Channel, port: Port) -> None:
        """The channel has changed, or the link is free: perhaps a packet can go."""
        self._link.offer(channel)
        channel.note(port.now_ps)
        if self._link.can_send and not self._deciding:
            # Which one, is decided when all else that is due in this instant has happened.
            self._deciding = True
            port.call_at(port.now_ps, partial(self._send, port))

    def _send(self, port: Port) -> None:
        """Puts the next packet on the link."""
        self._deciding = False
        channel, packet = self._link.next_turn()
        channel.note(port.now_ps)
        if not packet.message.started:
            packet.message.started = True
            port.accept(packet.message.request)
        if packet.sendings > 1:
            self._again += 1
            self._again_bytes += packet.payload_bytes
        end_ps = port.now_ps + self._link.occupied_ps(packet.payload_bytes)
        port.call_at(end_ps, partial(self._sent, channel, packet, port))

    def _sent(self, channel: Channel, packet: Packet, port: Port) -> None:
        """The last byte of a packet is on the link."""
        now_ps = port.now_ps
        self._link.end_turn(channel)
        if packet.sendings == 1:
            message = packet.message
            message.serialisation_ps += self._link.occupied_ps(packet.payload_bytes)
            message.sent_ps = now_ps
            message.kept_after = channel.kept_ps(now_ps)
            packet.due_ps = now_ps + self._table.latency + self._table.acknowledgement
        if self._loss.takes(packet.order):
            self._lost += 1
            packet.is_lost = True
            # The timers of all other packets would be stopped in time.
            again = partial(self._timed_out, channel, packet, packet.order, port)
            port.call_at(now_ps + self._table.timeout, again)
        else:
            receive = partial(self._received, channel, packet, packet.order, port)
            port.call_at(now_ps + self._table.latency, receive)
        self._go_on(channel, port)

    def _received(self, channel: Channel, packet: Packet, order: int, port: Port) -> None:
        """What was sent as number `order` is at the far end."""
        answer = channel.receiver.take(packet)
        if answer.taken:
            message = packet.message
            message.missing -= 1
            message.received_ps = port.now_ps
            self._held += not answer.delivered
            if not message.missing and not answer.delivered:
                channel.early[message] = None
                port.hold(message.request, channel.first_missing().request)
        else:
            self._refused += 1
        for one in answer.delivered:
            if one.is_last:
                channel.early.pop(one.message, None)
                self._deliver(one.message, port)
        if answer.delivered and channel.early:
            missing = channel.first_missing().request
            for early in channel.early:
                port.hold(early.request, missing)
        if answer.delivered or answer.asks:
            expected = channel.receiver.expected
            heard = partial(self._heard, channel, expected, answer.asks, order, port)
            port.call_at(port.now_ps + self._table.acknowledgement, heard)

    def _heard(
        self, channel: Channel, expected: int, asks: list[int], order: int, port: Port
    ) -> None:
        """The sender learns what had come, and what was missing, when a packet arrived."""
        channel.sender.acknowledge(expected)
        for psn in asks:
            self._repeat(channel, channel.sender.find(psn), order, port)
        self._go_on(channel, port)

    def _timed_out(self, channel: Channel, packet: Packet, order: int, port: Port) -> None:
        self._repeat(channel, packet, order, port)
        self._go_on(channel, port)

    def _repeat(self, channel: Channel, packet: Packet, order: int, port: Port) -> None:
        """Sends a packet again, if that has not been done after sending number `order`."""
        if packet.queued or packet.order > order:
            return
        packet.losses += packet.is_lost
        if packet.losses > self._table.retries:
            request = packet.message.request
            times = "once" if packet.losses == 1 else f"{packet.losses} times"
            raise RetryLimitError(
                f"{_hop(request).name}: packet {packet.psn} from {request.initiator} to "
                f"{request.destination}, of request {request.sequence}, was lost {times} up to "
                f"{port.now_ps} ps; expected at most {self._table.retries} losses of one packet "
                "('retries')"
            )
        channel.sender.repeat(packet)

    def _deliver(self, message: Message, port: Port) -> None:
        """The message and all before it on its channel have come."""
        request = message.request
        window_ps, repairs_ps = (
            after - before
            for before, after in zip(message.kept_before, message.kept_after, strict=True)
        )
        waited_ps = message.sent_ps - message.arrived_ps - message.serialisation_ps
        # Without a loss all of it would have come by then.
        late_ps = message.received_ps - message.sent_ps - self._table.latency
        parts = (
            (ARBITRATION, waited_ps - window_ps - repairs_ps),
            (_window_of(request), window_ps),
            (SERIALISATION, message.serialisation_ps),
            (SERVICE, self._table.latency),
            (RETRANSMIT, repairs_ps + late_ps),
            (ORDERING, port.now_ps - message.received_ps),
        )
        port.emit(request, tuple((part, time_ps) for part, time_ps in parts if time_ps))

    # -- on paper ---------------------------------------------------------------------------

    def on_paper(self, request: Request) -> dict[str, int]:
        """Packet after packet, flight, and where the window is smaller than the message, that."""
        table = self._table
        _, cut = payloads(_message_bytes(request), table.mtu)
        free_ps: deque[int] = deque(maxlen=table.window)
        at_ps = serialisation_ps = 0
        for payload_bytes in cut:
            if len(free_ps) == table.window:
                at_ps = max(at_ps, free_ps[0])
            occupied_ps = self._link.occupied_ps(payload_bytes)
            serialisation_ps += occupied_ps
            at_ps += occupied_ps
            if table.window is not None:
                free_ps.append(at_ps + table.latency + table.acknowledgement)
        parts = {
            SERIALISATION: serialisation_ps,
            SERVICE: table.latency,
            _window_of(request): at_ps - serialisation_ps,
        }
        return {part: time_ps for part, time_ps in parts.items() if time_ps}


def _hop(request: Request) -> Hop:
    return request.plan.hops[request.hop]


def _message_bytes(request: Request) -> int:
    return _hop(request).message_bytes


def _window_of(request: Request) -> str:
    return f"{RESOURCE}{_hop(request).name}.window"
