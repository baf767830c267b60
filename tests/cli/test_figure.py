"""`emu figure`: what it prints and writes, and how it exits."""

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from emu.cli import figure
from emu.engines import EngineError
from emu.errors import EmuError
from emu.figures import registry
from emu.figures.engine import needs_reference
from emu.figures.model import Figure, Point, Series

REAL = registry.FIGURES

DOCUMENT = {
    "figure": "made-up",
    "engine": "fast",
    "engine_prevented": None,
    "points": [
        {
            "name": "a rate",
            "unit": "M/s",
            "expected": 161.0,
            "measured": 160.9,
            "tolerance": 0.5,
            "ok": True,
            "source": "a test",
        }
    ],
    "series": [
        {"name": "up", "x": [1, 2], "y": [1.5, 3.0]},
        {"name": "down, slowly", "x": [1, 2], "y": [2.0, 1.0]},
    ],
}


def run(*arguments: str) -> Result:
    app = typer.Typer()
    figure.register(app)
    return CliRunner().invoke(app, arguments)


def made_up(name: str, measured: float = 160.9, why: str = "") -> Callable[[], Figure]:
    def make() -> Figure:
        if why:
            needs_reference(why)
        return Figure(
            name=name,
            title="A figure",
            points=(Point("a rate", "M/s", 161.0, measured, 0.5, "a test"),),
            series=(Series("up", [1, 2], [1.5, 3.0]), Series("down, slowly", [1, 2], [2.0, 1.0])),
            x_label="bytes",
            y_label="M/s",
        )

    return make


@pytest.fixture(autouse=True)
def figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two figures that run nothing, one of which is off; another process would not know them."""
    known = {"made-up": made_up("made-up"), "off": made_up("off", measured=162)}
    monkeypatch.setattr(registry, "FIGURES", known)
    monkeypatch.setattr(figure, "FIGURES", known)
    monkeypatch.setattr(figure, "compile_engine", lambda say: None)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


def test_prints_expected_and_measured_side_by_side() -> None:
    result = run("made-up")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines == [
        "made-up: A figure",
        "point source expected measured tolerance unit",
        "a rate a test 161 160.9 0.5 M/s ok",
        "1 of 1 points hold",
        "engine: fast",
    ]


def test_says_what_prevented_the_compiled_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.FIGURES, "made-up", made_up("made-up", why="it looks closely"))
    result = run("made-up")
    assert result.stdout.splitlines()[-1] == "engine: reference: it looks closely"
    result = run("made-up", "--json")
    assert json.loads(result.stdout) == {
        **DOCUMENT,
        "engine": "reference",
        "engine_prevented": "it looks closely",
    }
    result = run("made-up", "--engine", "reference")
    assert result.stdout.splitlines()[-1] == "engine: reference"


def test_the_compiled_engine_alone_where_it_cannot_be_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(registry.FIGURES, "made-up", made_up("made-up", why="it looks closely"))
    for which in ("made-up", "--all"):
        result = run(which, "--engine", "fast")
        assert isinstance(result.exception, EngineError)
        assert str(result.exception) == (
            "figure made-up: the fast engine can't run this: it looks closely; expected "
            "--engine auto or reference"
        )


def test_json_has_points_and_series() -> None:
    result = run("made-up", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == DOCUMENT


def test_a_point_that_is_off_exits_with_1() -> None:
    assert run("off").exit_code == 1
    assert run("off").stdout.splitlines()[-2] == "0 of 1 points hold"
    result = run("off", "--json")
    assert result.exit_code == 1
    assert [point["ok"] for point in json.loads(result.stdout)["points"]] == [False]


def test_csv_has_a_row_for_each_point_of_each_line(tmp_path: Path) -> None:
    file = tmp_path / "lines.csv"
    assert run("made-up", "--csv", str(file)).exit_code == 0
    with file.open(newline="") as opened:
        assert list(csv.reader(opened)) == [
            ["series", "bytes", "M/s"],
            ["up", "1", "1.5"],
            ["up", "2", "3.0"],
            ["down, slowly", "1", "2.0"],
            ["down, slowly", "2", "1.0"],
        ]


@pytest.mark.parametrize(
    ("suffix", "start"), (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"))
)
def test_draws_also_what_is_off(tmp_path: Path, suffix: str, start: bytes) -> None:
    file = tmp_path / f"picture.{suffix}"
    assert run("off", "--out", str(file)).exit_code == 1
    assert file.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [file]


def test_lists_the_figures() -> None:
    result = run("--list")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["made-up", "off"]


def test_all_goes_into_a_folder_and_says_what_is_off(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "figures"
    result = run("--all", "--out", str(folder))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "off: off: a rate"
    names = [f"{name}.{suffix}" for name in ("made-up", "off") for suffix in ("csv", "json", "png")]
    assert sorted(file.name for file in folder.iterdir()) == names
    assert json.loads((folder / "made-up.json").read_text()) == DOCUMENT


def test_two_processes_print_and_write_what_one_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # The first takes longer than the second.
    known = {name: REAL[name] for name in ("phase", "loss")}
    monkeypatch.setattr(registry, "FIGURES", REAL)
    monkeypatch.setattr(figure, "FIGURES", known)
    found = []
    for cores in (1, 2):
        monkeypatch.setattr(os, "cpu_count", lambda count=cores: count)
        folder = tmp_path / str(cores)
        result = run("--all", "--engine", "reference", "--out", str(folder))
        assert result.exit_code == 0
        files = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
        found.append((result.stdout.replace(str(folder), "FOLDER"), files))
    one, two = found
    assert one == two
    titles = [line.split(":")[0] for line in one[0].splitlines()]
    assert [title for title in titles if title in known] == list(known)
    assert len(one[1]) == 3 * len(known)


@pytest.mark.parametrize(
    ("arguments", "error"),
    (
        (("made-ip",), "there is no figure 'made-ip'; expected made-up or off; did you mean"),
        ((), "expected a figure, --list or --all; figures: made-up or off"),
        (("made-up", "--engine", "fats"), "'fats' is no engine; expected auto, reference or fast"),
        (("made-up", "--all"), "expected a figure, --list or --all"),
        (("--all", "--json"), "--csv and --json are of one figure"),
        (("made-up", "--out", "rate.gif"), "rate.gif: not a picture"),
        (("made-up", "--out", "nowhere/rate.png"), "there is no folder 'nowhere'"),
        (("made-up", "--csv", "nowhere/rate.csv"), "rate.csv: cannot be written"),
    ),
)
def test_what_cannot_be_is_an_error(arguments: tuple[str, ...], error: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, EmuError)
    assert error in str(result.exception)
