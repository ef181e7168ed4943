"""Mathematics: rendered when the book is built, kept on its line, shown where it is referred to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

EXTENSIONS = ("assets", "katex", "page_macros", "preview", "unbroken")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up the parts."""
    for name in EXTENSIONS:
        app.setup_extension(f"{__name__}.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
