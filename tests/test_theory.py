"""What the papers state, against numbers worked out in another way; bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import LogisticRegression, Quadratic, random_quadratics
from fl_algos.theory import (
    PAPER_C5,
    G_along,
    dissimilarity,
    fedpd_contraction,
    fedpd_step_limit,
    fedpd_step_size,
    fedsplit_best_step,
    fedsplit_contraction,
    hessian_range,
    plateau_factor,
    proxskip_contraction,
    proxskip_is_stable,
    proxskip_rho,
    proxskip_rho_limit,
    scaffnew_best_p,
    scaffnew_communications,
    scaffnew_contraction,
    scaffnew_iterations,
    scaffnew_lyapunov,
    scaffnew_rate,
    scaffnew_steps_contraction,
    skip_probability,
    skip_probability_as_written,
    skip_probability_table_iii,
    theorem_3_bound,
)
from literal.clients import regression

S = fedpd_step_size(1.0)
BOUNDARY = (1 - 2 * S) / (1 + S)
BELOW_1 = math.nextafter(1, 0)
FORMS = {skip_probability_as_written: S, skip_probability_table_iii: S**2}

ratio = st.floats(-12, 12).map(lambda power: 10.0**power)
scale = st.floats(-3, 3).map(lambda power: 10.0**power)
share = st.floats(0.001, 0.999)


def for_any(**strategies):
    """A test of 40 random cases, however busy the machine is."""
    return lambda test: settings(deadline=None, max_examples=40)(given(**strategies)(test))


def log_C3(Ls):
    return math.log((1 + 2 * Ls) / (1 - Ls))


def test_the_constants_at_L_1():
    assert pytest.approx(0.1545, abs=5e-5) == S
    assert fedpd_step_limit(1.0) == 2 * S
    assert fedpd_step_size(4.0) == pytest.approx(S / 4)
    assert pytest.approx(0.5985, abs=5e-5) == BOUNDARY
    assert log_C3(S) == pytest.approx(0.437, abs=5e-4)


class TestSkipProbability:
    """The three forms, for eps/G^2 at L = 1 where nothing else is said."""

    @pytest.mark.parametrize(
        ("form", "small_up_to", "large_from"),
        [(skip_probability_as_written, 1.99, 945), (skip_probability_table_iii, 0.308, 146)],
    )
    def test_its_gap(self, form, small_up_to, large_from):
        assert form(0.99 * small_up_to, 1.0, S, 1.0).branch == "small p"
        assert form(1.01 * large_from, 1.0, S, 1.0).branch == "large p"
        for eps in np.geomspace(1.01 * small_up_to, 0.99 * large_from, 20):
            p, branch, capped = form(eps, 1.0, S, 1.0)
            assert math.isnan(p)
            assert (branch, capped) == ("neither", "")

    @pytest.mark.parametrize(("form", "unit"), FORMS.items())
    @for_any(eps=ratio)
    def test_each_case_only_in_its_range(self, form, unit, eps):
        p, branch, capped = form(eps, 1.0, S, 1.0)
        assert capped == ""
        if branch == "small p":
            assert 0 <= p < BOUNDARY
            assert 36 * unit * p**2 == pytest.approx(eps)
        elif branch == "large p":
            assert BOUNDARY < p < 1
            assert 42 * unit * math.exp(2 / (1 - p)) == pytest.approx(eps)
        else:
            assert 36 * unit * BOUNDARY**2 <= eps * (1 + 1e-12)
            assert eps <= 42 * unit * math.exp(2 / (1 - BOUNDARY)) * (1 + 1e-12)

    @pytest.mark.parametrize("form", [*FORMS, skip_probability])
    def test_without_heterogeneity_the_largest_number_below_1(self, form):
        for G in (0.0, 0):
            p, branch, capped = form(0.1, G, S, 1.0)
            assert p == BELOW_1
            assert branch == ("bisection" if form is skip_probability else "large p")
            assert "p = 1 is not admissible" in capped
        assert form(1e-300, 1e-3, S, 1.0).capped == ""

    @pytest.mark.parametrize("form", [*FORMS, skip_probability])
    @for_any(eps=ratio, G=scale, share=share)
    def test_it_depends_on_eps_over_G_squared(self, form, eps, G, share):
        s = share * fedpd_step_limit(1.0)
        found, expected = form(eps * G**2, G, s, 1.0), form(eps, 1.0, s, 1.0)
        assume(found.branch == expected.branch)  # rounding at an end of a range
        assert_allclose(found.p, expected.p, rtol=1e-9)

    @for_any(
        eps=st.floats(min_value=5e-324, max_value=1.7e308),
        G=st.floats(min_value=0, max_value=1.7e308),
        share=share,
    )
    def test_no_numbers_are_too_small_or_too_large(self, eps, G, share):
        s = share * fedpd_step_limit(1.0)
        for form in (*FORMS, skip_probability):
            p, branch, _ = form(eps, G, s, 1.0)
            assert (branch == "neither" and math.isnan(p)) or 0 <= p < 1

    @for_any(eps=ratio, share=share, L=scale, C5=st.sampled_from([1.0, 10.0, PAPER_C5]))
    def test_bisection_finds_the_last_p(self, eps, share, L, C5):
        s = share * fedpd_step_limit(L)
        p, branch, capped = skip_probability(eps, 1.0, s, L, C5)
        assert (branch, capped) == ("bisection", "")
        assert C5 * plateau_factor(p, s, L) <= eps / 3 * (1 + 1e-9)
        assert C5 * plateau_factor(p + 1e-9 * (1 - p), s, L) > eps / 3 * (1 - 1e-9)

    @for_any(eps=st.floats(1e-9, 0.3))
    def test_bisection_agrees_with_the_small_case_of_table_iii(self, eps):
        expected = skip_probability_table_iii(eps, 1.0, S, 1.0).p
        assert_allclose(skip_probability(eps, 1.0, S, 1.0).p, expected, rtol=1e-12)

    @for_any(eps=st.floats(150, 1e12))
    def test_bisection_keeps_log_C3_where_table_iii_drops_it(self, eps):
        dropped = 1 - skip_probability_table_iii(eps, 1.0, S, 1.0).p
        kept = 1 - skip_probability(eps, 1.0, S, 1.0).p
        assert_allclose(kept / dropped, log_C3(S), rtol=1e-9)

    def test_bisection_stays_below_the_jump(self):
        low, high = 36 * S**2 * BOUNDARY**2, 42 * S**2 * math.exp(2 / (1 - BOUNDARY) * log_C3(S))
        for eps in np.geomspace(1.001 * low, 0.999 * high, 5):
            p = skip_probability(eps, 1.0, S, 1.0).p
            assert p < BOUNDARY
            assert p == pytest.approx(BOUNDARY)


@for_any(p=st.floats(0, 0.99), share=share)
def test_the_plateau_factor_at_L_1(p, share):
    s = share * fedpd_step_limit(1.0)
    boundary = (1 - 2 * s) / (1 + s)
    assume(abs(p - boundary) > 1e-12)
    small = 12 * s**2 * p**2
    large = 14 * s**2 * ((1 + 2 * s) / (1 - s)) ** (2 / (1 - p))
    assert_allclose(plateau_factor(p, s, 1.0), small if p < boundary else large, rtol=1e-9)


@for_any(p=st.floats(0, 0.99), share=share, L=scale)
def test_the_plateau_factor_has_no_unit(p, share, L):
    s = share * fedpd_step_limit(1.0)
    assume(abs(p - (1 - 2 * s) / (1 + s)) > 1e-9)
    assert_allclose(plateau_factor(p, s / L, L), plateau_factor(p, s, 1.0), rtol=1e-9)


probability = st.one_of(st.floats(0, BELOW_1), st.floats(0, 16).map(lambda x: 1 - 10.0**-x))


@for_any(one=probability, other=probability, share=share)
def test_the_plateau_factor_does_not_decrease(one, other, share):
    s = share * fedpd_step_limit(1.0)
    assume(max(one, other) < 1)
    low, high = (plateau_factor(p, s, 1.0) for p in sorted((one, other)))
    assert low <= high


def test_the_plateau_factor_jumps_up_at_the_boundary():
    before = plateau_factor(BOUNDARY - 1e-12, S, 1.0)
    after = plateau_factor(BOUNDARY + 1e-12, S, 1.0)
    assert before == pytest.approx(12 * S**2 * BOUNDARY**2)
    assert after > 20 * before


def test_the_right_side_of_theorem_3():
    assert theorem_3_bound(gap=0.0, rounds=1, p=0.5, G=0.0) == 0.0
    assert theorem_3_bound(gap=2.0, rounds=1199, p=0.0, G=7.0) == pytest.approx(2.0)
    by_skipping = 9588 * 12 * S**2 * 0.25 * 49
    assert theorem_3_bound(0.0, 10, p=0.5, G=7.0) == pytest.approx(by_skipping)
    assert theorem_3_bound(0.0, 1, p=BELOW_1, G=0.0) == 0.0
    assert theorem_3_bound(0.0, 1, p=BELOW_1, G=1e-9) == math.inf


@for_any(kappa=st.floats(1, 1e6), L=scale)
def test_the_best_step_of_fedsplit(kappa, L):
    mu = L / kappa
    best = fedsplit_contraction(fedsplit_best_step(L, mu), L, mu)
    assert_allclose(best, (kappa**0.5 - 1) / (kappa**0.5 + 1), rtol=1e-9, atol=1e-15)
    for factor in (0.5, 0.99, 1.01, 2.0):
        s = factor * fedsplit_best_step(L, mu)
        assert fedsplit_contraction(s, L, mu) >= best
        assert fedpd_contraction(s, L, mu) == (1 + fedsplit_contraction(s, L, mu)) / 2


@for_any(kappa=st.floats(1, 1e8), L=scale)
def test_scaffnew_at_the_best_p(kappa, L):
    """kappa log iterations and sqrt(kappa) log communications."""
    p, mu = scaffnew_best_p(kappa), L / kappa
    assert_allclose(scaffnew_iterations(math.e, 1.0, 1 / L, p, mu), kappa)
    assert_allclose(scaffnew_communications(math.e, 1.0, 1 / L, p, mu), kappa**0.5)
    assert_allclose(1 - scaffnew_rate(1 / L, p, mu), 1 / kappa, rtol=1e-6)
    assert scaffnew_iterations(1.0, 1.0, 1 / L, p, mu) == 0.0
    assert scaffnew_iterations(0.0, 1.0, 1 / L, p, mu) == 0.0


@for_any(R=st.integers(1, 40), low=st.floats(1e-6, 1), high=st.floats(1e-6, 1))
def test_the_maximum_over_an_interval_is_at_an_end(R, low, high):
    """phi of the contraction with R steps, against a fine grid."""
    mu, L = sorted((low, high))
    x = 1 - np.linspace(mu, L, 2001)
    n = np.mean(x[:, None] ** np.arange(R), axis=1)
    phi = (x ** (2 * R) + (1 - n) ** 2).max()
    assert_allclose(scaffnew_steps_contraction(1.0, 1.0, R, L, mu), phi, rtol=1e-12)
    assert_allclose(scaffnew_steps_contraction(1.0, 0.3, R, L, mu), 1 - 0.09 * (1 - phi))


@for_any(p=st.floats(0, 0.99), R=st.integers(1, 20))
def test_stability_is_that_of_the_mean_square(p, R):
    """E (1 - p R N)^2 for N geometric, summed up."""
    N = np.arange(1, 20_000)
    expectation = ((1 - p) * p ** (N - 1) * (1 - p * R * N) ** 2).sum()
    rho = proxskip_rho(p, R)
    assert_allclose(expectation, 1 - 2 * rho + (1 + p) * rho**2, rtol=1e-6)
    assume(abs(rho / proxskip_rho_limit(p) - 1) > 1e-5)
    assume(p > 1e-9)
    assert proxskip_is_stable(p, R) == (expectation < 1)


def on_torch(problem, dtype):
    pytest.importorskip("torch", reason="torch is not installed")
    return problem.to("cpu", dtype)


class TestHessianRange:
    @pytest.mark.parametrize("d", [1, 2, 7, 150])
    @pytest.mark.parametrize("mu", [1e-3, 1.0])
    def test_exact_for_quadratics(self, d, mu):
        problem = random_quadratics(K=3, d=d, L=5.0, mu=mu)
        found = hessian_range(problem, np.ones(d))
        assert_allclose(found, (problem.mu, problem.L), rtol=0, atol=1e-7)

    @pytest.mark.parametrize("d", [3, 150])
    def test_the_zero_and_the_negative(self, d):
        for a, b in [(0.0, 0.0), (-2.0, -2.0), (-3.0, 1.0)]:
            A_k = np.stack([a * np.eye(d), b * np.eye(d)])
            found = hessian_range(Quadratic(A_k, np.ones((2, d))), np.ones(d))
            assert_allclose(found, (a, b), atol=1e-7)

    @pytest.mark.parametrize("d", [4, 120])
    @pytest.mark.parametrize("penalty", [{"l2": 0.1}, {"beta": 0.5, "alpha": 3.0}])
    def test_logistic_regression(self, d, penalty):
        rng = np.random.default_rng(d)
        X, y = [rng.normal(size=(n, d)) for n in (7, 20)], [[0, 1] * 10] * 2
        problem = LogisticRegression(X, [y[0][:7], y[1]], **penalty)
        theta = rng.normal(size=d) / d**0.5
        theta_k = np.broadcast_to(theta, (2, d))
        hessian_k = problem._samples.hessian(theta_k)
        hessian_k += np.eye(d) * problem._penalty.curvature(theta_k)[:, None]
        eigenvalues = np.linalg.eigvalsh(hessian_k)
        found = hessian_range(problem, theta)
        assert_allclose(found, (eigenvalues.min(), eigenvalues.max()), rtol=0, atol=1e-6)
        assert problem.mu - 1e-6 <= found[0] < found[1] <= problem.L + 1e-6
        largest_at_0 = hessian_range(problem, np.zeros(d))[1]
        assert_allclose(largest_at_0, problem.L, rtol=1e-6)  # where the bound is sharp

    @pytest.mark.parametrize(("d", "dtype"), [(4, "float64"), (4, "float32"), (120, "float32")])
    def test_on_torch(self, d, dtype):
        problem = random_quadratics(K=2, d=d, L=2.0, mu=0.1)
        found = hessian_range(on_torch(problem, dtype), np.zeros(d))
        assert_allclose(found, (0.1, 2.0), atol=1e-7 if dtype == "float64" else 5e-3)


class TestHeterogeneity:
    @for_any(seed=st.integers(0, 2**32 - 1), power=st.floats(-2, 4))
    def test_the_bound_for_logistic_regression_holds_everywhere(self, seed, power):
        problem = regression((7, 20, 3), 4, seed)[0]
        thetas = 10**power * np.random.default_rng(seed).normal(size=(5, 4))
        assert 0 < G_along(problem, thetas) <= problem.G

    def test_the_bound_by_hand(self):
        """|X_k|/sqrt(n_k) is 5, 1 and sqrt(2/2): the two largest make 6."""
        X = [np.array([[3.0, 4.0]]), np.array([[1.0, 0.0]]), np.eye(2) * 2**0.5]
        y = [[1], [0], [0, 1]]
        assert_allclose(LogisticRegression(X, y, l2=3.0).G, 6.0)
        assert LogisticRegression(X[:1], y[:1]).G == 0.0
        assert_allclose(LogisticRegression(X[:2], y[:2]).to(None, "float32").G, 6.0)

    def test_it_belongs_to_the_data(self):
        """Of the converted problem, and not of the one that it comes from."""
        third = LogisticRegression([np.full((1, 1), 1 / 3)] * 2, [[0], [1]])
        assert_allclose(third.G, 2 / 3, rtol=1e-15)
        converted = third.to(None, "float32")
        assert converted.G == 2 * float(np.float32(1 / 3)) != third.G

    def test_quadratics(self):
        b_k = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
        same, other = np.stack([np.diag([1.0, 2.0])] * 3), np.stack([np.eye(2)] * 3)
        other[2, 0, 0] = 1.5
        assert Quadratic(same, b_k).G == 5.0
        assert math.isinf(Quadratic(other, b_k).G)
        assert Quadratic(other[:1], b_k[:1]).G == 0.0
        assert math.isfinite(random_quadratics(K=3, d=20, hessian_angle=0.0).G)

    def test_it_is_reached_anywhere_with_a_shared_hessian(self):
        problem = random_quadratics(K=4, d=6, hessian_angle=0.0, linear_spread=2.0)
        thetas = np.random.default_rng(0).normal(size=(3, 6))
        assert G_along(problem, thetas[:1]) == pytest.approx(problem.G)
        assert G_along(problem, thetas) == pytest.approx(problem.G)
        assert G_along(on_torch(problem, None), thetas) == pytest.approx(problem.G)

    def test_the_largest_point_and_pair_count(self):
        problem = random_quadratics(K=4, d=2)
        thetas = np.random.default_rng(0).normal(size=(6, 2))
        each = [
            np.linalg.norm(g_k[i] - g_k[j])
            for g_k in (problem.grad(np.tile(theta, (4, 1))) for theta in thetas)
            for i in range(4)
            for j in range(4)
        ]
        assert G_along(problem, thetas) == pytest.approx(max(each))
        assert G_along(random_quadratics(K=1, d=2), thetas) == 0.0

    @for_any(seed=st.integers(0, 2**32 - 1), B=st.floats(0, 3))
    def test_dissimilarity_is_the_smallest_G(self, seed, B):
        problem = random_quadratics(K=4, d=2, seed=seed)
        thetas = np.random.default_rng(seed).normal(size=(6, 2))
        G = dissimilarity(problem, thetas, B)
        left, right = [], []
        for theta in thetas:
            g_k = problem.grad(np.tile(theta, (4, 1)))
            left.append((g_k**2).sum(axis=1).mean())
            right.append(B**2 * (g_k.mean(axis=0) ** 2).sum())
        excess = np.array(left) - right
        assert G >= 0
        assert (excess <= G**2 + 1e-12).all()
        assert G == 0 or excess.max() == pytest.approx(G**2)

    def test_none_is_needed_for_clients_that_are_all_alike(self):
        problem = Quadratic(np.stack([np.eye(2)] * 3), np.ones((3, 2)))
        thetas = np.array([[0.0, 0.0], [5.0, 1.0]])
        assert dissimilarity(problem, thetas, B=1.5) == 0.0
        assert dissimilarity(problem, thetas, B=0.0) == pytest.approx(4.0)

    def test_dissimilarity_of_weighted_clients(self):
        problem = Quadratic(np.ones((2, 1, 1)), np.array([[0.0], [4.0]]), weights=[3, 1])
        assert dissimilarity(problem, np.zeros((1, 1)), B=1.0) == pytest.approx(3**0.5)


NAN, INF = float("nan"), float("inf")
PROBLEM = random_quadratics(K=2, d=2)
Z = np.zeros((2, 2))
WEIGHTED = Quadratic(PROBLEM.A_k, PROBLEM.b_k, weights=[1, 2])
FLAT = Quadratic(np.zeros((2, 2, 2)), Z)

CASES = [
    (lambda: fedpd_step_size(0.0), "L = 0.0: a finite number > 0"),
    (lambda: fedpd_step_size(NAN), "L = nan"),
    (lambda: fedpd_step_limit(-1.0), "L = -1.0"),
    (lambda: plateau_factor(1.0, S, 1.0), r"p = 1.0: a probability in \[0, 1\)"),
    (lambda: plateau_factor(NAN, S, 1.0), "p = nan"),
    (lambda: plateau_factor(0.5, 2 * S, 1.0), r"s = 0.309.*less than .* = 0.309 is .* L = 1.0"),
    (lambda: plateau_factor(0.5, S, 2.1), "s = 0.154"),
    (lambda: plateau_factor(0.5, 0.0, 1.0), "s = 0.0"),
    (lambda: skip_probability(0.1, 1.0, S, 1.0, C5=0.0), "C5 = 0.0"),
    (lambda: theorem_3_bound(-1.0, 1, 0.5, 1.0), "gap = -1.0"),
    (lambda: theorem_3_bound(1.0, 0, 0.5, 1.0), "rounds = 0: an integer >= 1"),
    (lambda: theorem_3_bound(1.0, 1, -0.5, 1.0), "p = -0.5"),
    (lambda: theorem_3_bound(1.0, 1, 0.5, INF), "G = inf"),
    (lambda: fedpd_contraction(0.0, 1.0, 0.1), "s = 0.0"),
    (lambda: fedsplit_contraction(INF, 1.0, 0.1), "s = inf"),
    (lambda: fedsplit_contraction(1.0, 1.0, 1.1), "mu = 1.1: at most L = 1.0"),
    (lambda: fedsplit_best_step(1.0, 0.0), "mu = 0.0"),
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
    (
        lambda: scaffnew_lyapunov(WEIGHTED, Z, Z, 1.0, 0.5),
        "weights of the problem: scaffnew_lyapunov needs the same",
    ),
    (lambda: proxskip_rho(1.0), "p = 1.0"),
    (lambda: proxskip_rho(0.5, R=0), "R = 0"),
    (lambda: proxskip_rho_limit(-0.1), "p = -0.1"),
    (lambda: proxskip_is_stable(NAN), "p = nan"),
    (lambda: proxskip_contraction(1.0, 0.51, 0.1), "p = 0.51: at most 1/2 = 0.5"),
    (lambda: proxskip_contraction(1.0, 0.0, 0.1), "p = 0.0"),
    (lambda: proxskip_contraction(20.0, 0.5, 0.1), "gamma = 20.0: at most 1/mu"),
    (lambda: hessian_range(PROBLEM, Z), r"theta has shape \(2, 2\): \(2,\)"),
    (lambda: hessian_range(PROBLEM, np.array([1, 2])), "theta has dtype int64"),
    (lambda: hessian_range(PROBLEM, np.array([1.0, NAN])), r"theta\[1\] = nan"),
    (lambda: G_along(PROBLEM, np.zeros(2)), r"thetas has shape \(2,\): \(N, 2\)"),
    (lambda: G_along(PROBLEM, np.zeros((0, 2))), r"thetas has shape \(0, 2\)"),
    (lambda: G_along(PROBLEM, INF + Z), r"thetas\[0, 0\] = inf"),
    (lambda: dissimilarity(PROBLEM, Z, B=-1.0), "B = -1.0"),
    (lambda: dissimilarity(PROBLEM, np.zeros((1, 3)), B=1.0), r"thetas has shape \(1, 3\)"),
]
for _form in (*FORMS, skip_probability):
    CASES += [
        (lambda form=_form: form(0.0, 1.0, S, 1.0), "eps = 0.0: a finite number > 0"),
        (lambda form=_form: form(INF, 1.0, S, 1.0), "eps = inf"),
        (lambda form=_form: form(0.1, -1.0, S, 1.0), "G = -1.0: a finite number >= 0"),
        (lambda form=_form: form(0.1, INF, S, 1.0), "G = inf"),
        (lambda form=_form: form(0.1, NAN, S, 1.0), "G = nan"),
        (lambda form=_form: form(0.1, 1.0, 0.31, 1.0), "s = 0.31: less than"),
        (lambda form=_form: form(0.1, 1.0, -S, 1.0), "s = -0.15"),
        (lambda form=_form: form(0.1, 1.0, S, 0.0), "L = 0.0"),
        (lambda form=_form: form("1", 1.0, S, 1.0), "eps = '1'"),
    ]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
