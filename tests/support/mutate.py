"""Modules with a planted fault."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager

Fault = list[tuple[str, str]]
"""Pieces of a module's text, each with what stands in its place."""


@contextmanager
def planted(module: types.ModuleType, fault: Fault) -> Iterator[types.ModuleType]:
    """A copy of the module with a fault in it."""
    text = inspect.getsource(module)
    for sound, faulty in fault:
        assert text.count(sound) == 1, f"{sound!r} stands {text.count(sound)} times in the module"
        text = text.replace(sound, faulty)
    copy = types.ModuleType(f"{module.__name__}_with_a_fault")
    sys.modules[copy.__name__] = copy  # dataclasses look their module up
    try:
        exec(compile(text, copy.__name__, "exec"), copy.__dict__)
        yield copy
    finally:
        del sys.modules[copy.__name__]
