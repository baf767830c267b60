"""Which packets a link loses."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from emu.random import Random

_EXAMPLE = "expected a probability from 0 to 1, as in '0.01', or the packets to lose, as in '[3]'"
_DECIMAL = re.compile(r"\d+(\.\d+)?")
#: What a table may say, in JSON Schema.
LOSS_SCHEMA = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "string", "pattern": r"^[01](\.\d+)?$", "examples": ["0.01"]},
        {"type": "array", "items": {"type": "integer", "minimum": 0}},
    ]
}


def parse_loss(value: object) -> Decimal | list[int]:
    """A probability, exact, or the numbers of the packets to lose, as a table gives them."""
    if isinstance(value, list):
        numbers = [one for one in value if type(one) is int and one >= 0]
        if numbers != value:
            raise ValueError(f"{value!r} does not say which packets; {_EXAMPLE}")
        return numbers
    if isinstance(value, bool) or _DECIMAL.fullmatch(str(value)) is None:
        raise ValueError(f"{value!r} is no probability; {_EXAMPLE}")
    if Decimal(str(value)) > 1:
        raise ValueError(f"{value!r} is more than 1; {_EXAMPLE}")
    return Decimal(str(value))


class Loss:
    """Decides for each packet, in the order of sending, whether it is lost."""

    def __init__(self, what: Decimal | list[int], random: Random) -> None:
        self._numbers = frozenset(what if isinstance(what, list) else ())
        #: Of 2**64 draws, so many lose the packet.
        self._below = 0 if isinstance(what, list) else int(Fraction(what) * 2**64)
        self._random = random

    def takes(self, number: int) -> bool:
        """Whether the packet that is sent as this one is lost; asked once for each."""
        if self._below:
            return self._random.bits() < self._below
        return number in self._numbers
