"""FedAdagrad, FedYogi and FedAdam, line by line."""

from __future__ import annotations

import numpy as np

from fl_algos import Adam, Yogi, adagrad
from literal import local_work
from literal.comparison import SOUND


def fedopt(f, gamma, eta, rule, beta1, beta2, tau, R, theta_0, takes_part, batches):
    theta, m, v = theta_0, 0 * theta_0, 0 * theta_0 + tau**2  # 2 175a87
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
        m = beta1 * m + (1 - beta1) * delta  # 15 f13259
        if rule == "FedAdagrad":  # 16 66df91
            v = v + delta * delta  # 16 66df91
        elif rule == "FedYogi":  # 17 cf1efd
            v = v - (1 - beta2) * delta * delta * np.sign(v - delta * delta)  # 17 cf1efd
        else:  # 18 973f35
            v = beta2 * v + (1 - beta2) * delta * delta  # 18 973f35
        theta = theta + eta * m / (np.sqrt(v) + tau)  # 19 827a5e
        yield theta, m, v


BETA2 = 0.9
RULES = {"FedAdagrad": adagrad, "FedYogi": Yogi(BETA2), "FedAdam": Adam(BETA2)}


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""

    def pairs(work):
        _, f, R, R_k, theta, takes_part, samples = work
        for rule, sound in RULES.items():
            moment = getattr(algorithms, "faulty", {}).get(rule, sound)
            algorithm = algorithms.FedOpt(ETA, GAMMA, moment, BETA1, TAU, R)
            transcribed = fedopt(
                f, GAMMA, ETA, rule, BETA1, BETA2, TAU, R_k, theta, takes_part, samples
            )
            yield algorithm, work.problem, transcribed

    local_work.assert_same_work(pairs, machinery)


GAMMA, ETA, BETA1, TAU = 0.4, 0.3, 0.7, 0.1
CLASS = "@dataclass(frozen=True)\nclass FedOpt"
FAULTS = {
    **local_work.faults("n", "theta", "13, 14"),
    "first moment without its weight": [("(1 - self.beta1) * delta", "delta")],
    "second moment before the new difference": [
        ("self.second_moment(v, delta)", "v + 0 * self.second_moment(v, delta)")
    ],
    "tau under the root": [("(v**0.5 + self.tau)", "(v + self.tau) ** 0.5")],
    "second moment from zero": [("0 * theta + self.tau**2", "0 * theta")],
    "bias correction": [("self.eta * m /", "self.eta * m / (1 - self.beta1 ** (draw.t + 1)) /")],
    "Adagrad forgets": [
        ("    return v + delta**2\n", "    return delta**2\n\n\nfaulty = {'FedAdagrad': adagrad}\n")
    ],
    "Yogi with the other share": [
        ("(1 - self.beta2) * delta**2 * sign", "self.beta2 * delta**2 * sign"),
        (CLASS, f"faulty = {{'FedYogi': Yogi({BETA2})}}\n\n\n{CLASS}"),
    ],
    "Adam with the other share": [
        ("return self.beta2 * v", "return (1 - self.beta2) * v"),
        (CLASS, f"faulty = {{'FedAdam': Adam({BETA2})}}\n\n\n{CLASS}"),
    ],
}
