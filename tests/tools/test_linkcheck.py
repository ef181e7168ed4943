"""Every fault of a built site is found, and a site without one passes."""

from pathlib import Path

import pytest

from linkcheck import problems

PAGE = '<!DOCTYPE html><html><head><title>x</title></head><body id="here">\n{}\n</body></html>\n'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A sound site of two pages, a style sheet, a script and a picture."""
    (tmp_path / "en").mkdir()
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "a b.png").write_bytes(b"png")
    (tmp_path / "static" / "font.woff2").write_bytes(b"font")
    (tmp_path / "static" / "style.css").write_text("p { background: url('a%20b.png?v=1#x') }")
    (tmp_path / "static" / "script.js").write_text("fetch(address); // http://not.fetched\n")
    (tmp_path / "index.html").write_text(
        PAGE.format('<a href="en/page.html#a-b">in</a> <a href="https://elsewhere.org">out</a>')
    )
    (tmp_path / "en" / "page.html").write_text(
        PAGE.format(
            '<h1 id="a-b">A</h1><a name="old"></a><a href="#old">x</a><a href="#">top</a>'
            '<a href="mailto:someone@elsewhere.org">write</a> <a href="../index.html#here">up</a>'
            '<link rel="stylesheet" href="../static/style.css?v=2"><img src="data:image/png;x">'
            '<link rel="canonical" href="https://elsewhere.org/page.html">'
            '<script src="../static/script.js"></script><img src="../static/a%20b.png">'
        )
    )
    return tmp_path


def test_a_sound_site_has_no_problem(site: Path) -> None:
    assert problems(site) == []


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="gone.html">x</a>', "gone.html: no such file"),
        ('<a href="en/page.html#gone">x</a>', "#gone: no such anchor"),
        ('<a href="#gone">x</a>', "#gone: no such anchor"),
        ('<a href="#gone">x</a><input name="gone">', "#gone: no such anchor"),
        ('<a href="/en/page.html">x</a>', "absolute path"),
        ('<a href="../outside.html">x</a>', "leaves the site"),
        ('<a href="en/">x</a>', "leads to a folder"),
        ('<img src="gone.png">', "gone.png: no such file"),
        ('<img src="">', "empty address"),
        ('<img srcset="static/a%20b.png 1x, gone.png 2x">', "gone.png: no such file"),
        ('<img srcset="https://cdn.org/a.png 1x">', "fetched from elsewhere"),
        ('<img src="https://cdn.org/a.png">', "fetched from elsewhere"),
        ('<img src="//cdn.org/a.png">', "fetched from elsewhere"),
        ('<script src="https://cdn.org/a.js"></script>', "fetched from elsewhere"),
        ('<link rel="stylesheet" href="https://cdn.org/a.css">', "fetched from elsewhere"),
        ('<link rel="preload" as="font" href="https://cdn.org/f">', "fetched from elsewhere"),
        ('<iframe src="https://cdn.org/"></iframe>', "fetched from elsewhere"),
        ('<object data="https://cdn.org/a"></object>', "fetched from elsewhere"),
        ('<video poster="https://cdn.org/a.png"></video>', "fetched from elsewhere"),
        ('<svg><use href="gone.svg#x"/></svg>', "gone.svg#x: no such file"),
        ('<svg><image xlink:href="https://cdn.org/a"/></svg>', "fetched from elsewhere"),
        ('<p style="background: url(https://cdn.org/a)">x</p>', "fetched from elsewhere"),
        ("<style>\n@import 'https://cdn.org/a.css';</style>", "fetched from elsewhere"),
        ("<style>p { background: url(gone.png) }</style>", "gone.png: no such file"),
        ("<script>fetch('https://cdn.org/a')</script>", "fetched from elsewhere"),
        ("<script>image.src = 'https://cdn.org/a'</script>", "fetched from elsewhere"),
        ('<meta http-equiv="refresh" content="0; url=gone.html">', "gone.html: no such file"),
    ],
)
def test_a_fault_in_a_page_is_found(site: Path, html: str, fault: str) -> None:
    (site / "index.html").write_text(PAGE.format(html))
    (found,) = problems(site)
    assert found.startswith(f"index.html:{2 + html.count(chr(10))}: ")
    assert fault in found


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("style.css", "\n\np { src: url(gone.woff2) }", "style.css:3: gone.woff2: no such file"),
        ("style.css", '\n@import "https://cdn.org/a.css";', "fetched from elsewhere"),
        ("style.css", "p { src: url(//cdn.org/f.woff2) }", "fetched from elsewhere"),
        ("script.js", "import x from 'https://cdn.org/a.js'", "fetched from elsewhere"),
        ("script.js", "import('https://cdn.org/a.js')", "fetched from elsewhere"),
        ("script.js", 'new Worker("//cdn.org/a.js")', "fetched from elsewhere"),
        ("picture.svg", '<svg><image href="https://cdn.org/a"/></svg>', "fetched from elsewhere"),
    ],
)
def test_a_fault_in_an_asset_is_found(site: Path, name: str, text: str, fault: str) -> None:
    (site / "static" / name).write_text(text)
    (found,) = problems(site)
    assert fault in found


def test_a_page_that_was_mended_is_read_again(site: Path) -> None:
    (site / "index.html").write_text(PAGE.format('<a href="#gone">x</a>'))
    assert len(problems(site)) == 1
    (site / "index.html").write_text(PAGE.format('<a href="#gone" id="gone">x</a>'))
    assert problems(site) == []


def test_a_commented_rule_of_a_style_sheet_fetches_nothing(site: Path) -> None:
    (site / "static" / "style.css").write_text("/* @import 'https://cdn.org/a.css'; */")
    assert problems(site) == []


def test_an_empty_folder_does_not_pass(tmp_path: Path) -> None:
    assert problems(tmp_path) == [f"{tmp_path}: no page to check"]
