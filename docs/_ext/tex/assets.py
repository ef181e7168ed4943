"""The style sheets and fonts of KaTeX and pseudocode.js, copied into the site."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tex.worker import require_node_modules

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_OLD_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')
_IMPORT = re.compile(r"@import [^;]*;")


def copy_assets(app: Sphinx) -> None:
    """Copy them before pages are written, for Sphinx adds their checksums to the links."""
    if app.builder.format != "html":
        return
    modules = Path(app.config.tex_node_modules)
    require_node_modules(modules, "katex", "pseudocode")
    katex, target = modules / "katex" / "dist", Path(app.outdir, "_static", "katex")
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    for font in katex.glob("fonts/*.woff2"):
        shutil.copy(font, target / "fonts")
    _write(target / "katex.min.css", _OLD_FONTS.sub("", _read(katex / "katex.min.css")))
    style = modules / "pseudocode" / "build" / "pseudocode.min.css"
    # Its first rule fetches another KaTeX from a CDN.
    _write(target / "pseudocode.min.css", _IMPORT.sub("", _read(style)))
    app.add_css_file("katex/katex.min.css", priority=300)
    app.add_css_file("katex/pseudocode.min.css", priority=310)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event."""
    app.setup_extension("tex.worker")
    app.connect("builder-inited", copy_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
