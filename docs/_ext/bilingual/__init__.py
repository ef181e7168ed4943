"""Two languages: each page and its twin, and what Chinese asks that Sphinx does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLIC = ("han",)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tie the pages of the two books together; in the Chinese one, mend its type."""
    from bilingual import citations, fonts, han, index, latin, markup, places, spacing, twins

    app.add_config_value("bilingual_site_url", "", "html")
    app.connect("html-page-context", twins.add_links)
    app.connect("env-check-consistency", twins.check_twins)
    app.add_css_file("lang-switch.css")
    app.add_js_file("lang-switch.js", defer="defer")
    app.add_transform(places.Places)
    app.connect("doctree-resolved", places.place_formulas)
    markup.allow_beside_han()
    if han.is_chinese(app.config.language):
        app.add_css_file("zh.css")
        app.add_transform(index.ChineseIndex)
        app.add_transform(spacing.CloseUp)
        app.add_post_transform(spacing.CloseUpLinks)
        app.add_post_transform(latin.MarkLatin)
        app.connect("config-inited", citations.choose)
        app.connect("config-inited", fonts.choose)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
