"""One client's function f_k, written out for that client alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class QuadraticClient:
    """<x, A x>/2 - <b, x>."""

    A: np.ndarray
    b: np.ndarray

    def grad(self, x):
        return self.A @ x - self.b

    def prox(self, v, s):
        return np.linalg.solve(self.A + np.eye(len(v)) / s, self.b + v / s)


@dataclass
class LogisticClient:
    """The mean of log(1 + exp(-y <a, x>)) over the client's samples, plus l2/2 |x|^2."""

    samples: np.ndarray
    labels: np.ndarray
    l2: float

    def grad(self, x):
        total = np.zeros_like(x)
        for a, y in zip(self.samples, self.labels, strict=True):
            total += -y * a / (1 + np.exp(y * (a @ x)))
        return total / len(self.labels) + self.l2 * x


def quadratic_clients(problem):
    """The clients of a fl_algos.Quadratic."""
    return [QuadraticClient(A, b) for A, b in zip(problem.A_k, problem.b_k, strict=True)]
