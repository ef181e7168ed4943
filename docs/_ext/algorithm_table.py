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
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from han import is_chinese
from table_nodes import table

if TYPE_CHECKING:
    from types import ModuleType

    from sphinx.application import Sphinx

K, D = 4, 7
"""Clients and dimension of the short run."""
ROUNDS = (10, 100, 1000)
"""Lengths that the run may have: the first one with `ENOUGH` communications is taken."""
ENOUGH = 5
WIDTHS = (18, 15, 15, 10, 17, 15, 30)
"""Characters of the columns in plain text; elsewhere these are as wide as they need."""
ENGLISH = {
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
}
CHINESE = {
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
}
log = logging.getLogger(__name__)


class Figures(NamedTuple):
    """What a run has shown."""

    up: int
    """Numbers that a client sends in a communication, over d."""
    down: int
    """Numbers that it receives, over d."""
    memory: int
    """Vectors of length d that it keeps from round to round."""
    partial: bool
    """Whether a round may do with some of the clients."""


class AlgorithmTable(SphinxDirective):
    """``.. algorithm-table::`` with a field for each algorithm."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Make a row of each field, or a warning where there can't be one."""
        with mock(self.config.autodoc_mock_imports):
            package = import_module(self.config.algorithm_table_package)
        for path in Path(inspect.getfile(package)).parent.rglob("*.py"):
            self.env.note_dependency(str(path))
        exported = {name: getattr(package, name) for name in package.__all__}
        known = algorithms(exported)
        missing = set(known)
        rows = []
        for field in self.fields():
            title, theory = field.children
            try:
                call = parse_call(title.astext())
                name = call.func.id
                if name not in known:
                    raise ValueError(f"{package.__name__} exports no such algorithm")
                if name not in missing:
                    raise ValueError("this algorithm has a row above")
                missing.remove(name)
                figures = measure(package, value_of(call, exported))
            except Exception as error:  # an algorithm's own may be of any kind
                self.warn(f"{title.astext()}: {error}", field)
            else:
                rows.append([*self.cells(known[name], figures), theory.children])
        for name in sorted(missing):
            self.warn(f"{name} has no row", self.get_location())
        return [table(self.words["headings"], rows, widths=WIDTHS)] if rows else []

    @property
    def words(self) -> dict[str | bool, Any]:
        """The words of the book's language."""
        return CHINESE if is_chinese(self.config.language) else ENGLISH

    def warn(self, message: str, location: nodes.Node | str) -> None:
        """Give a warning."""
        log.warning("algorithm-table: %s", message, location=location)

    def fields(self) -> list[nodes.field]:
        """The fields that are the content."""
        found: list[nodes.field] = []
        for node in self.parse_content_to_nodes():
            if isinstance(node, nodes.field_list):
                found += node.children
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
            [nodes.paragraph("", "", multiple_of_d(figures.up))],
            [nodes.paragraph("", "", multiple_of_d(figures.down))],
            [nodes.paragraph("", str(figures.memory))],
            [nodes.paragraph("", "", *hyperparameters[1:])],
            [nodes.paragraph("", self.words[figures.partial])],
        ]


def algorithms(exported: dict[str, Any]) -> dict[str, type]:
    """The dataclasses with methods `init` and `round`."""
    return {
        name: value
        for name, value in exported.items()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
        if all(callable(getattr(value, method, None)) for method in ("init", "round"))
    }


def parse_call(text: str) -> ast.Call:
    """The call ``Name(argument=value, ...)`` that a text is."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError("a call with keyword arguments is expected")
    return call


def value_of(node: ast.expr, exported: dict[str, Any]) -> Any:
    """What a literal, an exported name or a call of one stands for; all else is an error."""
    if isinstance(node, ast.Name):
        if node.id not in exported:
            raise ValueError(f"{node.id} is not exported")
        return exported[node.id]
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    if node.args or any(keyword.arg is None for keyword in node.keywords):
        raise ValueError("a call with keyword arguments is expected")
    arguments = {keyword.arg: value_of(keyword.value, exported) for keyword in node.keywords}
    return value_of(node.func, exported)(**arguments)


def measure(package: ModuleType, algorithm: Any) -> Figures:
    """Run an algorithm, and read the ledger and its last state."""
    problem = package.random_quadratics(K=K, d=D)
    for rounds in ROUNDS:
        server = package.Server(K)
        state = package.run(algorithm, problem, rounds, seed=0, server=server).state
        ledger = server.ledger
        if ledger.communications >= ENOUGH:
            break
    else:
        raise ValueError(f"{ledger.communications} communications in {rounds} rounds are too few")
    sent = int(ledger.sent_k.sum())
    memory = [
        name
        for name, value in state._asdict().items()
        if re.search(r"_k\d?$", name) and getattr(value, "shape", None) == (K, D)
    ]
    return Figures(
        up=whole("up", ledger.floats_up, sent),
        down=whole("down", ledger.floats_down, sent),
        memory=len(memory),
        partial=samples(package, algorithm, problem),
    )


def whole(direction: str, floats: int, sent: int) -> int:
    """The vectors of length d that a client sends or receives in a communication."""
    vectors, rest = divmod(floats, sent * D)
    if rest:
        raise ValueError(f"{floats / sent / D:.3g} d numbers {direction} are no multiple of d")
    return vectors


def samples(package: ModuleType, algorithm: Any, problem: Any) -> bool:
    """Whether a round may do with some of the clients; if it may, some rounds have to."""
    if not getattr(algorithm, "samples_clients", False):
        return False
    package.run(algorithm, problem, ROUNDS[0], seed=0, participants=K // 2)
    return True


def multiple_of_d(vectors: int) -> nodes.Node:
    """A formula for so many numbers."""
    tex = {0: "0", 1: "d"}.get(vectors, f"{vectors}d")
    return nodes.math(tex, tex)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and the package that exports the algorithms."""
    app.add_config_value("algorithm_table_package", "fl_algos", "env")
    app.add_directive("algorithm-table", AlgorithmTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
