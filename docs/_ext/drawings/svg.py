r"""A drawing as SVG that stands in the page, the same bytes in every build.

Words are text, in the fonts of the page: no font that could be shipped has the reader's size and
all Chinese characters in few bytes, and text can be found, copied and read aloud. Letters in
formulas, ``$\theta_1$``, have KaTeX's fonts, which the page has for its equations.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from matplotlib import rc_context

from drawings.style import SETTINGS, css_colors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
GREEK = {"theta": "θ", "lambda": "λ", "gamma": "γ", "kappa": "κ", "mu": "μ", "eta": "η"}
OTHERS = {"to": "→", "infty": "∞", "leqslant": "⩽", "cdot": "·"}
SIGNS = {"-": "\N{MINUS SIGN}", "*": "\N{ASTERISK OPERATOR}"}
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_TOKEN = re.compile(r"(?P<place>[_^])?(?:\{(?P<group>[^{}]*)\}|\\(?P<name>[a-z]+) ?|(?P<sign>.))")
_SHIFTS = {"_": 0.3, "^": -0.5}  # in the size of the small letters
_SMALL = 0.7


def draw(make: Callable[[], Figure], name: str, alt: str) -> str:
    """The SVG of the figure that `make` draws; its ids begin with its name."""
    root = ET.fromstring(_drawn(make, "svg"))
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (SVG + "metadata", SVG + "style"):
                parent.remove(child)
    _fill_labels(root)
    _rename_ids(root, f"drawing-{name.replace('.', '-').replace('_', '-')}-")
    colors = css_colors()
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        for key, value in element.attrib.items():
            element.set(key, _NUMBER.sub(lambda found: f"{float(found[0]):.2f}", value))
        if style := element.get("style"):
            style = re.sub(r"#[0-9a-f]{6}", lambda found: colors.get(found[0], found[0]), style)
            element.set("style", style)
    view, *body = root.get("viewBox"), *(ET.tostring(each, encoding="unicode") for each in root)
    inner = re.sub(r"\n\s*", "", "".join(body))
    return (
        f'<svg class="drawing" viewBox="{view}" role="img" aria-label="{html.escape(alt)}">'
        f"{inner}</svg>\n"
    )


def draw_pdf(make: Callable[[], Figure]) -> bytes:
    """The same as PDF, for printed books, where formulas are matplotlib's."""
    return _drawn(make, "pdf")


def _drawn(make: Callable[[], Figure], kind: str) -> bytes:
    settings = SETTINGS | {
        "svg.fonttype": "none",
        "svg.hashsalt": "fl_algos",
        "text.parse_math": kind == "pdf",
        "font.family": ["sans-serif"] if kind == "svg" else ["DejaVu Sans", "Noto Sans CJK SC"],
        "pdf.fonttype": 42,
    }
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    result = io.BytesIO()
    with rc_context(settings), warnings.catch_warnings():
        # What the reader has, matplotlib need not have.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        make().savefig(result, format=kind, metadata=dates[kind])
    return result.getvalue()


def _rename_ids(root: ET.Element, prefix: str) -> None:
    """Keep the ids that are referred to, with a prefix."""
    uses = re.compile(r"url\(#([^)]*)\)")
    used = set()
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key in (HREF, "href"):
                used.add(value.removeprefix("#"))
                del element.attrib[key]
                element.set("href", f"#{prefix}{value.removeprefix('#')}")
            elif key != "id":
                used.update(uses.findall(value))
                element.set(key, uses.sub(rf"url(#{prefix}\1)", value))
    for element in root.iter():
        if (name := element.attrib.pop("id", None)) and name in used:
            element.set("id", prefix + name)


def _fill_labels(root: ET.Element) -> None:
    """Give texts the fonts of the page, and their formulas the letters of formulas."""
    for text in root.iter(SVG + "text"):
        style = re.sub(r"font-family:[^;]*;? ?", "", text.get("style", ""))
        text.set("style", style.rstrip("; "))
        label, text.text = text.text or "", ""
        for kind, run, place, back in runs(label):
            attributes = {"class": f"drawing-{kind}"} if kind else {}
            shift = back + (_SHIFTS[place] * _SMALL if place else 0)
            if place:
                attributes["font-size"] = f"{_SMALL}em"
                shift /= _SMALL
            if shift:
                attributes["dy"] = f"{shift:.3g}em"
            ET.SubElement(text, SVG + "tspan", attributes).text = run


def runs(label: str) -> Iterator[tuple[str, str, str, float]]:
    """Pieces of a label that have one font and one height.

    For each: "" (words), "letter" or "sign", the text, "" or where it stands, "_" or "^", and how
    far the piece before has to be undone, in the size of the label.
    """
    below = 0.0
    for number, part in enumerate(re.split(r"\$(.*?)\$", label)):
        pieces = _formula(part) if number % 2 else [("", part, "")]
        for kind, run, place in pieces:
            if run:
                yield kind, run, place, -below
                below = _SHIFTS[place] * _SMALL if place else 0.0


def _formula(tex: str) -> Iterator[tuple[str, str, str]]:
    for token in _TOKEN.finditer(tex):
        place = token["place"] or ""
        if token["group"] is not None:
            yield from ((kind, run, place) for kind, run, _ in _formula(token["group"]))
        elif (name := token["name"]) is None:
            sign = SIGNS.get(token["sign"], token["sign"])
            yield "letter" if sign.isalpha() else "sign", sign, place
        elif name in GREEK:
            yield "letter", GREEK[name], place
        elif name in OTHERS:
            yield "sign", OTHERS[name], place
        else:
            raise ValueError(f"a drawing has no sign for \\{name}")
