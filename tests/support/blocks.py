"""Where the parts of an algorithm lie: its printed block, its module, its literal transcription."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from textwrap import dedent

from pcode.lines import Line, lines

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "docs" / "en" / "_algo_pcode").glob("*.rst"))


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
