"""Each page knows its twin in the other language: a switch in the header, and hreflang."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util import logging
from sphinx.util.osutil import relative_uri

from bilingual.han import tree_of

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

TREES = {"en": ("en", "English"), "zh": ("zh-CN", "中文")}
"""Folder of a book: its language tag, and its name in its own language."""
log = logging.getLogger(__name__)


def other_tree(language: str) -> str:
    """The folder of the other book."""
    return "en" if tree_of(language) == "zh" else "zh"


def has_twin(app: Sphinx, docname: str) -> bool:
    """Whether the other tree has this page."""
    twin = Path(app.srcdir).parent / other_tree(app.config.language) / docname
    return any(twin.with_name(twin.name + suffix).exists() for suffix in app.config.source_suffix)


def add_links(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Give the page's template the twin's address, and its head the alternates."""
    here, there = tree_of(app.config.language), other_tree(app.config.language)
    # Pages without a source (search, indices, sources of modules) are made in both books.
    paired = pagename not in app.env.found_docs or has_twin(app, pagename)
    this_page = f"{here}/{app.builder.get_target_uri(pagename)}"
    twin = f"{there}/{app.builder.get_target_uri(pagename if paired else 'index')}"
    tag, name = TREES[there]
    context["twin"] = {"href": relative_uri(this_page, twin), "lang": tag, "name": name}
    if paired:
        context["metatags"] = context.get("metatags", "") + "".join(
            f'\n    <link rel="alternate" hreflang="{language}" href="{href}">'
            for language, href in _alternates(app, pagename, this_page)
        )


def _alternates(app: Sphinx, pagename: str, this_page: str) -> list[tuple[str, str]]:
    """(language tag, address) of both versions; relative while the site's address is unknown."""
    site = app.config.bilingual_site_url
    hrefs = {}
    for tree in TREES:
        page = f"{tree}/{app.builder.get_target_uri(pagename)}"
        relative = relative_uri(this_page, page) or page.rpartition("/")[2]
        hrefs[tree] = f"{site.rstrip('/')}/{page}" if site else relative
    tags = [(TREES[tree][0], href) for tree, href in hrefs.items()]
    return [*tags, ("x-default", hrefs["en"])]


def check_twins(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about pages that the other book lacks."""
    for docname in sorted(env.found_docs):
        if not has_twin(app, docname):
            log.warning(
                "no twin of this page in docs/%s",
                other_tree(app.config.language),
                location=docname,
                type="bilingual",
            )
