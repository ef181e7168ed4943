"""The texts of the book for search.js, which searches them in the reader's browser.

Sphinx's own search knows words only, which Chinese does not separate, and fetches pages for its
excerpts, which browsers refuse where pages are read from disk. A file of all texts, loaded as a
script by the search page alone, needs neither an index nor a server.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

Place = tuple[str, str, str]
"""Anchor, heading and text of a section or of a documented object."""

UNUSED = ("_static/sphinx_highlight.js", "_static/translations.js")
"""Scripts of Sphinx's search; the second one makes code of a string, which pages forbid."""
SCRIPTS = ("search_texts.js", "search.js")
_SIGNS = {"in": " ∈ ", "leqslant": " ≤ ", "geqslant": " ≥ ", "to": " → ", "nabla": "∇"}
_SIGNS |= {"sum": "∑", "infty": "∞", "cdot": "·", "dots": "…", "ldots": "…", "times": " × "}
_SIGNS |= {"lVert": "‖", "rVert": "‖", "lambda": "λ", "Lambda": "Λ"}
_PLACES = (nodes.section, addnodes.desc)
_SILENT = (nodes.Invisible, nodes.raw, nodes.math_block, nodes.title, *_PLACES)


def places(document: nodes.document) -> Iterator[Place]:
    """What can be found on a page, in its order; the first one is the page itself."""
    for node in document.findall(lambda node: isinstance(node, _PLACES)):
        if isinstance(node, nodes.section):
            anchor, heading = node["ids"][0], text_of(node.next_node(nodes.title), inside=True)
        else:
            signature = node.next_node(addnodes.desc_signature)
            if signature is None or not signature["ids"]:
                continue
            anchor, heading = signature["ids"][0], signature.get("fullname", "")
        yield anchor, heading, text_of(node, inside=True)


def plain_formula(tex: str) -> str:
    """A formula as one would write it in a message: Greek letters, signs, and what else is read."""
    text = re.sub(r"\\(?:math|operator|text|left|right|d?frac|big)[A-Za-z]*|[{}$]", "", tex)
    return re.sub(r"\\([A-Za-z]+|.) ?", lambda command: _sign(command[1]), text)


def _sign(command: str) -> str:
    if command in _SIGNS:
        return _SIGNS[command]
    size = "CAPITAL" if command[0].isupper() else "SMALL"
    letter = command.removeprefix("var").upper()
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {letter}")
    except KeyError:
        return f" {command} " if command.isalpha() else " "


def text_of(node: nodes.Node, *, inside: bool = False) -> str:
    """The words of a node, without those of sections and objects in it."""
    return re.sub(r"\s+", " ", _text(node, inside)).strip()


def _text(node: nodes.Node, inside: bool = False) -> str:
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return plain_formula(node.astext())
    if isinstance(node, addnodes.desc_signature):
        return node.astext()
    if (isinstance(node, _SILENT) and not inside) or "toctree-wrapper" in node.get("classes", ()):
        return ""
    separator = "" if isinstance(node, nodes.TextElement) else " "
    return separator.join(_text(child) for child in node.children)


class SearchTexts:
    """The texts of all pages. They outlive a build, for the next one writes only what changed."""

    def __init__(self, app: Sphinx) -> None:
        self._store = Path(app.doctreedir, "search_texts.json")
        self._pages: dict[str, list[Place]] = {}
        if self._store.exists():
            self._pages = json.loads(self._store.read_text(encoding="utf-8"))

    def take(self, app: Sphinx, doctree: nodes.document, docname: str) -> None:
        """Take the texts of a page that is about to be written, by this process or by another."""
        self._pages[docname] = list(places(doctree))

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


def choose_scripts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Take the scripts of Sphinx's search off the page's list, and put these on the search page's.

    Sphinx adds their checksums, so that no browser searches an updated book with its old texts.
    """
    if pagename == "search":
        for name in SCRIPTS:
            app.add_js_file(name, defer="defer")
    scripts = context.get("script_files", [])
    context["script_files"] = [each for each in scripts if str(each.filename) not in UNUSED]


def start(app: Sphinx) -> None:
    """Put this search in the place of Sphinx's."""
    if app.builder.format != "html":
        return
    app.builder.search = False
    texts = SearchTexts(app)
    app.connect("doctree-resolved", texts.take, priority=900)
    app.connect("html-page-context", choose_scripts)
    app.connect("html-collect-pages", texts.search_page)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event."""
    app.connect("builder-inited", start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
