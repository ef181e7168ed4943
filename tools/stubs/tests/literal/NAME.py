"""CLASS, line by line."""

from __future__ import annotations

from literal.clients import quadratics
from literal.comparison import SOUND, assert_same, start


def NAME(f, clients, gamma, theta_0, rounds):
    theta = theta_0  # 2
    for _ in range(rounds):  # 3
        for _k in clients:  # 4
            raise NotImplementedError("TODO: line 5, client by client; then 7, 8, 9")
        yield (theta,)


GAMMA, ROUNDS = 0.5, 30


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""
    for seed, (K, d) in enumerate([(1, 1), (4, 3)]):
        problem, f = quadratics(K, d, seed)
        transcribed = NAME(f, range(K), GAMMA, start(problem, seed), ROUNDS)
        algorithm, senders = algorithms.CLASS(gamma=GAMMA), [range(K)] * ROUNDS
        assert_same(algorithm, problem, seed, transcribed, senders, machinery)


FAULTS = {}  # TODO: plausible mistakes, each with the text that it changes in the module
