"""The node of a pseudocode block, and what it is called."""

from __future__ import annotations

from docutils import nodes


class pcode(nodes.General, nodes.Element):  # noqa: N801
    """A block: its `tex`, and its words as children for the search."""


def anchor(node: pcode, number: int | str) -> str:
    """The anchor of a line of a block."""
    return f"{node['ids'][0]}-l{number}"


def title_of(node: nodes.Node) -> str:
    """The caption in plain words, the title of references; empty if there is none."""
    return next((child.astext() for child in node.children if isinstance(child, nodes.caption)), "")
