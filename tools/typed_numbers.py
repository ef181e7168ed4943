"""Find numbers of two or more significant digits that somebody typed into the book's prose.

A number in prose comes from a run (``:claim:`key```) or from a source (``:given:`12```). Free are
formulas, code, citations, references, the numbers of a block's lines, names, and years.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from rst_lines import DIRECTIVE, OPTION, PROSE_OPTIONS, texts

ROOT = Path(__file__).resolve().parent.parent

LANGUAGES = ("en", "zh")

# Directives whose content is prose; that of all others (math, doctest, toctree, ...) is not.
PROSE = {"admonition", "note", "warning", "tip", "list-table", "dropdown", "rubric", "glossary"}
PROSE |= {"topic", "seealso", "figure", "image", "drawing", "live-figure"}
COMMENT = re.compile(r"( *)\.\.(?: |$)")

NOT_PROSE = re.compile(
    r"""
    :[\w:.-]+:`[^`]*`      # a role
    | `[^`]*`__?           # a link
    | ``.+?``              # code
    | `[^`]+`              # code in a notebook
    | \$\$.+?\$\$          # a formula in a notebook
    | \$[^$\n]+\$
    | \{[\w:-]+\}`[^`]*`   # a role in a notebook
    | \]\([^)]*\)          # the target of a link in a notebook
    | https?://\S+
    | \b(?i:lines?)\s\d+(?:(?:,\s|\sor\s|\sand\s)\d+)*
    | 第\s*\d+(?:(?:、|或|和|\s)+\d+)*\s*行
    """,
    re.VERBOSE | re.DOTALL,
)
NUMBER = re.compile(r"(?<![\w.])\d[\d,. ]*(?:[eE][-+]?\d+)?|(?<![\w.])\.\d+")
YEAR = re.compile(r"(?:19|20)\d\d")


def typed_numbers(text: str) -> list[str]:
    """The numbers of two or more significant digits in a piece of prose."""
    found = []
    for match in NUMBER.finditer(NOT_PROSE.sub(" \N{OBJECT REPLACEMENT CHARACTER} ", text)):
        for number in match[0].replace(",", "").split():
            digits = re.sub(r"[eE].*|\D", "", number.rstrip(".")).strip("0")
            if len(digits) >= 2 and not YEAR.fullmatch(number.rstrip(".")):
                found.append(number.rstrip("."))
    return found


def paragraphs_of_page(text: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each stretch of prose of a page."""
    lines = text.splitlines()
    skipped_indent = None  # of the directive or comment that is being left out
    in_example = in_options = False
    start, stretch = 1, list[str]()
    for number, line in enumerate([*lines, ""], 1):
        indent = len(line) - len(line.lstrip())
        if skipped_indent is not None and line.strip():
            if indent > skipped_indent:
                continue
            skipped_indent = None
        if line.lstrip().startswith(">>> "):
            in_example = True
        in_example = in_example and bool(line.strip())
        directive, comment = DIRECTIVE.match(line), COMMENT.match(line)
        if directive or comment or in_example or not line.strip():
            if stretch:
                yield start, "\n".join(stretch)
            stretch = []
            opened = directive or comment
            if directive and directive[2] in PROSE:
                start, stretch = number, [directive[3] or ""]
            elif opened:
                skipped_indent = len(opened[1])
            in_options = bool(directive)
            continue
        start = start if stretch else number
        if in_options and (option := OPTION.match(line)):
            stretch.append((option[2] or "") if option[1] in PROSE_OPTIONS else "")
        else:
            stretch.append(line)


def paragraphs(path: Path) -> Iterator[tuple[str, str]]:
    """The place and the text of each stretch of prose of a page, a notebook or a description."""
    if path.suffix == ".toml":
        description = tomllib.loads(path.read_text("utf-8"))
        for language in LANGUAGES:
            for key, text in texts(description[language]):
                yield f"{path}, {language}.{key}", text
        return
    if path.suffix == ".ipynb":
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield f"{path}, cell {cell['id']}", "".join(cell["source"])
        return
    for line, text in paragraphs_of_page(path.read_text("utf-8")):
        yield f"{path}:{line}", text


def prose_files(root: Path) -> Iterator[Path]:
    """The pages and the notebooks of both languages, and the descriptions in both."""
    yield from sorted((root / "docs" / "descriptions").glob("*.toml"))
    for language in LANGUAGES:
        pages = (root / "docs" / language).rglob("*.rst")
        yield from sorted(path for path in pages if path.parent.name != "_algo_pcode")
        yield from sorted((root / "notebooks" / language).glob("*.ipynb"))


def main() -> int:
    """Print the typed numbers of this book."""
    found = [
        f"{Path(place).relative_to(ROOT)}: {', '.join(numbers)}"
        for path in prose_files(ROOT)
        for place, text in paragraphs(path)
        if (numbers := typed_numbers(text))
    ]
    print("\n".join(found or ["No number is typed into the prose."]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
