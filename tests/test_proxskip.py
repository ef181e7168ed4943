"""ProxSkip as written, corrected, and Scaffnew: where they converge, and where not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    Diverged,
    ProxSkip,
    Scaffnew,
    Server,
    UnstableProxSkip,
    random_quadratics,
    run,
)
from support.draws import Coins
from support.small import PROBLEMS, column


def unwarned(*args, **kwargs):
    """ProxSkip as written in its unstable region, without the warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnstableProxSkip)
        return ProxSkip(*args, **kwargs)


def test_two_rounds_by_hand(two_clients):
    """gamma = 1/2, R = 1, p = 1/4. At 2 the gradients are 2 and 2, at 1 they are 1 and -1."""
    algorithm, server = ProxSkip(gamma=0.5, p=0.25), Server(2)
    state = algorithm.init(np.array([2.0]), 2)
    state = algorithm.round(state, two_clients, server, Coins(False))
    assert_allclose(state.theta_k, column(1.0, 1.0))
    assert_allclose(state.theta, [2.0])
    assert_allclose(state.c_k, column(0.0, 0.0))
    # half_k = 1 -+ 1/2, mean 1; c_k = (1/4)/(1/2) (1 - half_k)
    state = algorithm.round(state, two_clients, server, Coins(True))
    assert_allclose(state.theta_k, column(1.0, 1.0))
    assert_allclose(state.theta, [1.0])
    assert_allclose(state.c_k, column(0.25, -0.25))
    assert server.ledger.communications == 1


def test_the_corrected_coefficient_by_hand(two_clients):
    """gamma = 1/4, R = 2, p = 1/2: the coefficient is (1/2)/(2/4) = 1 instead of 2."""
    for corrected, weight in [(True, 1.0), (False, 2.0)]:
        algorithm = ProxSkip(gamma=0.25, p=0.5, R=2, corrected=True)
        if not corrected:
            algorithm = unwarned(gamma=0.25, p=0.5, R=2)
        state = algorithm.round(
            algorithm.init(np.array([2.0]), 2), two_clients, Server(2), Coins(True)
        )
        half_k = column(1.125, 4 / 3 + (2 - 4 / 3) * 0.25**2)
        assert_allclose(state.c_k, weight * (half_k.mean() - half_k))


@pytest.mark.parametrize("R", [1, 5])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 0.8, 0.9])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_the_corrected_form_reaches_theta_star(kind, p, R):
    problem = PROBLEMS[kind]
    algorithm = ProxSkip(gamma=1 / problem.L, p=p, R=R, corrected=True)
    history = run(algorithm, problem, rounds=60_000, tolerance=1e-13, stride=50)
    assert history.distance[-1] <= 1e-10
    star_k = problem.grad(np.broadcast_to(problem.theta_star, (problem.K, problem.d)))
    assert_allclose(history.state.c_k, star_k, atol=1e-8)
    assert_allclose(history.state.c_k.sum(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("p", [0.1, 0.2, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_scaffnew_reaches_theta_star(kind, p):
    problem = PROBLEMS[kind]
    algorithm = Scaffnew(gamma=1 / problem.L, p=p)
    history = run(algorithm, problem, rounds=60_000, tolerance=1e-13, stride=50)
    assert history.distance[-1] <= 1e-10


@pytest.mark.parametrize("p", [0.3, 0.5])
def test_as_written_converges_up_to_one_half_with_one_step(p):
    problem = PROBLEMS["quadratic"]
    history = run(ProxSkip(gamma=1 / problem.L, p=p), problem, rounds=3000)
    assert history.distance[-1] <= 1e-10


def test_as_written_without_skipping_is_local_descent_with_its_drift():
    """At p = 0 the control variates never move: sum (I - (I - gamma A_k)^R)(theta - x_k) = 0."""
    problem, R = PROBLEMS["quadratic"], 5
    history = run(ProxSkip(gamma=0.8, p=0.0, R=R), problem, rounds=500)
    assert (history.state.c_k == 0).all()
    own_k = np.linalg.solve(problem.A_k, problem.b_k[..., None])[..., 0]
    pull_k = np.eye(5) - np.linalg.matrix_power(np.eye(5) - 0.8 * problem.A_k, R)
    drifted = np.linalg.solve(pull_k.sum(axis=0), (pull_k @ own_k[..., None])[..., 0].sum(axis=0))
    assert_allclose(history.theta, drifted, atol=1e-10)
    assert history.distance[-1] > 0.1


def test_as_written_diverges_far_in_its_unstable_region():
    """rho = R p/(1 - p) = 9 at p = 0.9, kappa = 100."""
    problem = random_quadratics(K=6, d=5, L=1.0, mu=0.01, linear_spread=2.0)
    for seed in range(5):
        with pytest.raises(Diverged):
            run(unwarned(gamma=1.0, p=0.9), problem, rounds=200_000, seed=seed, stride=1000)


@pytest.mark.parametrize(("p", "R"), [(0.56, 1), (0.3, 3), (0.0, 100), (0.5, 1)])
def test_no_warning_where_it_is_stable(p, R):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ProxSkip(gamma=1.0, p=p, R=R)
        ProxSkip(gamma=1.0, p=0.9, R=9, corrected=True)


@pytest.mark.parametrize(("p", "R"), [(0.565, 1), (0.4, 3), (0.5, 2), (0.9, 1)])
def test_a_warning_that_names_the_erratum_where_it_is_not(p, R):
    with pytest.warns(UnstableProxSkip, match=r"E1.*corrected=True, or Scaffnew"):
        ProxSkip(gamma=1.0, p=p, R=R)


@pytest.mark.parametrize("algorithm", [ProxSkip(gamma=0.5, p=0.3), Scaffnew(gamma=0.5, p=0.3)])
def test_control_variates_that_do_not_sum_to_zero_are_refused(algorithm):
    problem = PROBLEMS["quadratic"]
    state = algorithm.init(np.zeros(5), 6)
    state = state._replace(c_k=np.ones((6, 5)))
    with pytest.raises(ValueError, match="the mean of c_k over the clients is not 0 but up to 1"):
        run(algorithm, problem, rounds=1, state=state)


def test_their_mean_moves_the_limit():
    """The reason for refusing them (erratum E5): the limit has grad f(theta) = mean of c_k."""
    problem = PROBLEMS["quadratic"]
    algorithm = Scaffnew(gamma=1.0, p=0.5)
    mean = np.arange(5.0)
    state = algorithm.init(np.zeros(5), 6)._replace(c_k=np.broadcast_to(mean, (6, 5)))
    for t in range(2000):
        state = algorithm.round(state, problem, Server(6), Coins(t % 2 == 0))
    grad = problem.grad(np.broadcast_to(state.theta, (6, 5))).mean(axis=0)
    assert_allclose(grad, mean, atol=1e-10)


def test_a_run_can_be_taken_up_again():
    problem = PROBLEMS["quadratic"]
    algorithm = ProxSkip(gamma=1.0, p=0.4)
    half = run(algorithm, problem, rounds=50)
    assert run(algorithm, problem, rounds=50, state=half.state).distance[-1] < half.distance[-1]
