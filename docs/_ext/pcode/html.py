"""Pseudocode on pages: as pseudocode.js renders it, with anchors and translated keywords."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _
from sphinx.util import logging

from bilingual.han import HAN, STOPS
from pcode.lines import lines
from pcode.node import anchor, title_of
from pcode.words import words
from tex.worker import render

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator

    from pcode.node import pcode

log = logging.getLogger(__name__)

_TITLE = "PCODE-TITLE"
_INDENT = r"\$\\hspace\{([\d.]+em)\}\$ *"
_OPTIONS = {"lineNumber": True, "titlePrefix": _TITLE, "captionCount": 0}


def visit_html(self: HTML5Translator, node: pcode) -> None:
    """Write the block, its title with a permalink, and its source for the copy button."""
    tex = re.sub(rf"(\\STATE\s+){_INDENT}", r"\1", node["tex"])  # see _add_anchors
    block = render(node, self.config, kind="pcode", tex=tex, options=_OPTIONS)
    block = _translate(block, self.config.language)
    block = _add_anchors(block, node)
    numbers = self.builder.fignumbers.get("pcode", {}).get(node["ids"][0], ())
    number = ".".join(map(str, numbers))
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
    # Chinese has no spaces between words, and full-width punctuation brings its own.
    tags = r"(?:</?span[^>]*>)*"
    block = re.sub(rf"(?<=[{HAN}])({tags}) ({tags})(?=[{HAN}])", r"\1\2", block)
    return re.sub(rf"([{STOPS}）]) ?((?:</span>)?) *", r"\1\2", block)


def _add_anchors(block: str, node: pcode) -> str:
    """Give every numbered line its id, and make its number a link to itself.

    A line that begins with a space is indented as a whole: what of it is wrapped, too.
    """
    expected = lines(node["tex"])
    printed = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal printed
        printed += 1
        name = anchor(node, printed)
        indent = re.match(_INDENT, expected[printed].text) if printed in expected else None
        style = f' style="--indent: {indent[1]}"' if indent else ""
        start = f'<p id="{name}" data-lines="{printed}"{style}{match[1]}'
        return f'{start}<a href="#{name}"{match[2]}</a>'

    block = re.sub(
        r'<p( class="ps-line ps-code"[^>]*>\s*)<span( class="ps-linenum"[^>]*>[^<]*)</span>',
        replace,
        block,
    )
    if printed and printed != len(expected):
        log.warning(
            "pcode: %d lines are printed, but %d are counted; write commands in capitals",
            printed,
            len(expected),
            location=node,
            type="pcode",
        )
    return block
