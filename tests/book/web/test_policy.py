"""Each page's content security policy: nothing from elsewhere, and no script in the page."""

from __future__ import annotations

import re

import pytest

from support.mini import ROOT, build
from support.pages import SITE, unavailable

POLICY = r'<meta http-equiv="Content-Security-Policy" content="[^"]*">'
INLINE = r'<script\b(?![^>]*\s(?:src=|type="application/json"))'


def test_the_policy_comes_before_all_that_it_rules_and_stands_there_once(tmp_path):
    done = build(tmp_path, {"docs/en/index.rst": "Page\n====\n"})
    assert (done.returncode, done.warnings) == (0, "")
    for name in ("index", "search", "genindex"):
        page = (done.out / f"{name}.html").read_text(encoding="utf-8")
        [policy] = re.finditer(POLICY, page)
        assert policy.start() < min(
            page.index("<script"), page.index("<link"), page.index("<title")
        )


def test_the_landing_page_has_the_policy_of_the_others():
    layout = ROOT / "docs" / "_ext" / "web" / "templates" / "layout.html"
    policy = re.search(r"default-src[^\"]*", layout.read_text(encoding="utf-8"))[0]
    assert "script-src 'self';" in policy
    landing = (ROOT / "docs" / "landing.html").read_text(encoding="utf-8")
    assert re.search(POLICY, landing)[0].split('"')[3] == policy


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_script_stands_in_a_page(language):
    pages = sorted((SITE / language).rglob("*.html"))
    if not pages:
        unavailable("the site is not built: run `make book`")
    for path in pages:
        assert not re.search(INLINE, path.read_text(encoding="utf-8")), path
