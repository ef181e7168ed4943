"""Pages ask for one style sheet and for two scripts, which hold what each part has asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.mini import build, need_node_modules
from web.bundle import sheet

FILES = {
    "docs/en/index.rst": "Home\n====\n\n.. toctree::\n\n   part/page\n",
    "docs/en/part/page.rst": "Page\n====\n\nText.\n",
}
ASKED = r'<(?:link rel="stylesheet"|script)\b[^>]*(?:href|src)="([^"]*)"'


def asked(out, name):
    """What a page asks for, by file and checksum."""
    page = (out / f"{name}.html").read_text(encoding="utf-8")
    found = re.findall(r'(?:<link\b[^>]*\brel="stylesheet"|<script\b)[^>]*>', page)
    return [re.search(r'(?:href|src)="([^"]*)"', tag)[1] for tag in found]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    need_node_modules()
    done = build(tmp_path_factory.mktemp("bundle"), FILES)
    assert (done.returncode, done.warnings) == (0, "")
    return done.out


@pytest.mark.parametrize(("name", "root"), [("index", ""), ("part/page", "../")])
def test_a_page_asks_for_three_files(book, name, root):
    names = [address.partition("?v=")[0] for address in asked(book, name)]
    assert names == [f"{root}_static/{each}" for each in ("mode.js", "book.css", "book.js")]


def test_the_search_page_asks_for_its_own_as_well(book):
    names = [address.partition("?")[0].rpartition("/")[2] for address in asked(book, "search")]
    assert names[:3] == ["mode.js", "book.css", "book.js"]
    assert names[3:] == ["search_texts.js", "search_words.js", "search.js"]


def test_the_bundles_have_what_everybody_has_asked_for_in_its_order(book):
    styles = (book / "_static" / "book.css").read_text(encoding="utf-8")
    marks = ["--pst-font-family-base", "div.cell_input", ".katex", ".ps-root", ".pcode-scroll"]
    places = [styles.index(mark) for mark in [*marks, "details::details-content"]]
    assert places == sorted(places)
    scripts = (book / "_static" / "book.js").read_text(encoding="utf-8")
    assert scripts.index("function nameIn") < scripts.index("page's contents, however")
    assert "sourceMappingURL" not in styles + scripts


def test_styles_fetch_only_what_is_there(book):
    static = book / "_static"
    styles = (static / "book.css").read_text(encoding="utf-8")
    assert "@import" not in styles
    addresses = re.findall(r"""url\(["']?(?!data:)([^"')]+)""", styles)
    assert len(addresses) > 10
    for address in addresses:
        assert (static / address).is_file(), address


def test_an_address_is_that_from_where_the_bundle_lies(tmp_path):
    (tmp_path / "part" / "fonts").mkdir(parents=True)
    (tmp_path / "part" / "fonts" / "a.woff2").touch()
    (tmp_path / "b.svg").touch()
    (tmp_path / "base.css").write_text("i{j:url(b.svg)}")
    style = """@import "../base.css";a{b:url(fonts/a.woff2?x)}c{d:url('../b.svg')}"""
    left = "e{f:url(data:image/x,y)}g{h:url(#i)}"
    (tmp_path / "part" / "style.css").write_text(style + left)
    expected = 'i{j:url("b.svg")}a{b:url("part/fonts/a.woff2?x")}c{d:url("b.svg")}'
    assert sheet(tmp_path, "part/style.css") == expected + left


def test_a_second_build_changes_the_checksum_of_every_page(tmp_path):
    out = build(tmp_path, FILES).out
    before = asked(out, "part/page")
    path = Path(tmp_path, "project with spaces", "docs", "_ext", "web", "static", "toc.js")
    text = path.read_text(encoding="utf-8")
    more = FILES | {"docs/_ext/web/static/toc.js": f"{text}// changed\n"}
    out = build(
        tmp_path, {**more, "docs/en/index.rst": FILES["docs/en/index.rst"] + "\nMore.\n"}
    ).out
    after = asked(out, "part/page")
    assert after[:2] == before[:2]
    assert after[2] != before[2]
    assert asked(out, "index")[2].removeprefix("_static/") == after[2].removeprefix("../_static/")
    assert "// changed" in (out / "_static" / "book.js").read_text(encoding="utf-8")
