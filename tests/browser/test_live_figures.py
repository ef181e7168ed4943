"""Sliders move curves: by mouse and keyboard, served and from disk, and not without scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from measured import live_figure

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "en" / "live_figures.ipynb"
CHAPTERS = {"proxskip": "skipping", "kappa": "skipping", "fedpd": "primal_dual"}
DRAWN = "frame => frame.plot.data.map(column => Array.from(column))"
INK = """frame => {
    const canvas = frame.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const [r, g, b] = getComputedStyle(frame.querySelector(".live-key")).color.match(/\\d+/g);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) {
        found += data[i + 3] > 200 && data[i] == r && data[i + 1] == g && data[i + 2] == b;
    }
    return found;
}"""


def stored(cell):
    """What the notebook has stored for a figure."""
    return live_figure.stored(NOTEBOOK, cell)[1]


def numbers(text):
    return [int(word) for word in text.split()]


@pytest.fixture
def open_figure(open_page):
    def open_figure(language, cell, **options):
        page = open_page(f"{language}/algorithms/{CHAPTERS[cell]}.html", **options)
        return page.locator(f"#live-{cell}")

    return open_figure


def drawn(frame, series):
    """The points of a series in uPlot's own data."""
    columns = frame.evaluate(DRAWN)
    pairs = zip(columns[0], columns[series], strict=True)
    return [[x, round(100 * y)] for x, y in pairs if y is not None]


def points(curve):
    return [list(pair) for pair in zip(numbers(curve["x"]), numbers(curve["y"]), strict=True)]


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_drawn_and_said_is_what_the_notebook_has_stored(open_figure, language, from_disk):
    frame = open_figure(language, "proxskip", from_disk=from_disk)
    written, corrected = (series["curves"] for series in stored("proxskip")["series"])
    sliders = [frame.locator(f"#live-proxskip-{name}") for name in ("p", "R", "spread")]
    for at in ("7 1 2", "0 1 2", "3 2 3"):
        for slider, position in zip(sliders, at.split(), strict=True):
            slider.fill(position)
        assert drawn(frame, 1) == points(written[at])
        assert drawn(frame, 2) == points(corrected[at])
        for text, curve in zip(
            frame.locator(".live-verdict").all_inner_texts(),
            (written[at], corrected[at]),
            strict=True,
        ):
            assert ("diverges" in text or "发散" in text) == (curve["verdict"] == "diverges")
            assert f"{curve['rounds']} " in text
            assert f"{curve['communications']} " in text


def test_the_mouse_moves_a_slider(open_figure):
    frame = open_figure("en", "fedpd")
    before = drawn(frame, 1)
    slider = frame.locator("#live-fedpd-p")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    frame.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    assert frame.locator("output").first.inner_text() == "0.9"
    assert drawn(frame, 1) != before
    assert drawn(frame, 1) == points(stored("fedpd")["series"][0]["curves"]["9 1 3"])


def test_the_keyboard_moves_a_slider_and_it_says_its_value(open_figure):
    frame = open_figure("en", "kappa")
    slider = frame.get_by_label("times", exact=False)
    slider.focus()
    for key, shown in (("ArrowRight", "2"), ("End", "8"), ("Home", "1/4"), ("ArrowRight", "1/2")):
        frame.page.keyboard.press(key)
        assert frame.locator("output").first.inner_text() == shown
        assert slider.get_attribute("aria-valuetext") == shown
    curve = stored("kappa")["series"][0]["curves"]["1 2"]
    assert f"{curve['communications']} communications" in frame.inner_text()
    frame.page.keyboard.press("Tab")
    assert frame.locator("#live-kappa-accuracy").evaluate("it => it === document.activeElement")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("cell", CHAPTERS)
def test_without_scripts_there_is_a_still_image(open_figure, language, cell):
    frame = open_figure(language, cell, java_script_enabled=False)
    image = frame.locator("xpath=../img")
    image.scroll_into_view_if_needed()
    assert image.is_visible()
    assert image.get_attribute("alt")
    assert not frame.is_visible()


def test_with_scripts_the_image_gives_way_except_on_paper(open_figure):
    frame = open_figure("en", "proxskip")
    image = frame.locator("xpath=../img")
    assert frame.is_visible()
    assert not image.is_visible()
    frame.page.emulate_media(media="print")
    assert image.is_visible()
    assert not frame.is_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("cell", CHAPTERS)
def test_on_a_phone_nothing_is_cut_off(open_figure, language, cell):
    frame = open_figure(language, cell, width=360)
    page = frame.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for part in frame.locator("label, output, input, canvas, li, .live-x, .live-y").all():
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    for part in frame.locator("label, li").all():
        assert part.evaluate("it => it.scrollWidth <= it.clientWidth")
    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_function(f"document.querySelector('#live-{cell} canvas').clientWidth > 400")


@pytest.mark.parametrize("cell", CHAPTERS)
def test_in_the_dark_lines_have_the_colours_of_the_dark(open_figure, cell):
    frame = open_figure("en", cell, color_scheme="dark")
    assert frame.evaluate(INK) > 50
    dark = frame.locator(".live-key").first.evaluate("it => getComputedStyle(it).color")
    frame.page.evaluate("document.documentElement.dataset.theme = 'light'")
    light = frame.locator(".live-key").first.evaluate("it => getComputedStyle(it).color")
    assert light != dark
    frame.page.wait_for_function(f"frame => ({INK})(frame) > 50", arg=frame.element_handle())


def test_other_pages_do_not_load_the_library(open_page):
    page = open_page("en/algorithms/overview.html")
    assert page.evaluate("window.uPlot === undefined")
