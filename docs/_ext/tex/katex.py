"""Mathematics as HTML, rendered by KaTeX when the book is built: pages need no script for it."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.math import get_node_equation_number

from bilingual.han import tree_of
from tex.worker import render

if TYPE_CHECKING:
    from sphinx.config import Config
    from sphinx.writers.html5 import HTML5Translator

WORDS = {"en": ("Equation", "Link to this equation"), "zh": ("公式", "此公式的链接")}
"""What screen readers call a formula, and the title of its number."""
_PART = '<span class="katex-base">'  # between two of them a line can end
_NUMBERED_ENVIRONMENT = re.compile(r"\\(begin|end)\{(align|alignat|equation|gather|multline)\}")


def display_tex(tex: str, *, wrap: bool) -> str:
    """A displayed formula as KaTeX wants it.

    Sphinx's rules: blank lines separate formulas that stand below each other, and a formula with
    line breaks is aligned, unless it brings its own environment (`wrap` is False). Numbers are
    Sphinx's, hence no environment that counts.
    """
    if not wrap:
        return _NUMBERED_ENVIRONMENT.sub(r"\\\1{\2*}", tex.strip())
    formulas = [part.strip() for part in re.split(r"\n\s*\n", tex) if part.strip()]
    rows = [rf"\begin{{aligned}}{f}\end{{aligned}}" if r"\\" in f else f for f in formulas]
    if len(rows) == 1:
        return rows[0]
    return r"\begin{gathered}" + r"\\ ".join(rows) + r"\end{gathered}"


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate"))
    line = render(node, self.config, kind="math", tex=node.astext(), display=False)
    if "unbroken" in node.parent["classes"]:  # see unbroken.py
        before, *parts = line.split(_PART)
        line = before + _PART + f"<wbr>{_PART}".join(parts)
    self.body.append(f"{line}</span>")
    raise nodes.SkipNode


def formula(node: nodes.math_block, config: Config) -> str:
    """The HTML of a displayed formula, without what stands around it."""
    wrap = not node.get("no-wrap", node.get("nowrap", False))
    tex = display_tex(node.astext(), wrap=wrap)
    return render(node, config, kind="math", tex=tex, display=True)


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula, which scrolls beside its number where the page is narrow.

    The number is a link to itself.
    """
    label, title = WORDS[tree_of(self.config.language)]
    self.body.append(self.starttag(node, "div", CLASS="math math-row notranslate"))
    if node.get("number"):
        number = get_node_equation_number(self, node)
        label = f"{label} {number}"
        link = f'<a href="#{node["ids"][0]}" title="{title}">({number})</a>'
        self.body.append(f'<span class="eqno">{link}</span>')
    self.body.append(f'<div class="math-scroll" role="group" aria-label="{html.escape(label)}">')
    self.body.append(formula(node, self.config))
    self.body.append("</div></div>\n")
    raise nodes.SkipNode
