"""The displayed equations of the English pages, by label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from parity import indented, split_body
from rst_lines import DIRECTIVE
from support.cover import fingerprint

PAGES = Path(__file__).resolve().parents[2] / "docs" / "en"


class Equation(NamedTuple):
    """A displayed equation."""

    tex: str
    """Its TeX on one line."""
    place: str
    """The page and the line."""

    @property
    def fingerprint(self) -> str:
        """Six hex digits that change with the TeX."""
        return fingerprint(self.tex)


def equations(page: str, text: str) -> Iterator[tuple[str, Equation]]:
    """The equations of a page; one without a label goes by the page's name and its fingerprint."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if (found := DIRECTIVE.match(line)) and found[2] == "math":
            options, body = split_body(indented(lines[number:], len(found[1])))
            tex = " ".join(" ".join([found[3] or "", *body]).split())
            equation = Equation(tex, f"docs/en/{page}.rst:{number}")
            yield options.get("label", f"{page}, {equation.fingerprint}"), equation


def of_the_book() -> dict[str, Equation]:
    """All equations of the book."""
    pages = {
        page.relative_to(PAGES).with_suffix("").as_posix(): page for page in PAGES.rglob("*.rst")
    }
    return {
        label: equation
        for page, path in sorted(pages.items())
        for label, equation in equations(page, path.read_text("utf-8"))
    }
