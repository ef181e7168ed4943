"""The ``speed-table`` directive: what `make bench` and `make peers` have measured, and where.

.. code-block:: rst

   .. speed-table:: gradients

Its argument is one of machine, gradients, growth, rounds, start, gpu, peers_machine and peers. All
figures come from the files that the setting `speed_results` lists; nothing is measured when the
book is built.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bilingual.han import is_chinese
from measured.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

log = logging.getLogger(__name__)

TIMES = "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}"
PLAIN = ("loop", "stacked", "torch")
PACKAGE = ("blocks", "fused")
SIGNS = {
    "torch": "torch",
    "blocks": "fl_algos, NumPy",
    "fused": "fl_algos, numba",
    "logistic": "logistic",
    "case": TIMES.join("Knd"),
    "module": "import",
    "fl_algos": "fl_algos",
}
ENGLISH = SIGNS | {
    "loop": "NumPy, loop",
    "stacked": "NumPy, stack",
    "squares": "squares",
    "loss": "Loss",
    "bits": "Bits",
    "limit": "Limit, 1/s",
    "gain": "numba : best plain",
    "in microseconds": "{}, µs",
    "per number": "numba, ns per number",
    "algorithm": "Algorithm",
    "rounds": "Rounds",
    "by hand": "By hand, µs",
    "run": "run, µs",
    "with metrics": "with all metrics, µs",
    "ratio": "run : by hand",
    "over numpy": ": numpy",
    "milliseconds": "ms",
    "processor": "Processor",
    "cores": "cores",
    "load": "load",
    "system": "system",
    "framework": "Framework",
    "per second": "{}, rounds/s",
    "over framework": "fl_algos : framework",
    "no gpu": "There was no GPU on the machine of these measurements.",
    "separator": ", ",
    "colon": ": ",
    "end": ".",
}
CHINESE = SIGNS | {
    "loop": "NumPy 循环",
    "stacked": "NumPy 堆叠",
    "squares": "平方",
    "loss": "损失",
    "bits": "位数",
    "limit": "上限（次/秒）",
    "gain": "numba 与最快的普通写法之比",
    "in microseconds": "{}（微秒）",
    "per number": "numba，每个数（纳秒）",
    "algorithm": "算法",
    "rounds": "轮数",
    "by hand": "手写（微秒）",
    "run": "run（微秒）",
    "with metrics": "记录全部指标（微秒）",
    "ratio": "run 与手写之比",
    "over numpy": "与 numpy 之比",
    "milliseconds": "毫秒",
    "processor": "处理器",
    "cores": "核数",
    "load": "负载",
    "system": "系统",
    "framework": "框架",
    "per second": "{}（轮/秒）",
    "over framework": "fl_algos 与框架之比",
    "no gpu": "做这些测量的机器没有 GPU。",
    "separator": "；",
    "colon": "：",
    "end": "。",
}
Rows = list[list[str]]


def digits(x: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def case(row: dict[str, Any]) -> str:
    """The sizes of a case, on one line."""
    return TIMES.join(str(row[name]) for name in "Knd")


def bits(row: dict[str, Any]) -> str:
    """How long the numbers are: 32 or 64."""
    return str(row["dtype"].removeprefix("float"))


def gradients(results: dict[str, Any], words: dict[str, str]) -> Rows:
    """The share of the limit that each alternative reaches."""
    heads = ["case", "loss", "bits", "limit", *PLAIN, *PACKAGE, "gain"]
    rows = [[words[name] for name in heads]]
    for row in results["gradients"]:
        seconds = row["seconds"]
        shares = [digits(seconds["limit"] / seconds[name]) for name in (*PLAIN, *PACKAGE)]
        gain = min(seconds[name] for name in PLAIN) / seconds["fused"]
        start = [case(row), words[row["loss"]], bits(row), digits(1 / seconds["limit"])]
        rows.append([*start, *shares, digits(gain)])
    return rows


def growth(results: dict[str, Any], words: dict[str, str]) -> Rows:
    """Microseconds, and for the compiled kernel nanoseconds for each number of the samples."""
    names = ("stacked", *PACKAGE)
    heads = [words["in microseconds"].format(words[name]) for name in names]
    rows = [[words["case"], *heads, words["per number"]]]
    for row in results["growth"]:
        numbers = row["K"] * row["n"] * row["d"]
        times = [digits(row["seconds"][name] * 1e6) for name in names]
        rows.append([case(row), *times, digits(row["seconds"]["fused"] / numbers * 1e9)])
    return rows


def rounds(results: dict[str, Any], words: dict[str, str]) -> Rows:
    """Microseconds for a round."""
    heads = ["algorithm", "rounds", "by hand", "run", "ratio", "with metrics"]
    rows = [[words[name] for name in heads]]
    for row in results["rounds"]:
        hand, run, metrics = (
            row["seconds"][name] / row["rounds"] * 1e6
            for name in ("by hand", "run", "with metrics")
        )
        figures = [digits(x) for x in (hand, run, run / hand, metrics)]
        rows.append([row["algorithm"], str(row["rounds"]), *figures])
    return rows


def start(results: dict[str, Any], words: dict[str, str]) -> Rows:
    """Milliseconds for an import."""
    rows = [[words["module"], words["milliseconds"], words["over numpy"]]]
    for module, seconds in results["start"].items():
        ratio = seconds / results["start"]["numpy"]
        rows.append([module, digits(seconds * 1e3), digits(ratio)])
    return rows


def gpu(results: dict[str, Any], words: dict[str, str]) -> Rows | str:
    """The share of the limit on a GPU."""
    found = results["gpu"]
    if found is None:
        return words["no gpu"]
    rows = [[words["case"], words["bits"], words["limit"], words["torch"]]]
    for row in found["gradients"]:
        limit = row["seconds"]["limit"]
        share = digits(limit / row["seconds"]["torch"])
        name = f"{found['name']}{words['colon']}{case(row)}"
        rows.append([name, bits(row), digits(1 / limit), share])
    return rows


def peers(results: dict[str, Any], words: dict[str, str]) -> Rows:
    """Rounds per second with other frameworks and with the package, and how many times as many."""
    heads = [words["per second"].format(words[name]) for name in ("framework", "fl_algos")]
    rows = [[words["framework"], words["case"], *heads, words["over framework"]]]
    for row in results["peers"]["figures"]:
        name = f"{row['framework']} {row['version']} + {row['with']}"
        theirs, ours = (row["rounds per second"][each] for each in ("framework", "fl_algos"))
        rows.append([name, case(row), *map(digits, (theirs, ours, ours / theirs))])
    return rows


def machine(results: dict[str, Any], words: dict[str, str]) -> str:
    """What the figures hold for."""
    return sentence(results["machine"], words)


def peers_machine(results: dict[str, Any], words: dict[str, str]) -> str:
    """What those of other frameworks hold for."""
    return sentence(results["peers"]["machine"], words)


def sentence(facts: dict[str, Any], words: dict[str, str]) -> str:
    """The facts about a machine."""
    named = [(words.get(name, name), value) for name, value in facts.items()]
    parts = [f"{name}{words['colon']}{value}" for name, value in named]
    return words["separator"].join(parts) + words["end"]


VIEWS: dict[str, Callable[[dict[str, Any], dict[str, str]], Rows | str]] = {
    view.__name__: view
    for view in (machine, gradients, growth, rounds, start, gpu, peers_machine, peers)
}


class SpeedTable(SphinxDirective):
    """``.. speed-table:: NAME``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make a table, or a sentence, or a warning where there is no such table."""
        try:
            name = directives.choice(self.arguments[0], tuple(VIEWS))
        except ValueError as error:
            where = self.get_location()
            log.warning("speed-table: %s", error, location=where, type="speed_table")
            return []
        results: dict[str, Any] = {}
        for path in self.config.speed_results:
            self.env.note_dependency(path)
            results |= json.loads(Path(path).read_text("utf-8"))
        words = CHINESE if is_chinese(self.config.language) else ENGLISH
        shown = VIEWS[name](results, words)
        if isinstance(shown, str):
            return [nodes.paragraph("", shown)]
        return [table(shown[0], shown[1:], classes=["speed"])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and the files of results."""
    app.add_config_value("speed_results", ["bench.json", "peers.json"], "env", list)
    app.add_directive("speed-table", SpeedTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
