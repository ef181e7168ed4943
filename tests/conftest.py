"""What all tests have in common."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from support.small import scalar

BUILD = Path(__file__).resolve().parents[1] / "build"
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(BUILD / "hypothesis"))
# However busy the machine is. In CI always the same cases; elsewhere new ones, which may find more.
settings.register_profile(
    "book", deadline=None, max_examples=40, derandomize=bool(os.environ.get("CI")), print_blob=True
)
settings.load_profile("book")


@pytest.fixture
def two_clients():
    """x^2/2 and 3 x^2/2 - 4 x: gradients x and 3 x - 4; the mean has its minimum at 1."""
    return scalar([1, 3], [0, 4])
