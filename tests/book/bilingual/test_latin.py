"""On Chinese pages English paragraphs say that they are English."""

from __future__ import annotations

import re

from support.mini import build

PAGE = """\
首页
====

这是 Latin text，也是 *强调* 与 *et al.* 。

An English paragraph, as docstrings are.
"""


def test_english_paragraphs_of_the_chinese_book(tmp_path):
    files = {"docs/zh/index.rst": PAGE}
    html = (build(tmp_path, files, "zh").out / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<p [^>]*lang="en"[^>]*>An English paragraph', html)
    assert re.search(r'<p id="[^"]*">这是 Latin text', html)
    assert "<em>强调</em>" in html
    assert '<em class="latin">et al.</em>' in html


def test_the_english_book_needs_no_marks(tmp_path):
    files = {"docs/zh/index.rst": PAGE}
    html = (build(tmp_path, files, "en").out / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<p id="[^"]*">An English paragraph', html)
