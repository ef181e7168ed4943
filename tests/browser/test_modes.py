"""Light and dark: by the system or by choice, everywhere, and for good."""

from __future__ import annotations

import pytest

THEME = "document.documentElement.dataset.theme"


def choose(page, mode):
    page.locator(".theme-switch-button").click()
    page.locator(f".theme-change-button[data-mode={mode}]").click()


def lightness(page, selector, what="backgroundColor"):
    """The mean of red, green and blue of the first such element, or of what shows through it."""
    return page.locator(selector).first.evaluate(
        """(element, what) => {
            const colour = (node) => getComputedStyle(node)[what].match(/[\\d.]+/g).map(Number);
            let shown = element;
            while (colour(shown)[3] === 0 && shown.parentElement) shown = shown.parentElement;
            return colour(shown).slice(0, 3).reduce((sum, value) => sum + value) / 3;
        }""",
        what,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_system_decides_until_the_reader_does(open_page, language, scheme):
    page = open_page(f"{language}/index.html", color_scheme=scheme)
    assert page.evaluate(THEME) == scheme
    other = {"light": "dark", "dark": "light"}[scheme]
    choose(page, other)
    assert page.evaluate(THEME) == other
    choose(page, "auto")
    assert page.evaluate(THEME) == scheme


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
def test_the_choice_survives_navigation_and_the_change_of_language(open_page, from_disk):
    page = open_page("en/index.html", from_disk=from_disk, color_scheme="light")
    choose(page, "dark")
    for link in (".bd-docs-nav a >> nth=2", "a.lang-switch", ".bd-docs-nav a >> nth=0"):
        with page.expect_navigation():
            page.locator(link).click()
        assert page.evaluate(THEME) == "dark"
        assert lightness(page, "body") < 60


def test_the_mode_is_known_before_anything_is_painted(open_page):
    page = open_page("en/index.html", color_scheme="dark")
    head = page.evaluate("[...document.head.querySelectorAll('script')].map((each) => each.src)")
    assert "mode.js" in head[0]
    assert page.locator("head script").first.evaluate("script => !script.defer && !script.async")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_stays_light_in_the_dark(open_page, language, width):
    page = open_page(f"{language}/index.html", color_scheme="dark", width=width)
    site = page.url.partition(f"/{language}/")[0]
    page.goto(f"{site}/{language}/algorithms/overview.html")
    for part in ("body", ".bd-article table td", ".pcode", ".beside-code pre", "details"):
        assert lightness(page, part) < 80, part
    for part in (".pcode .ps-keyword", ".katex", ".bd-article td", ".beside-code pre"):
        assert lightness(page, part, "color") > 150, part
    page.goto(f"{site}/{language}/algorithms/skipping.html")
    assert lightness(page, ".admonition") < 80
    page.goto(f"{site}/{language}/notebooks/fedpd.html")
    figure = page.locator("article img").first
    assert "invert" in figure.evaluate("image => getComputedStyle(image).filter")
    assert "invert" not in open_page(
        f"{language}/notebooks/fedpd.html", color_scheme="light"
    ).locator("article img").first.evaluate("image => getComputedStyle(image).filter")


def test_without_scripts_pages_are_light_and_readable(open_page):
    page = open_page("en/algorithms/overview.html", java_script_enabled=False, color_scheme="dark")
    assert page.locator("html").get_attribute("data-theme") == "light"
