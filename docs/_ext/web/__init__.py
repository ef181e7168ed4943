"""The site around the text: its frame, styles and scripts, its search, what pages may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLIC = ()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register what stands around the text of each page, and what is done to finished pages."""
    from web import api, bundle, cite, licences, search, viewcode

    app.add_config_value("api_package", "", "env", str)
    app.add_directive("api-modules", api.ApiModules)
    app.connect("env-check-consistency", api.check_cover)
    app.add_config_value("citation_file", "", "html", str)
    app.connect("html-page-context", cite.add_citation)
    app.add_directive("licences", licences.Licences)
    app.connect("html-page-context", viewcode.mend_page)
    app.connect("builder-inited", search.start)
    app.connect("html-page-context", bundle.sort_scripts, priority=900)
    app.connect("build-finished", bundle.join_assets, priority=900)
    for sheet in ("copy", "search", "toc", "dark", "cite", "viewcode", "narrow", "wide", "print"):
        app.add_css_file(f"{sheet}.css")
    app.add_js_file("mode.js", priority=0)
    app.add_js_file("address.js", priority=400, defer="defer")
    for script in ("copy.js", "toc.js"):
        app.add_js_file(script, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
