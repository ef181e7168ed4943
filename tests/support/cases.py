"""Random cases, made by hypothesis as conftest.py has set it."""

from __future__ import annotations

from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.floats(-3, 3).map(lambda power: 10.0**power)
