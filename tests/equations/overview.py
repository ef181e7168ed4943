"""The equations of the overview."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numpy.linalg import matrix_power as power

from equations.quadratics import CLIENTS, K, argmin, d, federation, same
from equations.states import states
from fl_algos import Quadratic, Server
from fl_algos.algorithms import fedavg, fedopt
from fl_algos.problems import quadratic
from literal.clients import weigh

EVERYBODY = SimpleNamespace(clients=np.arange(K), batch=lambda r, m=None: None)
SHARES = (1.0, 2.0, 3.0, 4.0)


@states(
    "fl-problem",
    "6fba37",
    quadratic,
    [("np.tensordot(self.weights, to_numpy(x_k), axes=1)", "to_numpy(x_k).mean(axis=0)")],
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
    [("local_steps(self.R, S)", "local_steps(self.R + 1, S)")],
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
    "4dbfda",
    fedopt,
    [("self.eta * m", "2 * self.eta * m")],
    [("(1 - self.beta1) * delta", "delta")],
    [("(v**0.5 + self.tau)", "(v**0.5 + 2 * self.tau)")],
)
def fedadam_limit(fedopt):
    """The map of a round on the error and the first moment, near rest, on one client."""
    gamma, R, a, beta_1, tau = 0.4, 3, 1.5, 0.6, 1e-3
    eigenvalue = 1 - (1 - gamma * a) ** R
    problem = Quadratic(np.array([[[a]]]), np.array([[0.0]]))
    draw = SimpleNamespace(clients=np.arange(1), batch=lambda r, m=None: None)
    tiny = 1e-14
    for part in (0.5, 0.99, 1.01, 2.0):
        eta = part * 2 * (1 + beta_1) / (1 - beta_1) * tau / eigenvalue
        algorithm = fedopt.FedOpt(eta, gamma, fedopt.Adam(0.99), beta_1, tau, R)
        columns = []
        for e, m in ((tiny, 0.0), (0.0, tiny)):
            state = fedopt.State(np.array([e]), np.array([m]), np.array([0.0]))
            after = algorithm.round(state, problem, Server(1), draw)
            columns.append([after.theta[0] / tiny, after.m[0] / tiny])
        largest = np.abs(np.linalg.eigvals(np.array(columns).T)).max()
        assert (largest < 1) == (eta * eigenvalue / tau < 2 * (1 + beta_1) / (1 - beta_1))
