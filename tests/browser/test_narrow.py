"""On a phone nothing but formulas, code and tables scrolls sideways, and these by themselves."""

from __future__ import annotations

import pytest

from support.pages import UNFOLD, names


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_is_wider_than_a_phone(open_page, language):
    page = open_page(f"{language}/index.html", width=320)
    start = page.url.removesuffix(f"{language}/index.html")
    too_wide = {}
    for name in names(language):
        page.goto(start + name)
        page.evaluate(UNFOLD)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            too_wide[name] = width
    assert too_wide == {}
