"""Pseudocode: its dialect, how it is printed, and the Python that stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLIC = ("lines", "node")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register both directives, and how what they make is written."""
    from pcode import beside, directive, html, latex, node, words

    writers: dict[str, Any] = {"html": (html.visit_html, None), "latex": (latex.visit_latex, None)}
    app.setup_extension("tex")
    app.add_directive("pcode", directive.PcodeDirective)
    app.add_transform(directive.NameBlocks)
    app.add_enumerable_node(node.pcode, "pcode", node.title_of, **writers)
    app.connect("config-inited", words.choose)
    app.add_directive("beside", beside.Beside)
    app.add_node(beside.beside_code, html=(beside.visit_html, None))
    for sheet in ("pcode.css", "beside.css", "lines.css"):
        app.add_css_file(sheet)
    app.add_js_file("lines.js", defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
