"""Problems that are small enough for hand, or for many random ones."""

from __future__ import annotations

import numpy as np

from fl_algos import Quadratic, random_quadratics
from literal.clients import regression


def column(*rows):
    return np.array(rows)[:, None]


def scalar(A, b, **kwargs):
    """Clients <x, A x>/2 - <b, x> on the line."""
    return Quadratic(np.array(A, dtype=float)[:, None, None], column(*map(float, b)), **kwargs)


def linear_model(kind):
    """The problem of a class, LeastSquares or LogisticRegression."""
    rng = np.random.default_rng(0)
    return kind(list(rng.normal(size=(3, 8, 2))), [[0, 1] * 4] * 3, l2=0.1)


def random_problem(kind, seed):
    if kind == "quadratic":
        return random_quadratics(K=6, d=5, L=1.0, mu=0.1, linear_spread=2.0, seed=seed)
    return regression((7, 20, 3), 5, seed=seed)[0]


PROBLEMS = {kind: random_problem(kind, seed=0) for kind in ("quadratic", "logistic")}
