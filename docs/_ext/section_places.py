"""Sections have an anchor that is the same in both languages: their place in the page.

The second part of the first section is ``place-1-2``. The ids that docutils makes of English titles
have no counterpart on the Chinese page; lang-switch.js leads from place to place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Places(SphinxTransform):
    """Give every section one more id, behind its others."""

    default_priority = 880

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        number(self.document, "place")


def number(parent: nodes.Element, name: str) -> None:
    """Number the sections in a node, and those in them."""
    sections = [child for child in parent.children if isinstance(child, nodes.section)]
    for n, section in enumerate(sections, start=1):
        section["ids"].append(f"{name}-{n}")
        number(section, f"{name}-{n}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_transform(Places)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
