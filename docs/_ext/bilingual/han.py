"""Chinese: whether a book is, and its characters for classes of regular expressions."""

from __future__ import annotations

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
STOPS = "，。；：？！、"
OPENING = "（《「『【“‘"
CLOSING = "）》」』】”’"


def is_chinese(language: str) -> bool:
    """Whether a language, as Sphinx names it, is Chinese."""
    return language.startswith("zh")


def tree_of(language: str) -> str:
    """The folder of a book's sources and pages."""
    return "zh" if is_chinese(language) else "en"
