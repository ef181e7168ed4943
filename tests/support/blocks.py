"""Where the parts of an algorithm lie: its printed block, its module, its literal transcription."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from textwrap import dedent

from pcode.lines import Line, lines

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "block": "docs/en/_algo_pcode/{}.rst",
    "Chinese block": "docs/zh/_algo_pcode/{}.rst",
    "module": "fl_algos/algorithms/{}.py",
    "transcription": "tests/literal/{}.py",
    "description": "docs/descriptions/{}.toml",
}
"""The files of an algorithm's own. What the transcriptions share lies among them."""


def part(name: str, kind: str) -> Path:
    """A file of an algorithm."""
    return ROOT / PARTS[kind].format(name)


def names() -> list[str]:
    """All algorithms of which there is any part but a transcription alone."""
    patterns = [pattern for kind, pattern in PARTS.items() if kind != "transcription"]
    found = {path.stem for pattern in patterns for path in ROOT.glob(pattern.format("*"))}
    return sorted(found - {"__init__"})


NAMES = names()


def chapters(name: str) -> dict[str, list[Path]]:
    """The pages of each language on which a block is printed."""
    printed = f".. include:: ../_algo_pcode/{name}.rst"
    trees = {language: ROOT / "docs" / language / "algorithms" for language in ("en", "zh")}
    return {
        language: [page for page in tree.glob("*.rst") if printed in page.read_text("utf-8")]
        for language, tree in trees.items()
    }


def block(name: str, language: str = "en") -> dict[int, Line]:
    """The lines of a block as it is printed."""
    text = (ROOT / "docs" / language / "_algo_pcode" / f"{name}.rst").read_text(encoding="utf-8")
    return lines(dedent(re.sub(r"(?m)\A.*?(?=^ +\\begin\{algorithm\})", "", text, flags=re.S)))


def module(name: str):
    """The module of an algorithm."""
    return importlib.import_module(f"fl_algos.algorithms.{name}")


def source(name: str) -> str:
    """The text of an algorithm's module."""
    return inspect.getsource(module(name))


def literal(name: str):
    """The module of an algorithm's literal transcription."""
    return importlib.import_module(f"literal.{name}")


def literal_source(name: str) -> str:
    """The text of an algorithm's literal transcription."""
    return inspect.getsource(literal(name))


def faults(name: str) -> list[str]:
    """The faults that a transcription lists; none if it can't be imported: a test says so."""
    try:
        return [*literal(name).FAULTS]
    except Exception:  # whatever a module of somebody at work may raise
        return []
