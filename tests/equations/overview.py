"""The equations of the overview."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numpy.linalg import matrix_power as power

from equations.quadratics import CLIENTS, K, argmin, d, federation, gradient, norm2, same, vectors
from equations.states import states
from fl_algos import Quadratic, Server
from fl_algos.algorithms import fedavg, fedopt, scaffold
from fl_algos.problems import quadratic
from literal.clients import weigh

EVERYBODY = SimpleNamespace(
    clients=np.arange(K), numbers=np.arange(K), batch=lambda r, m=None: None
)
SHARES = (1.0, 2.0, 3.0, 4.0)


@states(
    "fl-problem",
    "6fba37",
    quadratic,
    [("np.tensordot(self.weights, to_numpy(x_k), 1)", "to_numpy(x_k).mean(axis=0)")],
    [("np.linalg.solve(A, b)", "-np.linalg.solve(A, b)")],
)
def fl_problem(quadratic):
    problem, f = federation()
    weighted = quadratic.Quadratic(problem.A_k, problem.b_k, SHARES)
    w = weighted.weights
    assert min(w) > 0
    same(sum(w), 1)
    same(w, np.array(SHARES) / sum(SHARES))
    same(weighted.theta_star, argmin(lambda theta: sum(w[k] * f[k](theta) for k in CLIENTS)))


@states(
    "fedavg-fixed-point",
    "961347",
    fedavg,
    [("weights=problem.weights[S]", "weights=None")],
    [("x_k[m] - self.gamma", "x_k[m] + self.gamma")],
    [("local_steps(self.R, draw.numbers)", "local_steps(self.R + 1, draw.numbers)")],
)
def fedavg_fixed_point(fedavg):
    problem, f = federation()
    problem = weigh(problem, SHARES)
    gamma, R, w = 0.3, 5, problem.weights
    A = [client.A for client in f]
    minimisers = [argmin(client) for client in f]
    share = [np.eye(d) - power(np.eye(d) - gamma * A[k], R) for k in CLIENTS]
    at_rest = np.linalg.solve(
        sum(w[k] * share[k] for k in CLIENTS),
        sum(w[k] * share[k] @ minimisers[k] for k in CLIENTS),
    )
    same(sum(w[k] * share[k] @ (at_rest - minimisers[k]) for k in CLIENTS), np.zeros(d))
    algorithm = fedavg.FedAvg(gamma=gamma, R=R)
    same(algorithm.round(algorithm.init(at_rest, K), problem, Server(K), EVERYBODY).theta, at_rest)


@states(
    "fedadam-limit",
    "fb7d04",
    fedopt,
    [("self.eta * m", "2 * self.eta * m")],
    [("(1 - self.beta1) * delta", "delta")],
    [("(v**0.5 + self.tau)", "(v**0.5 + 2 * self.tau)")],
)
def fedadam_limit(fedopt):
    """The map of a round on the error and the first moment, near rest, on one client."""
    gamma, R, a, beta_1, tau = 0.4, 3, 1.5, 0.6, 1e-3
    nu = 1 - (1 - gamma * a) ** R
    problem = Quadratic(np.array([[[a]]]), np.array([[0.0]]))
    draw = SimpleNamespace(clients=np.arange(1), numbers=np.arange(1), batch=lambda r, m=None: None)
    tiny = 1e-14
    for part in (0.5, 0.99, 1.01, 2.0):
        eta = part * 2 * (1 + beta_1) / (1 - beta_1) * tau / nu
        algorithm = fedopt.FedOpt(eta, gamma, fedopt.Adam(0.99), beta_1, tau, R)
        columns = []
        for e, m in ((tiny, 0.0), (0.0, tiny)):
            state = fedopt.State(np.array([e]), np.array([m]), np.array([0.0]))
            after = algorithm.round(state, problem, Server(1), draw)
            columns.append([after.theta[0] / tiny, after.m[0] / tiny])
        largest = np.abs(np.linalg.eigvals(np.array(columns).T)).max()
        assert (largest < 1) == (eta * nu / tau < 2 * (1 + beta_1) / (1 - beta_1))


def rest(algorithm, problem):
    """The point of rest of a server's affine map, from its rounds."""

    def T(theta):
        return algorithm.round(algorithm.init(theta, K), problem, Server(K), EVERYBODY).theta

    shift = T(np.zeros(d))
    matrix = np.array([T(e_i) - shift for e_i in np.eye(d)]).T
    return np.linalg.solve(np.eye(d) - matrix, shift)


def solution(f, w):
    """theta*, for weights w."""
    return argmin(lambda theta: sum(w[k] * f[k](theta) for k in CLIENTS))


@states(
    "fedavg-bias",
    "85d201",
    fedavg,
    [("weights=problem.weights[S]", "weights=None")],
    [("local_steps(self.R, draw.numbers)", "local_steps(self.R + 1, draw.numbers)")],
    [("x_k[m] - self.gamma * g_k", "x_k[m] - 2 * self.gamma * g_k")],
)
def fedavg_bias(fedavg):
    """What is left of the distance is of the second order."""
    problem, f = federation()
    problem, R = weigh(problem, SHARES), 3
    w, A = problem.weights, [client.A for client in f]
    star = solution(f, w)
    mean_hessian = sum(w[k] * A[k] for k in CLIENTS)
    bias = sum(w[k] * A[k] @ gradient(f[k], star) for k in CLIENTS)
    for gamma in (1e-3, 1e-4):
        first_order = gamma * (R - 1) / 2 * np.linalg.solve(mean_hessian, bias)
        found = rest(fedavg.FedAvg(gamma=gamma, R=R), problem) - star
        off = np.linalg.norm(found - first_order) / np.linalg.norm(first_order)
        assert off < 10 * gamma * R * problem.L


GAMMA, ETA, R = 0.2, 0.7, 3


def a_round_of_scaffold(scaffold, clients):
    """SCAFFOLD's state before and after a round of some clients, and f."""
    problem, f = federation()
    algorithm = scaffold.Scaffold(gamma=GAMMA, eta=ETA, R=R)
    c_k = vectors(2)
    before = algorithm.init(vectors(1)[0], K)._replace(c_k=c_k, c=c_k.mean(axis=0))
    S = np.array(clients)
    draw = SimpleNamespace(
        clients=S, numbers=S, share=len(clients) / K, batch=lambda r, m=None: None
    )
    return before, algorithm.round(before, problem, Server(K), draw), f


@states(
    "scaffold-one-vector",
    "993914",
    scaffold,
    [("c_k[S] - copy_k + (theta_k", "c_k[S] + copy_k + (theta_k")],
    [("(theta_k - x_k) / (R_k", "(x_k - theta_k) / (R_k")],
    [("g_k - c_k[S[m]] + copy_k[m]", "g_k - c_k[S[m]]")],
)
def scaffold_one_vector(scaffold):
    clients = [0, 2, 3]
    before, after, f = a_round_of_scaffold(scaffold, clients)
    theta, c, c_k = before.theta, before.c, before.c_k
    for k in clients:
        x = theta
        for _ in range(R):
            x = x - GAMMA * (gradient(f[k], x) - c_k[k] + c)
        same(after.c_k[k] - c_k[k], -c - 1 / (R * GAMMA) * (x - theta))


@states(
    "scaffold-c-from-models",
    "988ae1",
    scaffold,
    [("theta + self.eta * dtheta", "theta + dtheta")],
    [("c + draw.share * dc", "c + dc")],
    [("c + draw.share * dc", "c - draw.share * dc")],
)
def scaffold_c_from_models(scaffold):
    for clients in ([0, 2, 3], [1], [0, 1, 2, 3]):
        before, after, _ = a_round_of_scaffold(scaffold, clients)
        share = len(clients) / K
        move = 1 / (ETA * R * GAMMA) * (before.theta - after.theta)
        same(after.c, (1 - share) * before.c + share * move)


@states(
    "_exercises/overview, ac0f9d",
    "ac0f9d",
    fedavg,
    [("x_k[m] - self.gamma * g_k", "x_k[m] + self.gamma * g_k")],
)
def fedavg_moves_the_solution(fedavg):
    """The weighted mean of what is bounded is how far a round moves theta*."""
    problem, f = federation()
    problem = weigh(problem, SHARES)
    w, L, mu = problem.weights, problem.L, problem.mu
    star, kappa = solution(f, w), L / mu
    for gamma, R in ((0.1 / L, 2), (0.5 / L, 5), (1 / L, 10)):
        q, bound = 1 - gamma * mu, 0.0
        for k in CLIENTS:
            g, x, total = gradient(f[k], star), star, 0.0
            for _ in range(R):
                total += gamma * np.sqrt(norm2(gradient(f[k], x) - g))
                x = x - gamma * gradient(f[k], x)
            middle = gamma * kappa * sum(1 - q**r for r in range(R)) * np.sqrt(norm2(g))
            last = gamma * kappa * (R - 1) * (1 - q**R) * np.sqrt(norm2(g))
            assert total <= middle <= last
            bound += w[k] * last
        algorithm = fedavg.FedAvg(gamma=gamma, R=R)
        moved = algorithm.round(algorithm.init(star, K), problem, Server(K), EVERYBODY).theta
        assert np.linalg.norm(moved - star) <= bound
