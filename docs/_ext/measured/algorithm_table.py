"""The ``algorithm-table`` directive: what each algorithm costs, measured when the page is read.

.. code-block:: rst

   .. algorithm-table::

      :FedPD(s=1.0, p=0.3): exact for convex :math:`f_k` without skipping
      :Scaffnew(gamma=0.5, p=0.3): linear

The name of a field is the call that makes the algorithm of a short run, its body what the table
says of the theory. Arguments are literals, or exported names and calls of them, as in
``FedOpt(second_moment=Adam(beta2=0.99))``. The other columns come from the class, and from the
ledger and the last state of the run.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bilingual.han import is_chinese
from measured.algorithm_figures import Figures, algorithms, exports, measure, parse_call, value_of
from measured.tables import table

if TYPE_CHECKING:
    from types import ModuleType

WIDTHS = (18, 15, 15, 10, 17, 15, 30)
"""Characters of the columns in plain text; elsewhere these are as wide as they need."""
ENGLISH: dict[Any, Any] = {
    "headings": (
        "Algorithm",
        "Up",
        "Down",
        "Memory",
        "Hyperparameters",
        "Sampling",
        "Theory",
    ),
    True: "yes",
    False: "no",
    "needed": (" (", " needed)"),
    "classes": [],
}
CHINESE: dict[Any, Any] = {
    "headings": (
        "算法",
        "上传",
        "下发",
        "保存",
        "超参数",
        "部分参与",
        "理论",
    ),
    True: "是",
    False: "否",
    "needed": ("（必需", "）"),
    "classes": ["unbroken"],  # a line may end between any two characters
}
log = logging.getLogger(__name__)


class AlgorithmTable(SphinxDirective):
    """``.. algorithm-table::`` with a field for each algorithm."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Make a row of each field, or a warning where there can't be one."""
        package = self.package()
        missing = algorithms(exports(package))
        rows = []
        for field in self.fields():
            try:
                rows.append(self.row(field, package, missing))
            except Exception as error:  # an algorithm's own may be of any kind
                self.warn(f"{field[0].astext()}: {error}", field)
        for name in sorted(missing):
            self.warn(f"{name} has no row", self.get_location())
        if not rows:
            return []
        made = table(self.words["headings"], rows, widths=WIDTHS)
        made["classes"].append("wide")
        return [made]

    def package(self) -> ModuleType:
        """The package; the page is read again when one of its files changes."""
        with mock(self.config.autodoc_mock_imports):
            package = import_module(self.config.algorithm_table_package)
        for path in Path(inspect.getfile(package)).parent.rglob("*.py"):
            self.env.note_dependency(str(path))
        return package

    def row(
        self, field: nodes.field, package: ModuleType, missing: dict[str, type]
    ) -> list[list[nodes.Node]]:
        """The row of a field, whose algorithm is `missing` no longer, even if its call fails."""
        title, theory = field.children
        exported = exports(package)
        call = parse_call(title.astext())
        name = ast.unparse(call.func)
        if name not in algorithms(exported):
            raise ValueError(f"{package.__name__} exports no such algorithm")
        if name not in missing:
            raise ValueError("this algorithm has a row above")
        algorithm = missing.pop(name)
        figures = measure(package, value_of(call, exported))
        return [*self.cells(algorithm, figures), list(theory.children)]

    @property
    def words(self) -> dict[Any, Any]:
        """The words of the book's language."""
        return CHINESE if is_chinese(self.config.language) else ENGLISH

    def warn(self, message: str, location: nodes.Node | str) -> None:
        """Give a warning."""
        log.warning("algorithm-table: %s", message, location=location, type="algorithm_table")

    def fields(self) -> list[nodes.field]:
        """The fields that are the content."""
        found: list[nodes.field] = []
        for node in self.parse_content_to_nodes():
            if isinstance(node, nodes.field_list):
                found += [each for each in node.children if isinstance(each, nodes.field)]
            else:
                self.warn("nothing but fields is expected", self.get_location())
        return found

    def cells(self, algorithm: type, figures: Figures) -> list[list[nodes.Node]]:
        """A row, except for the theory."""
        path = f"{algorithm.__module__}.{algorithm.__qualname__}"
        reference, messages = self.parse_inline(f":py:class:`{algorithm.__name__} <{path}>`")
        hyperparameters: list[nodes.Node] = []
        for field in dataclasses.fields(algorithm):
            hyperparameters += [nodes.Text(", "), nodes.literal(field.name, field.name)]
        return [
            [nodes.paragraph("", "", *reference), *messages],
            [nodes.paragraph("", "", *self.sent(figures.up, figures.needed))],
            [nodes.paragraph("", "", multiple_of_d(figures.down))],
            [nodes.paragraph("", str(figures.memory))],
            [nodes.paragraph("", "", *hyperparameters[1:])],
            [nodes.paragraph("", self.words[figures.partial])],
        ]

    def sent(self, vectors: int, needed: int) -> list[nodes.Node]:
        """How many numbers are sent, and how many need be where these are fewer."""
        if needed == vectors:
            return [multiple_of_d(vectors)]
        before, after = map(nodes.Text, self.words["needed"])
        brackets = nodes.inline("", "", before, multiple_of_d(needed), after)
        brackets["classes"] += self.words["classes"]
        return [multiple_of_d(vectors), brackets]


def multiple_of_d(vectors: int) -> nodes.Node:
    """A formula for so many numbers."""
    tex = {0: "0", 1: "d"}.get(vectors, f"{vectors}d")
    return nodes.math(tex, tex)
