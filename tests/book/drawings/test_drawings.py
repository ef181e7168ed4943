"""Drawings: the directive, the SVG in the page, the style, and the book's own ones."""

from __future__ import annotations

import ast
import re
from itertools import combinations
from types import SimpleNamespace

import pytest

from drawings import LIMIT, function
from drawings.style import FAINT, LOOKS, WIDTH
from drawings.svg import draw, runs
from support.mini import ROOT, build

MODULE = """
from drawings.style import INK, canvas, color, line


def one(say):
    figure, axes = canvas(100)
    axes.plot([0, 1], [0, 1], **line("fedavg"))
    axes.plot([0, 1], [1, 0], "o", color=INK)
    axes.text(0.5, 0.5, say("its mean $\\\\theta_1$", "平均 $\\\\theta_1$"))
    return figure


two = one


def heavy(say):
    figure, axes = canvas(100)
    for k in range(3000):
        axes.text(k, k, "word")
    return figure


def wrong(say):
    return canvas(100)[1].no_such_thing
"""
FIGURE = """.. drawing:: page.{}
   :alt: A line
         that "falls".
   :name: fig-one

   The *caption*.
"""
TITLE = "Home\n====\n\n"


def files(*names, page=None):
    return {
        "docs/en/index.rst": TITLE + (page or "\n".join(FIGURE.format(name) for name in names)),
        "docs/figures/__init__.py": "",
        "docs/figures/page.py": MODULE,
    }


@pytest.mark.parametrize(("language", "words"), [("en", "its mean "), ("zh", "平均 ")])
def test_a_drawing_stands_in_the_page_in_its_language(tmp_path, language, words):
    done = build(tmp_path, files("one"), language)
    assert (done.returncode, done.warnings) == (0, "")
    page = (done.out / "index.html").read_text(encoding="utf-8")
    figure = re.search(r'(?s)<figure [^>]*id="fig-one".*?</figure>', page)[0]
    assert re.search(r'<svg[^>]* role="img" aria-label="A line that &quot;falls&quot;."', figure)
    assert re.search("<em[^>]*>caption</em>", figure)
    assert f"<tspan>{words}</tspan>" in figure
    assert '<tspan class="drawing-letter">θ</tspan>' in figure
    # Its colours are those of the style sheet, which knows the dark switch.
    assert "var(--drawing-fedavg)" in figure
    assert "currentcolor" in figure
    assert not re.search("#[0-9a-f]{6}|<style|font-family|<metadata", figure)
    sheet = (done.out / "_static" / "book.css").read_text(encoding="utf-8")
    for selector, colour in ((":root", "light"), ('html[data-theme="dark"]', "dark")):
        rules = "".join(re.findall(rf"(?s){re.escape(selector)} {{(.*?)}}", sheet))
        assert f"--drawing-fedavg: {getattr(LOOKS['fedavg'], colour)};" in rules
    assert "_static/book.css" in page


def test_ids_of_several_drawings_differ_and_lead_somewhere(tmp_path):
    done = build(
        tmp_path,
        files(
            page=FIGURE.format("one") + "\n" + FIGURE.format("two").replace("fig-one", "fig-two")
        ),
    )
    assert (done.returncode, done.warnings) == (0, "")
    page = (done.out / "index.html").read_text(encoding="utf-8")
    drawings = re.findall(r'(?s)<svg class="drawing".*?</svg>', page)
    ids = [re.findall(r'id="([^"]*)"', each) for each in drawings]
    assert ids[0]
    assert not {*ids[0]} & {*ids[1]}
    for number, each in enumerate(drawings):
        used = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', each)
        assert {*filter(None, sum(used, ()))} == {*ids[number]}


def test_printed_books_have_an_image_and_others_the_text(tmp_path):
    done = build(tmp_path, files("one"), builder="latex")
    assert (done.returncode, done.warnings) == (0, "")
    tex = next(done.out.glob("*.tex")).read_text(encoding="utf-8")
    assert r"\sphinxincludegraphics" in tex
    assert (done.out / "page-one.pdf").read_bytes().startswith(b"%PDF")
    done = build(tmp_path, files("one"), builder="text")
    assert 'A line that "falls".' in next(done.out.glob("*.txt")).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("page.one", "page.three", "page.three: AttributeError"),
        ("page.one", "pages.one", "No module named 'figures.pages'"),
        ("page.one", "page.wrong", "no_such_thing"),
        ("page.one", "page.heavy", f"are more than {LIMIT}"),
        (
            '   :alt: A line\n         that "falls".\n',
            "",
            "an alternative text (:alt:) and a caption",
        ),
        ("   The *caption*.\n", "", "an alternative text (:alt:) and a caption"),
    ],
)
def test_a_wrong_directive_is_a_warning(tmp_path, old, new, message):
    figure = FIGURE.format("one")
    assert old in figure
    done = build(tmp_path, files(page=figure.replace(old, new)))
    assert done.returncode != 0
    assert message in done.warnings


def test_a_changed_function_is_drawn_anew(tmp_path):
    changed = files("one")
    build(tmp_path, changed)
    changed["docs/figures/page.py"] = MODULE.replace("its mean", "new words")
    done = build(tmp_path, changed)
    assert "new words" in (done.out / "index.html").read_text(encoding="utf-8")


def test_labels_have_words_letters_and_signs():
    found = list(runs(r"at $\theta_{12}^* = -x$, so"))
    assert [each[:3] for each in found] == [
        ("", "at ", ""),
        ("letter", "θ", ""),
        ("sign", "1", "_"),
        ("sign", "2", "_"),
        ("sign", "\N{ASTERISK OPERATOR}", "^"),
        ("sign", " ", ""),
        ("sign", "=", ""),
        ("sign", " ", ""),
        ("sign", "\N{MINUS SIGN}", ""),
        ("letter", "x", ""),
        ("", ", so", ""),
    ]
    heights = [
        back + (0.3 * 0.7 if place == "_" else -0.5 * 0.7 if place else 0)
        for _, _, place, back in found
    ]
    assert sum(heights) == pytest.approx(0)
    with pytest.raises(ValueError, match="no sign for"):
        list(runs(r"$\zeta$"))


# The style.


def contrast(one, other):
    """That of two colours, as WCAG defines it."""

    def luminance(colour):
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_colour_can_be_read_on_light_and_on_dark_pages():
    for look in (*LOOKS.values(), FAINT):
        assert contrast(look.light, "#ffffff") >= 4.5
        assert contrast(look.dark, "#14181e") >= 4.5


def test_every_algorithm_has_a_look_and_no_two_are_the_same():
    modules = {path.stem for path in (ROOT / "fl_algos" / "algorithms").glob("[a-z]*.py")}
    assert modules <= LOOKS.keys()
    for one, other in combinations(LOOKS.values(), 2):
        assert one.light != other.light
        assert one.dark != other.dark
        assert one.dashes != other.dashes


# The book's own drawings.

FIGURES = ROOT / "docs" / "figures"
DRAWINGS = [
    f"{path.stem}.{node.name}"
    for path in sorted(FIGURES.glob("[a-z]*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and [each.arg for each in node.args.args] == ["say"]
]
USE = re.compile(r"\.\. drawing:: (\S+)\n((?: +\S.*\n)*)")


@pytest.mark.parametrize("tree", ["en", "zh"])
def test_every_drawing_is_used_once_with_a_text_in_the_language(tree):
    used = [
        found
        for path in sorted((ROOT / "docs" / tree).rglob("*.rst"))
        for found in USE.findall(path.read_text(encoding="utf-8"))
    ]
    assert sorted(name for name, _ in used) == sorted(DRAWINGS)
    for name, options in used:
        alt = re.search(r":alt: (.*)", options)[1]
        assert bool(re.search("[\u4e00-\u9fff]", alt)) == (tree == "zh"), name


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_small_and_the_same_in_every_build(name):
    config = SimpleNamespace(drawings_folder=str(FIGURES), language="zh_CN")
    svg = draw(function(config, name), name, "text")
    assert svg == draw(function(config, name), name, "text")
    assert len(svg.encode()) <= LIMIT
    assert f'viewBox="0 0 {WIDTH} ' in svg
    assert not re.search(r"\d{4}-\d\d-\d\d", svg)
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    assert not any("$" in text or "\\" in text for text in texts)
