"""Rates of Scaffnew, against numbers worked out in another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import Quadratic, random_quadratics
from fl_algos.theory import (
    scaffnew_best_p,
    scaffnew_communications,
    scaffnew_contraction,
    scaffnew_iterations,
    scaffnew_lyapunov,
    scaffnew_mean_square_rate,
    scaffnew_rate,
    scaffnew_steps_contraction,
    scaffnew_steps_rate,
)
from support.cases import SCALES


@given(kappa=st.floats(1, 1e8), L=SCALES)
def test_scaffnew_at_the_best_p(kappa, L):
    """kappa log iterations and sqrt(kappa) log communications."""
    mu = L / kappa
    p = scaffnew_best_p(1 / L, L, mu)
    assert_allclose(p, kappa**-0.5)
    assert_allclose(scaffnew_iterations(math.e, 1.0, 1 / L, p, mu), kappa)
    assert_allclose(scaffnew_communications(math.e, 1.0, 1 / L, p, mu), kappa**0.5)
    assert_allclose(1 - scaffnew_rate(1 / L, p, mu), 1 / kappa, rtol=1e-6)
    assert scaffnew_iterations(1.0, 1.0, 1 / L, p, mu) == 0.0
    assert scaffnew_iterations(0.0, 1.0, 1 / L, p, mu) == 0.0


def exact_communications(p, gamma, kappa, curvatures=25):
    """Per factor e of the mean square, for the worst shared curvature, with L = 1."""
    shared = np.geomspace(1 / kappa, 1.0, curvatures)
    return p / -math.log(max(scaffnew_mean_square_rate(gamma, p, a) for a in shared))


@pytest.mark.parametrize("gamma", [1.0, 0.5, 0.1, 0.01, 0.001])
@pytest.mark.parametrize("kappa", [10.0, 1e2, 1e4, 1e6])
def test_the_best_p_is_near_the_minimum_over_all_p(gamma, kappa):
    """Within 1.23 of it, with the exact rate, whatever the step size; sharper for large kappa."""
    p = scaffnew_best_p(gamma, 1.0, 1 / kappa)
    fewest = min(
        exact_communications(factor * p, gamma, kappa) for factor in np.geomspace(0.02, 1 / p, 300)
    )
    ratio = exact_communications(p, gamma, kappa) / fewest
    assert ratio < 1.23
    if kappa >= 1e4:
        assert_allclose(ratio, 12 / ((4 + gamma) * (6 - gamma) ** 0.5), rtol=0.03)
        sharper = exact_communications((4 / (6 - gamma)) ** 0.5 * p, gamma, kappa)
        assert sharper < 1.02 * fewest
        assert_allclose(sharper, (6 - gamma) ** 0.5 / 4 * kappa**0.5, rtol=0.02)


@given(p=st.floats(0.01, 1), a=SCALES)
def test_the_mean_square_where_the_step_is_that_of_the_curvature(p, a):
    """There a communication multiplies the error of c_k by 1 - p, and nothing else lasts."""
    rate = scaffnew_mean_square_rate(1 / a, p, a)
    assert_allclose(rate, 1 - 2 * p**2 + p**3, rtol=1e-9, atol=1e-9)
    assert_allclose(rate, 1 - p + p * (1 - p) ** 2, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("gamma", [1.0, 0.3, 0.01])
@pytest.mark.parametrize("ratio", [1e-3, 1e-2])
def test_the_mean_square_far_from_the_kink(gamma, ratio):
    """p far below gamma a, and far above."""
    rare = 1 - scaffnew_mean_square_rate(gamma, gamma * ratio, 1.0)
    assert_allclose(rare, 2 * (gamma * ratio) ** 2 / gamma, rtol=2 * ratio)
    p = 0.1 * gamma
    for a in (1e-4, 0.3 * p * ratio):
        frequent = 1 - scaffnew_mean_square_rate(1.0, p, a)
        assert_allclose(frequent, min(2 * a, (4 * a + p**2) / 3), rtol=0.15)


@given(p=st.floats(0.01, 1), a=st.floats(1e-4, 2))
def test_the_mean_square_is_within_the_theorem(p, a):
    contraction = scaffnew_contraction(0.99, p, L=a, mu=a)
    assert scaffnew_mean_square_rate(0.99, p, a) <= contraction * (1 + 1e-12)


@given(R=st.integers(1, 40), p=st.floats(0.01, 1), low=st.floats(1e-6, 1), high=st.floats(1e-6, 1))
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


@given(R=st.integers(1, 1000))
def test_local_steps_without_a_coin(R):
    """R = sqrt(kappa) steps to each communication: about sqrt(kappa)/2 of these per factor e."""
    factor = scaffnew_steps_contraction(1.0, 1.0, R, 1.0, 1 / R**2)
    assert factor <= math.exp(-2 / R) + 1 / R**2


@given(R=st.integers(1, 200), p=st.floats(0.01, 1), mu=st.floats(1e-6, 1), share=st.floats(0.1, 1))
def test_what_is_proved_of_local_steps_is_no_less_than_the_factor_on_quadratics(R, p, mu, share):
    proved = scaffnew_steps_rate(share, p, R, mu)
    assert scaffnew_steps_contraction(share, p, R, 1.0, mu) <= proved * (1 + 1e-12)
    assert proved < 1


@pytest.mark.parametrize("R", [10, 100, 1000])
def test_what_is_proved_needs_four_times_the_communications_of_quadratics(R):
    """R = sqrt(kappa), p = 1: about 2 sqrt(kappa) of them per factor e, not sqrt(kappa)/2."""
    proved = -1 / math.log(scaffnew_steps_rate(1.0, 1.0, R, R**-2))
    assert 2 * R < proved < 3 * R
    if R == 1000:
        assert proved < 2.02 * R


@pytest.mark.parametrize("kappa", [25.0, 100.0, 1e4])
def test_the_range_of_local_steps(kappa):
    """At gamma = 1/L up to sqrt(2 kappa) steps cost no more than one, with the best p for each."""
    ps = np.geomspace(0.1 / kappa**0.5, 1.0, 200)

    def fewest(R):
        return min(-p / math.log(scaffnew_steps_contraction(1.0, p, R, 1.0, 1 / kappa)) for p in ps)

    one, root = fewest(1), kappa**0.5
    counts = np.unique(np.geomspace(1, 10 * root, 30).astype(int))
    for R in counts.tolist():
        found = fewest(R)
        assert found > (R - 1) / 2
        if (2 * kappa) ** 0.5 >= R:
            assert 0.46 * root < found < 1.02 * one
        elif 1.5 * root <= R:
            assert one < found < R / 2


NAN, INF = float("nan"), float("inf")
PROBLEM = random_quadratics(K=2, d=2)
Z = np.zeros((2, 2))
WEIGHTED = Quadratic(PROBLEM.A_k, PROBLEM.b_k, weights=[1, 2])
FLAT = Quadratic(np.zeros((2, 2, 2)), Z)

CASES = [
    (lambda: scaffnew_best_p(1.1, 1.0, 0.1), "gamma = 1.1: at most 1/L = 1.0"),
    (lambda: scaffnew_best_p(1.0, INF, 0.1), "L = inf"),
    (lambda: scaffnew_best_p(1.0, 1.0, 1.1), "mu = 1.1: at most L = 1.0"),
    (lambda: scaffnew_mean_square_rate(2.0, 0.5, 1.0), "gamma = 2.0: less than 2/a = 2.0"),
    (lambda: scaffnew_mean_square_rate(1.0, 0.0, 1.0), "p = 0.0"),
    (lambda: scaffnew_mean_square_rate(1.0, 0.5, NAN), "a = nan"),
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
    (lambda: scaffnew_steps_rate(11.0, 0.5, 2, 0.1), "gamma = 11.0: at most 1/mu = 10.0"),
    (lambda: scaffnew_steps_rate(1.0, 0.5, 0, 0.1), "R = 0"),
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
