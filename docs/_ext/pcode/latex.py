"""Pseudocode in books that are printed: by the algorithm and algorithmic packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

from pcode.lines import CONDITIONS, OPENERS, Line, caption, statements

if TYPE_CHECKING:
    from sphinx.writers.latex import LaTeXTranslator

    from pcode.node import pcode

_LATEX_STATEMENTS = frozenset(
    {"STATE", "PRINT", "RETURN", "REQUIRE", "ENSURE", "INPUT", "OUTPUT", "FOR", "FORALL", "ENDFOR"}
    | {"WHILE", "ENDWHILE", "REPEAT", "UNTIL", "IF", "ELSE", "ENDIF"}
)


def visit_latex(self: LaTeXTranslator, node: pcode) -> None:
    """Write the block."""
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
