"""Scaffnew, line by line."""

from __future__ import annotations

from literal.clients import quadratics, regression
from literal.comparison import SOUND, assert_same, batches, coins, start


def scaffnew(f, clients, gamma, p, theta_0, coins, batches):
    theta = theta_0  # 2 e35ac0
    theta_k = dict.fromkeys(clients, theta)  # 3 24c89e
    c_k = dict.fromkeys(clients, 0 * theta)  # 3 24c89e
    half_k = {}
    for t, coin in enumerate(coins):  # 4 a40078
        for k in clients:  # 5 beacc0
            g_k = f[k].grad(theta_k[k], batches(t, 0, k))  # 6 9d221e
            half_k[k] = theta_k[k] - gamma * (g_k - c_k[k])  # 7 4a8e33
        if coin < p:  # 9 f53853
            inbox = [half_k[k] for k in clients]  # 10 62a20d
            theta = 1 / len(inbox) * sum(inbox)  # 11 1a75ba
            copies = dict.fromkeys(clients, theta)  # 12 fbccda
            theta_k = {k: copies[k] for k in clients}  # 13 e0a7c9
        else:
            theta_k = {k: half_k[k] for k in clients}  # 15 ef0271
        c_k = {k: c_k[k] + p / gamma * (theta_k[k] - half_k[k]) for k in clients}  # 16 13e8f5
        yield theta, theta_k, c_k


CASES = [
    # the problem with its clients, batch size, p
    (quadratics(1, 1, 0), None, 0.5),
    (quadratics(4, 3, 1), None, 0.3),
    (quadratics(6, 2, 2), None, 1.0),
    (regression((7, 2, 5), 3, 3), 2, 0.8),
]
GAMMA = 0.6
ROUNDS = 30


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""
    for seed, ((problem, f), batch_size, p) in enumerate(CASES):
        tossed = coins(problem, seed, ROUNDS)
        samples = batches(problem, seed, batch_size)
        theta = start(problem, seed)
        transcribed = scaffnew(f, range(problem.K), GAMMA, p, theta, tossed, samples)
        algorithm = algorithms.Scaffnew(gamma=GAMMA, p=p)
        senders = [range(problem.K) if coin < p else () for coin in tossed]
        assert_same(algorithm, problem, seed, transcribed, senders, machinery, batch_size)


AVERAGE = "theta = server.average(half_k)  # 10, 11"
FAULTS = {
    "p means skip": [("with_probability(self.p)", "with_probability(1 - self.p)")],
    "1 - p in the control variate": [("c_k + self.p /", "c_k + (1 - self.p) /")],
    "control variate with its sign changed": [("(g_k - c_k)", "(g_k + c_k)")],
    "control variate moves away": [("(theta_k - half_k)  # 16", "(half_k - theta_k)  # 16")],
    "control variate from the model before the step": [
        ("(theta_k - half_k)  # 16", "(theta_k - state.theta_k)  # 16")
    ],
    "full gradients instead of batches": [("batch=draw.batch(0)", "batch=None")],
    "the batch of another step": [("draw.batch(0)", "draw.batch(1)")],
    "local progress lost on a skip": [("theta_k = half_k  # 15", "pass")],
    "sum for mean": [(AVERAGE, "theta = server.average(half_k) * half_k.shape[0]")],
    "no broadcast": [("theta_k = server.broadcast(theta)  # 12, 13", "theta_k = half_k")],
    "a broadcast for free": [("server.broadcast(theta)  #", "stack(theta, theta_k.shape[0])  #")],
    "averages the models before the step": [(AVERAGE, "theta = server.average(theta_k)")],
    "a coin per client": [
        (
            "            theta_k = server.broadcast(theta)  # 12, 13\n",
            "            own_k = draw.uniform('own', (theta_k.shape[0], 1)) < self.p\n"
            "            theta_k = own_k * server.broadcast(theta) + ~own_k * half_k\n",
        )
    ],
}
