"""Pseudocode: its dialect, how it is printed, and the Python that stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

EXTENSIONS = ("beside", "directive")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up the parts."""
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
