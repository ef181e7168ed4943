"""One client's function f_k, written out for that client alone."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from fl_algos import LogisticRegression, random_quadratics
from fl_algos._checks import client_weights


@dataclass
class QuadraticClient:
    """<x, A x>/2 - <b, x>."""

    A: np.ndarray
    b: np.ndarray

    def __call__(self, x):
        return x @ self.A @ x / 2 - self.b @ x

    def grad(self, x, batch=None):
        return self.A @ x - self.b

    def prox(self, v, s):
        return np.linalg.solve(self.A + np.eye(len(v)) / s, self.b + v / s)


@dataclass
class LogisticClient:
    """The mean of log(1 + exp(-y <a, x>)) over the client's samples, plus l2/2 |x|^2."""

    samples: np.ndarray
    labels: np.ndarray
    l2: float

    def grad(self, x, batch=None):
        rows = range(len(self.labels)) if batch is None else batch
        total = np.zeros_like(x)
        for i in rows:
            a, y = self.samples[i], self.labels[i]
            total += -y * a / (1 + np.exp(y * (a @ x)))
        return total / len(rows) + self.l2 * x

    def prox(self, v, s):
        """Newton's method, its steps shortened to less than 1 over the largest sample."""
        x, largest = v, max(np.linalg.norm(a) for a in self.samples)
        for _ in range(500):
            hessian = (self.l2 + 1 / s) * np.eye(len(v))
            for a, y in zip(self.samples, self.labels, strict=True):
                q = 1 / (1 + np.exp(y * (a @ x)))
                hessian += q * (1 - q) * np.outer(a, a) / len(self.labels)
            step = np.linalg.solve(hessian, self.grad(x) + (x - v) / s)
            x = x - step / (1 + largest * np.linalg.norm(step))
            if np.linalg.norm(step) <= 1e-14 * (1 + np.linalg.norm(x)):
                return x
        raise ArithmeticError("no convergence")


def quadratics(K, d, seed):
    """A random quadratic problem, and its clients one by one."""
    problem = random_quadratics(K, d, hessian_angle=1.0, linear_spread=2.0, seed=seed)
    return problem, [QuadraticClient(A, b) for A, b in zip(problem.A_k, problem.b_k, strict=True)]


def weigh(problem, weights):
    """The same problem with weights of the clients in its objective."""
    weighted = copy(problem)
    weighted.weights = client_weights("weights", weights, problem.K)
    return weighted


def regression(sizes, d, seed):
    """Logistic regression on random data, and its clients one by one."""
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(n, d)) + k for k, n in enumerate(sizes)]
    y = [rng.choice([-1.0, 1.0], size=n) for n in sizes]
    clients = [LogisticClient(a, b, 0.1) for a, b in zip(X, y, strict=True)]
    return LogisticRegression(X, y, l2=0.1), clients
