"""axe-core finds nothing serious on any page: light and dark, wide and on a phone."""

from __future__ import annotations

import pytest

from support.pages import SITE, names, unavailable

AXE = SITE.parent / "node-test" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """axe.run({resultTypes: ["violations"]}).then(({violations}) => violations
    .filter(({impact}) => impact === "serious" || impact === "critical")
    .flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
        `${id}: ${target.join(" ")}: ${failureSummary}`)))"""


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core. It is evaluated by the debugger, which no policy of a page binds."""
    if not AXE.exists():
        unavailable("axe-core is not installed: run `make test`")
    return AXE.read_text(encoding="utf-8")


LOOKS = [("light", 1280), ("dark", 360), ("dark", 1280), ("light", 360)]
SAMPLES = ("algorithms/skipping", "notebooks/fedpd.", "search", "status", "data.html")


@pytest.mark.parametrize(("color_scheme", "width"), LOOKS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_is_hard_to_use(open_page, axe, language, color_scheme, width):
    """All pages in two looks that differ in both; those of each kind in the other two as well."""
    page = open_page(f"{language}/index.html", color_scheme=color_scheme, width=width)
    site = page.url.partition(f"/{language}/")[0]
    every = (color_scheme, width) in LOOKS[:2]
    found = {}
    for name in names(language):
        if not every and not any(sample in name for sample in SAMPLES):
            continue
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
