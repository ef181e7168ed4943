r"""The ``pcode`` directive: pseudocode in the LaTeX dialect of pseudocode.js.

Name and dialect are those of sphinxcontrib-pseudocode2, so that sources are portable. The block is
rendered when the book is built; it is numbered (``:numref:``), its caption is the title that
``:ref:`` shows, and line 6 of the block ``pcode-fedpd`` has the anchor ``pcode-fedpd-l6``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from pcode.lines import caption, plain, statements
from pcode.node import pcode

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)


class PcodeDirective(SphinxDirective):
    """``.. pcode::`` with the block as its content.

    Lines always have numbers, which are their addresses; elsewhere ``:linenos:`` asks for them.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {"linenos": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Make the node, or a warning where the block can't be read."""
        tex = "\n".join(self.content)
        try:
            statements(tex)
            title = plain(caption(tex))
        except ValueError as error:
            log.warning("pcode: %s", error, location=self.get_location(), type="pcode")
            return [nodes.literal_block(tex, tex)]
        node = pcode(tex=tex)
        if title:
            node += nodes.caption(title, title)
        body = plain(tex.replace(caption(tex), ""))
        node += nodes.inline(body, body)
        self.set_source_info(node)
        for child in node.children:
            self.set_source_info(child)
        return [node]


class NameBlocks(SphinxTransform):
    """Give every block an id, for its anchors, and put its label before ids that were made up."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for node in self.document.findall(pcode):
            if not node["ids"]:
                self.document.set_id(node)
            node["ids"].reverse()
