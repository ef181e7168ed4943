"""The index of the Chinese book is in Chinese, and sorted by what a term begins with."""

from __future__ import annotations

import re

import pytest

from support.mini import build

PAGE = """\
首页
====

.. py:module:: package

.. glossary::

   （子节点的）漂移（client drift）
      解释。

   模型
      解释。
"""


@pytest.fixture(params=["zh", "en"])
def index(request, tmp_path):
    done = build(tmp_path, {"docs/zh/index.rst": PAGE}, request.param)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "genindex.html").read_text(encoding="utf-8")
    parts = re.split(r"<h2[^>]*>(.*?)</h2>", html)[1:]
    groups = dict(zip(parts[::2], parts[1::2], strict=True))
    texts = {name: " ".join(re.sub(r"<[^>]*>", " ", part).split()) for name, part in groups.items()}
    return request.param, texts


def test_a_bracket_does_not_sort_a_term(index):
    language, groups = index
    assert ("漂" in groups) == (language == "zh")
    assert ("Symbols" in groups) == (language == "en")
    assert "符号" not in groups


def test_a_module_is_named_in_the_language_of_the_book(index):
    language, groups = index
    word, other = ("模块", "module") if language == "zh" else ("module", "模块")
    assert any(f"package {word}" in text for text in groups.values())
    assert not any(other in text for text in groups.values())
    assert "package" in groups["模" if language == "zh" else "M"]
