"""What the workloads that draw at random have drawn: operations, addresses and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emu.request import Operation
from emu.table.errors import problem
from emu.verify.openurma.csv_file import read_csv
from emu.verify.openurma.results import VERBS

DRAWING_WORKLOADS = ("ptr_chase", "graph_bfs")
COLUMNS = ("workload", "locality_pct", "index", "operation", "address", "bytes")


@dataclass(frozen=True, slots=True)
class Draw:
    """One drawn access; a `LOAD` stands for a read on stacks that have no loads."""

    operation: Operation
    address: int
    size_bytes: int


#: Workload and locality in percent to its accesses, in order.
Draws = dict[tuple[str, int], list[Draw]]


def read_addresses(path: Path, shown: str) -> Draws:
    """The draws in a file; `CsvError` with all that is wrong with it."""
    file = read_csv(path, COLUMNS, shown)
    draws: Draws = {}
    for cells in file.rows:
        workload = file.word(cells["workload"], DRAWING_WORKLOADS)
        locality_percent = file.whole(cells["locality_pct"], 0, 100)
        drawn = draws.setdefault((workload, locality_percent), [])
        index = cells["index"]
        if file.whole(index, 0) != len(drawn):
            what = f"'{index.text}' is out of order"
            file.problems.append(problem(index.at, index.column, what, f"expected {len(drawn)}"))
        operation = VERBS.get(file.word(cells["operation"], VERBS), Operation.READ)
        address = file.whole(cells["address"], 0)
        drawn.append(Draw(operation, address, file.whole(cells["bytes"], 1)))
    file.raise_problems()
    return draws
