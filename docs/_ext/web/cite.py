"""How to cite a chapter: an entry for BibTeX, for the template at the end of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bilingual.han import is_chinese

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

CHAPTERS = "algorithms/"


def entry(key: str, fields: dict[str, str]) -> str:
    """A BibTeX entry; empty fields are left out."""
    given = {name: text for name, text in fields.items() if text}
    width = max(map(len, given))
    lines = "".join(f"  {name:<{width}} = {{{text}}},\n" for name, text in given.items())
    return f"@misc{{{key},\n{lines}}}\n"


def escape(text: str) -> str:
    """Plain words in TeX."""
    return re.sub(r"([&%$#_{}])", r"\\\1", text)


def year_of(citation_file: str) -> str:
    """The year in which the version of a CITATION.cff was released."""
    found = re.search(r"^date-released:\s*[\"']?(\d{4})", citation_file, re.MULTILINE)
    if found is None:
        raise ValueError("CITATION.cff has no date-released")
    return found[1]


def add_citation(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Give the template of a chapter its entry."""
    if doctree is None or not pagename.startswith(CHAPTERS):
        return
    chinese = is_chinese(app.config.language)
    book = escape(app.config.project)
    site = app.config.html_baseurl
    fields = {
        "title": f"{{{escape(app.env.titles[pagename].astext())}}}",
        "author": f"{{{escape(app.config.author)}}}",
        "howpublished": f"《{book}》中的一章" if chinese else f"Chapter of \\emph{{{book}}}",
        "year": year_of(Path(app.config.citation_file).read_text("utf-8")),
        "note": f"{app.config.release} 版" if chinese else f"Version {app.config.release}",
        "url": f"{site}{app.builder.get_target_uri(pagename)}" if site else "",
    }
    name = pagename.rpartition("/")[2]
    context["citation"] = entry(f"fl_algos:{name}{':zh' if chinese else ''}", fields)
