"""Chinese type: no slanted characters, space beside Latin, punctuation that begins no line."""

from __future__ import annotations

import pytest

from support.pages import SITE, UNFOLD

FAULTS = r"""() => {
  const han = /[\u4e00-\u9fff]/;
  const article = document.querySelector("article");
  const faults = [];
  const textOf = (part) => part.querySelector("annotation")?.textContent ?? part.textContent;
  for (const part of article.querySelectorAll("span.math, code.literal")) {
    const whole = part.closest(".unbroken") ?? part;
    for (const [node, at] of [[whole.previousSibling, -1], [whole.nextSibling, 0]]) {
      if (node?.nodeType === 3 && han.test(node.data.at(at) ?? "") && whole === part) {
        faults.push(`no space beside ${textOf(part)}`);
      }
    }
  }
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const parent = text.parentElement;
    if (!han.test(text.data) || parent.closest("pre, code, .katex, template")) continue;
    const style = getComputedStyle(parent);
    if (style.fontStyle !== "normal") faults.push(`slanted: ${text.data}`);
    if (!style.fontFamily.includes("SC")) faults.push(`no Chinese font: ${text.data}`);
    if (style.textAutospace !== "normal") faults.push(`no space beside Latin: ${text.data}`);
    if (parent.closest("[lang]").lang !== "zh-CN") faults.push(`not Chinese: ${text.data}`);
  }
  for (const part of article.querySelectorAll(".unbroken")) {
    const last = part.lastChild;
    const bases = part.querySelectorAll(".katex-base");
    if (last.nodeType !== 3 || !bases.length) continue;
    const range = document.createRange();
    range.selectNodeContents(last);
    const mark = range.getBoundingClientRect();
    const base = bases[bases.length - 1].getBoundingClientRect();
    if (mark.top > base.bottom || mark.left < base.right - 2) {
      faults.push(`begins a line: ${part.textContent}`);
    }
  }
  return faults;
}"""


def test_chinese_pages(open_page):
    page = open_page("zh/index.html", width=360)
    index = page.url
    chapters = sorted(path.stem for path in (SITE / "zh" / "algorithms").glob("*.html"))
    for name in ["index", "errata", "notation", *(f"algorithms/{each}" for each in chapters)]:
        page.goto(index.replace("index", name))
        page.evaluate(UNFOLD)
        assert page.evaluate(FAULTS) == [], name


@pytest.mark.parametrize("name", ["api", "algorithms/primal_dual"])
def test_english_on_chinese_pages_says_so(open_page, name):
    page = open_page(f"zh/{name}.html")
    english = page.locator('article p[lang="en"]')
    assert english.count() > 0
    assert "SC" in english.first.evaluate("p => getComputedStyle(p).fontFamily")


def test_emphasis_is_weight_in_chinese_and_slant_in_english(open_page):
    style = "em => [getComputedStyle(em).fontStyle, getComputedStyle(em).fontWeight]"
    chinese = open_page("zh/algorithms/primal_dual.html").locator("article p > em:not(.latin)")
    assert chinese.first.evaluate(style) == ["normal", "600"]
    english = open_page("en/algorithms/primal_dual.html").locator("article p > em")
    assert english.first.evaluate(style) == ["italic", "400"]
