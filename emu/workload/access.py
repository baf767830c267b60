"""Access: one operation that a program wants to post."""

from __future__ import annotations

from typing import NamedTuple

from emu.request import Operation


class Access(NamedTuple):
    """What, how many bytes, where, by whom and to whom; and its ordering marks, empty for none."""

    operation: Operation
    size_bytes: int
    address: int
    initiator: int = 0
    destination: int = 0
    #: `NO`, `RO` or `SO`.
    order: str = ""
    #: `ROI`, `ROT`, `ROL` or `UNO`.
    service: str = ""
    fence: bool = False
    #: What a write or an atomic brings, and what a compare-and-swap compares with.
    operand: int = 0
    compare: int = 0
