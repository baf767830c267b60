"""The host's end of PCIe; see `stages.pcie_order`.

Requests are found by their slot, which must not be used again before the stage has heard that the
request has passed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype

from emu.fast.codes import OPERATIONS, PCIE_ORDER, SEND, STORE, WRITE
from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP, find, insert
from emu.fast.in_turn import let_go
from emu.fast.layout import record, requests, stations
from emu.fast.memory import BLOCK, extend, view
from emu.fast.ring import RING, peek, put, take
from emu.request import OPERATION_GROUPS

#: One stage. `relaxed` has a bit for each operation that passes posted writes; `came` is how many
#: requests have come.
HOSTS = record(
    *("relaxed", "came"),
    # Destination, to its root port.
    port_of=HASH_MAP,
    root_ports=BLOCK,
    # By the slot of a request.
    comers=BLOCK,
)
#: One host's: its posted writes that are not there yet, first and last, and all that waits.
ROOT_PORT = record("first", "last", waiting=RING)
#: One that has come: its number of arrival; and of a posted write that is not there yet, the next
#: ones on either side of it.
COMER = record("number", "is_posted", "before", "behind")

KINDS = {"hosts": HOSTS, "root_ports": ROOT_PORT, "comers": COMER}

HOSTS_T = from_dtype(HOSTS)
ROOT_PORT_T = from_dtype(ROOT_PORT)
COMER_T = from_dtype(COMER)
_ROOT_PORT_BYTES = ROOT_PORT.itemsize
_COMER_BYTES = COMER.itemsize


@compiled
def pcie_order_arrive(world: Any, s: int, r: int) -> None:
    """Goes on, or waits behind the posted writes before it."""
    hosts = _hosts_at(world, s)
    request = requests(world)[r]
    port = _root_port(hosts, request.destination)
    if r >= hosts.comers.count:
        extend(hosts.comers, r + 1 - hosts.comers.count, _COMER_BYTES)
    comers = view(hosts.comers, COMER_T)
    comers[r].number = hosts.came
    hosts.came += 1
    if port.first >= 0 and not _is_relaxed(hosts, request):
        put(port.waiting, r)
    else:
        let_go(world, s, r)
    if _is_posted(request):
        comer = comers[r]
        comer.is_posted = 1
        comer.before = port.last
        comer.behind = -1
        if port.last >= 0:
            comers[port.last].behind = r
        else:
            port.first = r
        port.last = r


@compiled
def pcie_order_passed(world: Any, s: int, r: int) -> None:
    """A posted write is there: those behind it may go, unless others are before them too."""
    hosts = _hosts_at(world, s)
    if r >= hosts.comers.count:
        return
    comers = view(hosts.comers, COMER_T)
    comer = comers[r]
    if not comer.is_posted:
        return
    comer.is_posted = 0
    port = _root_port(hosts, requests(world)[r].destination)
    if comer.before >= 0:
        comers[comer.before].behind = comer.behind
    else:
        port.first = comer.behind
    if comer.behind >= 0:
        comers[comer.behind].before = comer.before
    else:
        port.last = comer.before
    while port.waiting.count:
        waiting = peek(port.waiting, 0)
        if port.first >= 0 and comers[port.first].number < comers[waiting].number:
            break
        let_go(world, s, take(port.waiting))


@compiled
def _hosts_at(world: Any, s: int) -> Any:
    return view(world.hosts, HOSTS_T)[stations(world)[s].place]


@compiled
def _root_port(hosts: Any, destination: int) -> Any:
    place = find(hosts.port_of, destination, 0)
    if place < 0:
        place = extend(hosts.root_ports, 1, _ROOT_PORT_BYTES)
        port = view(hosts.root_ports, ROOT_PORT_T)[place]
        port.first = port.last = -1
        insert(hosts.port_of, destination, 0, place)
    return view(hosts.root_ports, ROOT_PORT_T)[place]


@compiled
def _is_posted(request: Any) -> bool:
    return bool(request.operation in (WRITE, SEND, STORE))


@compiled
def _is_relaxed(hosts: Any, request: Any) -> bool:
    return bool((hosts.relaxed >> request.operation) & 1)


def make_pcie_order(stage: Any, building: Any) -> tuple[int, int]:
    """The code and the record of a `pcie_order`."""
    relaxed = {one for word in stage.parameters.relaxed or () for one in OPERATION_GROUPS[word]}
    hosts = np.zeros(1, HOSTS)
    hosts["relaxed"] = sum(1 << OPERATIONS.index(operation) for operation in relaxed)
    return PCIE_ORDER, int(building.add("hosts", hosts))
