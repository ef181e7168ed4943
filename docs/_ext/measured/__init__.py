"""What the build measures, or notebooks have stored: in tables and figures, none of it typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLIC = ("algorithm_figures", "descriptions", "machine")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives, and what fills their places."""
    from measured import algorithm_table, live_figure, quick_facts, status

    app.setup_extension("tex")
    app.add_config_value("algorithm_table_package", "fl_algos", "env")
    app.add_directive("algorithm-table", algorithm_table.AlgorithmTable)
    app.add_directive("quick-facts", quick_facts.QuickFacts)
    app.add_directive("live-figure", live_figure.LiveFigure)
    app.add_node(
        live_figure.live_figure,
        html=(live_figure.visit_html, None),
        latex=(live_figure.skip, None),
    )
    app.connect("builder-inited", live_figure.copy_library)
    app.connect("html-page-context", live_figure.add_scripts)
    app.add_directive("build-status", status.BuildStatus)
    app.add_node(status.build_status)
    app.add_post_transform(status.WriteTables)
    app.connect("env-updated", status.pages_to_write)
    for sheet in ("uplot/uPlot.min.css", "live_figure.css", "tables.css"):
        app.add_css_file(sheet)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
