"""Sections and what stands in them have an anchor that is the same in both languages: their place.

The second part of the first section is ``place-1-2``, and the third paragraph, formula, listing,
figure or row of a table in it is ``place-1-2.3``, unless it has a name of its own. The ids that
docutils makes of English titles have no counterpart on the Chinese page; lang-switch.js leads from
place to place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

_BLOCKS = (
    *(nodes.paragraph, nodes.math_block, nodes.literal_block, nodes.doctest_block),
    *(nodes.figure, nodes.image, nodes.row),
)
_OTHERS = (nodes.section, nodes.system_message, addnodes.glossary)  # its terms have their own order


class Places(SphinxTransform):
    """Give every section one more id, behind its others, and every block that has none an id."""

    default_priority = 880

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        number(self.document, "place")


def number(parent: nodes.Element, name: str) -> None:
    """Number the blocks and the sections in a node, and those in these."""
    for n, block in enumerate(blocks(parent), start=1):
        if isinstance(block, nodes.math_block) and not block["ids"]:
            block["place"] = f"{name}.{n}"  # an id would make Sphinx count it among the numbered
        elif not block["ids"]:
            block["ids"].append(f"{name}.{n}")
    sections = [child for child in parent.children if isinstance(child, nodes.section)]
    for n, section in enumerate(sections, start=1):
        section["ids"].append(f"{name}-{n}")
        number(section, f"{name}-{n}")


def blocks(parent: nodes.Element) -> Iterator[nodes.Element]:
    """What can be read by itself in a node, but for its sections."""
    for child in parent.children:
        if isinstance(child, _BLOCKS):
            yield child
        elif isinstance(child, nodes.Element) and not isinstance(child, _OTHERS):
            yield from blocks(child)


def place_formulas(app: Sphinx, document: nodes.document, page: str) -> None:
    """Give the formulas without a number their ids, once all numbers are given."""
    for block in document.findall(nodes.math_block):
        if "place" in block:
            block["ids"].append(block["place"])
