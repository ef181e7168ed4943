"""Where FedAvg and FedProx rest and how fast FedProx gets there, over random cases; the limits of
momentum on the server; weights for every algorithm.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos import (
    Adam,
    FedAvg,
    FedAvgM,
    FedOpt,
    FedPD,
    FedProx,
    GradientDescent,
    ProxSkip,
    Quadratic,
    Scaffnew,
    Scaffold,
    Server,
    random_quadratics,
    run,
)
from fl_algos.draw import Draws
from fl_algos.theory import fedprox_contraction
from support.cases import SCALES, SEEDS
from support.small import PROBLEMS, random_problem

KINDS = st.sampled_from(sorted(PROBLEMS))


def spread(problem):
    """The mean norm of the clients' gradients at the solution, by their weights."""
    star_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
    return problem.weights @ np.linalg.norm(problem.grad(star_k), axis=1)


def after_a_round(algorithm, problem, theta):
    return run(algorithm, problem, rounds=1, theta=theta).theta


def off_at_rest(algorithm, problem, rounds):
    """How far from the solution a run that starts there comes to rest."""
    theta = run(algorithm, problem, rounds, theta=problem.theta_star, stride=rounds).theta
    move = after_a_round(algorithm, problem, theta) - theta
    assert np.linalg.norm(move) < 0.01 * np.linalg.norm(theta - problem.theta_star)
    return np.linalg.norm(theta - problem.theta_star)


@given(kind=KINDS, seed=SEEDS, s=SCALES)
def test_fedprox_contracts(kind, seed, s):
    problem, bound = random_problem(kind, seed), fedprox_contraction(s, PROBLEMS[kind].mu)
    assert problem.mu == pytest.approx(PROBLEMS[kind].mu)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        theta, other = rng.normal(size=(2, problem.d))
        move = after_a_round(FedProx(1 / s), problem, theta)
        move = move - after_a_round(FedProx(1 / s), problem, other)
        assert np.linalg.norm(move) <= bound * np.linalg.norm(theta - other) * (1 + 1e-9)


@given(s=SCALES, mu=SCALES)
def test_it_contracts_no_faster_where_all_curvature_is_mu(s, mu):
    problem = Quadratic(np.tile(mu * np.eye(2), (3, 1, 1)), np.arange(6.0).reshape(3, 2))
    theta, other = np.array([1.0, -2.0]), np.array([-3.0, 0.5])
    move = after_a_round(FedProx(1 / s), problem, theta)
    move = move - after_a_round(FedProx(1 / s), problem, other)
    expected = fedprox_contraction(s, mu) * np.linalg.norm(theta - other)
    assert_allclose(np.linalg.norm(move), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("s", "mu", "name"), [(0.0, 1.0, "s"), (1.0, math.inf, "mu")])
def test_bad_arguments(s, mu, name):
    with pytest.raises(ValueError, match=f"{name} = "):
        fedprox_contraction(s, mu)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("sL", [0.3, 1.0, 10.0])
def test_where_fedprox_rests_is_at_most_s_kappa_times_the_spread_away(kind, sL):
    problem = PROBLEMS[kind]
    s = sL / problem.L
    off = off_at_rest(FedProx(1 / s), problem, rounds=150)
    assert 0 < off <= s * problem.L / problem.mu * spread(problem)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize(("part", "R"), [(1.0, 2), (0.5, 10), (1.0, 50), (0.05, 4)])
def test_where_fedavg_rests_is_at_most_gamma_R_minus_1_kappa_times_the_spread_away(kind, part, R):
    problem = PROBLEMS[kind]
    gamma = part / problem.L
    off = off_at_rest(FedAvg(gamma, R), problem, rounds=300)
    assert 0 < off <= gamma * (R - 1) * problem.L / problem.mu * spread(problem)


@pytest.mark.parametrize("R", [2, 11, None])
def test_the_first_order_of_the_bias(R):
    """gamma (R - 1)/2 = h, or s = h, times (sum w A)^-1 sum w A grad f_k(theta*)."""
    plain, h = random_quadratics(K=4, d=3, mu=0.5, linear_spread=2.0), 1e-4
    problem = Quadratic(plain.A_k, plain.b_k, weights=[1, 2, 3, 4])
    A_k, w_k = problem.A_k, problem.weights[:, None, None]
    if R is None:  # FedProx
        kept_k = np.linalg.inv(np.eye(3) + h * A_k)
    else:
        kept_k = np.linalg.matrix_power(np.eye(3) - 2 * h / (R - 1) * A_k, R)
    pull_k = w_k * (np.eye(3) - kept_k)
    own_k = np.linalg.solve(A_k, problem.b_k[..., None])
    rest = np.linalg.solve(pull_k.sum(axis=0), (pull_k @ own_k).sum(axis=0))[:, 0]
    grad_k = problem.grad(np.broadcast_to(problem.theta_star, (4, 3)))[..., None]
    lead = h * np.linalg.solve((w_k * A_k).sum(axis=0), (w_k * A_k @ grad_k).sum(axis=0))[:, 0]
    assert np.linalg.norm(rest - problem.theta_star - lead) < 0.01 * np.linalg.norm(lead)


@given(beta=st.floats(0, 0.99), part=st.floats(0.01, 100), nu=SCALES)
def test_the_limits_of_momentum_on_the_server(beta, part, nu):
    """m+ = beta m - share nu e, e+ = e + h m+: all eigenvalues within the unit circle or not."""
    if abs(part - 1) < 1e-6:
        return
    limits = {1 - beta: 2 * (1 + beta) / (1 - beta), 1.0: 2 * (1 + beta)}  # FedAdam, FedAvgM
    for share, limit in limits.items():
        h = part * limit / nu
        round_map = [[beta, -share * nu], [h * beta, 1 - h * share * nu]]
        largest = np.abs(np.linalg.eigvals(round_map)).max()
        assert (largest < 1) == (part < 1)


@pytest.mark.parametrize("beta1", [0.0, 0.9])
@pytest.mark.parametrize("beta2", [0.5, 0.99])
@pytest.mark.parametrize("seed", range(3))
def test_beyond_its_limit_fedadam_goes_round_the_point_of_rest(beta1, beta2, seed):
    problem, gamma, tau = random_quadratics(K=5, d=4, seed=seed), 0.3, 0.01
    largest = gamma * np.linalg.eigvalsh(problem.A_k.mean(axis=0))[-1]
    eta = 2 * 2 * (1 + beta1) / (1 - beta1) * tau / largest
    history = run(FedOpt(eta, gamma, Adam(beta2), beta1, tau), problem, rounds=1500)
    late = history.distance[500:]
    assert 1e-4 < late.max() < 50 * eta


@given(seed=SEEDS, L_q=st.floats(0.01, 4))
def test_what_a_step_of_davis_yin_does_to_distances(seed, L_q):
    """Of the exercise: |dw+|^2 <= |dw|^2 - (1 - L_q/2) |dw - dw+|^2."""
    rng = np.random.default_rng(seed)
    problem = random_quadratics(K=3, d=2, mu=10.0 ** rng.uniform(-3, 0), seed=seed)
    basis = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    Q = L_q * basis @ np.diag([1.0, rng.uniform()]) @ basis.T

    def step(w_k):
        x_k = problem.prox(w_k, 1.0)
        return w_k + np.mean(2 * x_k - w_k - x_k @ Q, axis=0) - x_k

    w_k, v_k = 10 * rng.normal(size=(2, 3, 2))
    before, after = w_k - v_k, step(w_k) - step(v_k)
    bound = (before**2).sum() - (1 - L_q / 2) * ((before - after) ** 2).sum()
    assert (after**2).sum() <= bound + 1e-9


class Weighted(Server):
    """A server whose mean is weighted."""

    def __init__(self, weights):
        super().__init__(len(weights))
        self.weights = weights

    def average(self, *rows_k, **options):
        return super().average(*rows_k, weights=self.weights, **options)


@pytest.mark.parametrize(
    "algorithm",
    [
        GradientDescent(0.5),
        FedAvgM(1.0, 0.5, 0.5),
        FedOpt(0.1, 0.5, Adam(), tau=0.1),
        Scaffold(0.3, R=5),
        Scaffold(0.3, 0.8, R=(1, 2, 3, 4)),
        Scaffold(0.3, R=5, option=1),
        ProxSkip(0.5, 0.3),
        ProxSkip(0.5, 0.5, R=3, corrected=True),
        Scaffnew(0.5, 0.3),
        FedPD(1.0),
    ],
)
def test_with_the_weighted_mean_each_solves_the_weighted_problem(algorithm):
    plain = random_quadratics(K=4, d=3, linear_spread=2.0)
    problem = Quadratic(plain.A_k, plain.b_k, weights=[1, 2, 3, 4])
    state, draws = algorithm.init(np.zeros(3), 4), Draws(0, problem)
    server = Weighted(problem.weights)
    for t in range(800):
        state = algorithm.round(state, problem, server, draws[t])
        if not isinstance(algorithm, Scaffold) and "c_k" in state._fields:
            assert_allclose(problem.weights @ state.c_k, 0, atol=1e-12)
    assert np.linalg.norm(state.theta - problem.theta_star) < 1e-9
    assert np.linalg.norm(state.theta - plain.theta_star) > 0.1


@given(seed=SEEDS)
def test_scaled_functions_have_the_weighted_mean_and_a_larger_condition_number(seed):
    plain = random_quadratics(K=4, d=3, seed=seed)
    w_k = np.random.default_rng(seed).uniform(0.1, 1, size=4)
    weighted = Quadratic(plain.A_k, plain.b_k, weights=w_k)
    w_k = 4 * weighted.weights[:, None]
    scaled = Quadratic(w_k[..., None] * plain.A_k, w_k * plain.b_k)
    assert_allclose(scaled.theta_star, weighted.theta_star, atol=1e-10)
    largest = w_k.max() / w_k.min()
    assert scaled.L / scaled.mu <= largest * plain.L / plain.mu * (1 + 1e-9)
