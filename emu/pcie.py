"""PCIe: bandwidth of a link, the bytes that reads and writes put on it, and what keeps order."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from emu.table.schema import Pcie
from emu.time import PS_PER_S

#: Transfers a second on a lane, and how many of the bits are data, by generation: 8b/10b coding,
#: then 128b/130b, then flits of 256 bytes of which 242 carry packets. Source: PCI Express Base
#: Specification 6.0.
_LANE = {
    1: (Fraction(25 * 10**8), Fraction(8, 10)),
    2: (Fraction(5 * 10**9), Fraction(8, 10)),
    3: (Fraction(8 * 10**9), Fraction(128, 130)),
    4: (Fraction(16 * 10**9), Fraction(128, 130)),
    5: (Fraction(32 * 10**9), Fraction(128, 130)),
    6: (Fraction(64 * 10**9), Fraction(242, 256)),
}


#: What waits for one direction of a link; a completion may be allowed to pass posted writes.
POSTED, NONPOSTED, COMPLETION, RELAXED = "posted", "nonposted", "completion", "relaxed"
#: What may not pass what: neither requests of reads nor completions pass posted writes, and these
#: keep their own order. All else may pass. Source: PCI Express Base Specification, section on
#: transaction ordering; a completion with the attribute "relaxed ordering" may pass.
BEHIND: dict[Hashable, Hashable] = {NONPOSTED: POSTED, COMPLETION: POSTED}


def bytes_per_ps(pcie: Pcie) -> Fraction:
    """What one direction carries, exactly."""
    transfers, data = _LANE[pcie.generation]
    return transfers * data * pcie.lanes / 8 / PS_PER_S


def write_bytes(pcie: Pcie, data_bytes: int) -> int:
    """A posted write, cut into packets of the largest payload."""
    return data_bytes + _pieces(data_bytes, pcie.payload) * pcie.header


def request_bytes(pcie: Pcie, data_bytes: int) -> int:
    """The requests of a read, each for the largest read at most."""
    return _pieces(data_bytes, pcie.read_request) * pcie.header


def completion_bytes(pcie: Pcie, address: int, data_bytes: int) -> int:
    """The completions of a read, each of which answers one request.

    The first of a request brings the address to a multiple of the completion boundary, where it
    is not on one; the others carry the largest payload.
    """
    pieces = 0
    for start in range(0, max(1, data_bytes), pcie.read_request):
        asked_bytes = min(pcie.read_request, data_bytes - start)
        first = min(-(address + start) % pcie.completion_boundary, asked_bytes)
        pieces += -(-first // pcie.payload)
        if asked_bytes > first or not first:
            pieces += _pieces(asked_bytes - first, pcie.payload)
    return data_bytes + pieces * pcie.header


def _pieces(data_bytes: int, most_bytes: int) -> int:
    return max(1, -(-data_bytes // most_bytes))
