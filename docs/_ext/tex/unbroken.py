"""A formula and the punctuation beside it stay on one line.

To a browser a formula is a box, and beside a box a line may end: the full stop after it would begin
the next one. Within the formula lines can still end where KaTeX allows it: katex.py puts a
``<wbr>`` there.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from bilingual.han import CLOSING, OPENING, STOPS

_BEFORE = re.compile(rf"[(\[{OPENING}]+$")
_AFTER = re.compile(rf"[.,;:?!)\]…{STOPS}{CLOSING}]+")


class KeepTogether(SphinxPostTransform):
    """Wrap every formula in a line of text with the punctuation that touches it."""

    default_priority = 800
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for formula in list(self.document.findall(nodes.math)):
            keep_together(formula)


def keep_together(formula: nodes.math) -> None:
    """Wrap one formula, if punctuation touches it."""
    parent = formula.parent
    at = parent.index(formula)
    before = parent[at - 1] if at else None
    after = parent[at + 1] if at + 1 < len(parent) else None
    opening = _BEFORE.search(before) if isinstance(before, nodes.Text) else None
    closing = _AFTER.match(after) if isinstance(after, nodes.Text) else None
    if not opening and not closing:
        return
    whole = nodes.inline(classes=["unbroken"])
    parent[at] = whole
    if opening:
        whole += nodes.Text(opening[0])
        parent[at - 1] = nodes.Text(opening.string[: opening.start()])
    whole += formula
    if closing:
        whole += nodes.Text(closing[0])
        parent[at + 1] = nodes.Text(closing.string[closing.end() :])
