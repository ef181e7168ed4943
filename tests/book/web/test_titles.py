"""The title of a page, and the line about the author below it."""

from __future__ import annotations

import re

import pytest

from support.mini import build

PAGES = {
    "docs/en/index.rst": f"Federated optimization, executable\n{34 * '='}\n\n"
    ".. toctree::\n\n   page\n",
    "docs/en/page.rst": "A & B\n=====\n",
    "docs/zh/index.rst": "可执行的联邦优化\n================\n\n.. toctree::\n\n   page\n",
    "docs/zh/page.rst": "页面\n====\n",
}
TITLES = {
    "en": {
        "index": "Federated optimization, executable",
        "page": "A &amp; B &#8212; Federated optimization, executable",
        "search": "Search &#8212; Federated optimization, executable",
    },
    "zh": {
        "index": "可执行的联邦优化",
        "page": "页面 &#8212; 可执行的联邦优化",
        "search": "搜索 &#8212; 可执行的联邦优化",
    },
}
AUTHORS = {"en": "By The fl_algos authors", "zh": "作者：fl_algos 全体作者"}


@pytest.fixture(scope="module", params=["en", "zh"])
def book(request, tmp_path_factory):
    """A book of either language, and which."""
    done = build(tmp_path_factory.mktemp(request.param), PAGES, request.param)
    assert (done.returncode, done.warnings) == (0, "")
    return request.param, done.out


def test_titles_say_the_name_of_the_book_once(book):
    language, out = book
    for name, expected in TITLES[language].items():
        html = (out / f"{name}.html").read_text(encoding="utf-8")
        assert re.findall(r"<title>(.*?)</title>", html) == [expected]


def test_the_author_is_named_without_a_needless_space(book):
    language, out = book
    html = (out / "page.html").read_text(encoding="utf-8")
    text = re.search(r'<p class="component-author">\s*(.*?)\s*</p>', html, re.DOTALL)[1]
    assert text == AUTHORS[language]
