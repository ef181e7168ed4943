"""Two languages: each page and its twin, and what Chinese asks that Sphinx does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

EXTENSIONS = ("citations", "index", "latin", "markup", "places", "spacing", "twins")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up the parts."""
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
