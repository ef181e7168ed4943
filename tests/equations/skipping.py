"""The equations of the skipping chapter."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from equations.proximal import EVERYBODY
from equations.quadratics import (
    CLIENTS,
    K,
    argmin,
    federation,
    gradient,
    mean,
    norm2,
    same,
    vectors,
)
from equations.states import states
from fl_algos import Quadratic, Server
from fl_algos.algorithms import fedpd, fedprox, gradient_descent, proxskip, scaffnew
from fl_algos.theory import scaffnew as theory
from support.draws import Coins

gamma, p, R = 0.6, 0.4, 3


def projection(Theta):
    """The nearest point whose blocks are all the same: prox of the indicator function of E."""
    return np.tile(argmin(lambda theta: sum(norm2(theta - Theta[k]) for k in CLIENTS)), (K, 1))


@states(
    "proxgd",
    "2022b0",
    gradient_descent,
    [("theta_k - self.gamma *", "theta_k + self.gamma *")],
    [("theta_k = server.broadcast(theta)  # 10, 11", "theta_k = half_k")],
)
def proxgd(gradient_descent):
    problem, f = federation()
    algorithm = gradient_descent.GradientDescent(gamma=gamma)
    state = algorithm.init(vectors(1)[0], K)
    after = algorithm.round(state, problem, Server(K), Coins(True))
    s = K * gamma
    Theta = np.array(state.theta_k)

    def F(Theta):
        return 1 / K * sum(f[k](Theta[k]) for k in CLIENTS)

    same(after.theta_k, projection(Theta - s * gradient(F, Theta)))


@states(
    "proxskip-local",
    "5acfb8",
    proxskip,
    [("(g_k - c_k)", "(g_k + c_k)")],
    [("x_k - self.gamma *", "x_k + self.gamma *")],
)
def proxskip_local(proxskip):
    problem, f = federation()
    algorithm = proxskip.ProxSkip(gamma=gamma, p=p)
    theta_k, c_k = vectors(1), vectors(2)
    state = algorithm.init(theta_k[0], K)._replace(theta_k=theta_k, c_k=c_k)
    after = algorithm.round(state, problem, Server(K), Coins(False, probability=1 - p))
    for k in CLIENTS:
        same(after.theta_k[k], theta_k[k] - gamma * (gradient(f[k], theta_k[k]) - c_k[k]))


def solution(f):
    """theta*, and the c_k* = grad f_k(theta*)."""
    theta_star = argmin(lambda theta: 1 / K * sum(f[k](theta) for k in CLIENTS))
    return theta_star, np.array([gradient(f[k], theta_star) for k in CLIENTS])


def Psi(f, theta_k, c_k, gamma, p):
    """The measure of the error, as in equation scaffnew-lyapunov."""
    theta_star, c_star = solution(f)
    return sum(norm2(theta_k[k] - theta_star) for k in CLIENTS) + gamma**2 / p**2 * sum(
        norm2(c_k[k] - c_star[k]) for k in CLIENTS
    )


def start(algorithm):
    """Some state whose control variates sum to zero."""
    theta_k, c_k = vectors(1), vectors(2)
    c_k = c_k - c_k.mean(axis=0)
    return algorithm.init(theta_k[0], K)._replace(theta_k=theta_k, c_k=c_k)


def expected_Psi(algorithm, problem, f, gamma, p):
    """The expectation of Psi after a round from `start`, p the probability of communicating."""
    after = {
        communicate: algorithm.round(
            start(algorithm), problem, Server(K), Coins(communicate, probability=p)
        )
        for communicate in (True, False)
    }
    with_it, without = (Psi(f, x.theta_k, x.c_k, gamma, p) for x in after.values())
    return p * with_it + (1 - p) * without


@states(
    "scaffnew-lyapunov",
    "c560f4",
    theory,
    [("gamma / p * (c_k - problem", "p / gamma * (c_k - problem")],
    [("(c_k - problem.grad(star_k))", "(c_k + problem.grad(star_k))")],
)
def scaffnew_lyapunov(theory):
    problem, f = federation()
    theta_k, c_k = vectors(1), vectors(2)
    found = theory.scaffnew_lyapunov(problem, theta_k, c_k, gamma, p)
    same(found, Psi(f, theta_k, c_k, gamma, p))


COEFFICIENT = "self.p / self.gamma * (theta_k - half_k)"


@states(
    "scaffnew-identity",
    "deea69",
    scaffnew,
    [(COEFFICIENT, "0.9 * " + COEFFICIENT)],
    [(COEFFICIENT, "1 / self.gamma * (theta_k - half_k)")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_identity(scaffnew):
    problem, f = federation()
    theta_star, c_star = solution(f)
    algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)
    _, theta_k, c_k = start(algorithm)
    a = [
        (theta_k[k] - gamma * gradient(f[k], theta_k[k])) - (theta_star - gamma * c_star[k])
        for k in CLIENTS
    ]
    same(
        expected_Psi(algorithm, problem, f, gamma, p),
        norm2(np.array(a))
        + (1 - p**2) * gamma**2 / p**2 * sum(norm2(c_k[k] - c_star[k]) for k in CLIENTS),
    )


@states(
    "scaffnew-rate",
    "5e1d11",
    theory,
    [("max((1 - gamma * mu) ** 2, ", "max((1 + gamma * mu) ** 2, ")],
)
def scaffnew_rate(theory):
    problem, f = federation()
    L, mu = problem.L, problem.mu
    for gamma in (0.1 / L, 0.5 / L, 1 / L):
        for p in (0.05, 0.4, 1.0):
            algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)
            _, theta_k, c_k = start(algorithm)
            now = Psi(f, theta_k, c_k, gamma, p)
            contraction = max((1 - gamma * mu) ** 2, 1 - p**2)
            rate = 1 - min(gamma * mu, p**2)
            assert expected_Psi(algorithm, problem, f, gamma, p) <= contraction * now
            assert contraction <= rate
            assert theory.scaffnew_contraction(gamma, p, L, mu) == pytest.approx(contraction)
            assert theory.scaffnew_rate(gamma, p, mu) == pytest.approx(rate)


@states(
    "fedpd-after-silence",
    "6fccca",
    fedpd,
    [("half_k = theta_k + self.s * lambda_k", "half_k = theta_k")],
    [("theta_k0 = half_k  # 16", "theta_k0 = theta_k  # 16")],
    [("lambda_k + (theta_k - theta_k0) / self.s", "lambda_k - (theta_k - theta_k0) / self.s")],
)
def fedpd_after_silence(fedpd):
    """And what the section says of both methods at rest."""
    problem, f = federation()
    theta_star, c_star = solution(f)
    s, stacked = 0.7, np.tile(theta_star, (K, 1))

    def after(algorithm, state, problem, communicate):
        return algorithm.round(state, problem, Server(K), Coins(communicate))

    x = [argmin(lambda x, k=k: f[k](x) + 1 / (2 * s) * norm2(x - theta_star)) for k in CLIENTS]
    expected = theta_star + 2 * (mean(x) - theta_star)
    same(expected, theta_star - 2 * s * mean([gradient(f[k], x[k]) for k in CLIENTS]))
    method = fedpd.FedPD(s=s, p=0.5)
    solved = method.init(theta_star, K)._replace(lambda_k=-c_star)
    same(after(method, solved, problem, True).theta, theta_star)
    silent = after(method, solved, problem, False)
    same(silent.theta_k, stacked)
    same(silent.lambda_k, -c_star)
    same(after(method, silent, problem, True).theta, expected)
    proximal = fedprox.FedProx(mu=1 / s)
    start = proximal.init(theta_star, K)
    same(proximal.round(start, problem, Server(K), EVERYBODY).theta, mean(x))
    # Clients that share their minimiser, without a price: rounds of both kinds leave this state.
    centred = Quadratic(problem.A_k, problem.A_k @ theta_star)
    for communicate in (True, False):
        rest = after(method, method.init(theta_star, K), centred, communicate)
        same(rest.theta_k0, stacked)
        same(rest.lambda_k, 0 * stacked)
        algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)
        solved = algorithm.init(theta_star, K)._replace(c_k=c_star)
        rest = after(algorithm, solved, problem, communicate)
        same(rest.theta_k, stacked)
        same(rest.c_k, c_star)


@states(
    "fedpd-plateau-below",
    "f000ad",
    fedpd,
    [("half_k = theta_k + self.s * lambda_k", "half_k = theta_k")],
    [("theta_k0 = half_k  # 16", "theta_k0 = server.broadcast(state.theta)")],
    [("theta_k0 = half_k  # 16", "theta_k0 = theta_k  # 16")],
)
def fedpd_plateau_below(fedpd):
    """Its proof: both kinds of rounds bring two states together, and such coins lead there."""
    problem, f = federation()
    theta_star, _ = solution(f)
    s = 0.7
    x = [argmin(lambda x, k=k: f[k](x) + 1 / (2 * s) * norm2(x - theta_star)) for k in CLIENTS]
    bound = 2 * np.linalg.norm(mean(x) - theta_star)
    assert bound > 0.01
    method = fedpd.FedPD(s=s, p=0.5)

    def after(state, *coins):
        for communicate in coins:
            state = method.round(state, problem, Server(K), Coins(communicate))
        return state

    def apart(states):
        return norm2(np.subtract(*(state.theta_k0 - s * state.lambda_k for state in states)))

    starts = [method.init(vectors(n)[0], K)._replace(lambda_k=vectors(n + 2)) for n in (1, 2)]
    for coin in (True, False):
        assert apart([after(start, coin) for start in starts]) < apart(starts)
    for start in starts:
        theta = after(start, *(True,) * 400, False, True).theta
        same(np.linalg.norm(theta - theta_star), bound)


def deviation_maps(scaffnew, gamma, p, curvature):
    """What a round does to (e, u), with and without communication, where all curvatures are one."""
    pair = Quadratic(np.full((2, 1, 1), curvature), np.zeros((2, 1)))
    opposite, maps = np.array([[1.0], [-1.0]]), []
    algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)
    for communicate in (True, False):
        columns = []
        for e, u in ((1.0, 0.0), (0.0, 1.0)):
            state = algorithm.init(np.zeros(1), 2)
            state = state._replace(theta_k=e * opposite, c_k=u / gamma * opposite)
            after = algorithm.round(state, pair, Server(2), Coins(communicate, probability=p))
            columns.append([after.theta_k[0, 0], gamma * after.c_k[0, 0]])
        maps.append(np.array(columns).T)
    return maps


def lost(scaffnew, gamma, p, curvature):
    """The share of the mean square that is lost in a round, in the long run."""
    with_it, without = deviation_maps(scaffnew, gamma, p, curvature)
    moments = p * np.kron(with_it, with_it) + (1 - p) * np.kron(without, without)
    radius = np.abs(np.linalg.eigvals(moments)).max()
    return 1 - max(radius, (1 - gamma * curvature) ** 2)


@states(
    "scaffnew-mean-square",
    "a4ef63",
    scaffnew,
    [(COEFFICIENT, "0.9 * " + COEFFICIENT)],
    [(COEFFICIENT, "self.p**2 / self.gamma * (theta_k - half_k)")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_mean_square(scaffnew):
    for p in (0.05, 0.3, 0.8):
        for gamma in (0.2, 3.0):
            ell = 1 / gamma
            with_it, without = (m @ [0.0, 1.0] for m in deviation_maps(scaffnew, gamma, p, ell))
            u2 = p * with_it[1] ** 2 + (1 - p) * without[1] ** 2
            same(u2, (1 - p) + p * (1 - p) ** 2)
            same((1 - p) + p * (1 - p) ** 2, 1 - 2 * p**2 + p**3)
            same(lost(scaffnew, gamma, p, ell), 1 - u2)
            same(theory.scaffnew_mean_square_rate(gamma, p, ell), u2)


@states(
    "scaffnew-mean-square-limits",
    "e8cd68",
    scaffnew,
    [(COEFFICIENT, "0.9 * " + COEFFICIENT)],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_mean_square_limits(scaffnew):
    """What is missing shrinks with the ratio of what is far apart."""
    for small in (1e-1, 1e-2):
        for gamma, ell in ((1.0, 1.0), (0.5, 0.4), (0.01, 3.0)):
            p = 0.3 * small * gamma * ell
            found = lost(scaffnew, gamma, p, ell) / (2 * p**2 / (gamma * ell))
            assert abs(found - 1) < 2 * small
        p, gamma = 0.3 * small, 2.0
        for ratio in (small, 0.3 * small, 0.1 * small, 0.01 * small):
            ell = ratio * p / gamma
            found = lost(scaffnew, gamma, p, ell)
            expected = min(2 * gamma * ell, (4 * gamma * ell + p**2) / 3)
            assert abs(found / expected - 1) < 2 * small


@states(
    "scaffnew-best-p",
    "f16830",
    theory,
    [("return gamma * math.sqrt(L * mu)", "return math.sqrt(gamma * mu)")],
    [("[-p - q * lost, 2 * p * q * z", "[-p - q * lost, 3 * p * q * z")],
    [("[p * z**2, -2 * p * q * z", "[p * z**2, -p * q * z")],
)
def scaffnew_best_p(theory):
    """Where the curvatures L and mu need the same communications, by the exact rate."""
    L, kappa = 2.0, 1e8
    mu = L / kappa

    def communications(gamma, p, ell):
        return p / -np.log(theory.scaffnew_mean_square_rate(gamma, p, ell))

    for gamma in (1 / L, 0.5 / L, 0.05 / L):
        low, high = 0.1 * gamma * np.sqrt(L * mu), 10 * gamma * np.sqrt(L * mu)
        while high / low > 1 + 1e-9:  # for the larger one p is too small where L needs more
            p = np.sqrt(low * high)
            too_small = communications(gamma, p, L) > communications(gamma, p, mu)
            low, high = (p, high) if too_small else (low, p)
        expected = gamma * np.sqrt(L * mu) * np.sqrt(4 / (6 - gamma * L))
        assert p == pytest.approx(expected, rel=1e-2)
        fewest = np.sqrt(6 - gamma * L) / 4 * np.sqrt(kappa)
        assert communications(gamma, p, L) == pytest.approx(fewest, rel=1e-2)
        for other in (0.5 * p, 0.9 * p, 1.1 * p, 2 * p, 10 * p):
            worst = max(communications(gamma, other, ell) for ell in (L, mu))
            assert worst > communications(gamma, p, L)
        simple = theory.scaffnew_best_p(gamma, L, mu)
        assert simple / p == pytest.approx(np.sqrt((6 - gamma * L) / 4), rel=1e-2)


class Off(Quadratic):
    """Quadratics whose gradients are off by given errors."""

    errors_k = 0.0

    def grad(self, theta_k, clients=None, batch=None):
        return super().grad(theta_k, clients) + self.errors_k


@states(
    "scaffnew-floor",
    "712cc7",
    scaffnew,
    [("theta_k - self.gamma * (g_k", "theta_k - 2 * self.gamma * (g_k")],
    [("theta = server.average(half_k)", "theta = half_k[0]")],
    [(COEFFICIENT, "self.p / self.gamma * theta_k")],
)
def scaffnew_floor(scaffnew):
    """The second moments of the whole state, exactly, until they do not change."""
    clients, a, sigma, gamma = 3, np.array([0.3, 1.0]), np.array([1.0, 0.5]), 0.7
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
    problem = Off(np.tile(turn * a @ turn.T, (clients, 1, 1)), np.zeros((clients, 2)))
    spread = np.kron(np.eye(clients), turn * sigma)  # of the errors of all clients
    for p in (0.2, 0.9):
        algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)

        def after(x, errors, communicate, algorithm=algorithm):
            theta, theta_k, c_k = np.split(x, [2, 2 + 2 * clients])
            start = algorithm.init(theta, clients)._replace(
                theta_k=theta_k.reshape(-1, 2), c_k=c_k.reshape(-1, 2)
            )
            problem.errors_k = errors.reshape(-1, 2)
            state = algorithm.round(start, problem, Server(clients), Coins(communicate))
            return np.concatenate([each.ravel() for each in state])

        size, noise = 2 + 4 * clients, 2 * clients
        moments, maps = np.zeros((size, size)), []
        for chance, communicate in ((p, True), (1 - p, False)):
            M = np.array([after(x, np.zeros(noise), communicate) for x in np.eye(size)]).T
            N = np.array([after(np.zeros(size), x, communicate) for x in spread.T]).T
            maps.append((chance, M, N @ N.T))
        for _ in range(300):
            moments = sum(chance * (M @ moments @ M.T + N) for chance, M, N in maps)
        floor = 1 / clients * sum(gamma**2 * sigma**2 / (1 - (1 - gamma * a) ** 2))
        same(np.trace(moments[:2, :2]), floor)


@states(
    "scaffnew-steps-identity",
    "1ad3d2",
    proxskip,
    [("(1 - self.p) / self.R", "(1 - self.p)")],
    [("range(self.R):", "range(self.R - 1):")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_steps_identity(proxskip):
    problem, f = federation()
    theta_star, c_star = solution(f)
    algorithm = proxskip.ProxSkip(gamma=gamma, p=1 - p, R=R, corrected=True)
    _, theta_k, c_k = start(algorithm)
    x = {}
    for k in CLIENTS:
        x[k] = theta_k[k]
        for _ in range(R):
            x[k] = x[k] - gamma * (gradient(f[k], x[k]) - c_k[k])
    same(
        expected_Psi(algorithm, problem, f, R * gamma, p),
        sum(norm2(x[k] - theta_star - R * gamma * (c_k[k] - c_star[k])) for k in CLIENTS)
        + (1 - p**2) * R**2 * gamma**2 / p**2 * sum(norm2(c_k[k] - c_star[k]) for k in CLIENTS),
    )


@states(
    "scaffnew-steps-rate",
    "55d989",
    theory,
    [
        (
            "1 / (1 + min(R * gamma * mu, p**2 * delta) / 2)",
            "1 / (1 + min(gamma * mu, p**2 * delta))",
        )
    ],
    [("p**2 * delta) / 2", "p * delta) / 2")],
    [("np.arange(1, R + 1)", "np.arange(1, R)")],
)
def scaffnew_steps_rate(theory):
    problem, f = federation()
    L, mu = problem.L, problem.mu
    for R in (2, 5, 30):
        delta = 1 / R**2 * sum(r / (r + 1) for r in range(R))
        for gamma in (0.1 / L, 1 / L):
            for p in (0.1, 1.0):
                tau = min(R * gamma * mu, p**2 * delta)
                same(theory.scaffnew_steps_rate(gamma, p, R, mu), 1 / (1 + tau / 2))
                algorithm = proxskip.ProxSkip(gamma=gamma, p=1 - p, R=R, corrected=True)
                _, theta_k, c_k = start(algorithm)
                now = Psi(f, theta_k, c_k, R * gamma, p)
                found = expected_Psi(algorithm, problem, f, R * gamma, p)
                assert found <= now / (1 + tau / 2)


def local_steps(proxskip, problem, gamma, R, theta_k, c_k):
    """The clients' models before and after each of R local steps, as ProxSkip takes them."""
    algorithm, x_k = proxskip.ProxSkip(gamma=gamma, p=0.5, corrected=True), [theta_k]
    for _ in range(R):
        state = algorithm.init(theta_k[0], K)._replace(theta_k=x_k[-1], c_k=c_k)
        x_k.append(algorithm.round(state, problem, Server(K), Coins(False)).theta_k)
    at_once = proxskip.ProxSkip(gamma=gamma, p=0.5, R=R, corrected=True)
    state = at_once.init(theta_k[0], K)._replace(theta_k=theta_k, c_k=c_k)
    same(at_once.round(state, problem, Server(K), Coins(False)).theta_k, x_k[-1])
    return x_k


def paths(proxskip, R):
    """For each client, and several steps: L, mu, gamma, phi, theta* and the x_0, ..., x_R."""
    random, random_f = federation()
    ball = Quadratic(np.tile(random.L * np.eye(3), (K, 1, 1)), random.b_k)
    round_f = [lambda x, b=b: random.L / 2 * norm2(x) - b @ x for b in random.b_k]
    theta_k, c_k = vectors(1), vectors(2)
    for problem, f, share in (
        (random, random_f, 0.1),
        (random, random_f, 1.0),
        (ball, round_f, 1.0),
    ):
        gamma = share / problem.L
        x_k = local_steps(proxskip, problem, gamma, R, theta_k, c_k)
        theta_star, _ = solution(f)
        for k in CLIENTS:

            def phi(x, f_k=f[k], c=c_k[k]):
                return f_k(x) - c @ x

            yield problem, gamma, phi, theta_star, [x[k] for x in x_k]


STEP = [
    [("(g_k - c_k)", "(g_k + c_k)")],
    [("x_k = x_k - self.gamma *", "x_k = x_k - 3 * self.gamma *")],
]


@states("algorithms/skipping, acb726", "acb726", proxskip, *STEP)
def convex_and_smooth(proxskip):
    for problem, gamma, phi, theta_star, x in paths(proxskip, R):
        g_star = gradient(phi, theta_star)
        for now, after in pairwise(x):
            g = gradient(phi, now)
            below = phi(now) - g @ (now - theta_star) + 1 / (2 * problem.L) * norm2(g - g_star)
            assert phi(theta_star) >= below - 1e-12
            decrease = phi(now) - phi(after)
            assert decrease >= gamma / 2 * norm2(g) - 1e-12
            if problem.L - problem.mu < 1e-9:  # there is equality in both
                same([phi(theta_star), decrease], [below, gamma / 2 * norm2(g)])


@states("algorithms/skipping, b4b767", "b4b767", proxskip, *STEP)
def progress_added_up(proxskip):
    for problem, gamma, phi, theta_star, x in paths(proxskip, R):
        g_star = gradient(phi, theta_star)
        g = [gradient(phi, each) for each in x]
        right = (
            norm2(x[0] - theta_star)
            - 2 * R * gamma * (phi(x[R]) - phi(theta_star))
            - gamma**2 * sum(r * norm2(g[r]) + norm2(g[r] - g_star) for r in range(R))
        )
        assert norm2(x[R] - theta_star) <= right + 1e-12
        if problem.L - problem.mu < 1e-9:  # there is equality
            same(norm2(x[R] - theta_star), right)


@states("scaffnew-steps-progress", "559bd8", proxskip, *STEP)
def scaffnew_steps_progress(proxskip):
    for steps in (1, 2, 10):
        delta = 1 / steps**2 * sum(r / (r + 1) for r in range(steps))
        for problem, gamma, phi, theta_star, x in paths(proxskip, steps):
            b = -steps * gamma * gradient(phi, theta_star)
            e_0, e_R = x[0] - theta_star, x[-1] - theta_star
            left = norm2(e_R - b) + steps * gamma * problem.mu * norm2(e_R)
            assert left <= norm2(e_0) + (1 - delta) * norm2(b) + 1e-12


@states(
    "scaffnew-own-coins",
    "4bd370",
    scaffnew,
    [(COEFFICIENT, "0.9 * " + COEFFICIENT)],
    [("theta = server.average(half_k)", "theta = half_k[0]")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_own_coins(scaffnew):
    """Those who communicate do a round among themselves, the others one without."""
    problem, f = federation()
    theta_star, c_star = solution(f)
    subsets = list(product((False, True), repeat=K))
    for p in (0.1, 0.6, 1.0):
        chance = {
            tossed: np.prod([p if heads else 1 - p for heads in tossed]) for tossed in subsets
        }
        more = sum(chance[tossed] * max(sum(tossed) - 1, 0) for tossed in subsets)
        q = more / (K - 1)
        same(q, (K * p - 1 + (1 - p) ** K) / (K - 1))
        assert q < p or p == 1
        algorithm = scaffnew.Scaffnew(gamma=gamma, p=q)
        before, expected = start(algorithm), 0.0
        for tossed in subsets:
            theta_k, c_k = np.zeros((2, K, 3))
            for together in (True, False):
                S = np.flatnonzero(np.array(tossed) == together)
                if len(S):
                    theirs = Quadratic(problem.A_k[S], problem.b_k[S])
                    state = before._replace(theta_k=before.theta_k[S], c_k=before.c_k[S])
                    after = algorithm.round(state, theirs, Server(len(S)), Coins(together))
                    theta_k[S], c_k[S] = after.theta_k, after.c_k
            expected += chance[tossed] * Psi(f, theta_k, c_k, gamma, q)
        a = [
            (before.theta_k[k] - gamma * gradient(f[k], before.theta_k[k]))
            - (theta_star - gamma * c_star[k])
            for k in CLIENTS
        ]
        b2 = gamma**2 * norm2(before.c_k - c_star)
        same(expected, norm2(np.array(a)) + (1 - q**2) / q**2 * b2)
