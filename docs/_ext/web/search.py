"""The texts of the book for search.js, which searches them in the reader's browser.

Sphinx's own search knows words only, which Chinese does not separate, and fetches pages for its
excerpts, which browsers refuse where pages are read from disk. A file of all texts, loaded as a
script by the search page alone, needs neither an index nor a server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.builders.html import StandaloneHTMLBuilder

from pcode.lines import plain, statements
from pcode.node import pcode, title_of
from tex.text import formula_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

    from pcode.lines import Line

Macros = Mapping[str, str]
Place = tuple[str, str, str]
"""Anchor, heading and text of a section or of a documented object."""

SCRIPTS = ("search_texts.js", "search_words.js", "search.js")
_SCRIPTS: dict[type, str] = {nodes.superscript: "^", nodes.subscript: "_"}
_PLACES = (nodes.section, addnodes.desc)
_SILENT = (
    *(nodes.Invisible, nodes.raw, nodes.math_block, nodes.title, *_PLACES),
    *(nodes.footnote_reference, nodes.label),
)


def places(document: nodes.document, macros: Macros) -> Iterator[Place]:
    """What can be found on a page, in its order; the first one is the page itself."""
    for node in document.findall(lambda node: isinstance(node, _PLACES)):
        if isinstance(node, nodes.section):
            anchor = node["ids"][0]
            [title] = node.children[:1]
            heading = text_of(title, macros, inside=True)
        else:
            signature = next(node.findall(addnodes.desc_signature), None)
            if signature is None or not signature["ids"]:
                continue
            anchor, heading = signature["ids"][0], signature.get("fullname", "")
        yield anchor, heading, text_of(node, macros, inside=True)


def text_of(node: nodes.Node, macros: Macros, *, inside: bool = False) -> str:
    """The words of a node, without those of sections and objects in it."""
    return re.sub(r"\s+", " ", _text(node, macros, inside)).strip()


def _text(node: nodes.Node, macros: Macros, inside: bool = False) -> str:
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return formula_text(node.astext(), macros)
    if isinstance(node, pcode):
        return " ".join(
            [title_of(node), *(_words(line, macros) for line in statements(node["tex"]))]
        )
    if isinstance(node, addnodes.desc_signature):
        return node.astext()
    is_list = isinstance(node, nodes.Element) and "toctree-wrapper" in node["classes"]
    if is_list or (isinstance(node, _SILENT) and not inside):
        return ""
    separator = "" if isinstance(node, nodes.TextElement) else " "
    mark = _SCRIPTS.get(type(node), "")
    return mark + separator.join(_text(child, macros) for child in node.children)


def _words(line: Line, macros: Macros) -> str:
    """A line of a block, its formulas between its words."""
    parts = re.split(r"\$([^$]*)\$", f"{line.text} {line.comment}")
    parts[::2] = map(plain, parts[::2])
    parts[1::2] = (formula_text(tex, macros) for tex in parts[1::2])
    return " ".join(filter(None, parts))


class SearchTexts:
    """The texts of all pages. They outlive a build, for the next one writes only what changed."""

    def __init__(self, app: Sphinx) -> None:
        self._store = Path(app.doctreedir, "search_texts.json")
        self._pages: dict[str, list[Place]] = {}
        if self._store.exists():
            self._pages = json.loads(self._store.read_text(encoding="utf-8"))

    def take(self, app: Sphinx, doctree: nodes.document, docname: str) -> None:
        """Take the texts of a page that is about to be written, by this process or by another."""
        self._pages[docname] = list(places(doctree, app.config.tex_macros))

    def search_page(self, app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
        """The page that search.js fills; what it loads is written first, for its checksum."""
        self.write(app)
        yield "search", {}, "search.html"

    def write(self, app: Sphinx) -> None:
        """Write the script that the search page loads."""
        pages = {name: found for name, found in sorted(self._pages.items()) if found}
        pages = {name: pages[name] for name in pages if name in app.env.found_docs}
        text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
        self._store.write_text(text, encoding="utf-8")
        script = Path(app.outdir, "_static", "search_texts.js")
        script.write_text(f"const searchTexts = {text};\n", encoding="utf-8")


def add_scripts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Load this search on its page.

    Sphinx adds checksums, so that no browser searches an updated book with its old texts.
    """
    if pagename == "search":
        for name in SCRIPTS:
            app.add_js_file(name, defer="defer")


def start(app: Sphinx) -> None:
    """Put this search in the place of Sphinx's."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    app.builder.search = False
    texts = SearchTexts(app)
    app.connect("doctree-resolved", texts.take, priority=900)
    app.connect("html-page-context", add_scripts)
    app.connect("html-collect-pages", texts.search_page)
