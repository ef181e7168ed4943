"""Pseudocode in books that are printed, and in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

from pcode.lines import CLOSERS, CONDITIONS, OPENERS, Line, caption, statements
from pcode.node import title_of

if TYPE_CHECKING:
    from sphinx.writers.latex import LaTeXTranslator
    from sphinx.writers.manpage import ManualPageTranslator
    from sphinx.writers.texinfo import TexinfoTranslator
    from sphinx.writers.text import TextTranslator

    from pcode.node import pcode

_LATEX_STATEMENTS = frozenset(
    {"STATE", "PRINT", "RETURN", "REQUIRE", "ENSURE", "INPUT", "OUTPUT", "FOR", "FORALL", "ENDFOR"}
    | {"WHILE", "ENDWHILE", "REPEAT", "UNTIL", "IF", "ELSE", "ENDIF"}
)


def visit_latex(self: LaTeXTranslator, node: pcode) -> None:
    """Write the block for the algorithm and algorithmic packages."""
    labels = "".join(self.hypertarget(name, anchor=False) for name in node["ids"])
    title = caption(node["tex"])
    self.body.append(
        "\n\\begin{algorithm}[H]\n"
        + (f"\\caption{{{title}}}" if title else "")
        + f"{labels}\n\\begin{{algorithmic}}[1]\n"
        + "".join(_latex_line(line) + "\n" for line in statements(node["tex"]))
        + "\\end{algorithmic}\n\\end{algorithm}\n"
    )
    raise nodes.SkipNode


def _latex_line(line: Line) -> str:
    """One line in LaTeX: after the head of a block a comment is an optional argument there."""
    keyword = {"ELIF": "ELSIF"}.get(line.keyword, line.keyword)
    text = f"{{{line.text}}}" if line.keyword in CONDITIONS else f" {line.text}"
    if keyword != "ELSIF" and keyword not in _LATEX_STATEMENTS:
        text = rf" \textbf{{{keyword.lower()}}}{text}"
        keyword = "STATE"
    comment = ""
    if line.comment and line.keyword in OPENERS and keyword != "STATE":
        keyword += f"[{line.comment}]"
    elif line.comment:
        comment = rf" \COMMENT{{{line.comment}}}"
    return f"\\{keyword}{text}{comment}".replace("\N{MINUS SIGN}", "-").rstrip()


def as_text(node: pcode) -> str:
    """The block as indented plain text, its formulas in TeX."""
    rows = [title_of(node) or ""]
    depth = 0
    for line in statements(node["tex"]):
        depth -= line.keyword in CLOSERS
        number = f"{line.number:>3}: " if line.number else ""
        keyword = "" if line.keyword == "STATE" else line.keyword.lower()
        comment = f"// {line.comment}" if line.comment else ""
        words_of_line = " ".join(part for part in (keyword, line.text, comment) if part)
        rows.append(f"{number}{'  ' * depth}{words_of_line}")
        depth += line.keyword in OPENERS
    return "\n".join(rows).strip()


def visit_text(self: TextTranslator, node: pcode) -> None:
    """Write the block as plain text."""
    self.new_state()
    self.add_text(as_text(node))
    self.end_state(wrap=False)
    raise nodes.SkipNode


def visit_listing(self: ManualPageTranslator | TexinfoTranslator, node: pcode) -> None:
    """Write the block as any listing."""
    nodes.literal_block("", as_text(node)).walkabout(self)
    raise nodes.SkipNode
