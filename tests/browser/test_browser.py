"""The pages in a real browser."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_opens(open_page, language, from_disk):
    page = open_page(f"{language}/algorithms/primal_dual.html", from_disk=from_disk)
    assert page.locator(".pcode").count() > 0
