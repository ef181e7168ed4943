"""Where there is room for it no line of a notebook's code is cut; on a phone it scrolls."""

from __future__ import annotations

import pytest

from support.pages import names

CUT = """() => [...document.querySelectorAll("div.cell pre")]
    .filter((pre) => pre.scrollWidth > pre.clientWidth)
    .map((pre) => [pre.scrollWidth - pre.clientWidth, pre.textContent.slice(0, 60)])"""


@pytest.mark.parametrize("width", [1024, 1199, 1200, 1280, 1400, 1920])
def test_no_code_is_cut(open_page, width):
    page = open_page("en/index.html", width=width)
    site = page.url.partition("/en/")[0]
    cut = {}
    for name in names("en", "notebooks"):
        page.goto(f"{site}/{name}")
        if found := page.evaluate(CUT):
            cut[name] = found
    assert cut == {}
    size = page.locator("div.cell pre").first.evaluate("pre => getComputedStyle(pre).fontSize")
    assert float(size.removesuffix("px")) > 11


def test_the_contents_do_not_cover_the_code(open_page):
    page = open_page("en/notebooks/fedpd_converges.html", width=1280)
    contents = page.locator("#page-contents").bounding_box()
    for pre in page.locator("div.cell pre").all()[:3]:
        box = pre.bounding_box()
        assert box["x"] + box["width"] <= contents["x"]


def test_on_a_phone_code_scrolls(open_page):
    page = open_page("en/notebooks/fedpd_converges.html", width=360)
    assert page.evaluate(CUT)
    size = page.locator("div.cell pre").first.evaluate("pre => getComputedStyle(pre).fontSize")
    assert size == "14px"
