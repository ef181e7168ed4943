"""The built site, and its pages by name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
UNFOLD = """async () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
  document.body.getBoundingClientRect();  // what is laid out asks for its fonts
  await document.fonts.ready;
}"""
"""Run in a page: all of it can then be measured. What is folded has not loaded its fonts."""


def names(language: str, folder: str = "") -> list[str]:
    """The pages of one language, such as en/algorithms/skipping.html, or those in a folder.

    Of the sources of modules, which are all alike, one page stands for all.
    """
    pages = sorted((SITE / language / folder).rglob("*.html"))
    found = [path.relative_to(SITE).as_posix() for path in pages]
    sources = [name for name in found if "/_modules/" in name]
    return [name for name in found if name not in sources[1:]]


def unavailable(reason: str) -> NoReturn:
    """Skip; but in CI a test that is not run is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
