"""Valid HTML for the sources of modules: viewcode puts div elements where only text may stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


def with_spans(body: str) -> str:
    """The page with spans in its code, which viewcode.css shows as blocks."""

    def mend(code: re.Match[str]) -> str:
        text = code[0].replace('<div class="viewcode-block"', '<span class="viewcode-block"')
        return text.replace("</div>", "</span>")

    return re.sub(r"(?s)<pre>.*</pre>", mend, body)


def mend_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Mend a page that viewcode has made."""
    if pagename.startswith("_modules/"):
        context["body"] = with_spans(context["body"])
