"""The style sheets and fonts of KaTeX and pseudocode.js, copied into the site."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tex.worker import require_node_modules

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

_OLD_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')
_IMPORT = re.compile(r"@import [^;]*;")


def copy_assets(app: Sphinx) -> None:
    """Copy them before anything is written."""
    if app.builder.format != "html":
        return
    modules = Path(app.config.tex_node_modules)
    require_node_modules(modules, "katex", "pseudocode")
    katex, target = modules / "katex" / "dist", Path(app.outdir, "_static", "katex")
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    for font in katex.glob("fonts/*.woff2"):
        shutil.copy(font, target / "fonts")
    _write(target / "katex.min.css", _OLD_FONTS.sub("", _read(katex / "katex.min.css")))
    blocks = _read(modules / "pseudocode" / "build" / "pseudocode.min.css")
    # Its first rule fetches another KaTeX from a CDN.
    _write(target / "pseudocode.min.css", _IMPORT.sub("", blocks))


def hurry_fonts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Let a page that has formulas ask for their fonts at once."""
    if 'class="katex"' in context.get("body", ""):
        app.add_js_file("fonts.js", priority=0)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
