"""The ``beside`` directive: a pseudocode block, and beside it the Python that implements it.

.. code-block:: rst

   .. beside:: fl_algos.algorithms.fedpd.FedPD

      .. _pcode-fedpd:

      .. include:: ../_algo_pcode/fedpd.rst

The source is that of the methods `init` and `round`. The numbers in their trailing comments
(``# 11, 12``) become links to the block's lines. Row 6 of the source beside the block
``pcode-fedpd`` has the anchor ``code-fedpd-l6``. lines.js lights up what belongs together.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from importlib import import_module
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bilingual.han import tree_of
from pcode.node import anchor, pcode

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator

METHODS = ("init", "round")
HINTS = {
    "en": (
        "Point at a line: its partner lights up. A click or Enter keeps it, Esc lets it go, "
        "the arrow keys move.",
        "Tap a line: its partner lights up, or shows at the foot of the screen. "
        "A second tap lets it go.",
    ),
    "zh": (
        "指向任意一行，与之对应的行随即亮起；单击或按 Enter 键使其保持，"
        "按 Esc 键取消，用方向键逐行移动。",
        "轻点任意一行，与之对应的行随即亮起，不在屏幕内时则显示在屏幕底部；再点一次取消。",
    ),
}
"""What lines.js shows above the first block of a page, to a mouse or to a finger; without it
nothing lights up."""
log = logging.getLogger(__name__)


class beside_code(nodes.literal_block):  # noqa: N801
    """The source beside a block."""


class Beside(SphinxDirective):
    """``.. beside:: package.module.Class`` around a block."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make two columns, or a warning where the class can't be found."""
        frame = nodes.container(classes=["beside", "full-width"])
        if self.env.new_serialno("beside") == 0:
            hints = zip(("hover", "tap"), HINTS[tree_of(self.config.language)], strict=True)
            spans = "".join(f'<span class="with-{how}">{hint}</span>' for how, hint in hints)
            frame += nodes.raw("", f'<p class="beside-hint" hidden>{spans}</p>', format="html")
        columns = nodes.container(classes=["beside-columns"])
        block = nodes.container(classes=["beside-block"])
        block += self.parse_content_to_nodes()
        columns += block
        frame += columns
        module_name, _, class_name = self.arguments[0].rpartition(".")
        try:
            with mock(self.config.autodoc_mock_imports):
                module = import_module(module_name)
            implementation = getattr(module, class_name)
            source = "\n\n".join(method_source(implementation, name) for name in METHODS)
        except (ImportError, AttributeError, ValueError) as error:
            where = self.get_location()
            log.warning("beside: %s: %s", self.arguments[0], error, location=where, type="beside")
            return [frame]
        self.env.note_dependency(inspect.getfile(implementation))
        code = beside_code(source, source, language="python", classes=["beside-code"])
        self.set_source_info(code)
        columns += code
        return [frame]


def method_source(implementation: type, name: str) -> str:
    """The source of a method as it stands in its file, without indentation and docstring."""
    source = textwrap.dedent(inspect.getsource(getattr(implementation, name)))
    rows = source.splitlines()
    [function] = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        del rows[body[0].lineno - 1 : body[0].end_lineno]
    return "\n".join(rows)


def visit_html(self: HTML5Translator, node: beside_code) -> None:
    """Write the highlighted source, line by line, its tags linked to the block."""
    block = next(node.parent.findall(pcode), None)
    highlighted = self.highlighter.highlight_block(node.astext(), "python", location=node)
    head, start, rest = highlighted.partition("<pre>")
    body, end, tail = rest.rpartition("</pre>")
    pairs = zip(node.astext().split("\n"), body.removesuffix("\n").split("\n"), strict=True)
    rows = "".join(_html_line(at, *pair, block) for at, pair in enumerate(pairs, 1))
    self.body.append(self.starttag(node, "div", CLASS="highlight-python notranslate"))
    self.body.append(f"{head}{start}{rows}{end}{tail}</div>\n")
    raise nodes.SkipNode


def _html_line(at: int, source: str, row: str, block: pcode | None) -> str:
    """One line, which knows its address, its indentation and the numbers in its tag."""
    attributes = ""
    if block is not None and source:
        attributes = f' id="{code_anchor(block, at)}"'
        if tag := re.search(r'<span class="c1"># (\d[\d, ]*)</span>$', row):
            numbers = re.findall(r"\d+", tag[1])
            links = ", ".join(f'<a href="#{anchor(block, each)}">{each}</a>' for each in numbers)
            row = f'{row[: tag.start()]}<span class="c1 beside-tag"># {links}</span>'
            attributes += f' data-lines="{" ".join(numbers)}"'
    indent = len(source) - len(source.lstrip())
    return f'<span class="beside-line"{attributes} style="--indent: {indent}">{row}\n</span>'


def code_anchor(block: pcode, at: int) -> str:
    """The anchor of a row of the source beside a block."""
    return f"code-{block['ids'][0].removeprefix('pcode-')}-l{at}"
