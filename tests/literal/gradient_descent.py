"""Gradient descent, line by line."""

from __future__ import annotations

from literal.clients import quadratics
from literal.comparison import SOUND, assert_same, start


def gradient_descent(f, clients, gamma, theta_0, rounds):
    theta = theta_0  # 2 970b78
    theta_k = dict.fromkeys(clients, theta)  # 3 fd0c7f
    half_k = {}
    for _ in range(rounds):  # 4 a40078
        for k in clients:  # 5 fd4fed
            half_k[k] = theta_k[k] - gamma * f[k].grad(theta_k[k])  # 6 90c24d
        inbox = [half_k[k] for k in clients]  # 8 c16dbe
        theta = 1 / len(inbox) * sum(inbox)  # 9 61a04c
        copies = dict.fromkeys(clients, theta)  # 10 42d566
        theta_k = {k: copies[k] for k in clients}  # 11 e0edbf
        yield theta, theta_k


ROUNDS = 30


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""
    for seed, (K, d, gamma) in enumerate([(1, 1, 0.5), (4, 3, 1.0), (7, 5, 0.3)]):
        problem, f = quadratics(K, d, seed)
        transcribed = gradient_descent(f, range(K), gamma, start(problem, seed), ROUNDS)
        algorithm = algorithms.GradientDescent(gamma=gamma)
        senders = [range(K)] * ROUNDS
        assert_same(algorithm, problem, seed, transcribed, senders, machinery)


FAULTS = {
    "gradient ascent": [("theta_k - self.gamma *", "theta_k + self.gamma *")],
    "sum for mean": [("server.average(half_k)", "server.average(half_k) * len(half_k)")],
    "averages before the step": [("server.average(half_k)", "server.average(theta_k)")],
    "no broadcast": [("theta_k = server.broadcast(theta)", "theta_k = half_k")],
    "a broadcast for free": [("server.broadcast(theta)", "stack(theta, theta_k.shape[0])")],
}
