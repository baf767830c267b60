"""A reliable wire of the compiled engine, made from the reference's, and what it has counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.blocks import fill_words
from emu.fast.codes import RELIABLE_WIRE
from emu.fast.refusal import RefusalError
from emu.fast.transport.layout import WIRE
from emu.parts import RESOURCE

#: Sums of three numbers that are smaller fit into 63 bits, and of one and such a product.
_TOO_LARGE = 2**61
_PRODUCT_TOO_LARGE = 2**62


def make_wire(stage: Any, building: Any) -> tuple[int, int]:
    """The wire's code and place; `RefusalError` where its numbers are too large."""
    table, loss = stage.parameters, stage._loss
    name = building.stations[building.actor].name
    wire = np.zeros(1, WIRE)
    fields = wire[0]
    for field, number in _numbers(table).items():
        if number >= _TOO_LARGE:
            raise RefusalError(f"stage {name} has a number that is too large, {number}")
        fields[field] = number
    if (table.mtu + table.header) * int(fields["per_bytes_ps"]) >= _PRODUCT_TOO_LARGE:
        raise RefusalError(f"a packet of stage {name} is too large")
    fields["is_private"] = table.sharing == "private"
    fields["goes_back"] = table.recovery == "go_back_n"
    fields["window_part"] = building.part(f"{RESOURCE}{name}.window")
    fields["random"] = building.random(loss._random)
    if loss._below:
        fields["draws"] = 1
        fields["last_lost"] = loss._below - 1
    # No run sends so many packets that a number beyond would matter.
    fill_words(fields["named"], sorted(one for one in loss._numbers if one < _TOO_LARGE))
    return RELIABLE_WIRE, int(building.add("wires", wire))


def _numbers(table: Any) -> dict[str, int]:
    return {
        # A byte takes the inverse of the bandwidth.
        "per_bytes_ps": table.bandwidth.denominator,
        "bytes_per": table.bandwidth.numerator,
        "latency_ps": table.latency,
        "acknowledgement_ps": table.acknowledgement,
        "timeout_ps": table.timeout,
        "mtu_bytes": table.mtu,
        "header_bytes": table.header,
        "window": -1 if table.window is None else table.window,
        "receive_buffer": -1 if table.receive_buffer is None else table.receive_buffer,
        "retries": table.retries,
    }


def counts(wire: Any) -> dict[str, int]:
    """What a wire's record has counted, as the reference's `counts` says it."""
    return {
        "packets_sent": int(wire["packets"]),
        "bytes_sent": int(wire["bytes"]),
        "packets_lost": int(wire["lost"]),
        "packets_repeated": int(wire["repeated"]),
        "bytes_repeated": int(wire["repeated_bytes"]),
        "packets_held": int(wire["packets_held"]),
        "packets_refused": int(wire["packets_refused"]),
    }
