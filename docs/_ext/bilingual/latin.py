"""Latin passages of a Chinese page: their language, their italics and their dashes.

Docstrings and bibliographies are English there too. A paragraph of theirs is marked as such, for
fonts, hyphenation and screen readers; ``et al.`` keeps its italics, which Chinese emphasis has not.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from bilingual.han import HAN

_HAN = re.compile(f"[{HAN}]")
_WORDS = re.compile(r"[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}")


class MarkLatin(SphinxPostTransform):
    """Mark what has no Chinese in it."""

    default_priority = 900  # citations are resolved

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for paragraph in self.document.findall(nodes.paragraph):
            text = paragraph.astext()
            if _WORDS.search(text) and not _HAN.search(text):
                paragraph["classes"].append("language-en")  # docutils writes it as lang="en"
        for emphasis in self.document.findall(nodes.emphasis):
            if not _HAN.search(emphasis.astext()):
                emphasis["classes"].append("latin")
        for text in list(self.document.findall(nodes.Text)):
            # What Sphinx puts between a parameter and its description; smart quotes are off.
            if " -- " in text and not isinstance(text.parent, nodes.literal | nodes.literal_block):
                text.parent.replace(text, nodes.Text(text.replace(" -- ", " – ")))
