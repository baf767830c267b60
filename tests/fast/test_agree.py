"""Both engines agree, to the picosecond, on whatever table and load."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given

from emu.table.schema import Table
from emu.workload import Workload
from tests.build import Post
from tests.fast import random_built_in
from tests.fast.agree import assert_agree, assert_agree_on
from tests.properties import random_paths


@given(random_built_in.tables(), random_built_in.loads())
def test_on_tables_with_all_there_is(table: Table, load: list[Post]) -> None:
    assert_agree(table, load)


@given(random_built_in.plain_tables(), random_paths.loads())
def test_on_tables_with_limits_and_clocks(table: Table, load: list[Post]) -> None:
    assert_agree(table, load)


@given(random_built_in.tables(), random_built_in.workloads())
def test_where_answers_let_requests_be_posted(table: Table, make: Callable[[], Workload]) -> None:
    assert_agree_on(table, [make() for _ in range(4)], 40)
