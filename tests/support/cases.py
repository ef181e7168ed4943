"""Random cases, made by hypothesis."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.floats(-3, 3).map(lambda power: 10.0**power)


def for_any(**strategies):
    """A test of 40 random cases, however busy the machine is."""
    return lambda test: settings(deadline=None, max_examples=40)(given(**strategies)(test))
