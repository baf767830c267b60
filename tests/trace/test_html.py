"""The page with the swimlanes as a file: what is in it, and when there is none."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from emu.errors import EmuError
from emu.trace import html
from emu.trace.events import Event, Kind, Submitted
from emu.trace.filter import Filter
from emu.trace.header import Header
from emu.trace.html import open_html
from tests.build import Post
from tests.trace.traces import PAIR, Trace, by_hand, cut, export, loads, trace


@settings(max_examples=settings().max_examples // 4)
@given(loads)
def test_times_and_parts_in_the_page_equal_those_of_the_events(
    tmp_path_factory: pytest.TempPathFactory, load: list[Post]
) -> None:
    made = trace(load)
    file = tmp_path_factory.mktemp("page") / "trace.html"
    export(made, open_html(file, made.header))
    shown = embedded(file)
    stages, names = [stage["name"] for stage in shown["stages"]], shown["names"]
    found = []
    for request in shown["requests"]:
        for stay in request["stays"]:
            parts = {names[name]: time_ps for name, time_ps in stay["parts"]}
            where = request["n"], stages[stay["s"]], stay["from"], stay["to"]
            found.append((*where, parts))
            assert [piece[0] for piece in stay["pieces"]][-1:] == [stay["to"]] or not parts
    assert sorted(found, key=str) == sorted(made.stays(), key=str)
    ends = [(request["n"], request["completed"]) for request in shown["requests"]]
    assert sorted(ends) == made.times_ps(Kind.COMPLETED)


def embedded(file: Path) -> Any:
    """The data in a page."""
    text = file.read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    found = re.search(r'<script type="application/json" id="trace">(.*?)</script>', text, re.S)
    assert found
    return json.loads(found[1])


def test_a_trace_cannot_end_its_element(tmp_path: Path) -> None:
    header = Header("1", "t", "</script><script>alert(1)</script>", "", 1, {}, (), PAIR.stages)
    file = tmp_path / "trace.html"
    export(Trace(header, []), open_html(file, header))
    assert embedded(file)["title"] == header.title


def test_a_window_of_a_trace(tmp_path: Path) -> None:
    made, wanted, file = by_hand(), Filter(4_000, 12_000), tmp_path / "trace.html"
    cut(made, wanted, open_html(file, made.header.filtered(wanted)))
    shown = embedded(file)
    assert (shown["from"], shown["to"]) == (4_000, 12_000)
    assert shown["about"]["filters"] == '[{"from_ps": 4000, "to_ps": 12000}]'
    stays = {
        one["n"]: [(s["from"], s["to"], s.get("open")) for s in one["stays"]]
        for one in shown["requests"]
    }
    assert stays == {0: [(0, 10_000, None)], 1: [(2_000, 12_000, True)], 2: []}


def test_a_drop_says_where(tmp_path: Path) -> None:
    file = tmp_path / "trace.html"
    export(Trace(PAIR, [Event(5, Kind.DROPPED, 2, "b")]), open_html(file, PAIR))
    (request,) = embedded(file)["requests"]
    assert (request["dropped"], request["by"]) == (5, "b")


def test_too_many_requests_are_told_how_to_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "MOST_REQUESTS", 2)
    file = tmp_path / "trace.html"
    page = open_html(file, PAIR)
    for number in (4, 5, 4):
        page.tell(Submitted(0, Kind.SUBMITTED, number, ""))
    message = (
        f"{file}: a page shows at most 2 requests, and this trace has more; expected fewer, chosen "
        "by --request, --initiator or --from and --to, or a .pftrace file, which has no limit"
    )
    with pytest.raises(EmuError, match=f"^{re.escape(message)}$"):
        page.tell(Submitted(9, Kind.SUBMITTED, 6, ""))
    assert not list(tmp_path.iterdir())


def test_same_input_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.trace.traces import burst, export; "
        "from emu.trace.html import open_html; "
        "made = burst(9); export(made, open_html(Path(sys.argv[1]), made.header))"
    )
    contents = []
    for seed in ("1", "2"):
        file = tmp_path / f"{seed}.html"
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(file)], check=True, env=environment)
        contents.append(file.read_bytes())
    assert contents[0] == contents[1]
