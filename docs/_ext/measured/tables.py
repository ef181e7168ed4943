"""Tables that directives make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Cell = str | Iterable[nodes.Node]


def table(
    heads: Sequence[str],
    rows: Iterable[Iterable[Cell]],
    *,
    widths: Sequence[int] = (),
    classes: Sequence[str] = (),
) -> nodes.table:
    """A table whose cells are text or paragraphs; only plain text needs the widths."""
    group = nodes.tgroup(cols=len(heads))
    group += [nodes.colspec(colwidth=width) for width in widths or [1] * len(heads)]
    group += nodes.thead("", _row(heads))
    group += nodes.tbody("", *map(_row, rows))
    return nodes.table("", group, classes=["colwidths-auto", *classes])


def _row(cells: Iterable[Cell]) -> nodes.row:
    blocks = ([nodes.paragraph("", cell)] if isinstance(cell, str) else cell for cell in cells)
    return nodes.row("", *[nodes.entry("", *each) for each in blocks])
