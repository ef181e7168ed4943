"""The equations of the proximal chapter."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

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
from fl_algos import Server
from fl_algos.algorithms import fedprox

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


@states("fedprox-local", "a3aec7", fedprox, [STEP])
def fedprox_local(fedprox):
    problem, f = federation()
    server = Inbox(K)
    a_round(fedprox, problem, server)
    for k in CLIENTS:
        same(server.received[k], argmin(lambda x, k=k: f[k](x) + mu / 2 * norm2(x - theta)))


@states(
    "fedprox-envelope",
    "98ce6e",
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
