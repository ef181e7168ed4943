"""FedPD: how fast it converges, and the plateau where skipping leaves it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import (
    FedPD,
    LogisticRegression,
    Quadratic,
    Server,
    random_quadratics,
    run,
)
from fl_algos.oracles import AugmentedLagrangian
from fl_algos.theory import (
    fedpd_contraction,
    fedpd_gradient_bound,
    fedpd_quadratic_rate,
    fedpd_step_limit,
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
@settings(max_examples=25)
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
@settings(max_examples=25)
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


@pytest.mark.parametrize("angle", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("factor", [0.3, 1.0, 3.0])
def test_on_quadratics_the_curvatures_of_the_mean_decide(angle, factor):
    """In the long run: over the second half of the rounds until the error is below 1e-9."""
    problem = random_quadratics(K=6, d=5, L=1.0, mu=0.01, hessian_angle=angle)
    mu = np.linalg.eigvalsh(problem.A_k.mean(axis=0))[0]
    s = factor / mu**0.5
    errors = np.array(fedpd_errors(problem, s, rounds=1500))
    end = np.flatnonzero(errors > 1e-9)[-1]
    rate = (errors[end] / errors[end // 2]) ** (1 / (end - end // 2))
    assert rate <= fedpd_quadratic_rate(s, 1.0, mu) * 1.01
    if angle == 1.0 and factor == 1.0:
        assert rate < 0.8 < fedpd_contraction(s, 1.0, 0.01)


def non_convex_quadratics(seed, K=5, d=3):
    """Eigenvalues -1 and 1 among others for each client, a mean with all above 0.01."""
    rng = np.random.default_rng(seed)
    while True:
        Q_k = np.linalg.qr(rng.normal(size=(K, d, d)))[0]
        eigenvalues_k = rng.uniform(-1, 1, size=(K, d))
        eigenvalues_k[:, 0], eigenvalues_k[:, 1] = -1, 1
        A_k = (Q_k * eigenvalues_k[:, None]) @ Q_k.mT
        if np.linalg.eigvalsh(A_k.mean(axis=0))[0] > 0.01:
            return Quadratic((A_k + A_k.mT) / 2, rng.normal(size=(K, d)))


def non_convex_regression(seed):
    """With the bounded penalty; the gap to 0, which no value is below, is that to the infimum."""
    rng = np.random.default_rng(seed)
    X = [rng.normal(size=(20, 4)) + rng.normal(size=4) for _ in range(5)]
    y = [(x @ rng.normal(size=4) > 0).astype(int) for x in X]
    return LogisticRegression(X, y, beta=1.0, alpha=1.0)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("start_at_gradient", [False, True])
@pytest.mark.parametrize("make", [non_convex_quadratics, non_convex_regression])
@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_bound_holds_without_convexity(make, seed, share, start_at_gradient):
    problem = make(seed)
    assert problem.mu < 0
    theta = np.random.default_rng(seed).normal(size=problem.d)
    theta_k = np.broadcast_to(theta, (problem.K, problem.d))
    s = share * fedpd_step_limit(problem.L)
    algorithm, rounds = FedPD(s=s), 100
    state = algorithm.init(theta, problem.K)
    grad_k = problem.grad(theta_k)
    if start_at_gradient:
        state = state._replace(lambda_k=-grad_k)
    history = run(algorithm, problem, rounds, state=state)
    least = 0.0
    if make is non_convex_quadratics:
        least = problem.value(np.broadcast_to(problem.theta_star, theta_k.shape)).mean()
    gap = history.loss[0] - least
    start_norm2 = 0.0 if start_at_gradient else (grad_k**2).sum(axis=1).mean()
    squares = history.grad_norm2[:-1] if start_at_gradient else history.grad_norm2[1:]
    for T in (1, 3, 10, rounds):
        bound = fedpd_gradient_bound(gap, T, s, problem.L, start_norm2)
        assert 0 < squares[:T].mean() <= bound


@pytest.mark.parametrize("s", [0.1, 0.4])
def test_from_a_stationary_point_the_gradients_of_the_clients_are_in_the_bound(s):
    """With dual variables of zero FedPD leaves it, since the clients' gradients do not vanish."""
    problem = random_quadratics(K=5, d=3, L=1.0, mu=0.1)
    history = run(FedPD(s=s), problem, rounds=50, theta=problem.theta_star)
    assert history.grad_norm2[0] < 1e-20
    start_norm2 = (star_k(problem)[1] ** 2).sum(axis=1).mean()
    bound = fedpd_gradient_bound(0.0, 50, s, 1.0, start_norm2)
    assert 1e-8 < history.grad_norm2[1:].mean() <= bound


def descent(problem, s, rounds=30):
    """Of each round after the first: what the augmented Lagrangian loses, and the proof's share.

    Further the squared gradient at the server's model before the round, and what is to bound it.
    """
    algorithm, server = FedPD(s=s), Server(problem.K)
    state, u = algorithm.init(np.ones(problem.d), problem.K), s * problem.L
    for t in range(rounds):
        al = AugmentedLagrangian(problem, s, state.theta_k0, state.lambda_k)
        before, value = state, al.value(state.theta_k).mean()
        state = algorithm.round(state, problem, server, Coins(True, probability=1.0))
        al = AugmentedLagrangian(problem, s, state.theta_k0, state.lambda_k)
        loss = value - al.value(state.theta_k).mean()
        moved = ((state.theta_k - before.theta_k) ** 2).sum(axis=1).mean()
        promised = (1 - 2 * u) * (1 + u) / (2 * s) * moved
        promised += ((state.theta - before.theta) ** 2).sum() / (2 * s)
        grad = problem.grad(before.theta_k0).mean(axis=0)
        if t > 0:
            yield loss, promised, (grad**2).sum(), ((1 + u**2) / s) ** 2 * moved


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("make", [non_convex_quadratics, non_convex_regression])
def test_each_step_of_the_descent_proof(make, share):
    problem = make(0)
    for loss, promised, square, bound in descent(problem, share * fedpd_step_limit(problem.L)):
        assert promised <= loss + 1e-12
        assert square <= bound + 1e-12


def test_clients_that_share_the_curvature_minus_L_lose_just_what_is_promised():
    """The first two, by their difference; what the others add is small against it."""
    A_k, b_k = np.array([-1.0, -1.0, 1.0, 1.0, 1.0]), np.array([1e6, -1e6, 0.0, 1.0, 2.0])
    problem = Quadratic(A_k[:, None, None], b_k[:, None])
    for loss, promised, *_ in descent(problem, s=0.4, rounds=5):
        assert_allclose(loss, promised, rtol=1e-6)


def test_skipping_leaves_a_plateau():
    history = run(FedPD(s=1.0, p=0.5), random_quadratics(K=6, d=5), rounds=600)
    assert 1e-6 <= history.distance[-100:].max() <= 1.0


@settings(max_examples=10)
@given(seed=SEEDS, p=st.floats(0.0, 0.8))
def test_no_plateau_with_a_shared_quadratic_hessian(seed, p):
    problem = random_quadratics(K=6, d=5, hessian_angle=0.0, linear_spread=3.0, seed=seed)
    history = run(FedPD(s=1.0, p=p), problem, rounds=2000, seed=seed % 1000, tolerance=1e-11)
    assert history.grad_norm2[-1] <= 1e-20


@settings(max_examples=10)
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
