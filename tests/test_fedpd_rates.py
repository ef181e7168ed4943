"""FedPD: how fast it converges, and the plateau where skipping leaves it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import FedPD, LogisticRegression, Quadratic, Server, random_quadratics, run
from fl_algos.theory import (
    fedpd_contraction,
    fedpd_step_size,
    fedsplit_best_step,
    fedsplit_contraction,
    plateau_factor,
)
from support.cases import SEEDS
from support.draws import Coins
from support.small import PROBLEMS, random_problem

KINDS = pytest.mark.parametrize("kind", PROBLEMS)


def star_k(problem):
    """theta* for all clients, and their gradients there."""
    theta_star_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
    return theta_star_k, problem.grad(theta_star_k)


def ratios(errors):
    """Each error over the one before, while that one is over 1e-6."""
    errors = np.array(errors)
    return (errors[1:] / errors[:-1])[errors[:-1] > 1e-6]


def fedpd_errors(problem, s, rounds=40):
    """The distances of the clients' w_k = theta - s lambda_k from their limits."""
    theta_star_k, grad_star_k = star_k(problem)
    algorithm, server, errors = FedPD(s=s), Server(problem.K), []
    state = algorithm.init(np.zeros(problem.d), problem.K)
    for _ in range(rounds):
        w_k = state.theta - s * state.lambda_k
        errors.append(np.linalg.norm(w_k - (theta_star_k + s * grad_star_k)))
        state = algorithm.round(state, problem, server, Coins(True, probability=1.0))
    return errors


@KINDS
@settings(deadline=None, max_examples=25)
@given(seed=SEEDS, factor=st.floats(0.03, 30.0))
def test_douglas_rachford_contracts_in_each_round(kind, seed, factor):
    problem = random_problem(kind, seed)
    s = factor * fedsplit_best_step(problem.L, problem.mu)
    found = ratios(fedpd_errors(problem, s))
    assert len(found) > 3
    assert found.max() <= fedpd_contraction(s, problem.L, problem.mu) * (1 + 1e-8)


def fedsplit_errors(problem, s, rounds=40):
    """The distances of the clients' z_k from their limits."""
    theta_star_k, grad_star_k = star_k(problem)
    z_k, errors = np.zeros((problem.K, problem.d)), []
    for _ in range(rounds):
        errors.append(np.linalg.norm(z_k - (theta_star_k - s * grad_star_k)))
        reflected_k = 2 * z_k.mean(axis=0) - z_k
        z_k = 2 * problem.prox(reflected_k, s) - reflected_k
    return errors


@KINDS
@settings(deadline=None, max_examples=25)
@given(seed=SEEDS, factor=st.floats(0.03, 30.0))
def test_peaceman_rachford_contracts_in_each_round(kind, seed, factor):
    problem = random_problem(kind, seed)
    s = factor * fedsplit_best_step(problem.L, problem.mu)
    found = ratios(fedsplit_errors(problem, s))
    assert len(found) > 3
    assert found.max() <= fedsplit_contraction(s, problem.L, problem.mu) * (1 + 1e-8)


@pytest.mark.parametrize("factor", [0.1, 1.0, 10.0])
def test_no_smaller_factor_would_do(factor):
    """Two clients with one Hessian: what they share and what they do not, each at both ends."""
    problem = Quadratic(np.stack([np.diag([1.0, 0.05])] * 2), np.array([[1.0, 2.0], [-3.0, 1.0]]))
    s = factor * fedsplit_best_step(1.0, 0.05)
    by_fedsplit = ratios(fedsplit_errors(problem, s, rounds=300))
    assert_allclose(by_fedsplit[-1], fedsplit_contraction(s, 1.0, 0.05), rtol=1e-6)
    by_fedpd = ratios(fedpd_errors(problem, s, rounds=300))
    assert_allclose(by_fedpd[-1], fedpd_contraction(s, 1.0, 0.05), rtol=1e-6)


def test_skipping_leaves_a_plateau():
    history = run(FedPD(s=1.0, p=0.5), random_quadratics(K=6, d=5), rounds=600)
    assert 1e-6 <= history.distance[-100:].max() <= 1.0


@settings(deadline=None, max_examples=10)
@given(seed=SEEDS, p=st.floats(0.0, 0.8))
def test_no_plateau_with_a_shared_quadratic_hessian(seed, p):
    problem = random_quadratics(K=6, d=5, hessian_angle=0.0, linear_spread=3.0, seed=seed)
    history = run(FedPD(s=1.0, p=p), problem, rounds=2000, seed=seed % 1000, tolerance=1e-11)
    assert history.grad_norm2[-1] <= 1e-20


@settings(deadline=None, max_examples=10)
@given(seed=SEEDS, h=st.floats(0.1, 10.0))
def test_the_plateau_grows_with_the_square_of_the_linear_terms(seed, h):
    """From the common centre theta*, round by round, with the same coins."""
    plain, scaled = (
        random_quadratics(K=6, d=5, linear_spread=spread, seed=seed) for spread in (1.0, h)
    )
    found = [
        run(FedPD(s=1.0, p=0.5), problem, rounds=100, theta=problem.theta_star).grad_norm2[20:]
        for problem in (plain, scaled)
    ]
    assert found[0].min() > 1e-12
    assert_allclose(found[1], h**2 * found[0], rtol=1e-8)


def affine_maps(algorithm, problem):
    """A round with and without communication on (theta_k0, lambda_k, theta, 1), by running it."""

    def after(x, communicate):
        state = algorithm.init(np.zeros(1), 2)
        state = state._replace(theta_k0=x[:2, None], lambda_k=x[2:4, None], theta=x[4:5])
        coins = Coins(communicate, probability=1 - algorithm.p)
        state = algorithm.round(state, problem, Server(2), coins)
        return np.concatenate([state.theta_k0[:, 0], state.lambda_k[:, 0], state.theta, [1.0]])

    for communicate in (True, False):
        constant = after(np.zeros(5), communicate)
        linear = [after(unit, communicate) - constant for unit in np.eye(5)]
        yield np.stack([*linear, constant], axis=1)


SCALAR = Quadratic(np.array([[[1.0]], [[0.3]]]), np.array([[1.0], [-1.0]]))


def plateau_by_second_moments(algorithm, problem):
    """The stationary mean of |grad f|^2: that of the second moments solves a linear equation."""
    p, (C, S) = algorithm.p, affine_maps(algorithm, problem)
    eigenvalues, vectors = np.linalg.eig((1 - p) * np.kron(C, C) + p * np.kron(S, S))
    stationary = np.flatnonzero(abs(eigenvalues - 1) < 1e-9)
    assert len(stationary) == 1
    moments = vectors[:, stationary[0]].real.reshape(6, 6)
    moments /= moments[5, 5]
    slope, intercept = problem.A_k.mean(), problem.b_k.mean()
    grad = np.array([0.0, 0.0, 0.0, 0.0, slope, -intercept])  # on (..., theta, 1)
    return grad @ moments @ grad


@pytest.mark.parametrize("p", [0.5, 0.8])
def test_the_plateau_of_scalar_quadratics_is_that_of_the_second_moments(p):
    """The time average comes within 5 %."""
    algorithm = FedPD(s=1.0, p=p)
    history = run(algorithm, SCALAR, rounds=20_000, theta=SCALAR.theta_star, stride=4)
    plateau = plateau_by_second_moments(algorithm, SCALAR)
    assert_allclose(history.grad_norm2[100:].mean(), plateau, rtol=0.05)


def test_the_plateau_begins_as_p_times_the_cost_of_one_silent_round():
    """Of the first order in p, whatever a bound of the order p^2 says: erratum E8."""
    state = run(FedPD(s=1.0), SCALAR, rounds=500, stride=500).state
    silent = run(FedPD(s=1.0, p=1 - 1e-15), SCALAR, rounds=1, state=state)
    assert silent.communications[-1] == 0
    cost = run(FedPD(s=1.0), SCALAR, rounds=500, state=silent.state).grad_norm2[1:].sum()
    for p in (1e-3, 1e-5):
        plateau = plateau_by_second_moments(FedPD(s=1.0, p=p), SCALAR)
        assert_allclose(plateau, p * cost, rtol=20 * p)


def unit_regression(seed, l2=0.1):
    """L2-regression with L = 1, K = 10, n_k = 50, d = 20; clients differ in their samples' mean."""
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(50, 20)) + rng.normal(size=20) for _ in range(10)]
    y = [(x @ rng.normal(size=20) > 0).astype(int) for x in X]
    scale = ((1 - l2) / LogisticRegression(X, y).L) ** 0.5
    return LogisticRegression([scale * x for x in X], y, l2=l2)


def test_the_plateau_of_logistic_regression():
    """Three seeds agree within a factor of 3, it rises with p, and it is far below the formula."""
    s, plateaus = fedpd_step_size(1.0), {}
    for p in (0.1, 0.3, 0.5):
        for seed in range(3):
            problem = unit_regression(seed)
            assert_allclose(problem.L, 1.0)
            found = run(FedPD(s, p), problem, rounds=300, seed=seed).grad_norm2[150:].mean()
            assert 0 < found < plateau_factor(p, s, 1.0, problem.K) * problem.G**2
            plateaus[p, seed] = found
        own = [plateaus[p, seed] for seed in range(3)]
        assert max(own) < 3 * min(own)
    for seed in range(3):
        assert plateaus[0.1, seed] < plateaus[0.3, seed] < plateaus[0.5, seed]
