"""The page with the swimlanes, in a browser that has no network."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from emu.trace.html import open_html
from tests.needs import needs
from tests.trace.traces import PAIR, Trace, burst, by_hand, export

pytestmark = needs("chromium")

ALONE = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ALONE += ["--disable-component-update", "--disable-sync"]
Shown = Callable[[Trace], Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or "chromium"
        browser = playwright.chromium.launch(executable_path=chromium, args=ALONE)
        yield browser
        browser.close()


@pytest.fixture
def shown(browser: Browser, tmp_path: Path) -> Iterator[Shown]:
    """Opens the page of a trace; whatever it asks for or complains of fails the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 700}, offline=True)
    asked: list[str] = []
    complaints: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    file = tmp_path / "trace.html"

    def open_page(made: Trace) -> Page:
        export(made, open_html(file, made.header))
        page = context.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("#svg .grid", state="attached")
        return page

    yield open_page
    context.close()
    assert asked == [file.as_uri()]
    assert complaints == []


def pieces(page: Page, request: int) -> list[dict[str, Any]]:
    """What is drawn of a request, from left to right, with where it is."""
    found = page.eval_on_selector_all(
        f'.piece[data-request="{request}"]',
        """all => all.map(one => ({...one.dataset, ...one.getBoundingClientRect().toJSON()}))""",
    )
    return sorted(found, key=lambda piece: float(piece["x"]))


def piece(page: Page, request: int, name: str) -> Locator:
    return page.locator(f'.piece[data-request="{request}"][data-name="{name}"]').first


def view(page: Page) -> tuple[float, float]:
    """The time that is shown, in picoseconds."""
    shown = page.eval_on_selector("#plot", "plot => ({...plot.dataset})")
    return float(shown["from"]), float(shown["to"])


def settled(page: Page) -> None:
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def test_a_lane_shows_what_each_request_did_and_when(shown: Shown) -> None:
    page = shown(burst(3))
    # Each is served for 5 ns at `turns`; until then it is held.
    found = [
        (one["stage"], one["name"], int(one["from"]), int(one["to"])) for one in pieces(page, 2)
    ]
    assert found == [
        ("controller", "backpressure", 0, 2_000),
        ("controller", "interval + resource:controller.depth", 2_000, 4_000),
        ("controller", "", 4_000, 7_000),
        ("turns", "ordering", 7_000, 13_000),
        ("turns", "", 13_000, 18_000),
        ("wire_out", "", 18_000, 58_000),
        ("memory", "", 58_000, 88_000),
        ("wire_back", "", 88_000, 128_000),
    ]


def test_places_on_the_page_are_those_of_the_times(shown: Shown) -> None:
    page = shown(burst(4))
    drawn = [one for number in range(4) for one in pieces(page, number)]
    first, last = drawn[0], drawn[-1]
    pixels_a_ps = (last["right"] - first["left"]) / (int(last["to"]) - int(first["from"]))
    for one in drawn:
        start = first["left"] + (int(one["from"]) - int(first["from"])) * pixels_a_ps
        assert one["left"] == pytest.approx(start, abs=1.5)
        length = (int(one["to"]) - int(one["from"])) * pixels_a_ps
        assert one["width"] == pytest.approx(max(1, length), abs=2)
    tops = [pieces(page, number)[0]["top"] for number in range(4)]
    assert tops == sorted(tops)
    assert len(set(tops)) == 4


def test_the_axis_has_a_unit_and_ticks_where_they_belong(shown: Shown) -> None:
    page = shown(burst(2))
    assert page.text_content("#unit") == "time in ns"
    ticks = page.eval_on_selector_all(
        ".tick", "all => all.map(one => [one.textContent, Number(one.getAttribute('x'))])"
    )
    ns = [float(text) for text, _ in ticks]
    assert ns == [20.0 * place for place in range(len(ns))]
    places = [x for _, x in ticks]
    memory = page.locator('.piece[data-request="0"][data-stage="memory"]')
    # It is at the memory from 48 to 78 ns.
    left = places[0] + (places[1] - places[0]) / 20 * 48
    assert float(memory.get_attribute("x") or "") == pytest.approx(left, abs=0.5)


def test_the_head_says_what_run_it_is(shown: Shown) -> None:
    page = shown(by_hand())
    assert page.title() == "Two <stages> & more: trace"
    assert page.text_content("h1") == "Two <stages> & more"
    about = page.inner_text("#about").split("\n")
    told = dict(zip(about[::2], about[1::2], strict=True))
    assert told["table"] == "pair"
    assert told["seed"] == "3"
    assert told["version"] == "1.2"
    assert told["digest"] == "ab" * 6
    assert told["trace"] == "3 requests, 0 ps to 20 ns"
    assert page.locator(f'#about [title="{"ab" * 32}"]').count() == 1


def test_the_legend_names_what_there_is(shown: Shown) -> None:
    page = shown(by_hand())
    assert page.inner_text("#legend").split() == [
        *("wire", "wire", "memory", "memory", "waits", "for", "its", "turn"),
        *("behind", "another", "request", "marks", "sampled", "consumed", "dropped"),
    ]


def test_hover_tells_behind_whom_a_request_waits_and_shows_that_one(shown: Shown) -> None:
    page = shown(by_hand())
    piece(page, 1, "ordering").hover()
    settled(page)
    tip = page.inner_text("#tip")
    assert "request 1 · read 8 B SO ROI fence · initiator 4" in tip
    assert "waits behind request 0 for 10 ns" in tip
    assert "from 2.5 ns to 12.5 ns" in tip
    rows = [row.replace("\u2009", " ").split("\t") for row in tip.split("\n")[-4:]]
    assert rows == [
        ["service", "5 000 ps", "5 ns"],
        ["alignment", "2 500 ps", "2.5 ns"],
        ["ordering", "10 000 ps", "10 ns"],
        ["whole stay", "17 500 ps", "17.5 ns"],
    ]
    blocker = page.locator(".band.blocker")
    assert blocker.get_attribute("data-row") == "0"
    # From the middle of that lane to this one, at the end of the wait.
    lane, arrow = blocker.bounding_box(), page.locator(".arrow").bounding_box()
    waits = piece(page, 1, "ordering").bounding_box()
    assert lane
    assert arrow
    assert waits
    assert arrow["y"] == pytest.approx(lane["y"] + lane["height"] / 2, abs=2)
    assert arrow["x"] + arrow["width"] / 2 == pytest.approx(waits["x"] + waits["width"], abs=2)

    piece(page, 0, "").hover()
    settled(page)
    assert "served for 10 ns" in page.inner_text("#tip")
    assert page.locator(".band.blocker, .arrow").count() == 0


def test_a_wait_that_has_not_ended_has_no_arrow(shown: Shown) -> None:
    made = by_hand()
    page = shown(Trace(made.header, [event for event in made.events if event.time_ps < 12_000]))
    piece(page, 1, "ordering").hover()
    settled(page)
    assert "waits behind request 0 for 7.5 ns" in page.inner_text("#tip")
    assert page.locator(".reach").count() == 1
    assert page.locator(".arrow, .head").count() == 0


def test_hover_tells_values_without_rounding(shown: Shown) -> None:
    page = shown(by_hand())
    piece(page, 1, "").hover()
    assert f"sampled at 16 ns: {2**63 + 1} at 0x100" in page.inner_text("#tip")


def test_wheel_and_buttons_zoom_and_drag_moves(shown: Shown) -> None:
    page = shown(burst(8))
    start = view(page)
    memory = page.locator('.piece[data-request="0"][data-stage="memory"]')
    before = memory.bounding_box()
    assert before
    at = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    page.mouse.move(*at)
    page.mouse.wheel(0, -400)
    settled(page)
    near = view(page)
    assert near[1] - near[0] == pytest.approx((start[1] - start[0]) / 1.0018**400)
    after = memory.bounding_box()
    assert after
    assert after["width"] > before["width"] * 1.5
    # What is under the pointer stays there.
    assert after["x"] + after["width"] / 2 == pytest.approx(at[0], abs=2)

    page.mouse.down()
    page.mouse.move(at[0] + 80, at[1])
    page.mouse.up()
    settled(page)
    moved = memory.bounding_box()
    assert moved
    assert moved["x"] == pytest.approx(after["x"] + 80, abs=1)

    page.click("#all")
    settled(page)
    assert view(page) == start
    page.click("#in")
    settled(page)
    assert view(page)[1] - view(page)[0] == pytest.approx((start[1] - start[0]) / 2)
    page.click("#right")
    settled(page)
    assert view(page)[0] == pytest.approx(start[0] + (start[1] - start[0]) * (0.25 + 0.1))
    page.click("#out")
    page.click("#out")
    settled(page)
    assert view(page) == pytest.approx(start)


def test_zooming_in_ends_at_picoseconds(shown: Shown) -> None:
    page = shown(burst(2))
    page.focus("#plot")
    for _ in range(30):
        page.keyboard.press("+")
    settled(page)
    start, end = view(page)
    assert end - start == 20
    assert page.text_content("#unit") == "time in ns"
    ticks = [Decimal(text) * 1000 for text in page.locator(".tick").all_text_contents()]
    assert [two - one for one, two in pairwise(ticks)] == [Decimal(5)] * (len(ticks) - 1)
    assert start <= ticks[0] < ticks[-1] <= end


def test_a_request_is_found_by_its_number(shown: Shown) -> None:
    page = shown(burst(200, 1500))
    assert not pieces(page, 150)
    assert view(page)[1] < 600_000
    page.keyboard.press("/")
    page.keyboard.type("150")
    page.keyboard.press("Enter")
    settled(page)
    found = pieces(page, 150)
    assert found[-1]["right"] < 1200
    assert found[0]["left"] > 0
    assert page.locator(".band.chosen").get_attribute("data-row") == "150"
    assert (page.text_content("#live") or "").startswith("Request 150, read 64 B. controller: ")

    page.keyboard.press("/")
    page.fill("#search", "200")
    page.keyboard.press("Enter")
    assert page.text_content("#said") == "no request 200 here"


def test_all_can_be_done_by_keyboard(shown: Shown) -> None:
    page = shown(by_hand())
    page.focus("#plot")
    spoken = []
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "End", "Home"):
        page.keyboard.press(key)
        spoken.append(page.text_content("#live"))
    one = "Request 1, read 8 B SO ROI fence"
    assert spoken == [
        "Request 0, write 64 B. a: served for 10 ns, from 0 ps to 10 ns.",
        f"{one}. b: waits for 500 ps: alignment, from 2 ns to 2.5 ns.",
        f"{one}. b: waits behind request 0 for 10 ns, from 2.5 ns to 12.5 ns.",
        f"{one}. b: waits for 2 ns: alignment, from 12.5 ns to 14.5 ns.",
        "Request 2, <b>odd</b> 0 B, dropped at 5 ns.",
        "Request 0, write 64 B. a: served for 10 ns, from 0 ps to 10 ns.",
    ]
    assert page.inner_text("#tip").startswith("request 0 · write 64 B")
    start = view(page)
    page.keyboard.press("Enter")
    settled(page)
    assert view(page)[1] - view(page)[0] == pytest.approx(11_000)
    page.keyboard.press("0")
    settled(page)
    assert view(page) == pytest.approx(start)
    page.keyboard.press("Escape")
    assert page.text_content("#live") == ""
    assert not page.is_visible("#tip")


def test_everything_that_can_be_used_has_a_name(shown: Shown) -> None:
    page = shown(burst(2))
    tree = page.locator("body").aria_snapshot()
    for named in (
        *('button "Zoom in"', 'button "Zoom out"', 'button "All"', 'button "Fit"'),
        *(
            'button "Earlier"',
            'button "Later"',
            'searchbox "Request"',
            'toolbar "View"',
            'list "Legend"',
        ),
        'application "Swimlanes: 2 requests, a lane each, from 0 ps to 123 ns"',
    ):
        assert named in tree


@pytest.mark.parametrize("theme", ("light", "dark"))
def test_text_can_be_read_in_both_themes(shown: Shown, theme: Any) -> None:
    page = shown(burst(3))
    page.emulate_media(color_scheme=theme)
    settled(page)

    def luminance(what: str, selector: str) -> float:
        colour = page.eval_on_selector(selector, f"one => getComputedStyle(one).{what}")
        values = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    page_light = luminance("backgroundColor", "body")
    assert (page_light > 0.5) == (theme == "light")
    for what, selector in (
        *(("color", "h1"), ("color", "#about dt"), ("color", "#hint"), ("color", "#legend b")),
        *(("fill", ".number"), ("fill", ".tick"), ("fill", "text.quiet")),
    ):
        light = luminance(what, selector)
        contrast = (max(light, page_light) + 0.05) / (min(light, page_light) + 0.05)
        assert contrast > 4.5, f"{selector} can hardly be read"


def test_many_lanes_are_drawn_only_where_they_can_be_seen(shown: Shown) -> None:
    page = shown(burst(300, 1500))
    rows = page.locator(".number").count()
    assert 20 < rows < 60
    page.mouse.move(60, 400)
    page.mouse.wheel(0, 3_000)
    settled(page)
    numbers = [int(number) for number in page.locator(".number").all_text_contents()]
    assert len(numbers) in range(20, 60)
    assert numbers[0] == 3_000 // 18
    # At first, time is that of the lanes that were in sight; now it is said where these are.
    assert not pieces(page, numbers[-1])
    assert page.locator(".away").count() > 0
    page.click("#fit")
    settled(page)
    assert page.locator(".away").count() == 0
    assert pieces(page, numbers[0])[0]["left"] > 150
    assert 1000 < pieces(page, numbers[-1])[-1]["right"] < 1200


def test_an_empty_trace_is_an_empty_page(shown: Shown) -> None:
    page = shown(Trace(PAIR, []))
    assert "0 requests, 0 ps to 0 ps" in page.inner_text("#about")
    assert page.locator(".piece").count() == 0
