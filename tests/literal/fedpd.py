"""FedPD, line by line."""

from __future__ import annotations

from fl_algos.oracles import GD, SGD, VR, exact
from literal import oracles
from literal.clients import quadratics, regression
from literal.comparison import SOUND, assert_same, batches, coins, start


def fedpd(f, clients, s, p, oracle, theta_0, coins):
    theta = theta_0  # 2 970b78
    theta_k = dict.fromkeys(clients, theta)  # 3 070fa6
    theta_k0 = dict.fromkeys(clients, theta)  # 3 070fa6
    lambda_k = dict.fromkeys(clients, 0 * theta)  # 3 070fa6
    half_k = {}
    for t, coin in enumerate(coins):  # 4 a40078
        for k in clients:  # 5 fd4fed
            theta_k[k] = oracle(f[k], s, theta_k0[k], theta_k[k], lambda_k[k], t, k)  # 6 c4906c
            lambda_k[k] = lambda_k[k] + 1 / s * (theta_k[k] - theta_k0[k])  # 7 cbc550
            half_k[k] = theta_k[k] + s * lambda_k[k]  # 8 229a3b
        if coin < 1 - p:  # 10 636706
            inbox = [half_k[k] for k in clients]  # 11 cf6188
            theta = 1 / len(inbox) * sum(inbox)  # 12 c42916
            copies = dict.fromkeys(clients, theta)  # 13 2652a5
            theta_k0 = {k: copies[k] for k in clients}  # 14 9be34c
        else:  # 15 530e3d
            theta_k0 = {k: half_k[k] for k in clients}  # 16 a08ad2
        yield theta, theta_k, theta_k0, lambda_k


CASES = [
    # s, p, the package's oracle, the literal one
    (0.5, 0.5, exact, oracles.exact),
    (2.0, 0.3, exact, oracles.exact),
    (1.0, 0.8, GD(eta=0.3, Q=1), oracles.gd(0.3, 1)),
    (0.4, 0.5, GD(eta=0.2, Q=6), oracles.gd(0.2, 6)),
    (3.0, 0.2, GD(eta=0.5, Q=60, tolerance=1e-2), oracles.gd(0.5, 60, 1e-2)),
    (0.7, 0.0, VR(gamma=0.4, Q=3, I=4), oracles.vr(0.4, 3, 4)),
]
BATCH_CASES = [
    (0.5, 0.4, SGD(eta=0.3, Q=4), oracles.sgd(0.3, 4)),
    (0.5, 0.4, VR(gamma=0.3, Q=5, I=3), oracles.vr(0.3, 5, 3)),
]
ROUNDS = 30


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""
    cases = [(quadratics(4, 3, seed), None, case) for seed, case in enumerate(CASES)]
    cases += [(quadratics(1, 1, 7), None, CASES[0]), (regression((7, 2, 5), 3, 9), None, CASES[1])]
    cases += [(regression((7, 2, 5), 3, seed), 2, case) for seed, case in enumerate(BATCH_CASES)]
    for seed, ((problem, f), batch_size, (s, p, oracle, literal_oracle)) in enumerate(cases):
        tossed = coins(problem, seed, ROUNDS)
        local = literal_oracle(batches(problem, seed, batch_size))
        transcribed = fedpd(f, range(problem.K), s, p, local, start(problem, seed), tossed)
        algorithm = algorithms.FedPD(s=s, p=p, oracle=oracle)
        senders = [range(problem.K) if coin < 1 - p else () for coin in tossed]
        assert_same(algorithm, problem, seed, transcribed, senders, machinery, batch_size)


AVERAGE = "theta = server.average(half_k)  # 11, 12"
FAULTS = {
    "sends theta_k0 + s lambda": [("half_k = theta_k + self.s", "half_k = theta_k0 + self.s")],
    "local progress lost on a skip": [("theta_k0 = half_k  # 16", "pass")],
    "the server's model on a skip": [
        ("theta_k0 = half_k  # 16", "theta_k0 = stack(theta, theta_k.shape[0])")
    ],
    "p for 1 - p": [("with_probability(1 - self.p)", "with_probability(self.p)")],
    "never skips": [("with_probability(1 - self.p)", "with_probability(1)")],
    "dual descent": [("lambda_k + (theta_k - theta_k0)", "lambda_k - (theta_k - theta_k0)")],
    "times s for over s": [("(theta_k - theta_k0) / self.s", "(theta_k - theta_k0) * self.s")],
    "minus s lambda": [("theta_k + self.s * lambda_k", "theta_k - self.s * lambda_k")],
    "sum for mean": [(AVERAGE, "theta = server.average(half_k) * half_k.shape[0]")],
    "the last client's for the mean": [
        (AVERAGE, "theta = 0 * server.average(half_k) + half_k[-1]")
    ],
    "stale dual variable": [("self.s * lambda_k  # 8", "self.s * state.lambda_k  # 8")],
    "stale local solution": [("half_k = theta_k +", "half_k = state.theta_k +")],
    "sends twice": [(AVERAGE, "theta = server.average(server.broadcast(server.average(half_k)))")],
    "averages theta_k": [(AVERAGE, "theta = server.average(theta_k)")],
    "no broadcast": [("theta_k0 = server.broadcast(theta)", "theta_k0 = half_k")],
    "a broadcast for free": [("server.broadcast(theta)", "stack(theta, theta_k.shape[0])")],
    "the server averages on a skip": [
        ("theta_k0 = half_k  # 16", "theta_k0, theta = half_k, half_k.mean(0)")
    ],
    "local problem at theta_k": [
        (
            "AugmentedLagrangian(problem, self.s, theta_k0",
            "AugmentedLagrangian(problem, self.s, theta_k",
        )
    ],
    "local problem without dual variable": [
        ("theta_k0, lambda_k)  # 6", "theta_k0, 0 * lambda_k)  # 6")
    ],
    "oracle starts at theta_k0": [("self.oracle(al, theta_k,", "self.oracle(al, theta_k0,")],
    "dual update after the model is overwritten": [
        ("        lambda_k = lambda_k + (theta_k - theta_k0) / self.s  # 7\n", ""),
        (
            "            theta_k0 = half_k  # 16\n",
            "            theta_k0 = half_k\n"
            "        lambda_k = lambda_k + (theta_k - theta_k0) / self.s\n",
        ),
    ],
    "a coin per client": [
        (
            "            theta_k0 = server.broadcast(theta)  # 13, 14\n",
            "            own_k = draw.uniform('own', (theta_k.shape[0], 1)) < 1 - self.p\n"
            "            theta_k0 = own_k * server.broadcast(theta) + ~own_k * half_k\n",
        )
    ],
}
