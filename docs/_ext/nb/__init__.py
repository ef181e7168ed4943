"""Notebooks: copied, run and kept, their figures described, their numbers printed in prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLIC = ("cache", "kernel", "pool")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register what is done with notebooks before, while and after they are read, and the roles."""
    from nb import alt, claims, links, prepare, run

    app.add_config_value("claims_file", "", "env", str)
    app.add_config_value("nb_links_repository", "", "env")
    app.connect("config-inited", prepare.prepare)
    app.connect("builder-inited", run.run_notebooks)
    app.add_transform(links.NotebookLinks)
    app.connect("doctree-read", alt.describe_figures)
    app.add_role("claim", claims.Claim())
    app.add_role("given", claims.Given())
    app.add_env_collector(claims.Printed)
    app.connect("env-check-consistency", claims.warn_of_unused)
    app.add_css_file("links.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
