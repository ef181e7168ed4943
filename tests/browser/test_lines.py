"""Lines of a block and of its code light each other up: by mouse, keyboard, tap and address."""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

CHAPTER = "{}/algorithms/primal_dual.html"


def ids(page, name):
    """The lines of a class, in their order on the page."""
    return page.eval_on_selector_all(f".{name}", "found => found.map((line) => line.id)")


def row_of(page, number):
    """The ids of the rows of code whose tag names a line of the block."""
    rows = page.locator(f'.beside-line[id][data-lines~="{number}"]')
    return rows.evaluate_all("found => found.map((row) => row.id)")


@pytest.fixture
def chapter(open_page):
    return open_page(CHAPTER.format("en"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pointing_at_either_lights_the_other(open_page, language):
    chapter = open_page(CHAPTER.format(language))
    (row,) = row_of(chapter, 7)
    chapter.locator("#pcode-fedpd-l7").hover()
    assert ids(chapter, "is-lit") == ["pcode-fedpd-l7", row]
    chapter.locator(f"#{row}").hover(position={"x": 60, "y": 5})
    assert ids(chapter, "is-lit") == ["pcode-fedpd-l7", row]
    chapter.mouse.move(0, 0)
    assert ids(chapter, "is-lit") == []


def test_rows_of_one_line_and_lines_of_one_row_go_together(chapter):
    rows = row_of(chapter, 6)
    assert len(rows) == 2
    chapter.locator("#pcode-fedpd-l6").hover()
    assert ids(chapter, "is-lit") == ["pcode-fedpd-l6", *rows]
    (row,) = row_of(chapter, 13)
    chapter.locator(f"#{row}").hover(position={"x": 60, "y": 5})
    assert ids(chapter, "is-lit") == ["pcode-fedpd-l13", "pcode-fedpd-l14", row]


def test_a_line_without_a_partner_is_alone(chapter):
    for line in ("pcode-fedpd-l4", "code-fedpd-l1"):
        chapter.locator(f"#{line}").hover(position={"x": 80, "y": 5})
        assert ids(chapter, "is-lit") == [line]
        assert "is-alone" in chapter.locator(f"#{line}").get_attribute("class")
        chapter.keyboard.press("Escape")


def test_a_click_keeps_and_a_second_one_lets_go(chapter):
    (row,) = row_of(chapter, 7)
    line = chapter.locator("#pcode-fedpd-l7")
    line.click(position={"x": 40, "y": 8})
    chapter.mouse.move(0, 0)
    assert ids(chapter, "is-kept") == ["pcode-fedpd-l7", row]
    assert line.get_attribute("aria-current") == "true"
    assert chapter.url.endswith("#pcode-fedpd-l7")
    line.click(position={"x": 40, "y": 8})
    assert ids(chapter, "is-kept") == []
    assert "#" not in chapter.url


def test_selecting_text_keeps_nothing(chapter):
    row = chapter.locator("#code-fedpd-l8")
    row.scroll_into_view_if_needed()
    box = row.bounding_box()
    chapter.mouse.move(box["x"] + 60, box["y"] + 8)
    chapter.mouse.down()
    chapter.mouse.move(box["x"] + 160, box["y"] + 8, steps=4)
    chapter.mouse.up()
    assert chapter.evaluate("getSelection().toString()")
    assert ids(chapter, "is-kept") == []


def test_the_keyboard(chapter):
    (row,) = row_of(chapter, 8)
    columns = chapter.locator(".beside-block, .beside-code")
    for column in columns.all():
        assert column.locator('[id][tabindex="0"]').count() == 1
        assert column.locator(".ps-code a, .beside-line a").count() > 0
        assert column.locator('.ps-code a:not([tabindex="-1"])').count() == 0
    chapter.locator("#pcode-fedpd .headerlink").focus()
    chapter.keyboard.press("Tab")
    for _ in range(7):
        chapter.keyboard.press("ArrowDown")
    line = chapter.locator("#pcode-fedpd-l8")
    assert line.evaluate("line => line === document.activeElement")
    assert line.evaluate("line => getComputedStyle(line).outlineStyle") == "solid"
    assert ids(chapter, "is-lit") == ["pcode-fedpd-l8", row]
    chapter.keyboard.press("ArrowRight")
    assert chapter.evaluate("document.activeElement.id") == row
    chapter.keyboard.press("Enter")
    assert ids(chapter, "is-kept") == ["pcode-fedpd-l8", row]
    assert chapter.url.endswith(f"#{row}")
    chapter.keyboard.press("Escape")
    assert ids(chapter, "is-kept") == []
    chapter.keyboard.press("End")
    assert re.fullmatch(r"code-fedpd-l\d+", chapter.evaluate("document.activeElement.id"))
    chapter.keyboard.press("ArrowDown")
    chapter.keyboard.press("Home")
    assert chapter.evaluate("document.activeElement.id") == "code-fedpd-l1"


def test_a_screen_reader_hears_the_partner(chapter):
    (row,) = row_of(chapter, 7)
    line = chapter.locator("#pcode-fedpd-l7")
    assert line.get_attribute("role") == "group"
    assert line.get_attribute("aria-labelledby") == "pcode-fedpd-l7"
    assert line.get_attribute("aria-describedby") == row
    assert chapter.locator(f"#{row}").get_attribute("aria-describedby") == "pcode-fedpd-l7"
    assert chapter.locator("#pcode-fedpd-l4").get_attribute("aria-describedby") is None


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize(
    ("language", "line"), [("en", "pcode-fedpd-l16"), ("zh", "code-fedpd-l16")]
)
def test_an_address_opens_lit_and_in_view(open_page, language, line, from_disk):
    page = open_page(f"{CHAPTER.format(language)}#{line}", from_disk=from_disk)
    page.wait_for_load_state("load")
    kept = ids(page, "is-kept")
    assert kept == ["pcode-fedpd-l16", *row_of(page, 16)]
    for each in kept:
        box = page.locator(f"#{each}").bounding_box()
        assert 50 < box["y"] < 850, each
    assert page.locator(f"#{line}").get_attribute("tabindex") == "0"
    page.locator('.beside-line[data-lines="7"] a').click()
    assert page.url.endswith("#pcode-fedpd-l7")
    assert ids(page, "is-kept") == ["pcode-fedpd-l7", *row_of(page, 7)]


def test_every_line_of_both_has_an_address(chapter):
    assert chapter.locator(".ps-code:not([id])").count() == 0
    rows = chapter.locator(".beside-line").evaluate_all(
        "rows => rows.map((row) => [row.id, row.textContent.trim()])"
    )
    assert all(name == f"code-fedpd-l{at}" for at, (name, text) in enumerate(rows, 1) if text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_on_a_phone_a_tap_shows_the_partner_that_is_out_of_sight(open_page, language):
    page = open_page(CHAPTER.format(language), width=360, height=640, has_touch=True)
    block, code = (page.locator(name).bounding_box() for name in (".beside-block", ".beside-code"))
    assert code["y"] >= block["y"] + block["height"]
    line = page.locator("#pcode-fedpd-l8")
    line.evaluate("line => line.scrollIntoView({behavior: 'instant'})")
    line.tap()
    (row,) = row_of(page, 8)
    assert ids(page, "is-kept") == ["pcode-fedpd-l8", row]
    peek = page.locator(".beside-peek")
    peek.wait_for(state="visible")
    assert "half_k = " in peek.inner_text()
    assert peek.bounding_box()["y"] + peek.bounding_box()["height"] <= 640
    partner = page.locator(f"#{row}")
    partner.evaluate("row => row.scrollIntoView({behavior: 'instant', block: 'center'})")
    peek.wait_for(state="hidden")  # what is seen isn't shown twice, and nothing covers it
    line.evaluate("line => line.scrollIntoView({behavior: 'instant'})")
    peek.wait_for(state="visible")
    line.tap()
    assert peek.count() == 0


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (360, 2000)])
def test_a_partner_in_sight_is_not_shown_again(open_page, width, height):
    page = open_page(CHAPTER.format("en"), width=width, height=height)
    page.locator("#pcode-fedpd-l8").click(position={"x": 60, "y": 8})
    page.wait_for_timeout(300)
    assert page.locator(".beside-peek").count() == 1
    assert not page.locator(".beside-peek").is_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("has_touch", [False, True])
def test_the_hint_speaks_of_what_the_reader_has(open_page, language, has_touch):
    page = open_page(CHAPTER.format(language), width=360, has_touch=has_touch, is_mobile=has_touch)
    hint = page.locator(".beside-hint").inner_text()
    tap = {"en": "Tap a line", "zh": "轻点任意一行"}[language]
    assert (tap in hint) == has_touch
    assert ("Enter" in hint) == ("Esc" in hint) == (not has_touch)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [320, 360, 768, 1024, 1280, 1400, 1920])
def test_what_is_wrapped_is_indented_as_far_as_its_line(open_page, language, width):
    page = open_page(f"{language}/index.html", width=width)
    site = page.url.partition(f"/{language}/")[0]
    wrapped = 0
    for name in ("overview", "skipping", "primal_dual"):
        page.goto(f"{site}/{language}/algorithms/{name}.html")
        page.evaluate("document.fonts.ready")
        for line in page.evaluate(STARTS):
            wrapped += len(line["starts"]) > 1
            assert min(line["starts"]) >= line["starts"][0] - 2, (name, line)
    assert wrapped > 20 or width > 400


STARTS = """() => [...document.querySelectorAll(".beside .ps-code")].map((line) => {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const rows = [];
    while (walker.nextNode()) {
        const text = walker.currentNode;
        if (!text.data.trim()) continue;
        if (text.parentElement.closest(".ps-linenum, .katex-mathml, .vlist-t")) continue;
        range.selectNodeContents(text);
        for (const {left, top, bottom, width} of range.getClientRects()) {
            if (width === 0) continue;
            const row = rows.find((other) => top < other.bottom && bottom > other.top);
            if (row) row.left = Math.min(row.left, left);
            else rows.push({left, top, bottom});
        }
    }
    rows.sort((one, other) => one.top - other.top);
    return {id: line.id, starts: rows.map((row) => Math.round(row.left))};
})"""
"""Of every line where each of its rows begins."""


def background(page, line):
    """The colour of most of a picture: without scripts playwright can't ask for styles."""
    pixels = imread(BytesIO(page.locator(line).screenshot()), format="png")
    return np.median(pixels, axis=(0, 1)).tolist()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_scripts_both_are_readable_and_numbered(open_page, language):
    page = open_page(f"{CHAPTER.format(language)}#pcode-fedpd-l7", java_script_enabled=False)
    assert page.locator("#pcode-fedpd-l7").inner_text().startswith("7:")
    assert page.locator(".beside-tag", has_text="# 11, 12").is_visible()
    lit, dark, other = (background(page, f"#pcode-fedpd-l{n}") for n in (7, 8, 9))
    assert lit != dark == other
    assert not page.locator(".beside-hint").is_visible()
