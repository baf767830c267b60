"""Units that are held for a while after their request has left a stage: `plus`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from emu.request import Request
from emu.stage import Served, Stage
from emu.table.schema import Table
from tests.build import StageDict, clocked, delay, posts, run, table
from tests.engine.resources import pool, use, user

#: Cycles of 10 ns.
PERIOD_PS = 10_000


def on_clock(path: list[StageDict], **resources: Mapping[str, Any]) -> Table:
    return table(path, clocks={"nic": {"period": "10 ns"}}, resources=resources)


def test_a_unit_is_kept_for_a_time_after_a_later_stage() -> None:
    path = [user("x", "10 ns", use("tag", until="far", plus="7 ns")), delay("far", "90 ns")]
    made = run(table(path, resources={"tag": pool(1)}), posts(0, 0, 0))
    assert made.completions_ps() == [100_000, 207_000, 314_000]
    assert made.parts(1) == {"service": 100_000, "resource:tag": 107_000}
    assert not made.held()


class Ends(Stage):
    """Ends every request."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Here and now."""
        return Served(ends=True)


def test_one_that_ends_early_keeps_its_unit_for_longer_too() -> None:
    x = user("x", "10 ns", use("tag", until="far", plus="7 ns"))
    path = [x, delay("end", "20 ns"), delay("far", "90 ns")]
    made = run(table(path, resources={"tag": pool(1)}, behaviour={"end": Ends}), posts(0, 0, 0))
    assert made.completions_ps() == [30_000, 67_000, 104_000]


def test_without_until_it_is_kept_after_its_own_stage() -> None:
    path = [user("x", "10 ns", use("tag", plus="5 ns")), delay("far", "90 ns")]
    made = run(table(path, resources={"tag": pool(1)}), posts(0, 0))
    assert made.completions_ps() == [100_000, 115_000]


@pytest.mark.parametrize(("plus", "gap_cycles"), (("1 cycle", 5), ("3 cycles", 7), ("2 ns", 5)))
def test_cycles_count_from_the_edge_at_which_it_leaves(plus: str, gap_cycles: int) -> None:
    # Four cycles in the two stages, and then so many; a time ends at the next edge.
    x = clocked("x", 1, depth="unlimited", uses=[use("tag", until="y", plus=plus)])
    made = run(on_clock([x, clocked("y", 3, depth="unlimited")], tag=pool(1)), posts(0, 0, 0))
    first, second, third = made.completions_ps()
    assert (second - first, third - second) == (gap_cycles * PERIOD_PS,) * 2


def test_what_can_not_leave_keeps_its_unit_and_then_for_longer() -> None:
    x = clocked("x", 1, depth="unlimited", queue="unlimited", uses=[use("tag", plus="1 cycle")])
    slow = clocked("slow", 5, interval=5, depth=1, queue=1)
    made = run(on_clock([x, slow], tag=pool(2)), posts(0, 0, 0, 0))
    # The third waits in x for the queue, which the second leaves at 60 ns; the fourth takes the
    # tag of the second, back at 20 ns, and leaves x when the third has left the queue.
    assert made.completions_ps() == [60_000, 110_000, 160_000, 210_000]


def test_the_report_of_a_table_says_it() -> None:
    x = clocked("x", 1, depth="unlimited", uses=[use("tag", until="y", plus="3 cycles")])
    made = on_clock([x, clocked("y", 3, depth="unlimited")], tag=pool(1))
    (used,) = made.entries[0].timing.uses or []
    assert (used.until, str(used.plus)) == ("y", "3 cycles")
