"""What an equation of another page looks like, on the page that refers to it.

preview.js shows an equation or a source where a reference to it is pointed at. It finds those of
the same page in place; those of other pages are stored here, since pages from disk can't fetch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from tex.katex import formula

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator


class equation_preview(nodes.General, nodes.Element):  # noqa: N801
    """The `equation` of another page."""


class StoreEquations(SphinxPostTransform):
    """Put every equation of other pages that a page refers to at its end, once."""

    default_priority = 500  # references are resolved
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        here = self.env.current_document.docname
        pages = {
            nodes.make_id(f"equation-{label}"): page
            for label, (page, _) in self.env.domains["math"].equations.items()
        }
        uris = [reference.get("refuri", "") for reference in self.document.findall(nodes.reference)]
        names = dict.fromkeys(uri.partition("#")[2] for uri in uris if "://" not in uri)
        for name in names:
            if pages.get(name, here) != here:
                equation = self.equation(pages[name], name)
                self.document += equation_preview(equation=equation, name=name)

    def equation(self, page: str, name: str) -> nodes.math_block:
        """Find an equation on its page."""
        blocks = self.env.get_doctree(page).findall(nodes.math_block)
        return next(block for block in blocks if name in block["ids"])


def visit_html(self: HTML5Translator, node: equation_preview) -> None:
    """Write the formula where it does not show."""
    content = formula(node["equation"], self.config)
    self.body.append(f'<template id="preview-{node["name"]}">{content}</template>\n')
    raise nodes.SkipNode
