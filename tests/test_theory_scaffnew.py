"""Rates of Scaffnew, against numbers worked out in another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import Quadratic, random_quadratics
from fl_algos.theory import (
    scaffnew_best_p,
    scaffnew_communications,
    scaffnew_contraction,
    scaffnew_iterations,
    scaffnew_lyapunov,
    scaffnew_rate,
    scaffnew_steps_contraction,
)
from support.cases import SCALES, for_any


@for_any(kappa=st.floats(1, 1e8), L=SCALES)
def test_scaffnew_at_the_best_p(kappa, L):
    """kappa log iterations and sqrt(kappa) log communications."""
    p, mu = scaffnew_best_p(kappa), L / kappa
    assert_allclose(scaffnew_iterations(math.e, 1.0, 1 / L, p, mu), kappa)
    assert_allclose(scaffnew_communications(math.e, 1.0, 1 / L, p, mu), kappa**0.5)
    assert_allclose(1 - scaffnew_rate(1 / L, p, mu), 1 / kappa, rtol=1e-6)
    assert scaffnew_iterations(1.0, 1.0, 1 / L, p, mu) == 0.0
    assert scaffnew_iterations(0.0, 1.0, 1 / L, p, mu) == 0.0


@for_any(
    R=st.integers(1, 40), p=st.floats(0.01, 1), low=st.floats(1e-6, 1), high=st.floats(1e-6, 1)
)
def test_the_maximum_over_an_interval_is_at_an_end(R, p, low, high):
    """The contraction with R steps, against a fine grid."""
    mu, L = sorted((low, high))
    z = 1 - np.linspace(mu, L, 2001)
    x, y = z**R, 1 - np.mean(z[:, None] ** np.arange(R), axis=1)
    form = np.array([[x**2, -p * x * y], [-p * x * y, 1 - p**2 + (p * y) ** 2]])
    largest = np.linalg.eigvalsh(np.moveaxis(form, -1, 0)).max()
    found = scaffnew_steps_contraction(1.0, p, R, L, mu)
    assert_allclose(found, largest, rtol=1e-12)
    phi = (x**2 + y**2).max()
    assert found <= (1 - p**2 * (1 - phi)) * (1 + 1e-12)
    if R == 1:
        assert_allclose(found, scaffnew_contraction(1.0, p, L, mu), rtol=1e-12)


@for_any(R=st.integers(1, 1000))
def test_local_steps_without_a_coin(R):
    """R = sqrt(kappa) steps to each communication: about sqrt(kappa)/2 of these per factor e."""
    factor = scaffnew_steps_contraction(1.0, 1.0, R, 1.0, 1 / R**2)
    assert factor <= math.exp(-2 / R) + 1 / R**2


NAN, INF = float("nan"), float("inf")
PROBLEM = random_quadratics(K=2, d=2)
Z = np.zeros((2, 2))
WEIGHTED = Quadratic(PROBLEM.A_k, PROBLEM.b_k, weights=[1, 2])
FLAT = Quadratic(np.zeros((2, 2, 2)), Z)

CASES = [
    (lambda: scaffnew_best_p(0.99), "kappa = 0.99: a finite number >= 1"),
    (lambda: scaffnew_best_p(INF), "kappa = inf"),
    (lambda: scaffnew_contraction(2.0, 0.5, 1.0, 0.1), "gamma = 2.0: less than 2/L = 2.0"),
    (lambda: scaffnew_contraction(1.0, 0.0, 1.0, 0.1), r"p = 0.0: a probability in \(0, 1\]"),
    (lambda: scaffnew_contraction(1.0, 0.5, NAN, 0.1), "L = nan"),
    (lambda: scaffnew_rate(11.0, 0.5, 0.1), "gamma = 11.0: at most 1/mu = 10.0"),
    (lambda: scaffnew_rate(1.0, 1.5, 0.1), "p = 1.5"),
    (lambda: scaffnew_iterations(-1.0, 1.0, 1.0, 0.5, 0.1), "Psi_0 = -1.0"),
    (lambda: scaffnew_iterations(1.0, 0.0, 1.0, 0.5, 0.1), "eps = 0.0"),
    (lambda: scaffnew_communications(1.0, NAN, 1.0, 0.5, 0.1), "eps = nan"),
    (lambda: scaffnew_steps_contraction(1.1, 0.5, 2, 1.0, 0.1), "gamma = 1.1: at most 1/L = 1.0"),
    (lambda: scaffnew_steps_contraction(1.0, 0.5, 0, 1.0, 0.1), "R = 0"),
    (lambda: scaffnew_lyapunov(PROBLEM, Z[0], Z, 1.0, 0.5), r"theta_k has shape \(2,\): \(2, 2\)"),
    (lambda: scaffnew_lyapunov(PROBLEM, Z, [1.0], 1.0, 0.5), "c_k is a list"),
    (lambda: scaffnew_lyapunov(PROBLEM, Z, Z, 0.0, 0.5), "gamma = 0.0"),
    (lambda: scaffnew_lyapunov(PROBLEM, Z, Z, 1.0, 0.0), "p = 0.0"),
    (lambda: scaffnew_lyapunov(FLAT, Z, Z, 1.0, 0.5), "problem has no known theta_star"),
    (lambda: scaffnew_lyapunov(WEIGHTED, Z, Z, 1.0, 0.5), "weights of the problem: scaffnew"),
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
