"""SCAFFOLD, line by line."""

from __future__ import annotations

from functools import partial

from literal import local_work
from literal.comparison import SOUND


def scaffold(f, clients, gamma, eta, R, option, theta_0, takes_part, batches):
    theta, c = theta_0, 0 * theta_0  # 2 bfada6
    c_k = dict.fromkeys(clients, 0 * theta_0)  # 3 36f9a0
    x_k = {}
    plus_k = {}
    for t, S in enumerate(takes_part):  # 4, 5 a40078, e17fdb
        copies = dict.fromkeys(S, (theta, c))  # 6 146bb6
        for k in S:  # 7 fe863d
            x_k[k] = copies[k][0]  # 8 b8a1ec
            for r in range(R[k]):  # 9 a5269b
                g_k = f[k].grad(x_k[k], batches(t, r, S.index(k)))  # 10 41442b
                x_k[k] = x_k[k] - gamma * (g_k - c_k[k] + copies[k][1])  # 11 e40426
            if option == 1:  # 13 ab97b9
                plus_k[k] = f[k].grad(copies[k][0])  # 13 ab97b9
            else:  # 14 69ad4d
                plus_k[k] = (
                    c_k[k] - copies[k][1] + (copies[k][0] - x_k[k]) / (R[k] * gamma)
                )  # 14 69ad4d
        inbox = [(x_k[k] - copies[k][0], plus_k[k] - c_k[k]) for k in S]  # 16 d2523d
        dtheta = sum(message[0] for message in inbox) / len(S)  # 17 1d0dcb
        dc = sum(message[1] for message in inbox) / len(S)  # 17 1d0dcb
        c_k = {k: plus_k[k] if k in S else c_k[k] for k in clients}  # 18 8ed3ee
        theta = theta + eta * dtheta  # 19 06fb1a
        c = c + len(S) / len(clients) * dc  # 20 d0b7e6
        yield theta, c, c_k


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""

    def pairs(option, work):
        _, f, R, R_k, theta, takes_part, samples = work
        algorithm = algorithms.Scaffold(gamma=GAMMA, eta=ETA, R=R, option=option)
        clients = range(work.problem.K)
        transcribed = scaffold(f, clients, GAMMA, ETA, R_k, option, theta, takes_part, samples)
        yield algorithm, work.problem, transcribed

    for option, needed in ((1, 2), (2, 1)):
        local_work.assert_same_work(partial(pairs, option), machinery, vectors=2, needed=needed)


GAMMA, ETA = 0.3, 0.8
FAULTS = {
    **local_work.faults("m", "theta, c", "17"),
    "a broadcast to everyone": [
        ("broadcast(theta, c, clients=S)", "broadcast(theta, c)"),
        (
            "        x_k = theta_k",
            "        theta_k, copy_k = theta_k[: len(S)], copy_k[: len(S)]\n        x_k = theta_k",
        ),
    ],
    "correction with its sign changed": [("- c_k[S[m]] + copy_k[m]", "+ c_k[S[m]] - copy_k[m]")],
    "no global control variate": [("- c_k[S[m]] + copy_k[m]", "- c_k[S[m]]")],
    "the control variate of the slot": [("- c_k[S[m]] +", "- c_k[: len(S)][m] +")],
    "options exchanged": [("self.option == 1", "self.option == 2")],
    "steps forgotten in Option II": [("(R_k * self.gamma)", "self.gamma")],
    "the sign of the move in Option II": [("(theta_k - x_k) / (R_k", "(x_k - theta_k) / (R_k")],
    "sends c_plus instead of its change": [("plus_k - c_k[S]  # 16", "plus_k  # 16")],
    "Option II as if it needed both": [("int(self.option == 2)", "0")],
    "Option I as if it needed one": [("int(self.option == 2)", "1")],
    "the last client's for the mean": [("dtheta  # 19", "(x_k - theta_k)[-1]  # 19")],
    "c moves as if all took part": [("draw.share * dc", "dc")],
    "control variates stay": [("put(c_k, S, plus_k)", "put(c_k, S, c_k[S])")],
    "control variates start at the model": [
        ("c_k = zeros_k(theta, K)  # 3", "c_k = zeros_k(theta, K) + theta  # 3")
    ],
}
