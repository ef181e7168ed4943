"""FedAvgM, line by line."""

from __future__ import annotations

from literal import local_work
from literal.comparison import SOUND


def fedavgm(f, gamma, eta, beta, R, theta_0, takes_part, batches):
    theta, m = theta_0, 0 * theta_0  # 2 dac750
    x_k = {}
    for t, S in enumerate(takes_part):  # 3, 4 a40078, e17fdb
        copies = dict.fromkeys(S, theta)  # 5 ab09c9
        for k in S:  # 6 fe863d
            x_k[k] = copies[k]  # 7 b8a1ec
            for r in range(R[k]):  # 8 a5269b
                g_k = f[k].grad(x_k[k], batches(t, r, S.index(k)))  # 9 41442b
                x_k[k] = x_k[k] - gamma * g_k  # 10 3bdf92
        inbox = [x_k[k] - copies[k] for k in S]  # 13 f4ec21
        delta = sum(inbox) / len(S)  # 14 0c9a53
        m = beta * m + delta  # 15 74cdb5
        theta = theta + eta * m  # 16 acc8ef
        yield theta, m


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""

    def pairs(work):
        _, f, R, R_k, theta, takes_part, samples = work
        for beta in (0.0, 0.7):
            transcribed = fedavgm(f, GAMMA, ETA, beta, R_k, theta, takes_part, samples)
            yield (
                algorithms.FedAvgM(eta=ETA, gamma=GAMMA, beta=beta, R=R),
                work.problem,
                transcribed,
            )

    local_work.assert_same_work(pairs, machinery)


GAMMA, ETA = 0.4, 0.8
FAULTS = {
    **local_work.faults("n", "theta", "13, 14"),
    "no momentum": [("self.beta * m + delta", "delta")],
    "damped momentum": [("self.beta * m + delta", "self.beta * m + (1 - self.beta) * delta")],
    "step from the old momentum": [("self.eta * m  # 16", "self.eta * state.m  # 16")],
    "models for differences": [("server.average(x_k - theta_k", "server.average(x_k")],
}
