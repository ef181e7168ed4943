"""Mathematics: rendered when the book is built, kept on its line, shown where it is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLIC = ("macros", "text", "worker")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer, under the name that html_math_renderer gives, and what mends lines."""
    from tex import assets, katex, labels, macros, preview, unbroken

    app.add_config_value("tex_macros", {}, "html")
    app.add_config_value("tex_node_modules", "", "")
    app.add_html_math_renderer("katex", (katex.visit_math, None), (katex.visit_math_block, None))
    app.connect("config-inited", macros.define_for_latex)
    app.connect("builder-inited", assets.copy_assets)
    app.connect("env-before-read-docs", labels.forget)
    app.connect("html-page-context", assets.hurry_fonts)
    app.add_post_transform(unbroken.KeepTogether)
    app.add_post_transform(preview.StoreEquations)
    app.add_node(preview.equation_preview, html=(preview.visit_html, None))
    app.add_css_file("katex/katex.min.css", priority=300)
    app.add_css_file("katex/pseudocode.min.css", priority=310)
    for sheet in ("math.css", "preview.css"):
        app.add_css_file(sheet)
    for script in ("equations.js", "preview.js"):
        app.add_js_file(script, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
