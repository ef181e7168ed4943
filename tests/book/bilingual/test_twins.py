"""Each page leads to its twin in the other language, from disk too; Chinese markup works."""

from __future__ import annotations

import re

import pytest

from support.mini import build

PAGES = {
    "docs/en/index.rst": "Home\n====\n\n.. toctree::\n\n   part/page\n",
    "docs/en/part/page.rst": "Page\n====\n",
    "docs/zh/index.rst": "首页\n====\n\n.. toctree::\n\n   part/page\n",
    "docs/zh/part/page.rst": "页面\n====\n\n"
    "这是*对偶*变量，**重要**的“*引用*”、*增广*（AL）与 f_k 和 a_b。\n",
}
TAGS = {"en": "en", "zh": "zh-CN"}


@pytest.fixture(scope="module", params=["en", "zh"])
def book(request, tmp_path_factory):
    """A book of either language, and which."""
    done = build(tmp_path_factory.mktemp(request.param), PAGES, request.param)
    assert (done.returncode, done.warnings) == (0, "")
    return request.param, done.out


@pytest.mark.parametrize("page", ["index", "part/page", "search", "genindex"])
def test_each_page_names_its_twin(book, page):
    language, out = book
    other = {"en": "zh", "zh": "en"}[language]
    up = "../" * (page.count("/") + 1)
    html = (out / f"{page}.html").read_text(encoding="utf-8")
    assert f'<html lang="{TAGS[language]}"' in html
    switch = re.search(r'<a class="lang-switch"[^>]*href="([^"]*)"[^>]*>', html)
    assert switch[1] == f"{up}{other}/{page}.html"
    alternates = re.findall(r'<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">', html)
    assert [tag for tag, _ in alternates] == ["en", "zh-CN", "x-default"]
    assert (TAGS[other], f"{up}{other}/{page}.html") in alternates
    assert (TAGS[language], f"{page.rpartition('/')[2]}.html") in alternates


def test_the_chinese_style_sheet_is_only_in_the_chinese_book(book):
    language, out = book
    styles = (out / "_static" / "book.css").read_text(encoding="utf-8")
    assert ("Han marks" in styles) == (language == "zh")


def test_emphasis_beside_chinese_characters(tmp_path):
    done = build(tmp_path, PAGES, "zh")
    html = (done.out / "part" / "page.html").read_text(encoding="utf-8")
    assert re.findall(r"<em>(.*?)</em>", html) == ["对偶", "引用", "增广"]
    assert "<strong>重要</strong>" in html
    assert "f_k 和 a_b" in html


def test_addresses_are_absolute_once_the_site_is_known(tmp_path):
    options = ["-D", "bilingual_site_url=https://example.org/book"]
    done = build(tmp_path, PAGES, options=options)
    html = (done.out / "part" / "page.html").read_text(encoding="utf-8")
    assert 'hreflang="zh-CN" href="https://example.org/book/zh/part/page.html"' in html


def test_a_missing_twin_is_a_warning(tmp_path):
    files = {name: text for name, text in PAGES.items() if name != "docs/zh/part/page.rst"}
    done = build(tmp_path, files, twins=False)
    assert done.returncode == 1
    assert re.search(r"page\.rst: WARNING: no twin of this page in docs/zh", done.warnings)
    html = (done.out / "part" / "page.html").read_text(encoding="utf-8")
    assert 'href="../../zh/index.html" hreflang="zh-CN"' in html
