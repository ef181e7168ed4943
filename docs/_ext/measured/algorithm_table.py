"""The ``algorithm-table`` directive: what each algorithm costs, measured when the page is read.

Each description (descriptions.py) makes a row. Its ``call`` makes the algorithm of a short run, its
``theory`` is what the table says of the theory. The other columns come from the class, and from the
ledger and the last state of the run.

Arguments of a call are literals, or exported names and calls of them, as in
``FedOpt(second_moment=Adam(beta2=0.99))``.
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

from bilingual.han import tree_of
from measured.algorithm_figures import Figures, algorithms, exports, measure, parse_call, value_of
from measured.descriptions import Description, read
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
    """``.. algorithm-table::`` with a row for each description."""

    def run(self) -> list[nodes.Node]:
        """Make the rows, or a warning where there can't be one."""
        package = self.package()
        missing = algorithms(exports(package))
        rows = []
        for path in sorted((self.env.srcdir.parent / "descriptions").glob("*.toml")):
            self.env.note_dependency(str(path))
            try:
                rows.append(self.row(read(path), package, missing))
            except Exception as error:  # an algorithm's own may be of any kind
                self.warn(str(error), f"{path}:1")
        for name in sorted(missing):
            self.warn(f"{name} has no description", self.get_location())
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
        self, description: Description, package: ModuleType, missing: dict[str, type]
    ) -> list[list[nodes.Node]]:
        """The row of an algorithm, which is `missing` no longer, even if its run fails."""
        exported = exports(package)
        call = parse_call(description.call)
        name = ast.unparse(call.func)
        if name not in algorithms(exported):
            raise ValueError(f"{package.__name__} exports no algorithm {name}")
        if name not in missing:
            raise ValueError(f"{name} has another description")
        algorithm = missing.pop(name)
        figures = measure(package, value_of(call, exported))
        theory = self.parse_text_to_nodes(description.words[tree_of(self.config.language)].theory)
        return [*self.cells(algorithm, figures), theory]

    @property
    def words(self) -> dict[Any, Any]:
        """The words of the book's language."""
        return CHINESE if tree_of(self.config.language) == "zh" else ENGLISH

    def warn(self, message: str, location: nodes.Node | str) -> None:
        """Give a warning."""
        log.warning("algorithm-table: %s", message, location=location, type="algorithm_table")

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
