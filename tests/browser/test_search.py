"""The search finds chapters in both languages, from a server and from disk, with excerpts."""

from __future__ import annotations

import re
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
EVERYDAY = [  # what is typed, and what the book calls it where it is found
    ("en", "learning rate", "step size"),
    ("en", "learning rates", "step size"),
    ("en", "dropout", "take"),
    ("en", "mini-batch", "mini"),
    ("en", "minibatch", "mini"),
    ("en", "worker", "client"),
    ("en", "aggregator", "server"),
    ("en", "communication complexity", "communication"),
    ("en", "convergence speed", "converge"),
    ("en", "non-iid data", "heterogene"),
    ("en", "optimum", "minimiser"),
    ("en", "步长", "step size"),
    ("zh", "客户端", "子节点"),
    ("zh", "服务器", "中心节点"),
    ("zh", "通信复杂度", "通信"),
    ("zh", "收敛速度", "收敛"),
    ("zh", "学习率", "步长"),
    ("zh", "客户端漂移", "漂移"),
    ("zh", "掉线", "参与"),
    ("zh", "最优解", "极小点"),
    ("zh", "近端算子", "邻近"),
    ("zh", "数据异构", "异质"),
    ("zh", "learning rate", "步长"),
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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everyday_words_find_chapters(open_page, language):
    page = open_page(f"{language}/search.html")
    for _, query, called in [each for each in EVERYDAY if each[0] == language]:
        page.goto(f"{page.url.partition('?')[0]}?q={quote(query)}")
        assert found(page)[0].startswith("algorithms/"), query
        assert len([name for name in found(page) if name.startswith("algorithms/")]) > 1, query
        marked = page.locator("#search-results mark").all_inner_texts()
        assert any(called in each.lower() for each in marked), query


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("query", ["FedPD", "ProxSkip", "gamma", "FedAvg", "SCAFFOLD", "Lipschitz"])
def test_chapters_come_before_the_reference(open_page, language, query):
    page = open_page(f"{language}/search.html?q={query}")
    names = found(page)
    chapters = [at for at, name in enumerate(names) if name.startswith("algorithms/")]
    assert chapters
    assert "genindex" not in names
    if "api" in names:
        assert max(chapters[:3]) < names.index("api")


@pytest.mark.parametrize(
    ("language", "query", "phrase"),
    [
        ("en", "skip probability", "skip probability"),
        ("zh", "跳步概率", "跳步概率"),
        ("en", "augmented Lagrangian", "augmented lagrangian"),
    ],
)
def test_the_passage_that_matches_comes_first(open_page, language, query, phrase):
    page = open_page(f"{language}/search.html?q={quote(query)}")
    excerpt = page.locator("#search-results > li").first.locator("p:has(mark)").first
    assert phrase in excerpt.inner_text().lower()
    assert phrase in excerpt.locator("mark").first.inner_text().lower()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_formulas_read_as_they_are_meant(open_page, language):
    page = open_page(f"{language}/search.html")
    texts = page.evaluate(
        """() => Object.entries(searchTexts).filter(([name]) => name.startsWith("algorithms/"))
            .flatMap(([, places]) => places.map(([, , text]) => text)).join(" ")"""
    )
    for formula in ("1/K ∑_k", "√κ", "θ_k^(t+1)", "⟨", "(√κ - 1)/(√κ + 1)"):
        assert formula in texts
    left = r"\\[a-z]|\b(?:[dt]?frac|langle|rangle|[lr]Vert|mathbb|hspace|operatorname|bfseries)\b"
    assert re.findall(left, texts) == []


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
