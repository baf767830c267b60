"""Marks that no stage of a table knows of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.litmus.files import document, made

PROGRAMS: dict[str, list[Any]] = {
    "a": [
        {"post": "write", "at": "x", "value": 1, "as": "w"},
        {"post": "read", "at": "x", "as": "r", "only": ["m"]},
    ],
    "b": [
        {"local": "read", "at": "x", "as": "seen"},
        {"poll": "y", "until": 0, "every": "1 ns", "as": "polled"},
    ],
}


def mode(**said: Any) -> dict[str, Any]:
    return {"title": "a mode", "tables": ["./delays.yaml"], "allowed": ["any"], **said}


@pytest.mark.parametrize(
    ("marks", "labels"),
    (
        ({}, None),
        ({"w": {"fence": False}}, None),
        ({"w": {"order": "SO"}}, ("w",)),
        ({"r": {"service": "ROT"}, "w": {"fence": True}}, ("w", "r")),
        ({"all": {"order": "NO"}}, ("w", "r", "polled")),
    ),
)
def test_what_is_marked_and_posted(
    tmp_path: Path, marks: Any, labels: tuple[str, ...] | None
) -> None:
    said = document(
        PROGRAMS,
        {"any": "otherwise"},
        locations={"x": 1, "y": 2},
        modes={"m": mode(marks=marks), "other": mode()},
    )
    test = made(tmp_path, said)
    assert test.unkept_marks("m") == ({} if labels is None else {"./delays.yaml": labels})
    assert test.unkept_marks("other") == {}


def test_tables_are_told_apart(tmp_path: Path) -> None:
    tables = ["ub_ordered", "./delays.yaml", "rc_ordered", "pcie_ordered"]
    modes = {"m": mode(tables=tables, marks={"w": {"order": "SO"}})}
    said = document({"a": PROGRAMS["a"]}, {"any": "otherwise"}, modes=modes)
    labels = ("w",)
    assert made(tmp_path, said).unkept_marks("m") == {
        "./delays.yaml": labels,
        "pcie_ordered": labels,
    }
