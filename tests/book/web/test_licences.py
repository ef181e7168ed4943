"""The licences of what the site ships are on a page of it, as the packages have them."""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path

import pytest

from support.mini import NODE_MODULES, ROOT, build, need_node_modules
from support.pages import SITE, unavailable
from web.licences import node_parts, python_parts

PAGE = "Page\n====\n\n.. licences::\n"
MANIFEST = ROOT / "docs" / "_node" / "package.json"


@pytest.fixture(scope="module")
def parts():
    need_node_modules()
    return {part.name: part for part in (*python_parts(), *node_parts(MANIFEST, NODE_MODULES))}


def test_each_part_has_a_version_a_licence_and_its_text(parts):
    for part in parts.values():
        assert re.match(r"\d", part.version)
        assert re.match("(MIT|BSD)", part.licence)
        assert part.texts
        assert all(len(text.split()) > 15 for text in part.texts.values()), part.name


def test_icons_and_fonts_are_named(parts):
    assert "Font Awesome Free" in parts["pydata-sphinx-theme"].texts["fontawesome.js.LICENSE.txt"]
    assert "SIL Open Font License" in parts["katex"].texts["fonts"]
    assert "Leon Sorokin" in parts["uplot"].texts["LICENSE"]


@pytest.mark.parametrize(("language", "word"), [("en", "Licence: MIT"), ("zh", "许可证: MIT")])
def test_the_page(tmp_path, language, word):
    done = build(tmp_path, {f"docs/{language}/index.rst": PAGE}, language)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert word in html
    assert re.search(r"<h2>katex \d", html)
    assert html.count("<details") > 6


def test_a_missing_package_is_a_warning(tmp_path):
    files = {"docs/en/index.rst": PAGE}
    done = build(tmp_path, files, builder="text", options=["-D", f"tex_node_modules={tmp_path}"])
    assert "index.rst:4: WARNING: licences: " in done.warnings
    assert "package.json" in done.warnings


def test_whatever_file_of_others_the_site_ships_is_of_a_package_on_the_page(parts):
    if not (SITE / "index.html").exists():
        unavailable("the site is not built: run `make book`")
    known = set()
    for name in parts:
        folder = NODE_MODULES / name
        files = folder.rglob("*") if folder.is_dir() else distribution(name).files
        known |= {Path(file).name for file in files}
    static = SITE / "en" / "_static"
    shipped = {path for path in static.rglob("*") if path.is_file() and path.parent != static}
    assert {path.suffix for path in shipped} >= {".woff2", ".js"}
    assert {path.name for path in shipped} <= known  # what is the book's own lies at the top
    own = {path.name for path in ROOT.glob("docs/_ext/*/static/*")} | {"drawings.css"}
    for bundle in ("book.css", "book.js"):
        text = (static / bundle).read_text(encoding="utf-8")
        marked = re.findall(r"(?m)^/\* ([\w./-]+\.(?:css|js)) \*/$", text)
        parts = [Path(part).name for part in marked]
        assert len(parts) > 5
        # Pygments writes its style sheet, Sphinx fills in a script, MyST-NB adds a checksum.
        names = {re.sub(r"\.[0-9a-f]{64}\b", "", part) for part in parts} - {"pygments.css"}
        assert {name for name in names - own if f"{name}.jinja" not in known} <= known
