"""FedProx, line by line."""

from __future__ import annotations

from fl_algos.oracles import GD, SGD, exact
from literal import oracles
from literal.clients import quadratics, regression
from literal.comparison import SOUND, assert_same, batches, participants, start


def fedprox(f, mu, oracle, theta_0, takes_part):
    theta = theta_0  # 2 970b78
    x_k = {}
    for t, S in enumerate(takes_part):  # 3, 4 a40078, e17fdb
        copies = dict.fromkeys(S, theta)  # 5 ab09c9
        for k in S:  # 6 fe863d
            x_k[k] = oracle(
                f[k], 1 / mu, copies[k], copies[k], 0 * theta, t, S.index(k)
            )  # 7 a4760a
        inbox = [x_k[k] for k in S]  # 9 323538
        theta = sum(inbox) / len(S)  # 10 1bfc11
        yield (theta,)


CASES = [
    # the problem with its clients, batch size, participants, mu, the package's oracle, the literal
    (quadratics(4, 3, 1), None, 2, 0.7, exact, oracles.exact),
    (quadratics(1, 1, 2), None, 1, 2.0, exact, oracles.exact),
    (quadratics(5, 2, 3), None, 3, 1.5, GD(eta=0.2, Q=7), oracles.gd(0.2, 7)),
    (quadratics(5, 2, 3), None, 2, 1.5, GD(0.3, 50, 1e-2), oracles.gd(0.3, 50, 1e-2)),
    (regression((7, 2, 5), 3, 3), 2, 2, 0.5, SGD(eta=0.3, Q=4), oracles.sgd(0.3, 4)),
]
ROUNDS = 20


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""
    for seed, ((problem, f), batch_size, number, mu, oracle, literal) in enumerate(CASES):
        takes_part = participants(problem, seed, number, ROUNDS)
        local = literal(batches(problem, seed, batch_size, number))
        transcribed = fedprox(f, mu, local, start(problem, seed), takes_part)
        algorithm = algorithms.FedProx(mu=mu, oracle=oracle)
        assert_same(
            algorithm, problem, seed, transcribed, takes_part, machinery, batch_size, number
        )


FAULTS = {
    "mu for 1/mu": [("1 / self.mu", "self.mu")],
    "the norm not squared by half": [("1 / self.mu", "1 / (2 * self.mu)")],
    "no proximal term": [("1 / self.mu", "1e12")],
    "other clients' functions": [("0 * theta_k, S)", "0 * theta_k, (S + 1) % problem.K)")],
    "centre at zero": [("theta_k, 0 * theta_k, S)", "0 * theta_k, 0 * theta_k, S)")],
    "start at zero": [("self.oracle(al, theta_k,", "self.oracle(al, 0 * theta_k,")],
    "sum for mean": [("server.average(x_k", "len(S) * server.average(x_k")],
    "averages before the step": [("server.average(x_k", "server.average(theta_k")],
    "everyone counts as a sender": [
        ("clients=S)  # 9, 10", "clients=S)  # 9, 10\n        server.ledger.sent_k += 1")
    ],
}
