"""The built site: what the seeds of the chapters promise is there, in both languages."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

import pytest

from han import CLOSING, HAN, OPENING, STOPS
from linkcheck import read_links
from support.pages import SITE, unavailable

CHAPTERS = {
    "primal_dual": {
        "anchors": ["fl-alg-primal-dual", "fl-alg-primal-dual-fedpd"],
        "equations": [
            *("fedpd-constraint", "al", "al-iter", "fedpd-linearize", "fedpd-iter"),
            "fedpd-skipping-prob",
        ],
        "blocks": {"pcode-fedpd": 18},
    },
    "skipping": {
        "anchors": ["fl-alg-skipping"],
        "equations": ["proxskip-constraint", "proxgd"],
        "blocks": {"pcode-scaffnew": 17, "pcode-proxskip": 21},
    },
    "overview": {
        "anchors": ["fl-alg-overview"],
        "equations": ["fl-problem", "fedavg-fixed-point"],
        "blocks": {
            "pcode-fedavg": 15,
            "pcode-fedavgm": 17,
            "pcode-fedopt": 20,
            "pcode-scaffold": 21,
        },
    },
    "proximal": {
        "anchors": ["fl-alg-proximal"],
        "equations": ["fedprox-local", "fedprox-envelope"],
        "blocks": {"pcode-fedprox": 11},
    },
    "operator_splitting": {
        "anchors": ["fl-alg-operator-splitting"],
        "equations": [],
        "blocks": {"pcode-gd": 12},
    },
}


@pytest.fixture(scope="module", autouse=True)
def site():
    if not (SITE / "index.html").exists():
        unavailable("the site is not built: run `make book`")


def page(language, name):
    return (SITE / language / f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_labels_equations_and_lines_have_their_anchors(language, chapter):
    html = page(language, f"algorithms/{chapter}")
    ids = set(re.findall(r'\bid="([^"]*)"', html))
    expected = CHAPTERS[chapter]
    assert ids >= set(expected["anchors"])
    assert ids >= {f"equation-{label}" for label in expected["equations"]}
    for block, lines in expected["blocks"].items():
        assert ids >= {block} | {f"{block}-l{n}" for n in range(1, lines + 1)}
        assert f"{block}-l{lines + 1}" not in ids


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_block_stands_beside_its_code(language, chapter):
    html = page(language, f"algorithms/{chapter}")
    frames = html.split('class="beside ')[1:]
    assert len(frames) == len(CHAPTERS[chapter]["blocks"])
    for block, frame in zip(CHAPTERS[chapter]["blocks"], frames, strict=True):
        assert f'id="{block}-l1"' in frame
        assert ">round</span>" in frame


def visible_text(html):
    """The text of a page's article, without code and formulas."""
    article = re.search(r"(?s)<article.*?</article>", html)[0]
    article = re.sub(r"(?s)<(pre|code|math|annotation)\b.*?</\1>", " ", article)
    return re.sub(r"<[^>]*>", "", article)


def test_no_literal_markup_shows_beside_chinese():
    pages = [path for path in (SITE / "zh").rglob("*.html") if "_modules" not in path.parts]
    assert len(pages) > 8
    for path in pages:
        html = path.read_text(encoding="utf-8")
        if "<article" in html:
            found = re.findall(rf"[{HAN}]\s*[*`]|[*`]\s*[{HAN}]", visible_text(html))
            assert not found, f"{path.name}: {found}"


def test_no_needless_space_stands_beside_chinese():
    mark = f"[{STOPS}{OPENING}{CLOSING}]"
    needless = re.compile(rf"(?<=[{HAN}])\s+(?=[{HAN}])|(?<={mark})[ \n]+(?=\S)|[ \n]+(?={mark})")
    for path in (SITE / "zh").rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        if "_modules" in path.parts or "<article" not in html:
            continue
        html = re.sub(r"(?s)<(noscript|script|dl)\b.*?</\1>", "", html)
        html = re.sub(r"(?s)<(pre|code|math)\b.*?</\1>|<br>", "x", html)
        texts = [re.sub(r"<[^>]*>", "", text) for text in re.findall(r"(?s)<p>(.*?)</p>", html)]
        texts += re.findall(r'\balt="([^"]*)"', html)
        found = [text for text in texts if needless.search(text.strip())]
        assert not found, f"{path.name}: {found[:3]}"


@pytest.mark.parametrize(("language", "tag"), [("en", "en"), ("zh", "zh-CN")])
def test_every_page_says_its_language(language, tag):
    for path in (SITE / language).rglob("*.html"):
        assert f'<html lang="{tag}"' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_there_is_no_static_file_that_nothing_asks_for(language):
    used = {"plus.png"}  # doctools.js puts it in the place of minus.png
    for path in (SITE / language).rglob("*"):
        if path.suffix in {".html", ".css"}:
            addresses = (urlsplit(link.address) for link in read_links(path))
            used |= {unquote(parts.path).rpartition("/")[2] for parts in addresses}
    files = [path.name for path in (SITE / language / "_static").rglob("*") if path.is_file()]
    left = {name for name in files if not name.endswith(".LICENSE.txt")} - used
    assert left == ({"zh.css"} if language == "en" else set())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["logistic.LogisticRegression", "least_squares.LeastSquares"])
def test_what_problems_inherit_is_documented_with_them(language, name):
    ids = set(re.findall(r'\bid="fl_algos\.problems\.([^"]*)"', page(language, "api")))
    assert ids >= {f"{name}.{method}" for method in ("to", "value", "grad", "value_and_grad")}
