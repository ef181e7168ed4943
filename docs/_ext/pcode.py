r"""The ``pcode`` directive: pseudocode in the LaTeX dialect of pseudocode.js.

Name, options and dialect are those of sphinxcontrib-pseudocode2, so that sources are portable. The
block is rendered when the book is built; it is numbered (``:numref:``), its caption is the title
that ``:ref:`` shows, and line 6 of the block ``pcode-fedpd`` has the anchor ``pcode-fedpd-l6``.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from han import STOPS, is_chinese
from pcode_lines import CLOSERS, CONDITIONS, OPENERS, Line, caption, lines, plain, statements
from pcode_words import words
from tex_worker import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.writers.html5 import HTML5Translator
    from sphinx.writers.latex import LaTeXTranslator
    from sphinx.writers.manpage import ManualPageTranslator
    from sphinx.writers.texinfo import TexinfoTranslator
    from sphinx.writers.text import TextTranslator

log = logging.getLogger(__name__)

_TITLE = "PCODE-TITLE"
_LATEX_STATEMENTS = frozenset(
    {"STATE", "PRINT", "RETURN", "REQUIRE", "ENSURE", "INPUT", "OUTPUT", "FOR", "FORALL", "ENDFOR"}
    | {"WHILE", "ENDWHILE", "REPEAT", "UNTIL", "IF", "ELSE", "ENDIF"}
)


class pcode(nodes.General, nodes.Element):  # noqa: N801
    """A block: `tex`, the `options` of pseudocode.js, and its words as children for the search."""


class PcodeDirective(SphinxDirective):
    """``.. pcode::`` with the block as its content.

    ``caption-count`` is accepted and has no effect: numbers are those of numfig.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "name": directives.unchanged,
        "linenos": directives.flag,
        "no-linenos": directives.flag,
        "scopelines": directives.flag,
        "no-scopelines": directives.flag,
        "no-end": directives.flag,
        "indent": directives.unchanged,
        "comment-delimiter": directives.unchanged,
        "line-number-punc": directives.unchanged,
        "title-prefix": directives.unchanged,
        "caption-count": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Make the node, or a warning where the block can't be read."""
        tex = "\n".join(self.content)
        try:
            statements(tex)
            title = plain(caption(tex))
        except ValueError as error:
            log.warning("pcode: %s", error, location=self.get_location(), type="pcode")
            return [nodes.literal_block(tex, tex)]
        node = pcode(tex=tex, options=self._renderer_options())
        if "title-prefix" in self.options:
            node["title-prefix"] = self.options["title-prefix"]
        if title:
            node += nodes.caption(title, title)
        body = plain(tex.replace(caption(tex), ""))
        node += nodes.inline(body, body)
        self.set_source_info(node)
        for child in node.children:
            self.set_source_info(child)
        self.add_name(node)
        return [node]

    def _renderer_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "lineNumber": "no-linenos" not in self.options,
            "scopeLines": "scopelines" in self.options and "no-scopelines" not in self.options,
            "noEnd": "no-end" in self.options,
        }
        renamed = {
            "indent": "indentSize",
            "comment-delimiter": "commentDelimiter",
            "line-number-punc": "lineNumberPunc",
        }
        for name, option in renamed.items():
            if name in self.options:
                options[option] = self.options[name]
        return options


class NameBlocks(SphinxTransform):
    """Give every block an id, for its anchors, and put its label before ids that were made up."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for node in self.document.findall(pcode):
            if not node["ids"]:
                self.document.set_id(node)
            node["ids"].reverse()


def anchor(node: pcode, number: int | str) -> str:
    """The anchor of a line of a block."""
    return f"{node['ids'][0]}-l{number}"


def title_of(node: pcode) -> str | None:
    """The caption in plain words, the title of references."""
    return next((child.astext() for child in node if isinstance(child, nodes.caption)), None)


def visit_html(self: HTML5Translator, node: pcode) -> None:
    """Write the block as pseudocode.js renders it, with anchors and translated keywords."""
    options = node["options"] | {"titlePrefix": _TITLE, "captionCount": 0}
    block = render(node, self.config, kind="pcode", tex=node["tex"], options=options)
    block = _translate(block, self.config.language)
    block = _add_anchors(block, node)
    numbers = self.builder.fignumbers.get("pcode", {}).get(node["ids"][0], ())
    number = ".".join(map(str, numbers))
    if "title-prefix" in node:
        label = f"{node['title-prefix']} {number}".strip()
    else:
        label = (self.config.numfig_format["pcode"] % number).strip()
    block = block.replace(f"{_TITLE} 1 ", f"{html.escape(label)} ")

    self.body.append(self.starttag(node, "div", CLASS="pcode notranslate"))
    start = len(self.body)
    self.add_permalink_ref(node, _("Link to this code"))
    permalink = "".join(self.body[start:])
    del self.body[start:]
    if title_of(node):
        block = block.replace("</p>", f"{permalink}</p>", 1)
    else:
        block += permalink
    source = f'<pre class="pcode-source" hidden>{html.escape(node["tex"])}</pre>'
    self.body.append(f'<div class="pcode-scroll">{block}</div>{source}</div>\n')
    raise nodes.SkipNode


def _translate(block: str, language: str) -> str:
    translated = words(language)

    def replace(match: re.Match[str]) -> str:
        return match[1] + match[2] + translated.get(match[3], match[3]) + match[4]

    block = re.sub(r'(<span class="ps-keyword">)( ?)([A-Za-z: ]+?)( ?</span>)', replace, block)
    # Full-width punctuation brings its own space.
    return re.sub(rf"([{STOPS}）]) ?((?:</span>)?) *", r"\1\2", block)


def _add_anchors(block: str, node: pcode) -> str:
    """Give every numbered line its id, and make its number a link to itself."""
    expected = len(lines(node["tex"]))
    printed = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal printed
        printed += 1
        name = anchor(node, printed)
        start = f'<p id="{name}" data-lines="{printed}"{match[1]}'
        if match[2] is None:
            return start
        return f'{start}<a href="#{name}"{match[2]}</a>'

    block = re.sub(
        r'<p( class="ps-line ps-code"[^>]*>\s*)'
        r'(?:<span( class="ps-linenum"[^>]*>[^<]*)</span>)?',
        replace,
        block,
    )
    if printed and printed != expected and not node["options"]["noEnd"]:
        log.warning(
            "pcode: %d lines are printed, but %d are counted; write commands in capitals",
            printed,
            expected,
            location=node,
            type="pcode",
        )
    return block


def visit_latex(self: LaTeXTranslator, node: pcode) -> None:
    """Write the block for the algorithm and algorithmic packages."""
    labels = "".join(self.hypertarget(name, anchor=False) for name in node["ids"])
    title = caption(node["tex"])
    numbering = "[1]" if node["options"]["lineNumber"] else ""
    self.body.append(
        "\n\\begin{algorithm}[H]\n"
        + (f"\\caption{{{title}}}" if title else "")
        + f"{labels}\n\\begin{{algorithmic}}{numbering}\n"
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


def visit_man(self: ManualPageTranslator, node: pcode) -> None:
    """Write the block into a manual page."""
    literal = nodes.literal_block("", as_text(node))
    literal.walkabout(self)
    raise nodes.SkipNode


def visit_texinfo(self: TexinfoTranslator, node: pcode) -> None:
    """Write the block into a Texinfo document."""
    literal = nodes.literal_block("", as_text(node))
    literal.walkabout(self)
    raise nodes.SkipNode


def number_format(app: Sphinx, config: Config) -> None:
    """The words of the number, unless conf.py chose others."""
    words_of_number = "算法 %s" if is_chinese(config.language) else "Algorithm %s"
    config.numfig_format.setdefault("pcode", words_of_number)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and its writers."""
    app.setup_extension("tex_worker")
    app.add_directive("pcode", PcodeDirective)
    app.add_transform(NameBlocks)
    app.add_enumerable_node(
        pcode,
        "pcode",
        title_of,
        html=(visit_html, None),
        latex=(visit_latex, None),
        text=(visit_text, None),
        man=(visit_man, None),
        texinfo=(visit_texinfo, None),
    )
    app.connect("config-inited", number_format)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
