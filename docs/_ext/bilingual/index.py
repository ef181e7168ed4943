"""The index of a Chinese book: modules are 模块, and a bracket at the start does not sort a term.

Sphinx writes the word "module" in English whatever the language, and has （子节点的）漂移 among the
symbols; it belongs under 漂.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx import addnodes
from sphinx.locale import _
from sphinx.transforms import SphinxTransform

_AFTER_BRACKETS = re.compile(r"（[^）]*）(.)")
Entry = tuple[str, str, str, str, str | None]


class ChineseIndex(SphinxTransform):
    """Change the entries that a page makes."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for node in self.document.findall(addnodes.index):
            node["entries"] = [chinese(*entry) for entry in node["entries"]]


def chinese(kind: str, value: str, target: str, main: str, key: str | None) -> Entry:
    """An entry as it should stand, and be sorted, in Chinese."""
    if kind == "pair":
        value = re.sub(r"^module; ", f"{_('module')}; ", value)
    if key is None and (found := _AFTER_BRACKETS.match(value)):
        key = found[1]
    return kind, value, target, main, key
