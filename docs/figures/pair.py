"""The pair of the book: two clients with parabolas over one number."""

from __future__ import annotations

import numpy as np

import fl_algos as fl

PAIR = fl.Quadratic(np.array([[[1.0]], [[3.0]]]), np.array([[0.0], [3.0]]))
"""``theta**2 / 2`` and ``3/2 * (theta - 1)**2``, up to the constant 3/2 of the latter."""
STAR = float(PAIR.theta_star[0])
OWN = tuple(float(x) for x in PAIR.b_k[:, 0] / PAIR.A_k[:, 0, 0])
"""The minimisers of the clients."""


def values(x: np.ndarray) -> np.ndarray:
    """Both functions, least value 0, at the points of an array of shape (n,): shape (2, n)."""
    at = np.stack([PAIR.value(np.full((2, 1), each)) for each in x], axis=1)
    return at - PAIR.value(np.array(OWN)[:, None])[:, None]
