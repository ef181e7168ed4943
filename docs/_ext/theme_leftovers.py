"""Take out the templates that the theme leaves among the static files: their links lead nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def remove_templates(app: Sphinx, exception: Exception | None) -> None:
    """Delete them from the built site."""
    if app.builder.format == "html":
        for template in Path(app.outdir, "_static").glob("*webpack-macros.html"):
            template.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event."""
    app.connect("build-finished", remove_templates)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
