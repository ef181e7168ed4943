"""ProxSkip as written, corrected, and Scaffnew: how fast they converge, and to which floor."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from fl_algos import (
    LogisticRegression,
    ProxSkip,
    Quadratic,
    Scaffnew,
    Server,
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
    scaffnew_mean_square_rate,
    scaffnew_rate,
    scaffnew_steps_contraction,
    scaffnew_steps_rate,
)
from support.cases import SEEDS
from support.draws import Coins
from support.small import PROBLEMS, column, random_problem


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


@pytest.mark.filterwarnings("ignore::fl_algos.UnstableProxSkip")
@pytest.mark.parametrize("R", [1, 2, 5])
@pytest.mark.parametrize("target", [0.9, 1.1])
def test_the_mean_square_is_stable_up_to_the_boundary_of_erratum_e1(R, target):
    """On a flat direction, a = 1e-3; rho at 0.9 and 1.1 times its limit."""
    flat = Quadratic(A_k=np.full((2, 1, 1), 1e-3), b_k=np.zeros((2, 1)))
    p = brentq(lambda p: proxskip_rho(p, R) - target * proxskip_rho_limit(p), 0.0, 0.999)
    C, S = round_maps(ProxSkip(gamma=1.0, p=p, R=R), flat)
    second_moments = (1 - p) * np.kron(C, C) + p * np.kron(S, S)
    radius = np.abs(np.linalg.eigvals(second_moments)).max()
    assert (radius < 1) == (target < 1) == proxskip_is_stable(p, R)


@pytest.mark.parametrize("a", [1.0, 0.1, 1e-3])
@pytest.mark.parametrize("p", [0.9, 0.1, 0.02])
def test_the_mean_square_of_scaffnew_shrinks_by_its_exact_rate(a, p):
    """The second moments of two clients with one curvature, from the rounds themselves."""
    pair = Quadratic(A_k=np.full((2, 1, 1), a), b_k=np.zeros((2, 1)))
    C, S = round_maps(Scaffnew(gamma=0.9, p=p), pair)
    second_moments = p * np.kron(C, C) + (1 - p) * np.kron(S, S)
    radius = np.abs(np.linalg.eigvals(second_moments)).max()
    alike = (1 - 0.9 * a) ** 2  # what the clients share
    assert_allclose(scaffnew_mean_square_rate(0.9, p, a), max(radius, alike), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::fl_algos.UnstableProxSkip")
@pytest.mark.parametrize("R", [1, 2, 3, 5, 10, 20])
def test_a_shared_curvature_moves_the_boundary_of_erratum_e1_out(R):
    """Over curvatures up to 1/gamma the mean square is stable at the boundary of flat ones."""
    limit = brentq(lambda p: proxskip_rho(p, R) - proxskip_rho_limit(p), 0.0, 0.999)
    for a in np.geomspace(1e-2, 1, 9):
        curved = Quadratic(A_k=np.full((2, 1, 1), a), b_k=np.zeros((2, 1)))
        for p in limit * np.linspace(0.1, 1, 10):
            C, S = round_maps(ProxSkip(gamma=1.0, p=p, R=R), curved)
            second_moments = (1 - p) * np.kron(C, C) + p * np.kron(S, S)
            assert np.abs(np.linalg.eigvals(second_moments)).max() < 1


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


@pytest.mark.parametrize("kind", PROBLEMS)
@settings(max_examples=25)
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
@settings(max_examples=25)
@given(seed=SEEDS, share=st.floats(0.05, 1.0), p=st.floats(0.01, 0.9))
@pytest.mark.filterwarnings("ignore::fl_algos.UnstableProxSkip")
def test_the_lyapunov_function_of_proxskip_as_written(kind, seed, share, p):
    """Erratum E1: R = 1 and p <= 1/2 contract by max((1 - gamma mu)^2, 1 - p (1 - p)).

    Its identity, exactly in expectation over the coin, holds for any p in (0, 1).
    """
    problem = random_problem(kind, seed)
    gamma = share / problem.L
    algorithm = ProxSkip(gamma=gamma, p=p)
    state = random_state(algorithm, problem, seed)

    def psi(state):
        return scaffnew_lyapunov(problem, state.theta_k, state.c_k, gamma, 1 - p)

    found = expected_next(algorithm, state, problem, 1 - p, psi)
    star_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
    c_star_k = problem.grad(star_k)
    a = state.theta_k - gamma * problem.grad(state.theta_k) - (star_k - gamma * c_star_k)
    shared = np.broadcast_to(a.mean(axis=0), a.shape)
    c_error = (gamma / (1 - p)) ** 2 * ((state.c_k - c_star_k) ** 2).sum()
    identity = (shared**2).sum() + p / (1 - p) * ((a - shared) ** 2).sum()
    assert_allclose(found, identity + (1 - p * (1 - p)) * c_error, rtol=1e-10)
    if p <= 0.5:
        assert found <= proxskip_contraction(gamma, p, problem.mu) * psi(state) * (1 + 1e-12)


def merely_convex(seed):
    """Logistic losses without a penalty, of three samples in five dimensions, with theta* = 0.

    Two clients have the same samples with opposite labels: their sum is even.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(3, 5)) * rng.uniform(0.1, 3), np.array([0, 1, 1])
    problem = LogisticRegression([X, X], [y, 1 - y])
    problem.theta_star = np.zeros(5)
    return problem


@settings(max_examples=50)
@given(seed=SEEDS, share=st.floats(0.02, 1.0), p=st.floats(0.0, 0.99), R=st.integers(1, 50))
def test_the_lyapunov_function_never_grows_on_convex_functions(seed, share, p, R):
    """They are flat in two directions, where f_k - <c_k, .> is not bounded below."""
    problem = merely_convex(seed)
    gamma, q = share / problem.L, 1 - p
    algorithm = ProxSkip(gamma=gamma, p=p, R=R, corrected=True)
    near = random_state(algorithm, problem, seed)
    far = np.random.default_rng([seed, 7]).choice([1e-3, 1e-1, 1.0, 10.0])
    c_star_k = problem.grad(np.zeros((2, 5)))
    state = near._replace(theta_k=far * near.theta_k, c_k=c_star_k + far * near.c_k)

    def psi(state):
        return scaffnew_lyapunov(problem, state.theta_k, state.c_k, R * gamma, q)

    assert expected_next(algorithm, state, problem, q, psi) <= psi(state) * (1 + 1e-12)


def coins_of_their_own(problem, theta_k, c_k, gamma, coefficient, tossed):
    """A round in which only some clients, those who have tossed heads, average."""
    half_k = theta_k - gamma * (problem.grad(theta_k) - c_k)
    theta_k = half_k.copy()
    if tossed.any():
        theta_k[tossed] = half_k[tossed].mean(axis=0)
    return theta_k, c_k + coefficient / gamma * (theta_k - half_k)


def share_removed(K, p):
    """What is removed of a disagreement: E max{n - 1, 0}/(K - 1), with n clients averaging."""
    return (K * p - 1 + (1 - p) ** K) / (K - 1)


@pytest.mark.parametrize("kind", PROBLEMS)
@settings(max_examples=20)
@given(seed=SEEDS, share=st.floats(0.05, 1.0), p=st.floats(0.05, 1.0))
def test_coins_of_their_own_have_the_identity_of_scaffnew(kind, seed, share, p):
    """Exactly in expectation over all subsets, with q for p in the coefficient and in Psi."""
    problem = random_problem(kind, seed)
    K, gamma = problem.K, share / problem.L
    state, q = random_state(Scaffnew(gamma, p), problem, seed), share_removed(problem.K, p)

    def psi(theta_k, c_k):
        return scaffnew_lyapunov(problem, theta_k, c_k, gamma, q)

    found = 0.0
    for sides in product((False, True), repeat=K):
        tossed = np.array(sides)
        probability = np.prod(np.where(tossed, p, 1 - p))
        after = coins_of_their_own(problem, state.theta_k, state.c_k, gamma, q, tossed)
        assert_allclose(after[1].sum(axis=0), 0, atol=1e-9 / gamma)
        found += probability * psi(*after)
    star_k = np.broadcast_to(problem.theta_star, (K, problem.d))
    step_k = state.theta_k - gamma * problem.grad(state.theta_k)
    a_k = step_k - (star_k - gamma * problem.grad(star_k))
    c_error = ((state.c_k - problem.grad(star_k)) ** 2).sum()
    assert_allclose(found, (a_k**2).sum() + (1 - q**2) * (gamma / q) ** 2 * c_error, rtol=1e-9)


def flat_moments(q, beta):
    """What a round of a Scaffnew that communicates with q does to the sums of e^2, e u and u^2."""
    learnt = [q * beta**2, 2 * q * beta * (beta - 1), 1 + q * beta * (beta - 2)]
    return np.array([[1 - q, 2 * (1 - q), 1 - q], [0, 1 - q, 1 - q], learnt])


@pytest.mark.parametrize("K", [2, 3, 7])
@pytest.mark.parametrize("p", [0.1, 0.6])
def test_coins_of_their_own_are_rarer_coins_on_flat_directions(K, p):
    """The second moments over all subsets, for any coefficient."""
    flat, beta = Quadratic(np.zeros((K, 1, 1)), np.zeros((K, 1))), 0.3
    e_k, u_k = np.random.default_rng(K).normal(size=(2, K, 1))
    e_k, u_k = e_k - e_k.mean(), u_k - u_k.mean()

    def moments(e_k, u_k):
        return np.array([(e_k**2).sum(), (e_k * u_k).sum(), (u_k**2).sum()])

    found = np.zeros(3)
    for sides in product((False, True), repeat=K):
        probability = np.prod(np.where(sides, p, 1 - p))
        after = coins_of_their_own(flat, e_k, u_k, 1.0, beta, np.array(sides))
        found += probability * moments(*after)
    assert_allclose(found, flat_moments(share_removed(K, p), beta) @ moments(e_k, u_k))


@pytest.mark.parametrize("K", [2, 3, 10])
@pytest.mark.parametrize("p", [0.1, 0.3])
def test_the_coefficient_p_is_too_large_for_coins_of_their_own(K, p):
    q = share_removed(K, p)

    def radius(beta):
        return np.abs(np.linalg.eigvals(flat_moments(q, beta))).max()

    assert radius(p) > 1 > radius(q)
    limit = brentq(lambda beta: radius(beta) - 1, 1.001 * q, 2 * q)
    assert_allclose(limit, 2 * q / (2 - q), rtol=1e-6)
    assert_allclose(limit / q, proxskip_rho_limit(1 - q), rtol=1e-6)


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


@pytest.mark.parametrize("kind", PROBLEMS)
@settings(max_examples=50)
@given(seed=SEEDS, share=st.floats(0.02, 1.0), p=st.floats(0.0, 0.95), R=st.integers(1, 20))
def test_the_lyapunov_function_of_corrected_proxskip_with_local_steps(kind, seed, share, p, R):
    """Its identity for any f, the theorem on its rate, and the contraction for quadratics."""
    problem = random_problem(kind, seed)
    gamma, q = share / problem.L, 1 - p
    algorithm = ProxSkip(gamma=gamma, p=p, R=R, corrected=True)
    state = random_state(algorithm, problem, seed)

    def psi(state):
        return scaffnew_lyapunov(problem, state.theta_k, state.c_k, R * gamma, q)

    found = expected_next(algorithm, state, problem, q, psi)
    star_k = np.broadcast_to(problem.theta_star, (problem.K, problem.d))
    c_error_k = R * gamma * (state.c_k - problem.grad(star_k))
    x_k = state.theta_k
    for _ in range(R):
        x_k = x_k - gamma * (problem.grad(x_k) - state.c_k)
    identity = ((x_k - star_k - c_error_k) ** 2).sum() + (1 / q**2 - 1) * (c_error_k**2).sum()
    assert_allclose(found, identity, rtol=1e-9)
    assert found <= scaffnew_steps_rate(gamma, q, R, problem.mu) * psi(state) * (1 + 1e-12)
    if kind == "quadratic":
        contraction = scaffnew_steps_contraction(gamma, q, R, problem.L, problem.mu)
        assert contraction < 1
        assert found <= contraction * psi(state) * (1 + 1e-12)


@pytest.mark.parametrize("a", [1.0, 0.1])
def test_local_steps_contract_by_no_smaller_factor(a):
    """Two clients with one curvature: the eigenvector of the factor is a state of theirs."""
    pair, gamma, q, R = Quadratic(np.full((2, 1, 1), a), np.array([[1.0], [-2.0]])), 0.8, 0.4, 3
    algorithm = ProxSkip(gamma, p=1 - q, R=R, corrected=True)
    z = 1 - gamma * a
    x, y = z**R, 1 - (1 + z + z**2) / 3
    form = np.array([[x**2, -q * x * y], [-q * x * y, 1 - q**2 + (q * y) ** 2]])
    theta_error, c_error = np.linalg.eigh(form)[1][:, -1]
    sign_k, star_k = np.array([[1.0], [-1.0]]), np.broadcast_to(pair.theta_star, (2, 1))
    state = algorithm.init(pair.theta_star, 2)._replace(
        theta_k=star_k + theta_error * sign_k,
        c_k=pair.grad(star_k) + q / (R * gamma) * c_error * sign_k,
    )

    def psi(state):
        return scaffnew_lyapunov(pair, state.theta_k, state.c_k, R * gamma, q)

    factor = scaffnew_steps_contraction(gamma, q, R, L=a, mu=a)
    assert_allclose(expected_next(algorithm, state, pair, q, psi), factor * psi(state))


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
    problem, p = with_shared_ends(kappa, seed), scaffnew_best_p(1.0, L=1.0, mu=1 / kappa)
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
    L_max = float((problem._samples.x**2).sum(axis=-1).max()) / 4 + problem.mu
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


@settings(max_examples=25)
@given(seed=SEEDS, p=st.floats(0.05, 1.0))
def test_with_weights_the_weighted_mean_has_the_same_identity(seed, p):
    """The mean, the norm and the sum of the c_k are all weighted."""
    problem, rng = random_problem("quadratic", seed), np.random.default_rng([seed, 6])
    w_k = rng.dirichlet(np.ones(problem.K))[:, None]
    gamma = 0.7 / problem.L
    theta_star = np.linalg.solve(
        (w_k[:, :, None] * problem.A_k).sum(axis=0), (w_k * problem.b_k).sum(axis=0)
    )
    star_k = np.broadcast_to(theta_star, (problem.K, problem.d))
    c_star_k = problem.grad(star_k)
    assert_allclose((w_k * c_star_k).sum(axis=0), 0, atol=1e-9)
    theta_k, c_k = rng.normal(size=(2, problem.K, problem.d))
    c_k -= (w_k * c_k).sum(axis=0)

    def psi(theta_k, c_k):
        errors = (theta_k - star_k) ** 2 + (gamma / p * (c_k - c_star_k)) ** 2
        return (w_k * errors).sum()

    half_k = theta_k - gamma * (problem.grad(theta_k) - c_k)
    mean_k = np.broadcast_to((w_k * half_k).sum(axis=0), half_k.shape)
    found = p * psi(mean_k, c_k + p / gamma * (mean_k - half_k)) + (1 - p) * psi(half_k, c_k)
    a_k = theta_k - gamma * problem.grad(theta_k) - (star_k - gamma * c_star_k)
    c_error = (w_k * (c_k - c_star_k) ** 2).sum()
    identity = (w_k * a_k**2).sum() + (1 - p**2) * (gamma / p) ** 2 * c_error
    assert_allclose(found, identity, rtol=1e-9)


class Noisy(Quadratic):
    """Quadratics whose gradients have normal errors."""

    def grad(self, theta_k, clients=None, batch=None):
        self.errors_k = self.rng.normal(size=theta_k.shape)
        return super().grad(theta_k, clients) + self.errors_k


def test_with_one_hessian_the_mean_takes_steps_with_the_mean_of_the_errors():
    """Whatever the coin: so the floor of the server's model falls like 1/K."""
    A, rng = random_quadratics(K=1, d=3, mu=0.1).A_k[0], np.random.default_rng(0)
    noisy = Noisy(np.broadcast_to(A, (4, 3, 3)), rng.normal(size=(4, 3)))
    noisy.rng, algorithm = rng, Scaffnew(gamma=0.5, p=0.4)
    state = algorithm.init(np.zeros(3), 4)
    for t in range(20):
        before = state.theta_k.mean(axis=0)
        state = algorithm.round(state, noisy, Server(4), Coins(t % 3 == 0))
        grad = A @ before - noisy.b_k.mean(axis=0) + noisy.errors_k.mean(axis=0)
        assert_allclose(state.theta_k.mean(axis=0), before - 0.5 * grad, atol=1e-12)
