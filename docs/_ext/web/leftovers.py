"""Take out what Sphinx and the theme leave among the static files though no page uses it.

The theme's templates, whose links lead nowhere, and its icons as 1.5 MB of JavaScript: the pages
have them as a font. Sphinx's own search, with its words in dozens of languages.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LEFTOVERS = ("*webpack-macros.html", "scripts/fontawesome.js*", "**/*.map", "images/logo_*")
LEFTOVERS += ("searchtools.js", "language_data.js", "sphinx_highlight.js", "translations.js")
LEFTOVERS += ("locales", "file.png")


def remove_leftovers(app: Sphinx, exception: Exception | None) -> None:
    """Delete them from the built site."""
    if app.builder.format == "html":
        for pattern in LEFTOVERS:
            for path in list(Path(app.outdir, "_static").glob(pattern)):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event."""
    app.connect("build-finished", remove_leftovers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
