"""What the tests of broken tables share."""

from pathlib import Path

import pytest

from emu.errors import listed
from emu.stage import registry
from emu.table import TableError, load, table_names
from emu.table.schema import StageTiming

#: The beginning of a table that extends another.
TITLE = """\
schema: 1
name: broken
title: A broken table
"""
#: The beginning of a table that has reads only.
HEAD = (
    TITLE
    + """\
messages: {read: {request: 64 B, response: payload}}
"""
)


def write(directory: Path, name: str, text: str) -> Path:
    """A file with this text."""
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def error_of(directory: Path, text: str, *overrides: str) -> str:
    """The whole error of a table, without its directory and the long lists."""
    with pytest.raises(TableError) as caught:
        load(write(directory, "broken.yaml", text), overrides=overrides)
    said = str(caught.value).replace(f"{directory}/", "")
    # Lists that grow with the project, and stand in many messages.
    lists = {"{KEYS}": StageTiming.model_fields, "{STAGES}": registry(), "{TABLES}": table_names()}
    for name, words in lists.items():
        said = said.replace(listed(words), name)
    return said + "\n"
