"""Clients with quadratic functions, whose minimisers and gradients come from values alone."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from fl_algos import Quadratic
from literal.clients import QuadraticClient, quadratics

K, d = 4, 3
CLIENTS = range(K)
CLOSE = {"rtol": 1e-9, "atol": 1e-10}


def federation(seed=0):
    """A problem, and its clients' functions f_k one by one."""
    return quadratics(K, d, seed)


def without_convexity(seed=0):
    """As `federation`: clients with negative curvatures, whose mean has none."""
    convex, _ = federation(seed)
    least = np.linalg.eigvalsh(convex.A_k.mean(axis=0))[0]
    A_k, b_k = convex.A_k - 0.9 * least * np.eye(d), convex.b_k
    problem = Quadratic(A_k, b_k)
    assert problem.mu < 0
    return problem, [QuadraticClient(A, b) for A, b in zip(A_k, b_k, strict=True)]


def vectors(seed):
    """One random vector for each client, (K, d)."""
    return np.random.default_rng([seed, 11]).normal(size=(K, d))


def mean(x_k):
    """1/K times the sum over the clients."""
    return 1 / K * sum(x_k[k] for k in CLIENTS)


def norm2(x):
    """The square of the length of a vector, or of all clients' vectors together."""
    return np.sum(x * x)


def gradient(h, x):
    """The gradient of a quadratic function at x, by values of it: exact up to rounding."""
    e = np.eye(x.size).reshape(-1, *x.shape)
    return np.array([h(x + e_i) - h(x - e_i) for e_i in e]).reshape(x.shape) / 2


def argmin(h, shape=(d,)):
    """The minimiser of a quadratic function, which must have one."""
    zero = np.zeros(shape)
    g = gradient(h, zero)
    columns = [gradient(h, e_i.reshape(shape)) - g for e_i in np.eye(g.size)]
    hessian = np.array([column.ravel() for column in columns])
    assert np.linalg.eigvalsh(hessian).min() > 1e-9, "there is no minimiser"
    return -np.linalg.solve(hessian, g.ravel()).reshape(shape)


def same(found, expected):
    """Compare what the package has with what the equation says."""
    assert_allclose(found, expected, **CLOSE)
