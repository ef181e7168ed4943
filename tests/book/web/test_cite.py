"""Each chapter says how it is cited, in its language; the address only once the site has one."""

from __future__ import annotations

import html
import re

import pytest

from support.mini import ROOT, build
from web.cite import entry, escape, year_of

PAGES = {
    "docs/en/index.rst": "Home\n====\n\n.. toctree::\n\n   algorithms/gd\n",
    "docs/en/algorithms/gd.rst": "Steps & slopes\n==============\n",
    "docs/zh/index.rst": "首页\n====\n\n.. toctree::\n\n   algorithms/gd\n",
    "docs/zh/algorithms/gd.rst": "梯度下降\n========\n",
}


def citation(out, name="algorithms/gd"):
    page = (out / f"{name}.html").read_text(encoding="utf-8")
    found = re.search(r'(?s)<details class="cite-page">.*?<pre>(.*?)</pre>', page)
    return found and html.unescape(found[1])


def test_english_with_address(tmp_path):
    options = ["-D", "html_baseurl=https://example.org/en/"]
    done = build(tmp_path, PAGES, options=options)
    assert (done.returncode, done.warnings) == (0, "")
    text = citation(done.out)
    assert text.startswith("@misc{fl_algos:gd,\n")
    assert r"title        = {{Steps \& slopes}}," in text
    assert r"howpublished = {Chapter of \emph{Federated optimization, executable}}," in text
    assert "url          = {https://example.org/en/algorithms/gd.html}," in text
    assert re.search(r"year +=", text)
    assert citation(done.out, "index") is None


def test_chinese_without_address(tmp_path):
    done = build(tmp_path, PAGES, "zh")
    assert (done.returncode, done.warnings) == (0, "")
    text = citation(done.out)
    assert "{{梯度下降}}" in text
    assert "《可执行的联邦优化》" in text
    assert "url" not in text
    assert "<summary>引用本页</summary>" in (done.out / "algorithms/gd.html").read_text("utf-8")


def test_words_are_escaped_and_empty_fields_left_out():
    assert escape("a_b & 50%") == r"a\_b \& 50\%"
    assert entry("k", {"title": "T", "url": ""}) == "@misc{k,\n  title = {T},\n}\n"


def test_the_year_is_that_of_the_release():
    assert year_of('version: 1\ndate-released: "2031-02-03"\n') == "2031"
    assert year_of((ROOT / "CITATION.cff").read_text(encoding="utf-8")).isdecimal()
    with pytest.raises(ValueError, match="date-released"):
        year_of("version: 1\n")
