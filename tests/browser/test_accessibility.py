"""axe-core finds nothing serious on any page: light and dark, wide and on a phone."""

from __future__ import annotations

import pytest

from support.pages import SITE, names, unavailable

AXE = SITE.parent / "node-test" / "node_modules" / "axe-core" / "axe.min.js"
# The boxes of formulas are hidden from screen readers (MathML is for them) and have the colour of
# the text around: to look at each of them takes most of the time.
RUN = """axe.run({exclude: [[".katex-html"]]}, {resultTypes: ["violations"]})
    .then(({violations}) => violations
    .filter(({impact}) => impact === "serious" || impact === "critical")
    .flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
        `${id}: ${target.join(" ")}: ${failureSummary}`)))"""


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core. It is evaluated by the debugger, which no policy of a page binds."""
    if not AXE.exists():
        unavailable("axe-core is not installed: run `make test`")
    return AXE.read_text(encoding="utf-8")


CHAPTERS = ("/algorithms/",)
SAMPLES = ("/skipping", "/notebooks/fedpd.", "/search", "/status", "/_modules/")
LOOKS = {  # what is looked at: chapters in both modes, every page in one, each kind in all
    ("en", "light", 1280): ("/",),
    ("zh", "dark", 360): ("/",),
    ("en", "dark", 360): CHAPTERS,
    ("zh", "light", 1280): CHAPTERS,
    ("en", "dark", 1280): SAMPLES,
    ("zh", "light", 360): SAMPLES,
}


@pytest.mark.parametrize(("language", "color_scheme", "width"), LOOKS)
def test_no_page_is_hard_to_use(open_page, axe, language, color_scheme, width):
    page = open_page(f"{language}/index.html", color_scheme=color_scheme, width=width)
    site = page.url.partition(f"/{language}/")[0]
    found = {}
    for part in LOOKS[language, color_scheme, width]:
        pages = [name for name in names(language) if part in name]
        assert pages, part
        for name in pages:
            page.goto(f"{site}/{name}")
            page.evaluate(axe)
            if violations := page.evaluate(RUN):
                found[name] = violations
    assert found == {}


def test_a_fault_is_found(open_page, axe):
    page = open_page("en/index.html")
    page.evaluate("document.querySelector('article h1').style.color = '#eee'")
    page.evaluate(axe)
    assert any("color-contrast" in each for each in page.evaluate(RUN))
