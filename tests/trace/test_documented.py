"""docs/traces.md names all that a trace can hold."""

from pathlib import Path

from emu.trace.csv_file import COLUMNS
from emu.trace.events import Kind
from emu.trace.exporters import PICTURES, TRACES
from emu.trace.jsonl import SHAPES, header_as_json
from emu.trace.vcd_file import VARIABLES
from tests.trace.made import HEADER

TEXT = (Path(__file__).parents[2] / "docs" / "traces.md").read_text("utf-8")


def test_all_names_are_there() -> None:
    keys = [key for shape in SHAPES.values() for key in shape.keys]
    names = [*TRACES, *PICTURES, *Kind, *VARIABLES, *keys, *header_as_json(HEADER)]
    assert [name for name in names if f"`{name}`" not in TEXT] == []


def test_columns_are_what_they_are_said_to_be() -> None:
    for column, meaning in COLUMNS.items():
        assert f"| `{column}` | {meaning} |" in TEXT
