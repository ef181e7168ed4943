"""Take out what the theme leaves among the static files though no page uses it.

Its templates, whose links lead nowhere, and its icons as 1.5 MB of JavaScript: the pages have them
as a font.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LEFTOVERS = ("*webpack-macros.html", "scripts/fontawesome.js*", "**/*.map")


def remove_leftovers(app: Sphinx, exception: Exception | None) -> None:
    """Delete them from the built site."""
    if app.builder.format == "html":
        for pattern in LEFTOVERS:
            for path in Path(app.outdir, "_static").glob(pattern):
                path.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event."""
    app.connect("build-finished", remove_leftovers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
