"""Search in the Chinese book: single characters and pairs of them, in the index and in queries.

Sphinx's own Chinese search needs a word segmenter for the index and has none for queries. Pairs
need neither: a query of several characters asks for all its pairs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sphinx.search import SearchLanguage

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(f"[{HAN}]+|[^\\W{HAN}]+")

_SPLIT_QUERY = r"""
function splitQuery(query) {
  const terms = [];
  for (const token of query.match(/[HAN]+|(?:(?![HAN])[\p{Letter}\p{Number}_])+/gu) || []) {
    if (!/^[HAN]/u.test(token) || token.length < 3) terms.push(token);
    else for (let i = 0; i + 2 <= token.length; i++) terms.push(token.slice(i, i + 2));
  }
  return terms;
}
"""


class ChineseSearch(SearchLanguage):
    """Index terms: Latin words in lower case, Chinese characters, and pairs of these."""

    lang = "zh"
    language_name = "Chinese"
    js_splitter_code = _SPLIT_QUERY.replace("HAN", HAN)

    def split(self, text: str) -> list[str]:
        """The terms of a text."""
        terms = []
        for token in _TOKEN.findall(text):
            if re.match(f"[{HAN}]", token):
                terms += token
                terms += [token[i : i + 2] for i in range(len(token) - 1)]
            else:
                terms.append(token.lower())
        return terms


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the language in place of Sphinx's."""
    app.add_search_language(ChineseSearch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
