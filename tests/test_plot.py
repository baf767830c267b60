import itertools
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from emu.compare import Placement
from emu.errors import EmuError
from emu.picture import FORMATS
from emu.plot import OTHER, PALETTE, WAITING, figure, spread, stage_colours, waterfall
from tests.placements import CASES, cache_hit, pcie_nic, placement, ub_load

STAGES = [stage for colours in PALETTE.values() for stage in colours]


def shown_texts(drawing: Figure) -> list[Text]:
    drawing.canvas.draw()
    return [text for text in drawing.findobj(Text) if text.get_text() and text.get_visible()]


def assert_legible(placements: Sequence[Placement]) -> None:
    drawing = figure(placements)
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown_texts(drawing)]
    page = drawing.bbox
    for text, box in boxes:
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        assert inside, f"'{text}' is cut off"
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert not first.overlaps(second), f"'{one}' and '{other}' overlap"


def bars(drawing: Figure) -> list[Rectangle]:
    page = drawing.axes[0]
    return [patch for patch in page.patches if isinstance(patch, Rectangle)]


def colours_of_rows(drawing: Figure, rows: int) -> list[list[str]]:
    """Colours of the stages of each row, left to right; waits and the legend left out."""
    known = {colour for colours in PALETTE.values() for colour in colours.values()} | set(OTHER)
    by_height: dict[float, list[str]] = {}
    for bar in bars(drawing):
        colour = to_hex(bar.get_facecolor())
        if colour in known:
            by_height.setdefault(round(bar.get_y(), 3), []).append(colour)
    return [by_height[y] for y in sorted(by_height, reverse=True)][:rows]


@pytest.mark.parametrize("case", tuple(CASES))
def test_no_label_overlaps_or_is_cut_off(case: str) -> None:
    assert_legible(CASES[case])


times_ps = st.one_of(
    st.integers(0, 2_000), st.integers(0, 500_000), st.integers(0, 10**9), st.integers(0, 10**13)
)
stage_lists = st.lists(
    st.tuples(
        st.sampled_from([*STAGES, "retimer", "a_stage_with_a_rather_long_name_indeed"]), times_ps
    ),
    min_size=1,
    max_size=25,
)
titles = st.text(st.characters(codec="latin-1", exclude_categories=("C", "Z")), min_size=1)
random_placements = st.builds(
    placement,
    table=st.from_regex("[a-z][a-z_]{0,60}", fullmatch=True),
    title=titles,
    times=stage_lists,
    operation=st.sampled_from(["read", "write", "load", "compare_and_swap"]),
    size=st.integers(0, 2**31),
)


# A drawing takes as long as some hundred examples of other tests.
@settings(max_examples=settings().max_examples // 4)
@given(st.lists(random_placements, min_size=1, max_size=6))
def test_no_label_overlaps_in_any_comparison(placements: list[Placement]) -> None:
    assert_legible(placements)


def test_the_title_says_operation_and_size() -> None:
    def title(*placements: Placement) -> str:
        return shown_texts(figure(placements))[0].get_text()

    assert title(pcie_nic()) == "One 64 B remote read, alone: where the time goes"
    assert title(pcie_nic(size=65536), ub_load(size=65536)) == (
        "One 64 KiB remote read or load, alone: where the time goes"
    )


def test_each_row_ends_with_its_totals() -> None:
    texts = [text.get_text() for text in shown_texts(figure(CASES["four"]))]
    assert [text for text in texts if text.endswith(" ns")] == [
        *("2227 ns", "1577 ns", "750 ns", "424 ns")
    ]
    assert [text for text in texts if "derived" in text] == [
        "5.25× · derived 2222",
        "3.72× · derived 1572",
        "1.77× · derived 746",
        "1.00× · derived 419",
    ]


def test_a_row_alone_has_no_ratio() -> None:
    texts = [text.get_text() for text in shown_texts(figure([pcie_nic()]))]
    assert "derived 2222" in texts


def test_a_stage_has_the_same_colour_in_every_row() -> None:
    rows = colours_of_rows(figure(CASES["four"]), 4)
    colours = {stage: colour for group in PALETTE.values() for stage, colour in group.items()}
    for row, shown in zip(CASES["four"], rows, strict=True):
        assert shown == [colours[stage.stage] for stage in row.stages if stage.derived_ps]


def test_stages_of_others_get_colours_as_they_come() -> None:
    one = placement("one", "one", [("retimer", 1000), ("wire", 1000), ("switch", 1000)])
    two = placement("two", "two", [("switch", 1000), ("retimer", 1000)])
    wire = PALETTE["wire"]["wire"]
    assert colours_of_rows(figure([one, two]), 2) == [
        [OTHER[0], wire, OTHER[1]],
        [OTHER[1], OTHER[0]],
    ]


def test_only_groups_that_occur_are_in_the_legend() -> None:
    assert stage_colours(["wire", "retimer"]) == {
        "wire": {"wire": PALETTE["wire"]["wire"]},
        "other": {"retimer": OTHER[0]},
    }
    texts = [text.get_text() for text in shown_texts(figure([cache_hit()]))]
    assert "memory" in texts
    assert "PCIe" not in texts
    assert "waiting" not in texts


def test_a_stage_without_time_is_not_in_the_legend() -> None:
    drawing = figure([placement("t", "t", [("wire", 10), ("context_threshold", 0)])])
    assert "context threshold" not in [text.get_text() for text in shown_texts(drawing)]


def test_waits_are_drawn_before_the_stage_and_named() -> None:
    drawing = figure([ub_load()])
    texts = [text.get_text() for text in shown_texts(drawing)]
    assert texts[texts.index("waiting") + 1] == "alignment"
    # Four passes, each after a wait, and the sample in the legend.
    waits = [bar for bar in bars(drawing) if to_hex(bar.get_facecolor()) == WAITING]
    assert len(waits) == 5


def test_a_slide_is_16_by_9_up_to_five_rows() -> None:
    five = figure((*CASES["four"], ub_load()))
    assert five.get_size_inches() == pytest.approx((13.333, 7.5))
    assert figure(CASES["twelve"]).get_size_inches()[1] > 7.5


@pytest.mark.parametrize("suffix", (*FORMATS, ".PNG"))
def test_same_input_same_bytes(suffix: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    waterfall(CASES["four"], first)
    waterfall(CASES["four"], second)
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size > 5_000
    assert sorted(tmp_path.iterdir()) == [first, second]


def test_the_kind_of_file_is_that_of_the_suffix(tmp_path: Path) -> None:
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        file = tmp_path / f"picture{suffix}"
        waterfall([pcie_nic()], file)
        assert file.read_bytes().startswith(start)


@pytest.mark.parametrize("name", ("picture.gif", "picture", "png"))
def test_another_suffix_is_told_the_three(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    message = f"{file}: not a picture; expected a name that ends in .png, .svg or .pdf"
    with pytest.raises(EmuError, match=f"^{re.escape(message)}$"):
        waterfall([pcie_nic()], file)
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "missing" / "picture.png"
    message = f"{file}: there is no folder '{file.parent}'; expected one that exists"
    with pytest.raises(EmuError, match=f"^{re.escape(message)}$"):
        waterfall([pcie_nic()], file)


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    file.mkdir()
    with pytest.raises(EmuError, match=f"^{re.escape(str(file))}: cannot be written: "):
        waterfall([pcie_nic()], file)
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupted_picture_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "picture.png"
    file.write_text("old")

    def interrupted(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        waterfall([pcie_nic()], file)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text() == "old"


def test_nothing_cannot_be_drawn() -> None:
    with pytest.raises(EmuError, match="expected at least one placement"):
        figure([])


def test_what_looks_like_tex_is_text() -> None:
    title = r"$\frac{1}{0$ costs 5$"
    texts = [
        text.get_text() for text in shown_texts(figure([placement("t", title, [("wire", 9)])]))
    ]
    assert title in texts


def test_the_command_does_not_wait_for_matplotlib() -> None:
    script = "import sys, emu.cli, emu.compare, emu.plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# Simulation of colour vision: Machado, Oliveira, Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def lab(colour: str, vision: str) -> tuple[float, float, float]:
    """CIE L*a*b* of a colour as someone with this vision sees it."""
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear, strict=True))))
        for row in VISION[vision]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("vision", tuple(VISION))
def test_any_two_stages_can_be_told_apart(vision: str) -> None:
    colours = {stage: colour for group in PALETTE.values() for stage, colour in group.items()}
    seen = {stage: lab(colour, vision) for stage, colour in colours.items()}
    for (one, first), (other, second) in itertools.combinations(seen.items(), 2):
        difference = sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5
        # 2.3 is just noticeable side by side; a legend needs more.
        assert difference > 10, f"{one} and {other} look the same"


def test_labels_that_fit_stay_where_they_are() -> None:
    assert spread([1.0, 3.0], [1.0, 1.0], 10.0) == [1.0, 3.0]


def test_labels_that_would_overlap_share_the_move() -> None:
    assert spread([5.0, 5.5], [1.0, 1.0], 10.0) == pytest.approx([4.75, 5.75])
    assert spread([0.1, 0.2, 9.9], [1.0, 1.0, 1.0], 10.0) == pytest.approx([0.5, 1.5, 9.5])


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0.01, 1)), min_size=1, max_size=10),
)
def test_spread_labels_never_overlap(labels: list[tuple[float, float]]) -> None:
    labels.sort()
    widths = [width for _, width in labels]
    places = spread([centre for centre, _ in labels], widths, 10.0)
    edges = [
        (place - width / 2, place + width / 2) for place, width in zip(places, widths, strict=True)
    ]
    assert edges[0][0] >= -1e-9
    assert edges[-1][1] <= 10 + 1e-9
    assert all(left[1] <= right[0] + 1e-9 for left, right in itertools.pairwise(edges))
