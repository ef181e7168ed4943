"""ProxSkip as written, corrected, and Scaffnew: where they converge, and where not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from fl_algos import (
    Diverged,
    ProxSkip,
    Quadratic,
    Scaffnew,
    Server,
    UnstableProxSkip,
    random_quadratics,
    run,
)
from fl_algos.draw import Batch, Draws
from fl_algos.theory import (
    proxskip_contraction,
    proxskip_is_stable,
    proxskip_rho,
    proxskip_rho_limit,
    scaffnew_best_p,
    scaffnew_communications,
    scaffnew_contraction,
    scaffnew_lyapunov,
    scaffnew_rate,
    scaffnew_steps_contraction,
)
from support.draws import Coins
from support.small import PROBLEMS, column, random_problem


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


def round_maps(algorithm, problem):
    """The two linear maps of a round on (theta_1 - theta_2, c_1 - c_2), by running it."""
    maps = []
    for communicate in (True, False):
        columns = []
        for theta, c in ((1.0, 0.0), (0.0, 1.0)):
            state = algorithm.init(np.zeros(1), 2)
            state = state._replace(theta_k=column(theta, -theta), c_k=column(c, -c))
            state = algorithm.round(state, problem, Server(2), Coins(communicate))
            columns.append([state.theta_k[0, 0], state.c_k[0, 0]])
        maps.append(np.array(columns).T)
    return maps


@pytest.mark.parametrize("R", [1, 2, 5])
@pytest.mark.parametrize("target", [0.9, 1.1])
def test_the_mean_square_is_stable_up_to_the_boundary_of_erratum_e1(R, target):
    """On a flat direction, a = 1e-3; rho at 0.9 and 1.1 times its limit."""
    flat = Quadratic(A_k=np.full((2, 1, 1), 1e-3), b_k=np.zeros((2, 1)))
    p = brentq(lambda p: proxskip_rho(p, R) - target * proxskip_rho_limit(p), 0.0, 0.999)
    C, S = round_maps(unwarned(gamma=1.0, p=p, R=R), flat)
    second_moments = (1 - p) * np.kron(C, C) + p * np.kron(S, S)
    radius = np.abs(np.linalg.eigvals(second_moments)).max()
    assert (radius < 1) == (target < 1) == proxskip_is_stable(p, R)


def expected_next(algorithm, state, problem, p_communicate, measure):
    """The expectation of a measure after one round, over both sides of the coin."""
    return sum(
        weight * measure(algorithm.round(state, problem, Server(problem.K), Coins(communicate)))
        for weight, communicate in ((p_communicate, True), (1 - p_communicate, False))
    )


def random_state(algorithm, problem, seed):
    rng = np.random.default_rng([seed, 5])
    state = algorithm.init(rng.normal(size=problem.d), problem.K)
    c_k = rng.normal(size=state.c_k.shape)
    theta_k = rng.normal(size=state.theta_k.shape)
    return state._replace(theta_k=theta_k, c_k=c_k - c_k.mean(axis=0))


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("kind", PROBLEMS)
@settings(deadline=None, max_examples=25)
@given(seed=SEEDS, share=st.floats(0.05, 1.95), p=st.floats(0.01, 1.0))
def test_the_lyapunov_function_of_scaffnew(kind, seed, share, p):
    """Its identity for any f, and its contraction, exactly in expectation over the coin."""
    problem = random_problem(kind, seed)
    gamma = share / problem.L
    algorithm = Scaffnew(gamma=gamma, p=p)
    state = random_state(algorithm, problem, seed)

    def psi(state):
        return scaffnew_lyapunov(problem, state.theta_k, state.c_k, gamma, p)

    found = expected_next(algorithm, state, problem, p, psi)
    star_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
    c_star_k = problem.grad(star_k)
    v_k = state.theta_k - gamma * problem.grad(state.theta_k)
    v_star_k = star_k - gamma * c_star_k
    c_error = ((state.c_k - c_star_k) ** 2).sum()
    identity = ((v_k - v_star_k) ** 2).sum() + (1 - p**2) * (gamma / p) ** 2 * c_error
    assert_allclose(found, identity, rtol=1e-10)
    contraction = scaffnew_contraction(gamma, p, problem.L, problem.mu)
    assert found <= contraction * psi(state) * (1 + 1e-12)
    if share <= 1:
        assert contraction <= scaffnew_rate(gamma, p, problem.mu)


@pytest.mark.parametrize("kind", PROBLEMS)
@settings(deadline=None, max_examples=25)
@given(seed=SEEDS, share=st.floats(0.05, 1.0), p=st.floats(0.01, 0.5))
def test_the_lyapunov_function_of_proxskip_as_written(kind, seed, share, p):
    """Erratum E1: R = 1 and p <= 1/2 contract by max((1 - gamma mu)^2, 1 - p (1 - p))."""
    problem = random_problem(kind, seed)
    gamma = share / problem.L
    algorithm = ProxSkip(gamma=gamma, p=p)
    state = random_state(algorithm, problem, seed)

    def psi(state):  # with gamma^2/(p (1 - p)) for gamma^2/p^2
        weight = gamma / (p * (1 - p)) ** 0.5
        return scaffnew_lyapunov(problem, state.theta_k, state.c_k, weight, 1.0)

    found = expected_next(algorithm, state, problem, 1 - p, psi)
    assert found <= proxskip_contraction(gamma, p, problem.mu) * psi(state) * (1 + 1e-12)


SHARED = Quadratic(np.stack([np.diag([1.0, 0.1])] * 2), np.array([[1.0, 2.0], [-3.0, 1.0]]))


def off_the_limit(algorithm, theta_error, c_error):
    """A state of the two clients of SHARED: the same error of both models, opposite ones of c_k."""
    star_k = np.broadcast_to(SHARED.theta_star, (2, 2))
    errors = np.array([c_error, -np.array(c_error)])
    state = algorithm.init(SHARED.theta_star + theta_error, 2)
    return state._replace(c_k=SHARED.grad(star_k) + errors)


@pytest.mark.parametrize(
    ("gamma", "p", "theta_error", "c_error", "factor"),
    [
        (0.5, 0.9, [0.0, 1.0], [0.0, 0.0], (1 - 0.5 * 0.1) ** 2),
        (1.95, 0.9, [1.0, 0.0], [0.0, 0.0], (1 - 1.95) ** 2),
        (0.5, 0.2, [0.0, 0.0], [1.0, 3.0], 1 - 0.2**2),
    ],
)
def test_scaffnew_contracts_by_no_smaller_factor(gamma, p, theta_error, c_error, factor):
    """Each of the three terms is reached by some state, where it is the largest."""
    algorithm = Scaffnew(gamma, p)
    state = off_the_limit(algorithm, theta_error, c_error)

    def psi(state):
        return scaffnew_lyapunov(SHARED, state.theta_k, state.c_k, gamma, p)

    assert_allclose(scaffnew_contraction(gamma, p, 1.0, 0.1), factor)
    assert_allclose(expected_next(algorithm, state, SHARED, p, psi), factor * psi(state))


@pytest.mark.parametrize(
    ("gamma", "theta_error", "c_error", "factor"),
    [(0.5, [0.0, 1.0], [0.0, 0.0], (1 - 0.5 * 0.1) ** 2), (1.5, [0.0, 0.0], [1.0, 3.0], 0.75)],
)
def test_proxskip_as_written_contracts_by_no_smaller_factor(gamma, theta_error, c_error, factor):
    """For p = 1/2, where the two forms coincide. (From theta* on, gamma may be over 1/L.)"""
    algorithm = ProxSkip(gamma, p=0.5)
    state = off_the_limit(algorithm, theta_error, c_error)

    def psi(state):
        return scaffnew_lyapunov(SHARED, state.theta_k, state.c_k, 2 * gamma, 1.0)

    assert_allclose(proxskip_contraction(gamma, 0.5, 0.1), factor)
    assert_allclose(expected_next(algorithm, state, SHARED, 0.5, psi), factor * psi(state))


@settings(deadline=None, max_examples=50)
@given(seed=SEEDS, share=st.floats(0.02, 1.0), p=st.floats(0.0, 0.95), R=st.integers(1, 20))
def test_the_lyapunov_function_of_corrected_proxskip_with_local_steps(seed, share, p, R):
    """Quadratics only."""
    problem = random_problem("quadratic", seed)
    gamma, q = share / problem.L, 1 - p
    algorithm = ProxSkip(gamma=gamma, p=p, R=R, corrected=True)
    state = random_state(algorithm, problem, seed)

    def psi(state):
        return scaffnew_lyapunov(problem, state.theta_k, state.c_k, R * gamma, q)

    found = expected_next(algorithm, state, problem, q, psi)
    contraction = scaffnew_steps_contraction(gamma, q, R, problem.L, problem.mu)
    assert contraction < 1
    assert found <= contraction * psi(state) * (1 + 1e-12)


def with_shared_ends(kappa, seed):
    """Quadratics with L = 1 whose eigenvectors of 1 and 1/kappa are the same for all clients."""
    inner = random_quadratics(K=8, d=4, L=1.0, mu=1 / kappa, seed=seed)
    A_k = np.zeros((8, 6, 6))
    A_k[:, :4, :4] = inner.A_k
    A_k[:, 4, 4], A_k[:, 5, 5] = 1 / kappa, 1.0
    shared = np.random.default_rng([seed, 1]).normal(size=(8, 2))
    return Quadratic(A_k, np.concatenate([inner.b_k, shared], axis=1))


def communications_of_scaffnew(kappa, seed):
    """Until the error is 1e-8 of the first, and what the theorem says of it."""
    problem, p = with_shared_ends(kappa, seed), scaffnew_best_p(kappa)
    small = 1e-8 * np.linalg.norm(problem.theta_star)
    history = run(
        Scaffnew(1.0, p),
        problem,
        10**6,
        seed=seed,
        tolerance=small / kappa,
        stride=1 + int(0.1 / p),
    )
    found = history.communications[np.argmax(history.distance <= small)]
    zeros = np.zeros((8, 6))
    Psi_0 = scaffnew_lyapunov(problem, zeros, zeros, 1.0, p)
    return found, scaffnew_communications(Psi_0, 8 * small**2, 1.0, p, 1 / kappa)


def test_communications_of_scaffnew_grow_with_the_root_of_kappa():
    kappas, means = (10, 80, 640), []
    for kappa in kappas:
        found, bound = np.mean(
            [communications_of_scaffnew(kappa, seed) for seed in range(8)], axis=0
        )
        assert 0.25 * bound < found <= bound
        means.append(found)
    slope = np.polyfit(np.log(kappas), np.log(means), 1)[0]
    assert abs(slope - 0.5) < 0.05


@pytest.mark.parametrize("algorithm", [ProxSkip(gamma=0.5, p=0.3), Scaffnew(gamma=0.5, p=0.3)])
def test_control_variates_that_do_not_sum_to_zero_are_refused(algorithm):
    problem = PROBLEMS["quadratic"]
    state = algorithm.init(np.zeros(5), 6)
    state = state._replace(c_k=np.ones((6, 5)))
    with pytest.raises(ValueError, match="the sum of c_k over the clients is not 0 but up to 6"):
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


def test_minibatches_end_at_a_floor_that_shrinks_with_the_step():
    """Erratum E7: the control variates correct the drift and do not reduce the variance."""
    problem = PROBLEMS["logistic"]
    floors = []
    for gamma in (0.4, 0.1):
        algorithm = Scaffnew(gamma=gamma / problem.L, p=0.5)
        history = run(algorithm, problem, rounds=4000, batch_size=2, theta=problem.theta_star)
        floors.append((history.distance[1000:] ** 2).mean())
    assert 2 < floors[0] / floors[1] < 8
    assert floors[1] > 1e-6


def test_the_floor_of_minibatches_is_within_the_theorem():
    """E Psi <= gamma^2 C/zeta from theta*: C is twice the variance there, gamma <= 1/(2 L_max).

    L_max is the largest of the samples' constants; a batch of 2 of n samples, drawn without
    replacement, has (n - 2)/(2 (n - 1)) times the variance of one sample.
    """
    problem, p = PROBLEMS["logistic"], 0.5
    star_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
    L_max = float((problem._samples.x_k**2).sum(axis=-1).max()) / 4 + problem.mu
    variance = 0.0
    for k, n in enumerate(problem.sizes):
        own = np.array([sample_gradient(problem, k, i) for i in range(n)])
        variance += own.var(axis=0).sum() * (n - 2) / (2 * (n - 1))
    gamma = 0.5 / L_max
    bound = gamma**2 * 2 * variance / (1 - scaffnew_rate(gamma, p, problem.mu))
    algorithm, draws = Scaffnew(gamma=gamma, p=p), Draws(0, problem, batch_size=2)
    state = algorithm.init(problem.theta_star, problem.K)._replace(c_k=problem.grad(star_k))
    assert scaffnew_lyapunov(problem, state.theta_k, state.c_k, gamma, p) == 0
    psis = []
    for t in range(2000):
        state = algorithm.round(state, problem, Server(problem.K), draws[t])
        psis.append(scaffnew_lyapunov(problem, state.theta_k, state.c_k, gamma, p))
    assert 0.01 * bound < np.mean(psis[500:]) <= bound


def sample_gradient(problem, k, i):
    """The gradient of client k's loss of sample i at theta*."""
    batch = Batch(np.array([[i]]), np.array([[1.0]]), samples=1)
    return problem.grad(problem.theta_star[None], np.array([k]), batch)[0]
