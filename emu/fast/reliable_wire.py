"""A link that loses packets, and a transport that makes up for it; see `stages/reliable_wire.py`.

What is told for traces alone is left out.
"""

from __future__ import annotations

from typing import Any

from emu.fast.codes import P_ARBITRATION, P_ORDERING, P_RETRANSMIT, P_SERIALISATION, P_SERVICE
from emu.fast.compiled import compiled
from emu.fast.layout import charge_some, hop_of, requests, stations
from emu.fast.memory import push, words
from emu.fast.port import accept, call_at, emit, fail
from emu.fast.ring import put
from emu.fast.ring import take as take_from
from emu.fast.transport.channel import channel_of, kept_by_repairs_ps, kept_by_window_ps, note
from emu.fast.transport.layout import channels, messages, packets, wires
from emu.fast.transport.link import can_send, next_turn, occupied_ps, offer
from emu.fast.transport.loss import loses
from emu.fast.transport.receiver import take
from emu.fast.transport.sender import acknowledge, add_message, repeat

# What an alarm is about, and its two numbers.
_SEND = 0
_SENT = 1  # packet
_RECEIVED = 2  # packet, number of the sending
_HEARD = 3  # channel, number of the sending
_TIMED_OUT = 4  # packet, number of the sending


@compiled
def wire_arrive(world: Any, station: int, request: int) -> None:
    """A message joins its channel."""
    wire = _wire_of(world, station)
    now_ps = world.now_ps
    coming = requests(world)[request]
    place = channel_of(wire, coming.initiator, coming.destination)
    channel = channels(wire)[place]
    size_bytes = hop_of(world, coming).message_bytes
    added = add_message(wire, channel, request, size_bytes, now_ps)
    message = messages(wire)[added]
    note(wire, channel, now_ps)
    message.window_before_ps = kept_by_window_ps(channel, now_ps)
    message.repairs_before_ps = kept_by_repairs_ps(channel, now_ps)
    _go_on(world, station, place)


@compiled
def wire_alarm(world: Any, station: int, what: int, first: int, second: int) -> None:
    """What was set for this time is to be done."""
    if what == _SEND:
        _send(world, station)
    elif what == _SENT:
        _sent(world, station, first)
    elif what == _RECEIVED:
        _received(world, station, first, second)
    elif what == _HEARD:
        _heard(world, station, first, second)
    else:
        _timed_out(world, station, first, second)


@compiled
def _wire_of(world: Any, station: int) -> Any:
    return wires(world)[stations(world)[station].place]


@compiled
def _go_on(world: Any, station: int, place: int) -> None:
    """The channel has changed, or the link is free: perhaps a packet can go."""
    wire = _wire_of(world, station)
    offer(wire, place)
    note(wire, channels(wire)[place], world.now_ps)
    if can_send(wire) and not wire.deciding:
        # Which one, is decided when all else that is due in this instant has happened.
        wire.deciding = 1
        call_at(world, station, world.now_ps, _SEND, 0, 0)


@compiled
def _send(world: Any, station: int) -> None:
    """Puts the next packet on the link."""
    wire = _wire_of(world, station)
    wire.deciding = 0
    place = next_turn(wire)
    packet = packets(wire)[place]
    note(wire, channels(wire)[packet.channel], world.now_ps)
    message = messages(wire)[packet.message]
    if not message.started:
        message.started = 1
        accept(world, message.request)
    if packet.sendings > 1:
        wire.repeated += 1
        wire.repeated_bytes += packet.payload_bytes
    end_ps = world.now_ps + occupied_ps(wire, packet.payload_bytes)
    call_at(world, station, end_ps, _SENT, place, 0)


@compiled
def _sent(world: Any, station: int, place: int) -> None:
    """The last byte of a packet is on the link."""
    wire = _wire_of(world, station)
    now_ps = world.now_ps
    packet = packets(wire)[place]
    channel = channels(wire)[packet.channel]
    wire.busy = 0
    channel.on_link = -1
    if packet.sendings == 1:
        message = messages(wire)[packet.message]
        message.serialisation_ps += occupied_ps(wire, packet.payload_bytes)
        message.sent_ps = now_ps
        message.window_after_ps = kept_by_window_ps(channel, now_ps)
        message.repairs_after_ps = kept_by_repairs_ps(channel, now_ps)
        packet.due_ps = now_ps + wire.latency_ps + wire.acknowledgement_ps
    if loses(world, wire, packet.order):
        wire.lost += 1
        packet.is_lost = 1
        # The timers of all other packets would be stopped in time.
        call_at(world, station, now_ps + wire.timeout_ps, _TIMED_OUT, place, packet.order)
    else:
        call_at(world, station, now_ps + wire.latency_ps, _RECEIVED, place, packet.order)
    _go_on(world, station, packet.channel)


@compiled
def _received(world: Any, station: int, place: int, order: int) -> None:
    """What was sent as number `order` is at the far end."""
    wire = _wire_of(world, station)
    packet = packets(wire)[place]
    channel = channels(wire)[packet.channel]
    before = channel.expected
    if take(wire, channel, place):
        messages(wire)[packet.message].received_ps = world.now_ps
        wire.packets_held += channel.expected == before
    else:
        wire.packets_refused += 1
    delivered = place
    for _ in range(before, channel.expected):
        one = packets(wire)[delivered]
        if one.is_last:
            _deliver(world, station, one.message)
        delivered = one.after
    if channel.expected != before or wire.asks.count > 0:
        _answer(wire, channel)
        heard_ps = world.now_ps + wire.acknowledgement_ps
        call_at(world, station, heard_ps, _HEARD, packet.channel, order)


@compiled
def _answer(wire: Any, channel: Any) -> None:
    """Puts down what the sender is to hear; all answers take as long, so it hears them in order."""
    asks = wire.asks
    put(wire.answers, channel.expected)
    put(wire.answers, asks.count)
    for index in range(asks.count):
        put(wire.answers, words(asks)[index])
    asks.count = 0


@compiled
def _heard(world: Any, station: int, place: int, order: int) -> None:
    """The sender learns what had come, and what was missing, when a packet arrived."""
    wire = _wire_of(world, station)
    answers = wire.answers
    acknowledge(wire, channels(wire)[place], take_from(answers))
    for _ in range(take_from(answers)):
        _repeat(world, station, take_from(answers), order)
    _go_on(world, station, place)


@compiled
def _timed_out(world: Any, station: int, place: int, order: int) -> None:
    wire = _wire_of(world, station)
    packet = packets(wire)[place]
    # It may have been acknowledged since, and its slot be in use for another packet: that has been
    # sent later, as this one has been before it was acknowledged. Then there is nothing to do.
    if packet.order == order:
        channel = packet.channel
        _repeat(world, station, place, order)
        _go_on(world, station, channel)


@compiled
def _repeat(world: Any, station: int, place: int, order: int) -> None:
    """Sends a packet again, if that has not been done after sending number `order`."""
    wire = _wire_of(world, station)
    packet = packets(wire)[place]
    if packet.queued or packet.order > order:
        return
    packet.losses += packet.is_lost
    if packet.losses > wire.retries:
        fail(world, station)
        return
    repeat(wire, channels(wire)[packet.channel], place)


@compiled
def _deliver(world: Any, station: int, place: int) -> None:
    """The message and all before it on its channel have come."""
    wire = _wire_of(world, station)
    message = messages(wire)[place]
    window_ps = message.window_after_ps - message.window_before_ps
    repairs_ps = message.repairs_after_ps - message.repairs_before_ps
    waited_ps = message.sent_ps - message.arrived_ps - message.serialisation_ps
    # Without a loss all of it would have come by then.
    late_ps = message.received_ps - message.sent_ps - wire.latency_ps
    request = requests(world)[message.request]
    charge_some(request, P_ARBITRATION, waited_ps - window_ps - repairs_ps)
    charge_some(request, wire.window_part, window_ps)
    charge_some(request, P_SERIALISATION, message.serialisation_ps)
    charge_some(request, P_SERVICE, wire.latency_ps)
    charge_some(request, P_RETRANSMIT, repairs_ps + late_ps)
    charge_some(request, P_ORDERING, world.now_ps - message.received_ps)
    emit(world, station, message.request)
    push(wire.free_messages, place)
