"""A content security policy in every page: it asks for nothing and runs nothing from elsewhere.

It is a meta element, which works from disk as well as from any server, and it is written when the
pages are finished, since it holds the hashes of the scripts that stand in the page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_SCRIPT = re.compile(
    r'<script\b(?![^>]*\s(?:src=|type="application/json"))[^>]*>(.*?)</script>',
    re.DOTALL | re.IGNORECASE,
)
_META = re.compile(r'\n *<meta http-equiv="Content-Security-Policy"[^>]*>')
_CHARSET = re.compile(r"<meta charset=[^>]*>")


def policy(page: str) -> str:
    """The policy of a page: its own inline scripts may run, and no others."""
    scripts = sorted({_hash(script) for script in _SCRIPT.findall(page) if script.strip()})
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *scripts]),
            "style-src 'self' 'unsafe-inline'",  # KaTeX places its letters by style attributes
            "img-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",  # default-src does not cover it
        ]
    )


def with_policy(page: str) -> str:
    """The page with its policy as the first thing that a browser reads after its encoding."""
    page = _META.sub("", page)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(page)}">'
    return _CHARSET.sub(lambda charset: f"{charset[0]}\n    {meta}", page, count=1)


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def write_policies(app: Sphinx, exception: Exception | None) -> None:
    """Put its policy into each page that was built."""
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        path.write_text(with_policy(page), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the event, after all that still changes pages."""
    app.connect("build-finished", write_policies, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
