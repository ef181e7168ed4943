"""Every algorithm, as its description makes it: what holds of all is tried on these."""

from __future__ import annotations

from typing import Any

import fl_algos
from measured.algorithm_figures import algorithms, exports, parse_call, value_of
from measured.descriptions import Description, read
from support import blocks

EXPORTED = exports(fl_algos)
CLASSES = algorithms(EXPORTED)
"""The algorithms that the package exports, by name."""


def description(name: str) -> Description:
    """What the book says of an algorithm in tables."""
    return read(blocks.part(name, "description"))


def example(name: str) -> Any:
    """An algorithm, as its description makes it."""
    return value_of(parse_call(description(name).call), EXPORTED)


def _examples() -> dict[str, Any]:
    found = {}
    for name in blocks.NAMES:
        try:
            algorithm = example(name)
            fl_algos.run(algorithm, fl_algos.random_quadratics(K=2, d=1), rounds=1)
        except Exception:  # test_algorithms.py names it; the tests of all others can run
            continue
        found[name] = algorithm
    return found


EXAMPLES = _examples()
"""An object of each algorithm that runs, by the name of its module."""
EACH = list(EXAMPLES.values())
"""The same, to parametrize tests with."""
