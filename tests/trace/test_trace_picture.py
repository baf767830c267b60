"""The picture of a trace: what is drawn where, and that it can be read."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from emu.errors import EmuError
from emu.picture import FORMATS
from emu.plot import OTHER, PALETTE
from emu.trace import picture
from emu.trace.events import Event, Kind, Left, Submitted
from emu.trace.filter import Filter
from emu.trace.header import Header, StageLine
from emu.trace.picture import BEHIND, ROW_LEAST, open_picture
from emu.trace.swimlanes import colours, legend
from tests.build import Post, clocked, delay, table
from tests.trace.traces import PAIR, Trace, burst, by_hand, cut, export, loads, trace

CASES = {
    "one": burst(1),
    "some": burst(8, 1_500),
    "many": burst(64, 1_500),
    "crowd": burst(300, 1_500),
    "marks": by_hand(),
}


def drawn(made: Trace, folder: Path, wanted: Filter | None = None) -> Figure:
    wanted = wanted or Filter()
    exporter = open_picture(folder / "picture.png", made.header.filtered(wanted))
    cut(made, wanted, exporter)
    return exporter.figure()


def texts_of(drawing: Figure) -> list[Text]:
    drawing.canvas.draw()
    return [text for text in drawing.findobj(Text) if text.get_text() and text.get_visible()]


def assert_legible(drawing: Figure) -> None:
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts_of(drawing)]
    page = drawing.bbox
    for text, box in boxes:
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        assert inside, f"'{text}' is cut off"
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert not first.overlaps(second), f"'{one}' and '{other}' overlap"


def boxes(drawing: Figure) -> list[tuple[float, float, float, str, bool]]:
    """Left, right, middle, colour and whether it is a wait, of each piece from the top left on."""
    found = []
    collections: Any = drawing.axes[0].collections
    for drawn in collections:
        colour = to_hex(drawn.get_facecolor()[0])
        is_wait = to_hex(drawn.get_edgecolor()[0]) != "#ffffff"
        for path in drawn.get_paths():
            corners: Any = path.vertices
            (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
            found.append((float(left), float(right), float(bottom + top) / 2, colour, is_wait))
    return sorted(found, key=lambda box: (-round(box[2], 6), box[0]))


@pytest.mark.parametrize("case", tuple(CASES))
def test_no_label_overlaps_or_is_cut_off(case: str, tmp_path: Path) -> None:
    assert_legible(drawn(CASES[case], tmp_path))


# A drawing takes as long as some hundred examples of other tests.
@settings(max_examples=settings().max_examples // 10)
@given(loads)
def test_no_label_overlaps_in_any_trace(
    tmp_path_factory: pytest.TempPathFactory, load: list[Post]
) -> None:
    assert_legible(drawn(trace(load), tmp_path_factory.mktemp("picture")))


def test_pieces_are_where_their_times_are(tmp_path: Path) -> None:
    drawing = drawn(burst(2), tmp_path)
    found = boxes(drawing)
    # Request 0: 3 ns in the controller, 5 for its turn, 40 on the wire, 30 in memory, 40 back.
    # Request 1: 2 of waiting before, and 3 behind request 0.
    edges_ns = [0, 3, 8, 48, 78, 118], [0, 2, 5, 8, 13, 53, 83, 123]
    left, inches_a_ns = found[0][0], (found[-1][1] - found[0][0]) / 123
    for edges, pieces in zip(edges_ns, (found[:5], found[5:]), strict=True):
        assert len({round(piece[2], 6) for piece in pieces}) == 1
        for (start, end), piece in zip(itertools.pairwise(edges), pieces, strict=True):
            assert piece[0] == pytest.approx(left + start * inches_a_ns)
            assert piece[1] == pytest.approx(left + end * inches_a_ns)
    assert [piece[4] for piece in found[5:]] == [True, False, True, False, False, False, False]


def test_work_has_the_colour_of_its_stage(tmp_path: Path) -> None:
    found = boxes(drawn(burst(1), tmp_path))
    wire, memory = PALETTE["wire"]["wire"], PALETTE["memory"]["memory"]
    assert [box[3] for box in found] == [PALETTE["NIC"]["nic_pipeline"], wire, wire, memory, wire]


def test_an_arrow_comes_from_the_lane_that_was_waited_for(tmp_path: Path) -> None:
    drawing = drawn(burst(3), tmp_path)
    lanes = sorted({round(box[2], 6) for box in boxes(drawing)}, reverse=True)
    arrows = [text for text in drawing.axes[0].texts if isinstance(text, Annotation)]
    waits = [box for box in boxes(drawing) if box[4]]
    ends = [box[1] for box in waits if round(box[2], 6) in lanes[1:]]
    starts = [arrow.xyann for arrow in arrows]
    assert [round(y, 6) for _, y in starts] == lanes[:2]
    assert all(any(x == pytest.approx(end) for end in ends) for x, _ in starts)


def test_a_wait_that_has_not_ended_has_no_arrow(tmp_path: Path) -> None:
    def arrows(wanted: Filter) -> int:
        texts = drawn(by_hand(), tmp_path, wanted).axes[0].texts
        return sum(isinstance(text, Annotation) for text in texts)

    assert arrows(Filter()) == 1
    # It is held from 2.5 ns on, and served from 12.5 on.
    assert arrows(Filter(to_ps=12_000)) == 0


def test_who_is_there_at_the_end_is_drawn_until_then(tmp_path: Path) -> None:
    drawing = drawn(by_hand(), tmp_path, Filter(to_ps=12_000))
    found = boxes(drawing)
    assert "0 ps to 12 ns" in "".join(text.get_text() for text in texts_of(drawing))
    left, inches_a_ns = found[0][0], (found[0][1] - found[0][0]) / 10
    ends = {round(box[2], 6): (box[1] - left) / inches_a_ns for box in found}
    assert list(ends.values()) == [pytest.approx(10), pytest.approx(12)]


def test_a_window_begins_where_it_is_said(tmp_path: Path) -> None:
    drawing = drawn(by_hand(), tmp_path, Filter(4_000))
    found = boxes(drawing)
    assert "4 ns to 20 ns" in "".join(text.get_text() for text in texts_of(drawing))
    first, second = (box for box in found if box[0] == pytest.approx(found[0][0]))
    # Request 0 is there up to 10 ns, request 1 is held up to 12.5.
    width = first[1] - first[0]
    assert (second[1] - second[0]) / width == pytest.approx(8.5 / 6)


def test_the_head_says_what_run_it_is(tmp_path: Path) -> None:
    texts = [text.get_text() for text in texts_of(drawn(by_hand(), tmp_path))]
    assert "Two <stages> & more" in texts
    assert (
        f"pair · 3 requests · 0 ps to 20 ns · seed 3 · digest {'ab' * 6} · version 1.2"
    ) in texts
    assert "time (ns)" in texts


def test_the_legend_has_only_what_occurs(tmp_path: Path) -> None:
    def shown(made: Trace) -> list[str]:
        texts = [text.get_text() for text in texts_of(drawn(made, tmp_path))]
        return texts[texts.index("NIC" if "NIC" in texts else "wire") :]

    assert shown(by_hand())[:11] == [
        *("wire", "wire", "memory", "memory", "waits", "for its turn", "behind another request"),
        *("marks", "sampled", "consumed", "dropped"),
    ]
    assert "waits" not in shown(burst(1))


def test_marks_are_where_they_happened(tmp_path: Path) -> None:
    drawing = drawn(by_hand(), tmp_path)
    found = boxes(drawing)
    # Request 0 is served from 0 to 10 ns: that is the scale.
    left, inches_a_ns = found[0][0], (found[0][1] - found[0][0]) / 10
    marks: dict[str, list[float]] = {}
    for line in drawing.axes[0].lines:
        xs: Any = line.get_xdata()
        marks.setdefault(str(line.get_marker()), []).extend(float(x) for x in xs)
    at = {marker: (xs[0] - left) / inches_a_ns for marker, xs in marks.items() if marker != "o"}
    assert at == {"D": pytest.approx(16), "x": pytest.approx(5)}
    assert any((x - left) / inches_a_ns == pytest.approx(20) for x in marks["o"])


def test_more_lanes_make_it_taller_only_where_they_would_be_too_low(tmp_path: Path) -> None:
    some, many, crowd = (drawn(CASES[case], tmp_path) for case in ("some", "many", "crowd"))
    assert some.get_size_inches()[1] < 7.5
    assert many.get_size_inches() == pytest.approx((13.333, 7.5))
    assert crowd.get_size_inches()[1] > 300 * ROW_LEAST
    lanes = sorted({round(box[2], 4) for box in boxes(crowd)})
    assert len(lanes) == 300
    assert lanes[1] - lanes[0] == pytest.approx(ROW_LEAST, abs=1e-3)


def test_waits_outside_the_first_stage_are_drawn(tmp_path: Path) -> None:
    source = table([clocked("first", 4, 3, queue=1, depth=2), delay("then", "7 ns")])
    found = boxes(drawn(trace([Post(0), Post(0), Post(0)], source), tmp_path))
    left, inches_a_ns = found[0][0], (found[0][1] - found[0][0]) / 4
    third = [box for box in found if round(box[2], 6) == round(found[-1][2], 6)]
    edges = [round((box[0] - left) / inches_a_ns, 6) for box in third]
    # It enters the queue when the second is accepted, and is accepted 3 ns later.
    assert edges == [0, 3, 6, 10]
    assert [box[4] for box in third] == [True, True, False, False]


def test_stages_of_one_kind_that_is_not_ours_are_told_apart() -> None:
    stages = [StageLine(f"s{number}", "step", "", "") for number in range(20)]
    found = colours([*stages, StageLine("bus", "on_chip_bus", "", "")])
    assert len(set(found.values())) == 21
    assert list(found.values())[1:7] == list(OTHER)
    assert legend([StageLine("s", "step", "", "")], []) == {}


def test_same_input_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.trace.traces import burst, export; "
        "from emu.trace.picture import open_picture; made = burst(9); "
        "[export(made, open_picture(Path(file), made.header)) for file in sys.argv[1:]]"
    )
    contents = []
    for seed in ("1", "2"):
        files = [tmp_path / f"{seed}{suffix}" for suffix in FORMATS]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, *files], check=True, env=environment)
        contents.append([file.read_bytes() for file in files])
    assert contents[0] == contents[1]
    assert [content[:4] for content in contents[0]] == [b"\x89PNG", b"<?xm", b"%PDF"]


def told(made: Trace, file: Path) -> None:
    export(made, open_picture(file, made.header))


def test_errors_say_what_was_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def message(file: Path, made: Trace) -> str:
        with pytest.raises(EmuError) as error:
            told(made, file)
        assert not list(tmp_path.iterdir())
        return str(error.value).removeprefix(f"{file}: ")

    assert message(tmp_path / "a.gif", by_hand()).startswith("not a picture; expected a name")
    nothing = Trace(PAIR, [])
    expected = "no request is in this trace; expected at least one"
    assert message(tmp_path / "a.png", nothing) == expected
    monkeypatch.setattr(picture, "MOST_REQUESTS", 2)
    assert message(tmp_path / "a.png", by_hand()) == (
        "a picture shows at most 2 requests, and this trace has more; expected fewer, chosen by "
        "--request, --initiator or --from and --to"
    )


def test_what_looks_like_tex_is_text(tmp_path: Path) -> None:
    title = r"$\frac{1}{0$ costs 5$"
    header = Header("1", "t", title, "", 1, {}, (), (StageLine("$a$", "$k$", "", ""),))
    events: list[Event] = [
        Submitted(0, Kind.SUBMITTED, 0, "", operation="$read$"),
        Event(0, Kind.ARRIVED, 0, "$a$"),
        Left(9, Kind.LEFT, 0, "$a$", parts=(("service", 9),)),
    ]
    texts = [text.get_text() for text in texts_of(drawn(Trace(header, events), tmp_path))]
    assert {title, "$a$", "$read$ 0 B", "time (ps)"} <= set(texts)


def test_a_wait_behind_another_is_red(tmp_path: Path) -> None:
    drawing = drawn(burst(2), tmp_path)
    collections: Any = drawing.axes[0].collections
    assert BEHIND in {to_hex(one.get_edgecolor()[0]) for one in collections}
