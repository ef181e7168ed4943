"""The built site: what the seeds of the chapters promise is there, in both languages."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

import pytest

from bilingual.han import CLOSING, HAN, OPENING, STOPS
from linkcheck import read_links
from support import blocks
from support.pages import SITE, unavailable

PROMISED = {
    "primal_dual": {
        "anchors": ["fl-alg-primal-dual", "fl-alg-primal-dual-fedpd"],
        "equations": [
            *("fedpd-constraint", "al", "al-iter", "fedpd-linearize", "fedpd-iter"),
            "fedpd-skipping-prob",
        ],
    },
    "skipping": {
        "anchors": ["fl-alg-skipping"],
        "equations": ["proxskip-constraint", "proxgd"],
    },
    "overview": {
        "anchors": ["fl-alg-overview"],
        "equations": ["fl-problem", "fedavg-fixed-point"],
    },
    "proximal": {
        "anchors": ["fl-alg-proximal"],
        "equations": ["fedprox-local", "fedprox-envelope"],
    },
    "operator_splitting": {
        "anchors": ["fl-alg-operator-splitting"],
        "equations": [],
    },
}
"""Places that others may have links to."""
PRINTED = re.compile(r"\.\. _(pcode-[\w-]+):\s+\.\. include:: \.\./_algo_pcode/(\w+)\.rst")


def printed(language):
    """Each block of the book: its page, its anchor and its name."""
    return [
        (page.stem, anchor, name)
        for page in sorted((blocks.ROOT / "docs" / language / "algorithms").glob("*.rst"))
        for anchor, name in PRINTED.findall(page.read_text(encoding="utf-8"))
    ]


@pytest.fixture(scope="module", autouse=True)
def site():
    if not (SITE / "index.html").exists():
        unavailable("the site is not built: run `make book`")


def page(language, name):
    return (SITE / language / f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("chapter", PROMISED)
def test_labels_and_equations_have_their_anchors(language, chapter):
    ids = set(re.findall(r'\bid="([^"]*)"', page(language, f"algorithms/{chapter}")))
    assert ids >= set(PROMISED[chapter]["anchors"])
    assert ids >= {f"equation-{label}" for label in PROMISED[chapter]["equations"]}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_block_is_printed(language):
    assert sorted(name for _, _, name in printed(language)) == blocks.NAMES


@pytest.mark.parametrize(
    ("language", "chapter", "anchor", "name"),
    [(language, *place) for language in ("en", "zh") for place in printed(language)],
)
def test_each_line_has_its_anchor_and_each_block_stands_beside_its_code(
    language, chapter, anchor, name
):
    html = page(language, f"algorithms/{chapter}")
    found = re.findall(rf'\bid="{anchor}-l(\d+)"', html)
    assert [*map(int, found)] == [*blocks.block(name, language)]
    (frame,) = (frame for frame in html.split('class="beside ')[1:] if f'id="{anchor}-l1"' in frame)
    assert ">round</span>" in frame


def visible_text(html):
    """The text of a page's article, without code, formulas and drawings."""
    article = re.search(r"(?s)<article.*?</article>", html)[0]
    article = re.sub(r"(?s)<(pre|code|math|annotation|svg)\b.*?</\1>", " ", article)
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
    assert left == set()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["logistic.LogisticRegression", "least_squares.LeastSquares"])
def test_what_problems_inherit_is_documented_with_them(language, name):
    ids = set(re.findall(r'\bid="fl_algos\.problems\.([^"]*)"', page(language, "api")))
    assert ids >= {f"{name}.{method}" for method in ("to", "value", "grad", "value_and_grad")}
