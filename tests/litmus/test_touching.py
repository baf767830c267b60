"""Tables on which the operations of a test touch no memory, so that nothing could come out."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.memory import Memory
from emu.path import build
from emu.request import Operation
from emu.stage import Stage
from emu.table import load
from emu.table.errors import TableError
from tests.build import READ, table
from tests.litmus.files import document, made


def test_a_poll_elsewhere_reads_memory_too(tmp_path: Path) -> None:
    poll = {"poll": "x", "until": 1, "every": "1 us", "as": "r"}
    mode = {"title": "a mode", "tables": ["kv_direct"], "allowed": ["new"]}
    said = document({"a": [poll]}, {"new": {"r": 1}}, modes={"m": mode})
    with pytest.raises(TableError, match="lets a read touch memory, and thread a posts one"):
        made(tmp_path, said)
    # At the thread's own node it needs no table.
    made(tmp_path, said | {"locations": {"x": {"node": 0}}})


@pytest.mark.parametrize(
    ("name", "touching"),
    (
        ("ub_ordered", True),
        ("pcie_nic", True),
        ("loss_link", False),
        ("pcie_sharing", False),
        ("completion_queue", False),
        ("request_slots", False),
        ("rc_sender", False),
    ),
)
def test_shipped_tables(name: str, touching: bool) -> None:
    path = build(load(name))
    operations = path.table.operations
    assert [path.touches_memory(one, 8) for one in operations] == [touching] * len(operations)


class Banks(Stage):
    """Is given the memory, and touches it when it likes."""

    def use_memory(self, memory: Memory) -> None:
        """Keeps it."""
        self.memory = memory


class Large(Stage):
    """A memory for what has more than 8 B."""

    touches_memory = True

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """As it says."""
        return size_bytes > 8


def test_a_stage_of_ones_own() -> None:
    stages = {"banks": Banks, "large": Large}
    path = build(table([{"stage": "banks", "latency": "1 ns"}], stages=stages))
    assert path.touches_memory(READ, 8)
    path = build(table([{"stage": "large", "latency": "1 ns"}], stages=stages))
    assert not path.touches_memory(READ, 8)
    assert path.touches_memory(READ, 9)
