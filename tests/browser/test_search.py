"""The search finds chapters in both languages, from a server and from disk, with excerpts."""

from __future__ import annotations

from urllib.parse import quote

import pytest

QUERIES = [
    ("zh", "随机梯度下降", "algorithms/primal_dual"),
    ("zh", "子节点", "algorithms/overview"),
    ("zh", "伪代码", "algorithms/primal_dual"),
    ("zh", "学习率", "algorithms/overview"),
    ("zh", "拉格朗日", "algorithms/primal_dual"),
    ("zh", "控制变量", "algorithms/skipping"),
    ("zh", "通信", "algorithms/skipping"),
    ("zh", "原始对偶", "algorithms/primal_dual"),
    ("zh", "FedPD", "algorithms/primal_dual"),
    ("zh", "proxskip", "algorithms/skipping"),
    ("zh", "FedPD 伪代码", "algorithms/primal_dual"),
    ("en", "FedPD", "algorithms/primal_dual"),
    ("en", "ProxSkip", "algorithms/skipping"),
    ("en", "augmented Lagrangian", "algorithms/primal_dual"),
    ("en", "skip probability", "algorithms/skipping"),
    ("en", "skipping probabilities", "algorithms/skipping"),
    ("en", "random_quadratics", "api"),
]


def found(page):
    """The pages that were found, best first."""
    links = page.locator("#search-results > li > a")
    return [link.get_attribute("href").split(".html")[0].removeprefix("./") for link in links.all()]


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_queries_find_their_chapter_and_show_it(open_page, language, from_disk):
    page = open_page(f"{language}/search.html", from_disk=from_disk)
    for _, query, chapter in [each for each in QUERIES if each[0] == language]:
        page.locator("article input[name=q]").fill(query)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert chapter in found(page)[:3], query
        excerpts = page.locator("#search-results mark").all_inner_texts()
        assert query.lower()[:4].split()[0] in " ".join(excerpts).lower()
    title = page.locator("#search-results > li > a").first.inner_text()
    with page.expect_navigation():
        page.locator("#search-results > li > a").first.click()
    assert title in page.locator("article h1").inner_text()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize(
    ("language", "nonsense", "answer"),
    [
        ("en", "xylofrobnicate", "Nothing was found for “xylofrobnicate”."),
        ("en", "FedPD xylofrobnicate", "Nothing was found for “FedPD xylofrobnicate”."),
        ("zh", "醍醐灌顶", "没有找到“醍醐灌顶”。"),
        ("zh", "<b>呜呼哀哉$&", "没有找到“<b>呜呼哀哉$&”。"),
    ],
)
def test_nonsense_finds_nothing_and_says_so(open_page, language, nonsense, answer, from_disk):
    page = open_page(f"{language}/search.html?q={quote(nonsense)}", from_disk=from_disk)
    assert found(page) == []
    assert page.locator("#search-status").inner_text() == answer


def test_a_result_leads_to_the_section_that_has_it(open_page):
    page = open_page("en/search.html?q=FedProx")
    with page.expect_navigation():
        page.locator("#search-results li p > a", has_text="FedProx").first.click()
    anchor = page.evaluate("decodeURIComponent(location.hash.slice(1))")
    assert "FedProx" in page.locator(f"[id='{anchor}']").inner_text()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
def test_every_page_leads_to_the_search(open_page, from_disk):
    page = open_page("zh/algorithms/skipping.html", from_disk=from_disk)
    page.keyboard.press("ControlOrMeta+k")
    page.locator("dialog input[name=q]").fill("控制变量")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "algorithms/skipping" in found(page)[:3]
