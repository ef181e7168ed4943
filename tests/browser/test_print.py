"""On paper all of a page is there, in light colours, whatever the screen shows."""

from __future__ import annotations

import pytest

from support.pages import names

PAPER = 718  # A4 in CSS pixels, less the margins of browsers
CUT = """() => [...document.querySelectorAll("article :is(pre, table, .katex-display, .ps-line)")]
    .filter((part) => part.checkVisibility())
    .filter((part) => {
        const room = (part.closest(".math-scroll") ?? document.body).getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(part.querySelector(".katex-html") ?? part);
        return range.getBoundingClientRect().right > room.right + 1;
    })
    .map((part) => part.textContent.slice(0, 60))"""


@pytest.fixture
def printed(open_page):
    """Open a page as it is printed."""

    def printed(name, **options):
        page = open_page(name, width=PAPER, **options)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme=options.get("color_scheme", "light"))
        return page

    return printed


@pytest.mark.parametrize("language", ["en", "zh"])
def test_dark_pages_are_printed_light(open_page, language):
    page = open_page(f"{language}/algorithms/overview.html", color_scheme="dark")
    page.evaluate(
        """() => addEventListener("beforeprint", () => {
            const colour = (part, what) => getComputedStyle(document.querySelector(part))[what];
            window.printed = [document.documentElement.dataset.theme,
                colour("body", "backgroundColor"), colour(".beside-code .k", "color")];
        })"""
    )
    page.pdf(page_ranges="1")
    theme, paper, keyword = page.evaluate("window.printed")
    assert theme == "light"
    assert paper == "rgb(255, 255, 255)"
    assert sum(map(int, keyword[4:-1].split(","))) / 3 < 128
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"  # on screen, as it was


def test_what_is_folded_is_printed(printed):
    page = printed("en/algorithms/skipping.html")
    solutions = page.locator("details .sd-card-body")
    assert solutions.count() > 2
    for solution in solutions.all():
        assert solution.evaluate("part => part.closest('details').open") is False
        assert solution.locator("p").first.evaluate(
            "part => part.checkVisibility({contentVisibilityAuto: true, opacityProperty: true})"
        )
        assert solution.bounding_box()["height"] > 30


def test_what_needs_a_mouse_is_not_printed(printed):
    page = printed("en/algorithms/primal_dual.html#pcode-fedpd-l8", has_touch=True)
    page.wait_for_load_state("load")
    parts = ".beside-hint, .beside-peek, .copy-button, .live, .bd-sidebar-primary, a.lang-switch"
    assert page.locator(parts).count() > 4
    for part in page.locator(parts).all():
        assert not part.is_visible()


def test_without_scripts_only_the_text_is_printed(open_page):
    page = open_page("en/algorithms/skipping.html", width=PAPER, java_script_enabled=False)
    page.emulate_media(media="print")
    for part in (".bd-sidebar-primary", ".bd-sidebar-secondary", "a.lang-switch"):
        assert not page.locator(part).first.is_visible()
    assert page.locator("details .sd-card-body").first.is_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_cut(printed, language):
    page = printed(f"{language}/index.html")
    site = page.url.partition(f"/{language}/")[0]
    cut = {}
    for name in names(language):
        page.goto(f"{site}/{name}")
        page.evaluate("document.fonts.ready")
        if found := page.evaluate(CUT):
            cut[name] = found
    assert cut == {}


def test_nothing_that_is_longer_than_a_page_has_to_stay_on_one(printed):
    page = printed("en/algorithms/which.html")
    site = page.url.partition("/en/")[0]
    for name in ("algorithms/which", "notebooks/fedpd_experiment", "algorithms/skipping"):
        page.goto(f"{site}/en/{name}.html")
        kept = page.evaluate(
            """() => [...document.querySelectorAll("article *")]
                .filter((part) => part.getBoundingClientRect().height > 400)
                .filter((part) => part.tagName !== "FIGURE" && part.tagName !== "IMG")
                .filter((part) => getComputedStyle(part).breakInside !== "auto"
                    || getComputedStyle(part).overflowY !== "visible")
                .map((part) => `${part.tagName} ${part.className}`)"""
        )
        assert kept == [], name
