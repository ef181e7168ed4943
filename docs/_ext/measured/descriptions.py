r"""What the book says of each algorithm in tables: a file of ``docs/descriptions`` for each.

Such a file is named like the algorithm's module and block. It has the call that makes the
algorithm, and for each language a table of words, in reStructuredText:

.. code-block:: toml

   call = 'Scaffnew(gamma=0.5, p=0.3)'

   [en]
   name = '``Scaffnew``'
   sends = 'one vector, its model, in the rounds that communicate'
   keeps = ':math:`\theta_k`, :math:`c_k`'
   hyperparameters = ':math:`\gamma`, :math:`p`'
   theory = 'linear for strongly convex :math:`f_k`'

Optional is ``convergence``, which says more than ``theory`` does: a text, or a table of texts by
the condition that they need.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("en", "zh")
CELLS = ("name", "sends", "keeps", "hyperparameters", "theory")


class Words(NamedTuple):
    """What is said of an algorithm in one language, in reStructuredText."""

    name: str
    """As text calls it."""
    sends: str
    """What a client sends in a communication."""
    keeps: str
    """What a client keeps from round to round."""
    hyperparameters: str
    """By the symbols of the notation page."""
    theory: str
    """To what it converges and how fast, in the fewest words."""
    convergence: dict[str, str]
    """The same at more length, by condition; a single text's condition is empty."""


class Description(NamedTuple):
    """What is said of an algorithm."""

    path: Path
    """Where it is said."""
    call: str
    """What makes the algorithm of a short run."""
    words: dict[str, Words]
    """By language."""


def read(path: Path) -> Description:
    """Read a description; a ValueError says what it lacks, or has too much."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        _expect(table, {"call", *LANGUAGES})
        words = {language: _words(table[language]) for language in LANGUAGES}
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    return Description(path, table["call"], words)


def _expect(table: dict[str, Any], keys: set[str]) -> None:
    """Refuse a table that has not just these keys."""
    if table.keys() != keys:
        differ = ", ".join(sorted(table.keys() ^ keys))
        raise ValueError(f"{', '.join(sorted(keys))} are expected, {differ} differ")


def _words(table: dict[str, Any]) -> Words:
    _expect(table, {*CELLS, *table.keys() & {"convergence"}})
    convergence = table.get("convergence", table["theory"])
    if isinstance(convergence, str):
        convergence = {"": convergence}
    for text in (*(table[key] for key in CELLS), *convergence.values()):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{text!r}: a text is expected")
    return Words(**{key: table[key] for key in CELLS}, convergence=convergence)
