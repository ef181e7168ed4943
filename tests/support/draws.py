"""A draw whose coins are given."""

from __future__ import annotations

import pytest


class Coins:
    """A round with communication or without it, with full gradients.

    With `probability` it must be asked for a coin of that probability.
    """

    def __init__(self, communicate, probability=None):
        self.communicate = communicate
        self.probability = probability

    def with_probability(self, probability):
        if self.probability is not None:
            assert probability == pytest.approx(self.probability)
        return self.communicate

    def batch(self, r):
        return None
