"""Chinese has no spaces between words: those that come from the source's line breaks are taken out.

A break of a line, or a space that separates markup, disappears between two Chinese characters and
beside full-width punctuation, also where one of the two stands in emphasis or in a link, whose text
may be known only when all pages have been read. Between Chinese and Latin letters or formulas it
stays. The same goes for alternative texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from bilingual.han import CLOSING, HAN, OPENING, STOPS

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE = f"[{HAN}{STOPS}{OPENING}{CLOSING}…—]"
_PUNCTUATION = f"[{STOPS}{OPENING}{CLOSING}]"
_NEEDLESS = re.compile(rf"(?<={_WIDE})\s+(?={_WIDE})|(?<={_PUNCTUATION})\s+|\s+(?={_PUNCTUATION})")
_FORMULA = "x"  # stands for whatever is neither Chinese nor a space


class CloseUp(SphinxTransform):
    """Take the needless spaces out of a page as it is read: its titles go to other pages, too."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        close_up_all(self.document)


class CloseUpLinks(SphinxPostTransform):
    """Do it again when the links have got their texts from other pages."""

    default_priority = 700  # references are resolved; unbroken.py has not yet wrapped formulas

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        close_up_all(self.document)


def close_up_all(document: nodes.document) -> None:
    """Take the needless spaces out of every paragraph, title, term and alternative text."""
    for block in document.findall(nodes.TextElement):
        if not isinstance(block, nodes.Inline | nodes.FixedTextElement):
            close_up(block)
    for image in document.findall(nodes.image):
        if "alt" in image:
            image["alt"] = _NEEDLESS.sub("", image["alt"])


def close_up(block: nodes.TextElement) -> None:
    """Take the needless spaces out of one block."""
    leaves = list(_leaves(block))
    texts = [leaf.astext() if isinstance(leaf, nodes.Text) else _FORMULA for leaf in leaves]
    whole = "".join(texts)
    needless = {at for match in _NEEDLESS.finditer(whole) for at in range(*match.span())}
    start = 0
    for leaf, text in zip(leaves, texts, strict=True):
        end = start + len(text)
        if not needless.isdisjoint(range(start, end)):
            kept = "".join(whole[at] for at in range(start, end) if at not in needless)
            # Not `replace`, which finds the first equal text: " 是 " can stand there twice.
            siblings = leaf.parent
            siblings[[each is leaf for each in siblings].index(True)] = nodes.Text(kept)
        start = end


def _leaves(node: nodes.Element) -> Iterator[nodes.Node]:
    """Texts, and the inline nodes whose own text is to be left alone."""
    for child in node.children:
        is_own = isinstance(child, nodes.literal | nodes.math)
        if isinstance(child, nodes.Element) and child.children and not is_own:
            yield from _leaves(child)
        else:
            yield child
