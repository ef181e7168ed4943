"""Inline markup beside Chinese: ``是*对偶变量*的`` is emphasis in the middle of a sentence.

Docutils wants a space or punctuation around markup, and Chinese has no spaces. Its setting
character_level_inline_markup would drop that rule everywhere, and make a reference of the ``f_`` in
an English ``f_k``; counting Chinese characters as punctuation drops it only where it hurts.
"""

from __future__ import annotations

from docutils.utils import punctuation_chars

from bilingual.han import CLOSING, HAN, OPENING


def allow_beside_han() -> None:
    """Extend docutils' table, from which it makes the patterns of each parser."""
    if HAN not in punctuation_chars.delimiters:
        # Brackets and quotation marks docutils allows on one side only.
        punctuation_chars.delimiters += HAN + OPENING + CLOSING  # type: ignore[misc]
