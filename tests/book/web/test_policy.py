"""Each page's content security policy fits the scripts that stand in it."""

from __future__ import annotations

import base64
import hashlib
import re

from support.mini import ROOT
from web.policy import policy, with_policy

PAGE = """<html><head>
    <meta charset="utf-8" />
    <script src="a.js"></script>
    <script>let x = 1;</script>
    <script data-a="b">
      let y = 2;
    </script>
    <script type="application/json">{"data": "does not run"}</script>
</head></html>"""


def hash_of(script):
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def test_inline_scripts_are_allowed_by_their_hash_and_no_others():
    scripts = re.search(r"script-src ([^;]*)", policy(PAGE))[1].split()
    expected = {f"'sha256-{hash_of(each)}'" for each in ("let x = 1;", "\n      let y = 2;\n    ")}
    assert scripts[0] == "'self'"
    assert set(scripts[1:]) == expected
    assert "script-src 'self';" in policy("<html></html>")


def test_the_landing_page_has_the_policy_of_the_others():
    page = (ROOT / "docs" / "landing.html").read_text("utf-8")
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy(page)}">' in page


def test_the_policy_comes_before_all_that_it_rules_and_stands_there_once():
    page = with_policy(PAGE)
    assert page.count("Content-Security-Policy") == 1
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert with_policy(page) == page
    changed = page.replace("let x = 1;", "let x = 2;")
    assert hash_of("let x = 2;") in with_policy(changed)
    assert hash_of("let x = 1;") not in with_policy(changed)
