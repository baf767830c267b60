"""`emu plot`: what is drawn from a sweep's file, and how."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from typer.testing import CliRunner, Result

from emu import plot_sweep as module
from emu.cli import plot as command
from emu.errors import EmuError
from emu.line_styles import HUES, shaded, styles
from emu.plot_sweep import is_geometric, plot_sweep
from emu.sweep.swept import Column, read_swept
from emu.sweep.worker import RESULTS

SIZES = {"size": ["8", "64", "512", "4096"]}
AXES: dict[str, dict[str, list[str]]] = {
    "one": {"table": ["a"], **SIZES},
    "as in the manual": {
        "table": ["pcie_nic", "ub_async"],
        "size": [str(8 << n) for n in range(14)],
        "outstanding": ["1", "4", "16", "64"],
        "op": ["read", "write"],
    },
    "a plain scale": {"table": ["a"], "wire.latency": [f"{n}00 ns" for n in range(1, 6)]},
    "many values": {"table": ["a"], "wire.latency": [f"{n} ns" for n in range(1, 60)]},
    "many seeds": {"table": ["a"], "size": ["8", "16"], "seed": [str(n) for n in range(40)]},
    "no numbers": {"table": [f"a_table_with_a_long_name_{n}" for n in range(8)]},
    "no numbers, others": {"table": ["a", "b"], "op": ["read", "write"], "q.queue": ["1", "all"]},
    "a long name": {
        "table": ["a_table_with_a_long_name_that_goes_on"],
        "a_stage_with_a_long_name_that_goes_on.latency": ["1 ns", "2 ns"],
        "op": ["{read: 100 ns, write: 200 ns, atomic: 300 ns}", "1 ns"],
    },
    "a single row": {"table": ["a"]},
}


def write(file: Path, axes: dict[str, list[str]]) -> Path:
    lines = [",".join([*axes, *RESULTS])]
    for number, cells in enumerate(itertools.product(*axes.values()), 1):
        results = [f"{1e6 * number}", *[f"{1000 * number}"] * 5, "10", "10", "0", "0"]
        parts = json.dumps({"service": 1}).replace('"', '""')
        quoted = [f'"{cell}"' if "," in cell else cell for cell in cells]
        lines.append(",".join([*quoted, *results, f'"{parts}"']))
    file.write_text("\n".join(lines) + "\n")
    return file


def drawn(
    axes: dict[str, list[str]], tmp_path: Path, *, x: str | None = None, y: str | None = None
) -> Figure:
    """The figure that `plot_sweep` would write."""
    figures: list[Figure] = []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "write_picture", lambda draw, _: figures.append(draw()))
        plot_sweep(write(tmp_path / "in.csv", axes), x, y, tmp_path / "out.png")
    return figures[0]


def panels(drawing: Figure) -> Sequence[Axes]:
    return drawing.axes[1:]


def xs(panel: Axes) -> list[float]:
    return list(np.asarray(panel.lines[0].get_xdata()))


def ys(panel: Axes) -> list[float]:
    return list(np.asarray(panel.lines[0].get_ydata()))


def run(*arguments: str) -> Result:
    app = typer.Typer()
    command.register(app)
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("name", tuple(AXES))
def test_no_text_overlaps_or_is_cut_off(name: str, tmp_path: Path) -> None:
    drawing = drawn(AXES[name], tmp_path)
    drawing.canvas.draw()
    texts = [one for one in drawing.findobj(Text) if one.get_text() and one.get_visible()]
    page = drawing.bbox
    shown = [
        (text.get_text(), text.get_window_extent())
        for text in texts
        if text.get_rotation() == 0 and not _is_beyond_its_axis(text.get_text(), drawing)
    ]
    for text, box in shown:
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        assert inside, f"'{text}' is cut off"
    for (one, first), (other, second) in itertools.combinations(shown, 2):
        assert not first.overlaps(second), f"'{one}' and '{other}' overlap"


def _is_beyond_its_axis(text: str, drawing: Figure) -> bool:
    """Whether it is the label of a tick that matplotlib makes beyond the end and does not draw."""
    for axes in panels(drawing):
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in axis.get_major_ticks():
                if tick.label1.get_text() == text and not low <= tick.get_loc() <= high:
                    return True
    return False


def test_numbers_go_right_and_all_else_is_a_line(tmp_path: Path) -> None:
    drawing = drawn(AXES["as in the manual"], tmp_path)
    rate, latency = panels(drawing)
    for panel in (rate, latency):
        assert len(panel.lines) == 2 * 4 * 2
        assert panel.get_xlabel() == "size"
        assert panel.get_xscale() == panel.get_yscale() == "log"
        assert xs(panel) == [8 << n for n in range(14)]
    assert ys(rate) == [1 + 8 * n for n in range(14)]  # M/s
    assert ys(latency) == [1 + 8 * n for n in range(14)]  # ns


def test_the_axis_and_the_result_that_are_asked_for(tmp_path: Path) -> None:
    drawing = drawn(AXES["as in the manual"], tmp_path, x="outstanding", y="p99")
    (panel,) = panels(drawing)
    assert panel.get_xlabel() == "requests outstanding"
    assert len(panel.lines) == 2 * 14 * 2


def test_units_and_plain_scales(tmp_path: Path) -> None:
    (panel, _) = panels(drawn(AXES["a plain scale"], tmp_path))
    assert panel.get_xlabel() == "wire.latency (ns)"
    assert panel.get_xscale() == "linear"
    assert xs(panel) == [100, 200, 300, 400, 500]


def test_things_that_are_no_numbers_are_not_joined(tmp_path: Path) -> None:
    (panel, _) = panels(drawn(AXES["no numbers, others"], tmp_path))
    assert {line.get_linestyle() for line in panel.lines} == {"None"}
    assert len({(line.get_color(), line.get_marker()) for line in panel.lines}) == 4


def test_a_row_without_a_rate_is_a_gap(tmp_path: Path) -> None:
    file = write(tmp_path / "in.csv", AXES["one"])
    file.write_text(file.read_text().replace(",2000000.0,", ",,"))
    swept = read_swept(file, ["rate_per_s"])
    assert swept.results == {"rate_per_s": (1e6, None, 3e6, 4e6)}


@pytest.mark.parametrize("suffix", (".png", ".svg", ".pdf"))
def test_the_same_file_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    file = write(tmp_path / "in.csv", AXES["as in the manual"])
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    result = run(str(file), "--out", str(one))
    assert result.output == f"picture: {one}\n"
    run(str(file), "--out", str(other))
    assert one.read_bytes() == other.read_bytes() != b""
    assert len(list(tmp_path.iterdir())) == 3


def test_without_a_name_the_picture_lies_beside_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "in.csv", AXES["one"])
    assert run(str(file)).output == f"picture: {tmp_path / 'in.png'}\n"
    assert (tmp_path / "in.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("change", "x", "y", "problem"),
    (
        (
            ("", ""),
            None,
            "reat",
            (
                "--y reat: 'reat' cannot be drawn; expected rate, mean, p50, p99, p999 or max; "
                "did you mean 'rate'?"
            ),
        ),
        (
            ("", ""),
            "siz",
            None,
            "--x siz: the file has no such axis; expected table or size; did you mean 'size'?",
        ),
        (
            ("table,", "tables,"),
            None,
            None,
            "FILE: not the file of a sweep; expected the columns table, what was varied, "
            + ", ".join(RESULTS),
        ),
        ((",10,10,0,0,", ","), None, None, "FILE:2: the row has 9 cells; expected 13"),
        (("3000000.0", "fast"), None, None, "FILE:4: rate_per_s is 'fast'; expected a number"),
    ),
)
def test_errors(
    tmp_path: Path, change: tuple[str, str], x: str | None, y: str | None, problem: str
) -> None:
    file = write(tmp_path / "in.csv", AXES["one"])
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(EmuError) as caught:
        plot_sweep(file, x, y, tmp_path / "out.png")
    assert str(caught.value) == problem.replace("FILE", str(file))
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_not_there_or_empty(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    with pytest.raises(EmuError) as caught:
        plot_sweep(file, None, None, tmp_path / "out.png")
    assert str(caught.value) == f"{file}: cannot be read: No such file or directory"
    write(file, AXES["one"]).write_text(file.read_text().partition("\n")[0])
    with pytest.raises(EmuError) as caught:
        plot_sweep(file, None, None, tmp_path / "out.png")
    assert str(caught.value) == f"{file}: there are no rows in it; expected one or more"


def test_too_many_values_to_tell_lines_apart_by(tmp_path: Path) -> None:
    many = {"table": ["a"], **SIZES, "q.queue": [f"{n}x" for n in range(101)]}
    with pytest.raises(EmuError) as caught:
        plot_sweep(write(tmp_path / "in.csv", many), None, None, tmp_path / "out.png")
    assert str(caught.value) == (
        "q.queue has 101 values, too many to tell lines apart by; expected it as --x q.queue, or a "
        "smaller sweep"
    )


@pytest.mark.parametrize(
    ("numbers", "geometric"),
    (
        ((8, 16, 32, 64), True),
        ((1, 4, 16, 64), True),
        ((1, 10, 100, 1000, 5000), True),
        ((100, 200, 300, 400), False),
        ((0, 1, 10, 100), False),
        ((1, 2), False),
        ((1, 1000), True),
        ((5,), False),
    ),
)
def test_a_scale_follows_the_steps(numbers: tuple[float, ...], geometric: bool) -> None:
    assert is_geometric(numbers) is geometric


def test_numbers_are_shades_and_kinds_are_hues_then_dashes() -> None:
    size, table, op = (
        Column("size", ("8", "64")),
        Column("table", ("a", "b")),
        Column("op", ("read", "write")),
    )
    found = styles([table, size, op], dashes=True)
    assert found.told == {"hue": table, "dash": op, "shade": size}
    looks: list[dict[str, Any]] = [
        found.of(dict(zip(("table", "size", "op"), place, strict=True)))
        for place in itertools.product((0, 1), repeat=3)
    ]
    assert len({str(look) for look in looks}) == 8
    assert looks[0]["color"] == shaded(HUES[0], 0, 2)


def test_units_of_one_kind_are_reckoned_together() -> None:
    assert Column("wire.latency", ("100 ns", "1 us")).numbers == (100, 1000)
    assert Column("wire.latency", ("100 ns", "1 B")).numbers is None
    assert Column("pcie.tags", ("16", "unlimited")).numbers is None
