"""Formulas are rendered when the book is built, with numbers, macros and clear errors."""

from __future__ import annotations

import re

import pytest

from support.mini import build
from tex.katex import display_tex
from tex.macros import for_latex, group

PAGE = r"""
Page
====

In a line: :math:`x`, and :math:`\prox_{sg}` of the book's own table.

.. math::
   :label: first

   \begin{array}{cl}
   \argmin & a \\
   \text{subject to 条件} & b
   \end{array}

As :eq:`first` shows.

.. math::

   a & = b \\
     & = c

   d = e

.. math::
   :no-wrap:

   \begin{align} x &= 1 \end{align}
"""

NOTEBOOK_PAGE = r"""
# Page

Inline $\prox_{s}$ and

$$
\argmin_x f(x)
$$ (labelled)

\begin{align}
y &= 1
\end{align}
"""


def test_definitions_for_latex():
    assert for_latex({"pair": "(#1, #2)"}) == (
        "\\providecommand{\\pair}{}\\renewcommand{\\pair}[2]{(#1, #2)}\n"
    )


def test_group():
    assert group(r"a{b{\}}}c", 1) == (r"b{\}}", 8)
    with pytest.raises(ValueError, match="not closed"):
        group("{a", 0)


@pytest.mark.parametrize(
    ("tex", "wrap", "expected"),
    [
        ("a", True, "a"),
        (r"a\\b", True, r"\begin{aligned}a\\b\end{aligned}"),
        ("a\n\nb", True, r"\begin{gathered}a\\ b\end{gathered}"),
        (r"\begin{align}a\end{align}", False, r"\begin{align*}a\end{align*}"),
    ],
)
def test_display_tex(tex, wrap, expected):
    assert display_tex(tex, wrap=wrap) == expected


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    """The page above in HTML."""
    done = build(tmp_path_factory.mktemp("math"), {"docs/en/index.rst": PAGE})
    assert (done.returncode, done.warnings) == (0, "")
    return (done.out / "index.html").read_text(encoding="utf-8")


def test_every_formula_is_rendered(page):
    assert page.count('class="katex-html"') == 5
    assert page.count("<math ") == 5


def test_numbers_and_references(page):
    number = '<span class="eqno"><a href="#equation-first" title="Link to this equation">(1)</a>'
    assert number in page
    assert 'href="#equation-first">(1)</a>' in page
    assert 'role="group" aria-label="Equation 1"' in page


def test_myst_pages(tmp_path):
    files = {"docs/en/index.md": NOTEBOOK_PAGE, "docs/zh/index.md": NOTEBOOK_PAGE}
    done = build(tmp_path, files)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert html.count('class="katex-html"') == 3


def test_latex_gets_the_table_of_macros(tmp_path):
    done = build(tmp_path, {"docs/en/index.rst": PAGE}, builder="latex")
    assert (done.returncode, done.warnings) == (0, "")
    tex = (done.out / "fl_algos-en.tex").read_text(encoding="utf-8")
    assert r"\renewcommand{\prox}{\mathbf{prox}}" in tex


def test_a_mistake_is_a_warning_with_its_place_and_shown_as_it_is(tmp_path):
    page = "Page\n====\n\nText.\n\nWrong: :math:`\\frac{1`.\n\n.. math:: \\wrong\n"
    done = build(tmp_path, {"docs/en/index.rst": page})
    assert done.returncode == 1
    assert re.search(r"index\.rst:6: WARNING: math: .*frac", done.warnings)
    assert re.search(r"index\.rst:8: WARNING: math: .*wrong", done.warnings)
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert re.findall('<code class="tex-error">(.*?)</code>', html) == [r"\frac{1", r"\wrong"]


def test_formulas_are_numbered_without_gaps_and_each_has_a_place(tmp_path):
    page = "Page\n====\n\nOne.\n\n"
    page += ".. math::\n   :label: first\n\n   a\n\n.. math::\n\n   b\n\n"
    page += ".. math::\n   :label: last\n\n   c\n"
    done = build(tmp_path, {"docs/en/index.rst": page})
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text("utf-8")
    assert re.findall(r'<span class="eqno"><a [^>]*>\((\d+)\)', html) == ["1", "2"]
    places = re.findall(r'<div class="math math-row[^"]*" id="([^"]+)"', html)
    assert places == ["equation-first", "place-1.3", "equation-last"]
