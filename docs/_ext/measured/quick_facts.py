"""The ``quick-facts`` directive: an algorithm in brief, from its description.

.. code-block:: rst

   .. quick-facts:: fedavg

See descriptions.py. Who takes part the class says itself.
"""

from __future__ import annotations

import ast
from importlib import import_module
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bilingual.han import tree_of
from measured.algorithm_figures import exports, parse_call
from measured.descriptions import Words, read

if TYPE_CHECKING:
    from docutils import nodes

log = logging.getLogger(__name__)


class Headings(NamedTuple):
    """The words of the table itself, in one language."""

    title: str
    sends: str
    keeps: str
    takes_part: str
    some: str
    all: str
    hyperparameters: str
    convergence: str


HEADINGS = {
    "en": Headings(
        "{} in brief",
        "What a client sends",
        "What a client keeps",
        "Who takes part",
        "clients drawn in each round",
        "every client in every round",
        "Hyperparameters",
        "Convergence",
    ),
    "zh": Headings(
        "{} 概览",
        "子节点发送什么",
        "子节点保存什么",
        "哪些子节点参与",
        "每一轮抽取一部分子节点",
        "每一轮所有子节点都参与",
        "超参数",
        "收敛性",
    ),
}


class QuickFacts(SphinxDirective):
    """``.. quick-facts:: name``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make the table, or a warning where the description has a fault."""
        path = self.env.srcdir.parent / "descriptions" / f"{self.arguments[0]}.toml"
        self.env.note_dependency(str(path))
        try:
            description = read(path)
            samples = self.samples_clients(description.call)
        except (OSError, ValueError) as error:
            where = self.get_location()
            log.warning("quick-facts: %s", error, location=where, type="quick_facts")
            return []
        tree = tree_of(self.config.language)
        return self.parse_text_to_nodes(as_rst(description.words[tree], HEADINGS[tree], samples))

    def samples_clients(self, call: str) -> bool:
        """Whether the class that a call makes an object of lets some clients take part."""
        with mock(self.config.autodoc_mock_imports):
            package = import_module(self.config.algorithm_table_package)
        name = ast.unparse(parse_call(call).func)
        if name not in exports(package):
            raise ValueError(f"{package.__name__} exports no {name}")
        return getattr(exports(package)[name], "samples_clients", False)


def as_rst(words: Words, headings: Headings, samples: bool) -> str:
    """The table as it would be typed."""
    rows = {
        headings.sends: words.sends,
        headings.keeps: words.keeps,
        headings.takes_part: headings.some if samples else headings.all,
        headings.hyperparameters: words.hyperparameters,
        **{
            condition or headings.convergence: text for condition, text in words.convergence.items()
        },
    }
    head = f".. list-table:: {headings.title.format(words.name)}\n"
    options = "   :widths: 30 70\n   :class: quick-facts\n\n"
    return head + options + "".join(f"   * - {key}\n     - {_cell(rows[key])}\n" for key in rows)


def _cell(text: str) -> str:
    return indent(text, " " * 7).strip()
