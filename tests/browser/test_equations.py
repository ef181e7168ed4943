"""Formulas on a phone: nothing is cut off, numbers stand free, screen readers get MathML."""

from __future__ import annotations

import pytest

from support.pages import SITE, UNFOLD, unavailable

CHAPTERS = sorted(path.stem for path in (SITE / "en" / "algorithms").glob("*.html"))
OTHERS = ["errata", "notation"]
PAGES = [f"algorithms/{chapter}" for chapter in CHAPTERS] + OTHERS

FAULTS = """() => {
  const faults = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push("the page scrolls sideways");
  for (const row of document.querySelectorAll(".math-row")) {
    const scroll = row.querySelector(".math-scroll");
    const box = scroll.getBoundingClientRect();
    const number = row.querySelector(".eqno")?.getBoundingClientRect();
    const name = row.id || row.textContent.slice(0, 30);
    if (box.left < 0 || box.right > width) faults.push(`${name}: out of the page`);
    if (number && (number.left < box.right || number.right > width)) {
      faults.push(`${name}: its number overlaps`);
    }
    const end = box.left + scroll.scrollWidth;
    if (end > box.right + 1 && getComputedStyle(scroll).overflowX !== "auto") {
      faults.push(`${name}: does not scroll`);
    }
    for (const part of scroll.querySelectorAll(".katex-base")) {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      if (left < box.left || right > end + 1) faults.push(`${name}: cut off at a side`);
      if (top < box.top || bottom > box.bottom) faults.push(`${name}: cut off above or below`);
    }
  }
  for (const part of document.querySelectorAll(".math:not(.math-row) .katex-base")) {
    const clip = part.closest("table, .pcode-scroll, .sidebar-toggle, nav");
    if (!clip && part.getBoundingClientRect().right > width) {
      faults.push(`${part.textContent}: out of the page`);
    }
  }
  return faults;
}"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_cut_off_on_a_phone(open_page, language):
    page = open_page(f"{language}/index.html", width=360)
    index = page.url
    faults = {}
    for name in PAGES:
        page.goto(index.replace("index", name))
        page.evaluate(UNFOLD)
        faults[name] = page.evaluate(FAULTS)
    assert {name: found for name, found in faults.items() if found} == {}


def test_the_chapters_are_there():
    if not (SITE / "index.html").exists():
        unavailable("the site is not built: run `make book`")
    assert {"primal_dual", "skipping", "overview", "operator_splitting"} <= set(CHAPTERS)


def test_a_formula_stops_the_tab_key_only_where_it_scrolls(open_page):
    scrolls = (
        "boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth).map((b) => b.tabIndex)"
    )
    stops = "boxes => boxes.filter((box) => box.tabIndex === 0).length"
    wide = open_page("en/algorithms/primal_dual.html").locator(".math-scroll")
    wide.first.wait_for()
    assert wide.evaluate_all(stops) == len(wide.evaluate_all(scrolls)) < wide.count()
    narrow = open_page("en/algorithms/primal_dual.html", width=360)
    narrow.wait_for_selector('.math-scroll[tabindex="0"]')
    found = narrow.locator(".math-scroll").evaluate_all(scrolls)
    assert len(found) > 2
    assert set(found) == {0}


@pytest.mark.parametrize(("language", "word"), [("en", "Equation"), ("zh", "公式")])
def test_a_number_is_a_link_to_its_equation(open_page, language, word):
    page = open_page(f"{language}/algorithms/primal_dual.html", width=360)
    number = page.locator("#equation-al .eqno a")
    number.click()
    assert page.url.endswith("#equation-al")
    assert page.locator("#equation-al").bounding_box()["y"] >= 40
    label = page.locator("#equation-al .math-scroll").get_attribute("aria-label")
    assert label == f"{word} {number.inner_text().strip('()')}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_screen_readers_get_mathml(open_page, language):
    page = open_page(f"{language}/algorithms/primal_dual.html")
    formulas = page.locator(".katex")
    assert formulas.count() > 50
    assert page.locator(".katex > .katex-mathml > math").count() == formulas.count()
    hidden = page.locator('.katex > .katex-html[aria-hidden="true"]')
    assert hidden.count() == formulas.count()
