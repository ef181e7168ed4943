"""``@states``: which equation a function carries out, and of which text."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

from support.mutate import Fault


class Statement(NamedTuple):
    """An equation, carried out."""

    fingerprint: str
    """Of the TeX that was read."""
    check: Callable[[ModuleType], None]
    """Fails if the module does not do what the equation says."""
    module: ModuleType
    """The part of the package that is held against the equation."""
    faults: list[Fault]
    """Mistakes that `check` must notice."""


STATEMENTS: dict[str, Statement] = {}
"""By the label of the equation."""


def states(label: str, fingerprint: str, module: ModuleType, *faults: Fault):
    """Register a function as the check of an equation."""

    def register(check):
        assert label not in STATEMENTS, f"{label} is carried out twice"
        STATEMENTS[label] = Statement(fingerprint, check, module, list(faults))
        return check

    return register
