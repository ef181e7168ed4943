"""How much clients differ, and the range of their Hessians, against numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import LogisticRegression, Quadratic, random_quadratics
from fl_algos.theory import G_along, dissimilarity, hessian_range
from literal.clients import regression
from support.cases import SEEDS


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
    @given(seed=SEEDS, power=st.floats(-2, 4))
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

    @given(seed=SEEDS, B=st.floats(0, 3))
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

CASES = [
    (lambda: hessian_range(PROBLEM, Z), r"theta has shape \(2, 2\): \(2,\)"),
    (lambda: hessian_range(PROBLEM, np.array([1, 2])), "theta has dtype int64"),
    (lambda: hessian_range(PROBLEM, np.array([1.0, NAN])), r"theta\[1\] = nan"),
    (lambda: G_along(PROBLEM, np.zeros(2)), r"thetas has shape \(2,\): \(N, 2\)"),
    (lambda: G_along(PROBLEM, np.zeros((0, 2))), r"thetas has shape \(0, 2\)"),
    (lambda: G_along(PROBLEM, INF + Z), r"thetas\[0, 0\] = inf"),
    (lambda: dissimilarity(PROBLEM, Z, B=-1.0), "B = -1.0"),
    (lambda: dissimilarity(PROBLEM, np.zeros((1, 3)), B=1.0), r"thetas has shape \(1, 3\)"),
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
