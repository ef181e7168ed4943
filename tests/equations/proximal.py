"""The equations of the proximal chapter."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from equations.quadratics import (
    CLIENTS,
    K,
    argmin,
    d,
    federation,
    gradient,
    mean,
    norm2,
    same,
    vectors,
)
from equations.states import states
from fl_algos import Quadratic, Server
from fl_algos.algorithms import fedprox
from fl_algos.problems import quadratic

mu = 0.7
theta = vectors(1)[0]
EVERYBODY = SimpleNamespace(clients=np.arange(K))
STEP = ("AugmentedLagrangian(problem, 1 / self.mu", "AugmentedLagrangian(problem, self.mu")


def a_round(fedprox, problem, server):
    """The server's model after a round of all clients."""
    algorithm = fedprox.FedProx(mu=mu)
    return algorithm.round(algorithm.init(theta, K), problem, server, EVERYBODY).theta


class Inbox(Server):
    """A server that keeps what the clients have sent."""

    def average(self, x_k, *args, **kwargs):
        self.received = x_k
        return super().average(x_k, *args, **kwargs)


SOLVE = [("right_k = b_k + v_k / s", "right_k = b_k - v_k / s")]
CURVATURE = [("(eigenvalues_k + 1 / s)", "(eigenvalues_k + s)")]
RESIDUAL = [("[..., 0] - x_k / s)", "[..., 0] + x_k / s)")]


@states("prox", "aff902", quadratic, SOLVE, CURVATURE, RESIDUAL)
def prox(quadratic):
    problem, f = federation()
    problem = quadratic.Quadratic(problem.A_k, problem.b_k)
    v_k = vectors(2)
    for s in (0.1, 3.0):
        found = problem.prox(v_k, s)
        for k in CLIENTS:
            v = v_k[k]
            same(found[k], argmin(lambda x, k=k, s=s, v=v: f[k](x) + 1 / (2 * s) * norm2(x - v)))


@states("prox-implicit", "d70a68", quadratic, SOLVE, CURVATURE, RESIDUAL)
def prox_implicit(quadratic):
    problem, f = federation()
    problem = quadratic.Quadratic(problem.A_k, problem.b_k)
    v_k, s = vectors(2), 0.4
    x_k = problem.prox(v_k, s)
    for k in CLIENTS:
        same(x_k[k], v_k[k] - s * gradient(f[k], x_k[k]))


@states("prox-parabola", "96575a", quadratic, SOLVE, CURVATURE, RESIDUAL)
def prox_parabola(quadratic):
    """On parabolas a/2 (x - b)^2 over one number."""
    a, b, v = np.array([1.0, 3.0, 0.2]), np.array([0.0, 1.0, -2.0]), np.array([2.0, -1.0, 0.3])
    problem = quadratic.Quadratic(a[:, None, None], (a * b)[:, None])
    for s in (0.1, 1.0, 20.0):
        same(problem.prox(v[:, None], s)[:, 0], (v + s * a * b) / (1 + s * a))


@states("fedprox-local", "a3aec7", fedprox, [STEP])
def fedprox_local(fedprox):
    problem, f = federation()
    server = Inbox(K)
    a_round(fedprox, problem, server)
    for k in CLIENTS:
        same(server.received[k], argmin(lambda x, k=k: f[k](x) + mu / 2 * norm2(x - theta)))


@states(
    "fedprox-envelope",
    "a95df1",
    fedprox,
    [STEP],
    [("theta = server.average(x_k", "theta = server.average(2 * theta_k - x_k")],
)
def fedprox_envelope(fedprox):
    problem, f = federation()
    s = 1 / mu
    server = Inbox(K)
    found = a_round(fedprox, problem, server)

    def M_k(f_k, theta):
        """The Moreau envelope: the smallest value that the client's local problem has."""

        def local(x):
            return f_k(x) + 1 / (2 * s) * norm2(x - theta)

        return local(argmin(local))

    same(found, mean(server.received))
    same(found, theta - s * gradient(lambda x: 1 / K * sum(M_k(f[k], x) for k in CLIENTS), theta))


def T(fedprox, problem, s, theta):
    """A round of FedProx with s one over its coefficient."""
    algorithm = fedprox.FedProx(mu=1 / s)
    return algorithm.round(algorithm.init(theta, K), problem, Server(K), EVERYBODY).theta


@states(
    "fedprox-contraction",
    "638e48",
    fedprox,
    [STEP],
    [("theta = server.average(x_k", "theta = server.average(2 * x_k - theta_k")],
)
def fedprox_contraction(fedprox):
    problem, f = federation()
    a, b = vectors(1)[0], vectors(2)[0]
    for s in (0.1, 0.7, 5.0):
        prox = [argmin(lambda x, k=k, s=s: f[k](x) + 1 / (2 * s) * norm2(x - a)) for k in CLIENTS]
        same(T(fedprox, problem, s, a), mean(prox))
        moved = T(fedprox, problem, s, a) - T(fedprox, problem, s, b)
        assert np.sqrt(norm2(moved)) <= 1 / (1 + s * problem.mu) * np.sqrt(norm2(a - b))
        ball = Quadratic(np.tile(0.3 * np.eye(d), (K, 1, 1)), vectors(3))  # there is equality
        moved = T(fedprox, ball, s, a) - T(fedprox, ball, s, b)
        same(np.sqrt(norm2(moved)), 1 / (1 + s * 0.3) * np.sqrt(norm2(a - b)))


@states("fedprox-bias", "c190e7", fedprox, [STEP])
def fedprox_bias(fedprox):
    problem, f = federation()
    star = argmin(lambda theta: 1 / K * sum(f[k](theta) for k in CLIENTS))
    for s in (0.001, 0.1, 1.0):
        shift = T(fedprox, problem, s, np.zeros(d))
        matrix = np.array([T(fedprox, problem, s, e_i) - shift for e_i in np.eye(d)]).T
        at_rest = np.linalg.solve(np.eye(d) - matrix, shift)
        bound = (
            s
            * problem.L
            / problem.mu
            * mean([np.sqrt(norm2(gradient(f[k], star))) for k in CLIENTS])
        )
        assert np.sqrt(norm2(at_rest - star)) <= bound
