"""Formulas and the punctuation that touches them are kept together."""

from __future__ import annotations

import re

from docutils import nodes

from support.mini import build
from tex.unbroken import keep_together


def wrapped(*parts):
    paragraph = nodes.paragraph("", "", *parts)
    for formula in list(paragraph.findall(nodes.math)):
        keep_together(formula)
    return [child.astext() for child in paragraph]


def test_punctuation_on_either_side():
    x, y = nodes.math("x", "x"), nodes.math("y", "y")
    parts = (nodes.Text("设 （"), x, nodes.Text("，即 "), y, nodes.Text("）。下"))
    assert wrapped(*parts) == ["设 ", "（x，", "即 ", "y）。", "下"]


def test_words_stay_apart():
    assert wrapped(nodes.Text("a "), nodes.math("x", "x"), nodes.Text(" b")) == ["a ", "x", " b"]
    assert wrapped(nodes.math("x", "x")) == ["x"]


def test_within_a_formula_a_line_can_end(tmp_path):
    page = "Page\n====\n\nThe sum :math:`a + b`, and :math:`c + d` alone.\n"
    done = build(tmp_path, {"docs/en/index.rst": page})
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="unbroken"><span class="math.*?</span>,</span> and', html)
    assert html.count("<wbr>") == 1
