"""FedAvg, line by line."""

from __future__ import annotations

from literal import local_work
from literal.clients import weigh
from literal.comparison import SOUND


def fedavg(f, gamma, R, w, theta_0, takes_part, batches):
    theta = theta_0  # 2 970b78
    x_k = {}
    for t, S in enumerate(takes_part):  # 3, 4 a40078, e17fdb
        copies = dict.fromkeys(S, theta)  # 5 ab09c9
        for k in S:  # 6 fe863d
            x_k[k] = copies[k]  # 7 b8a1ec
            for r in range(R[k]):  # 8 a5269b
                g_k = f[k].grad(x_k[k], batches(t, r, S.index(k)))  # 9 41442b
                x_k[k] = x_k[k] - gamma * g_k  # 10 3bdf92
        inbox = [x_k[k] for k in S]  # 13 83960e
        total = sum(w[k] for k in S)  # 14 b4f6f0
        theta = sum(w[k] * x for k, x in zip(S, inbox, strict=True)) / total  # 14 b4f6f0
        yield (theta,)


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""

    def pairs(work):
        _, f, R, R_k, theta, takes_part, samples = work
        for w in (None, [1.0 + k for k in range(work.problem.K)]):
            transcribed = fedavg(
                f, GAMMA, R_k, w or [1] * work.problem.K, theta, takes_part, samples
            )
            yield algorithms.FedAvg(gamma=GAMMA, R=R), weigh(work.problem, w), transcribed

    local_work.assert_same_work(pairs, machinery)


GAMMA = 0.4
FAULTS = {
    **local_work.faults("m", "theta", "13, 14"),
    "uniform whatever the weights": [(", weights=problem.weights[S]", "")],
    "the weights of others": [("problem.weights[S]", "problem.weights[::-1][: len(S)]")],
    "sum for mean": [("server.average(x_k", "len(S) * server.average(x_k")],
}
