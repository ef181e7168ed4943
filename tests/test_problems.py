"""Problems: derivatives, constants, minimisers, proximal points."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    FedPD,
    LeastSquares,
    LogisticRegression,
    Quadratic,
    random_quadratics,
    run,
)
from fl_algos.problems import _newton
from literal.clients import LogisticClient


def logistic_data(labels=(0, 1), sizes=(7, 20, 1), d=4, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = [scale * rng.normal(size=(n, d)) + k for k, n in enumerate(sizes)]
    y = [np.array(labels)[rng.integers(0, 2, size=n)] for n in sizes]
    return X, y


PROBLEMS = {
    "quadratic": random_quadratics(K=3, d=4, L=2.0, mu=0.5, linear_spread=3.0),
    "logistic": LogisticRegression(*logistic_data(), l2=0.2),
    "logistic without penalty": LogisticRegression(*logistic_data(), l2=0.0),
    "logistic, not convex": LogisticRegression(*logistic_data(), beta=0.5, alpha=3.0),
    "least squares": LeastSquares(*logistic_data(), l2=0.2),
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]


def points(problem, seed=0, scale=1.0):
    return scale * np.random.default_rng(seed).normal(size=(problem.K, problem.d))


def test_the_gradient_is_that_of_the_value(problem):
    theta_k, direction_k = points(problem, 1), points(problem, 2)
    h = 1e-5
    slope_k = (
        problem.value(theta_k + h * direction_k) - problem.value(theta_k - h * direction_k)
    ) / (2 * h)
    assert_allclose(slope_k, (problem.grad(theta_k) * direction_k).sum(axis=1), rtol=1e-7)


@pytest.mark.parametrize("s", [1e-4, 1.0, 1e4])
def test_the_proximal_point_solves_its_equation(problem, s):
    if problem.mu < 0:
        s = min(s, -0.999 / problem.mu)
    v_k = points(problem, 3, scale=10.0)
    x_k = problem.prox(v_k, s)
    assert_allclose(s * problem.grad(x_k) + x_k - v_k, 0, atol=1e-12 * max(1, s))


def test_rows_of_some_clients(problem):
    theta_k = points(problem)
    some = np.array([2, 0])
    for everything, part in [
        (problem.value(theta_k), problem.value(theta_k[some], some)),
        (problem.grad(theta_k), problem.grad(theta_k[some], some)),
        (problem.prox(theta_k, 0.5), problem.prox(theta_k[some], 0.5, some)),
    ]:
        assert_allclose(part, everything[some], rtol=1e-13, atol=1e-13)


def test_lipschitz_and_convexity_constants_bound_the_gradients(problem):
    x_k, y_k = points(problem, 4), points(problem, 5)
    move_k = x_k - y_k
    turn_k = problem.grad(x_k) - problem.grad(y_k)
    squares_k = (move_k**2).sum(axis=1)
    assert ((turn_k**2).sum(axis=1) <= problem.L**2 * squares_k * (1 + 1e-12)).all()
    assert ((turn_k * move_k).sum(axis=1) >= problem.mu * squares_k * (1 - 1e-12)).all()


def test_the_largest_curvature_of_the_logistic_loss_is_reached_at_zero():
    """At theta = 0 the Hessian is X'X/(4n) + l2, whose largest eigenvalue over clients is L."""
    X, y = logistic_data()
    problem = LogisticRegression(X, y, l2=0.2)
    largest = max(np.linalg.eigvalsh(x.T @ x / len(x) / 4)[-1] for x in X)
    assert_allclose(problem.L, largest + 0.2, rtol=1e-12)
    assert problem.mu == 0.2


def test_least_squares_is_the_quadratic_that_it_is():
    X, y = logistic_data()
    weights = [1.0, 2.0, 3.0]
    problem = LeastSquares(X, y, l2=0.2, weights=weights)
    A_k = np.array([x.T @ x / len(x) + 0.2 * np.eye(4) for x in X])
    b_k = np.array([x.T @ y_k / len(y_k) for x, y_k in zip(X, y, strict=True)])
    quadratic, theta_k = Quadratic(A_k, b_k, weights), points(problem)
    constants_k = np.array([np.mean(y_k**2) / 2 for y_k in y])
    assert_allclose(problem.value(theta_k), quadratic.value(theta_k) + constants_k, rtol=1e-12)
    assert_allclose(problem.grad(theta_k), quadratic.grad(theta_k), rtol=1e-11)
    assert_allclose(problem.prox(theta_k, 3.0), quadratic.prox(theta_k, 3.0), rtol=1e-11)
    assert_allclose(problem.theta_star, quadratic.theta_star, rtol=1e-11)
    assert_allclose([problem.L, problem.mu], [quadratic.L, quadratic.mu], rtol=1e-11)
    assert LeastSquares(X[2:], y[2:]).theta_star is None
    assert LeastSquares(X, y).mu == 0


@pytest.mark.parametrize("name", PROBLEMS)
def test_value_and_gradient_at_once_are_those_asked_for_one_by_one(name):
    problem = PROBLEMS[name]
    theta_k, some = points(problem), np.array([2, 0])
    for clients, rows in [(None, theta_k), (some, theta_k[some])]:
        value_k, grad_k = problem.value_and_grad(rows, clients)
        assert_allclose(value_k, problem.value(rows, clients), rtol=1e-12, atol=1e-14)
        assert (grad_k == problem.grad(rows, clients)).all()


def test_theta_star_of_logistic_regression_to_1e_12():
    for scale, l2 in [(1.0, 0.2), (1.0, 1e-6), (30.0, 1e-3)]:
        problem = LogisticRegression(*logistic_data(scale=scale), l2=l2)
        theta_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
        assert np.linalg.norm(problem.grad(theta_k).mean(axis=0)) <= 1e-12 * max(1, scale)


def test_the_proximal_point_of_logistic_regression_against_a_client_written_out():
    X, y = logistic_data()
    problem = LogisticRegression(X, y, l2=0.2)
    theta_k = points(problem)
    for k, (x, labels) in enumerate(zip(X, y, strict=True)):
        client = LogisticClient(x, 2 * labels - 1, 0.2)
        assert_allclose(problem.prox(theta_k, 0.7)[k], client.prox(theta_k[k], 0.7), rtol=1e-12)


def test_labels_0_1_and_minus_1_1_are_the_same_problem():
    ones = LogisticRegression(*logistic_data(labels=(0, 1)), l2=0.1)
    signs = LogisticRegression(*logistic_data(labels=(-1, 1)), l2=0.1)
    assert_allclose(ones.theta_star, signs.theta_star, rtol=0, atol=0)


def test_clients_count_the_same_whatever_their_size():
    """The objective is the mean of the f_k, not of all samples."""
    X, y = logistic_data(sizes=(5, 5))
    doubled = LogisticRegression([X[0], np.tile(X[1], (7, 1))], [y[0], np.tile(y[1], 7)], l2=0.1)
    assert_allclose(doubled.theta_star, LogisticRegression(X, y, l2=0.1).theta_star, atol=1e-11)


def test_huge_margins_neither_overflow_nor_vanish():
    problem = LogisticRegression([np.array([[1e3]]), np.array([[-1e3]])], [[1], [1]], l2=0.1)
    theta_k = np.array([[1.0], [1.0]])
    assert_allclose(problem.value(theta_k), [0.05, 1000.05])
    assert_allclose(problem.grad(theta_k), [[0.1], [1000.1]])


def test_the_distant_start_of_a_proximal_point_is_no_trouble():
    """An undamped Newton step from here overshoots ever further."""
    problem = LogisticRegression(*logistic_data(), l2=0.0)
    v_k = np.full((3, 4), 200.0)
    x_k = problem.prox(v_k, 1e3)
    assert_allclose(1e3 * problem.grad(x_k) + x_k - v_k, 0, atol=1e-9)


def test_the_penalty_of_the_fedpd_paper():
    """Where alpha x^2 = 1 its value is beta/2 and its curvature lowest."""
    problem = LogisticRegression([np.zeros((1, 1))], [[1]], beta=0.6, alpha=4.0)
    at = np.array([[0.5]])
    assert_allclose(problem.value(at) - np.log(2), [0.3])
    h = 1e-4
    curvature = (problem.grad(at + h) - problem.grad(at - h)) / (2 * h)
    assert_allclose(curvature, [[problem.mu]], rtol=1e-6)
    assert_allclose(problem.mu, -4.0 * 0.6 / 2)
    assert problem.theta_star is None
    with pytest.raises(ValueError, match=r"s = 1.0: less than 0.83"):
        problem.prox(at, 1.0)


def test_quadratics_have_what_was_asked_for():
    for angle, spread in [(0.0, 0.0), (0.0, 2.0), (1.0, 0.0), (1.5, 2.0)]:
        problem = random_quadratics(
            K=5, d=6, L=3.0, mu=0.2, hessian_angle=angle, linear_spread=spread
        )
        eigenvalues = np.linalg.eigvalsh(problem.A_k)
        assert_allclose(eigenvalues[:, [0, -1]], [[0.2, 3.0]] * 5, rtol=1e-12)
        assert_allclose([problem.mu, problem.L], [0.2, 3.0], rtol=1e-12)
        grad_k = problem.grad(np.broadcast_to(problem.theta_star, (5, 6)))
        assert_allclose(grad_k.mean(axis=0), 0, atol=1e-14)
        assert_allclose(np.sqrt((grad_k**2).sum(axis=1).mean()), spread, rtol=1e-12, atol=1e-14)
        same_hessians = np.ptp(problem.A_k, axis=0).max() < 1e-14
        assert same_hessians == (angle == 0)
        solved = Quadratic(problem.A_k, problem.b_k).theta_star
        assert_allclose(problem.theta_star, solved, rtol=1e-12, atol=1e-13)


def test_the_eigenvectors_turn_by_the_angle_that_was_asked_for():
    problem = random_quadratics(K=4, d=2, hessian_angle=0.4)
    vectors = np.linalg.eigh(problem.A_k)[1][:, :, 0]
    angles = np.arccos(np.minimum(1, np.abs(vectors @ vectors.T)))
    assert ((angles < 1e-7) | (np.abs(angles - 0.8) < 1e-7)).all()  # in the plane: +0.4 or -0.4


def test_quadratics_without_a_minimiser():
    indefinite = Quadratic(np.array([[[-1.0]], [[0.5]]]), np.zeros((2, 1)))
    assert indefinite.theta_star is None
    assert (indefinite.mu, indefinite.L) == (-1.0, 1.0)
    assert_allclose(indefinite.prox(np.array([[1.0], [1.0]]), 0.5), [[2.0], [0.8]])
    with pytest.raises(ValueError, match=r"s = 1.5: less than 1.0"):
        indefinite.prox(np.ones((2, 1)), 1.5)


@pytest.mark.parametrize("device", [None, "cpu"])
def test_float32(problem, device):
    if device is not None:
        pytest.importorskip("torch", reason="torch is not installed")
    single = problem.to(device, "float32")
    v_k = points(problem, 3)
    w_k = single.asarray(v_k)
    for found, expected in [
        (single.value(w_k), problem.value(v_k)),
        (single.grad(w_k), problem.grad(v_k)),
        (single.prox(w_k, 0.5), problem.prox(v_k, 0.5)),
    ]:
        assert str(found.dtype).endswith("float32")
        assert_allclose(found, expected, rtol=2e-5, atol=2e-5)
    assert_allclose([single.L, single.mu], [problem.L, problem.mu], rtol=1e-5)
    assert str(run(FedPD(0.5), single, rounds=3).theta.dtype).endswith("float32")
    assert single.to(None, "float64").grad(v_k).dtype == np.float64


def test_theta_star_is_that_of_the_converted_data():
    """Asked for before or not; computed in float64, rounded at the end."""
    for asked in (False, True):
        for problem in (
            LogisticRegression(*logistic_data(), l2=1e-5),
            random_quadratics(K=3, d=4, mu=1e-5),
        ):
            if asked:
                assert problem.theta_star is not None
            single = problem.to(None, "float32")
            expected = single.to(None, "float64").theta_star.astype(np.float32)
            assert (single.theta_star == expected).all()
            assert (single.theta_star != problem.theta_star.astype(np.float32)).any()


def test_moving_a_problem_does_not_compute_its_minimiser(monkeypatch):
    def never(*args):
        raise AssertionError

    monkeypatch.setattr(_newton, "minimise_k", never)
    LogisticRegression(*logistic_data(), l2=0.2).to(None, "float32")


def test_theta_star_is_unknown_without_strong_convexity():
    assert LogisticRegression(*logistic_data(), l2=0.0).theta_star is None
    assert LogisticRegression(*logistic_data(), l2=0.5, beta=1.0).theta_star is None


@pytest.mark.parametrize(("size", "slope"), [(0.5, 1.0), (3.0, 3.0)])
def test_theta_star_is_refused_over_its_gradient_norm(size, slope, monkeypatch):
    """Each sample with both labels: near 0 the gradient is (l2 + mean of x^2/4) theta."""
    X = [np.array([[size], [size]]), np.zeros((2, 1))]
    curvature = 1.0 + size**2 / 8
    found = {}

    def near(h, x_k):
        return np.array([[found["at"] / curvature]]), np.ones(1)

    monkeypatch.setattr(_newton, "minimise_k", near)
    found["at"] = 0.9e-12 * slope
    assert LogisticRegression(X, [[0, 1], [0, 1]], l2=1.0).theta_star is not None
    for found["at"] in (1.1e-12 * slope, np.nan):
        with pytest.raises(ArithmeticError, match="the gradient's norm at theta_star"):
            _ = LogisticRegression(X, [[0, 1], [0, 1]], l2=1.0).theta_star


def test_a_singular_hessian_is_an_arithmetic_error():
    X = np.repeat(np.arange(1.0, 5.0)[:, None], 2, axis=1)
    with pytest.raises(ArithmeticError, match="singular"):
        _ = LogisticRegression([X], [[0, 1, 0, 1]], l2=1e-20).theta_star


class Functions:
    """K functions for Newton's method, on vectors of one number."""

    forcing = 0.0

    def __init__(self, slope, curvature, goal=1e-15):
        self.slope, self.curvature, self.least = slope, curvature, goal
        self.calls = 0

    def grad(self, x_k, places):
        self.calls += 1
        return self.slope(x_k)

    def step(self, x_k, grad_k, enough_k, places):
        return -grad_k / self.curvature(x_k), np.ones(len(x_k), dtype=int)

    def goal(self, x_k, places):
        return np.full(len(x_k), self.least)


def test_newton_ends_where_rounding_lets_it_go_no_further():
    rng = np.random.default_rng(0)
    noisy = Functions(lambda x_k: x_k + 1e-9 * rng.normal(size=x_k.shape), np.ones_like)
    found_k, _ = _newton.minimise_k(noisy, np.full((2, 1), 5.0))
    assert np.abs(found_k).max() < 1e-8
    assert noisy.calls < 1000


def test_newton_does_not_overshoot():
    """Away from 0 Newton's whole step for sqrt(1 + x^2) goes ever further: -x^3."""
    h = Functions(lambda x_k: x_k / np.sqrt(1 + x_k**2), lambda x_k: (1 + x_k**2) ** -1.5)
    found_k, passes_k = _newton.minimise_k(h, np.array([[2.0], [-50.0], [0.5]]))
    assert_allclose(found_k, 0, atol=1e-14)
    assert passes_k[2] < passes_k[1]


def test_newton_that_does_not_end_is_an_error(monkeypatch):
    monkeypatch.setattr(_newton, "MOST_STEPS", 10)
    with pytest.raises(ArithmeticError, match="has not converged in 10 steps"):
        _newton.minimise_k(Functions(np.ones_like, np.ones_like), np.zeros((1, 1)))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3, 1e5])
def test_the_minimiser_is_found_in_any_units_of_the_features(unit):
    rng = np.random.default_rng(0)
    X = rng.lognormal(sigma=2, size=(60, 8)) * unit
    problem = LogisticRegression(
        [X[:40], X[40:]], [rng.random(40) > 0.4, rng.random(20) > 0.6], 1e-4
    )
    theta_k = np.broadcast_to(problem.theta_star, (2, 8))
    assert np.abs(problem.grad(theta_k).mean(axis=0)).max() < 1e-12 * max(1, np.abs(X).max())
    w_k = problem.prox(np.zeros((2, 8)), s=10.0)
    assert np.abs(problem.grad(w_k) + w_k / 10).max() < 1e-12 * max(1, np.abs(X).max())


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_proximal_point_of_what_is_not_finite_is_not_either(problem, bad):
    v_k = points(problem)
    v_k[0, 0] = bad
    with np.errstate(all="ignore"):
        x_k = problem.prox(v_k, 0.5)
    assert not np.isfinite(x_k[0]).all()
    assert_allclose(x_k[1:], problem.prox(points(problem), 0.5)[1:], rtol=1e-12)


def test_a_quadratic_has_its_arrays_to_itself():
    A_k, b_k = np.ones((1, 1, 1)), np.ones((1, 1))
    problem = Quadratic(A_k, b_k)
    A_k[:], b_k[:] = 7.0, 7.0
    assert problem.grad(np.zeros((1, 1))) == -1
    assert problem.L == 1


def test_matrices_may_be_symmetric_up_to_rounding():
    A_k = np.array([[[2.0, 1.0], [1.0, 2.0]]])
    A_k[0, 0, 1] += 1e-7
    Quadratic(A_k, np.ones((1, 2)))
    A_k[0, 0, 1] += 1e-5
    with pytest.raises(ValueError, match="symmetric"):
        Quadratic(A_k, np.ones((1, 2)))
