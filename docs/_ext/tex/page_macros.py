"""Macros that a formula defines hold for its whole page, in every output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

from pcode.node import pcode
from tex.macros import for_latex, take_definitions

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class PageMacros(SphinxTransform):
    r"""Move the definitions out of a page's formulas into their `macros` attribute.

    In LaTeX they are written before the first formula: there ``\DeclareMathOperator`` is an
    error outside of the preamble.
    """

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        formulas = [
            node
            for node in self.document.findall(nodes.Element)
            if isinstance(node, nodes.math | nodes.math_block | pcode)
        ]
        macros: dict[str, str] = {}
        for node in formulas:
            if isinstance(node, pcode):
                continue
            found, rest = take_definitions(node.astext())
            if found:
                node.children = []
                node += nodes.Text(rest)
                macros |= found
        if macros:
            for node in formulas:
                node["macros"] = macros
            self.document.insert(0, nodes.raw("", for_latex(macros), format="latex"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_transform(PageMacros)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
