"""What the build measures or has stored, as tables and figures: nothing in them is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

EXTENSIONS = ("algorithm_table", "live_figure", "quick_facts", "status")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up the parts."""
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
