"""ProxSkip, line by line."""

from __future__ import annotations

from literal.clients import quadratics, regression
from literal.comparison import SOUND, assert_same, batches, coins, start


def proxskip(f, clients, gamma, p, R, theta_0, coins, batches):
    theta = theta_0  # 2 e35ac0
    theta_k = dict.fromkeys(clients, theta)  # 3 24c0ba
    c_k = dict.fromkeys(clients, 0 * theta)  # 3 24c0ba
    x_k = {}
    half_k = {}
    for t, coin in enumerate(coins):  # 4 67f216
        for k in clients:  # 5 beacc0
            x_k[k] = theta_k[k]  # 6 d9f6c7
            for r in range(R):  # 7 64c7b6
                g_k = f[k].grad(x_k[k], batches(t, r, k))  # 8 41442b
                x_k[k] = x_k[k] - gamma * (g_k - c_k[k])  # 9 0981da
            half_k[k] = x_k[k]  # 11 47a6a5
        if coin < 1 - p:  # 13 73aed4
            inbox = [half_k[k] for k in clients]  # 14 62a20d
            theta = 1 / len(inbox) * sum(inbox)  # 15 1a75ba
            copies = dict.fromkeys(clients, theta)  # 16 fbccda
            theta_k = {k: copies[k] for k in clients}  # 17 1005eb
            c_k = {k: c_k[k] + p / gamma * (theta_k[k] - half_k[k]) for k in clients}  # 17 1005eb
        else:  # 18 530e3d
            theta_k = {k: half_k[k] for k in clients}  # 19 2fc091
        yield theta, theta_k, c_k


CASES = [
    # the problem with its clients, batch size, p, R; all where the algorithm as written is stable
    (quadratics(1, 1, 0), None, 0.0, 1),
    (quadratics(4, 3, 1), None, 0.5, 1),
    (quadratics(5, 2, 2), None, 0.3, 3),
    (regression((7, 2, 5), 3, 3), 2, 0.2, 4),
    (regression((4, 4), 2, 4), 3, 0.4, 1),
]
GAMMA = 0.4
ROUNDS = 30


def check(algorithms, machinery=SOUND):
    """Compare an implementation with the transcription."""
    for seed, ((problem, f), batch_size, p, R) in enumerate(CASES):
        tossed = coins(problem, seed, ROUNDS)
        samples = batches(problem, seed, batch_size)
        theta = start(problem, seed)
        transcribed = proxskip(f, range(problem.K), GAMMA, p, R, theta, tossed, samples)
        algorithm = algorithms.ProxSkip(gamma=GAMMA, p=p, R=R)
        senders = [range(problem.K) if coin < 1 - p else () for coin in tossed]
        assert_same(algorithm, problem, seed, transcribed, senders, machinery, batch_size)


AVERAGE = "theta = server.average(half_k)  # 14, 15"
CONTROL = "            c_k = c_k + self.coefficient / self.gamma * (theta_k - half_k)  # 17\n"
FAULTS = {
    "p for 1 - p": [("with_probability(1 - self.p)", "with_probability(self.p)")],
    "never skips": [("with_probability(1 - self.p)", "with_probability(1)")],
    "corrected though not asked for": [("if self.corrected else", "if not self.corrected else")],
    "control variate with its sign changed": [("(g_k - c_k)", "(g_k + c_k)")],
    "control variate moves away": [("(theta_k - half_k)  # 17", "(half_k - theta_k)  # 17")],
    "times gamma for over gamma": [("/ self.gamma * (theta_k", "* self.gamma * (theta_k")],
    "control variate updated after the model is overwritten": [
        (AVERAGE, f"{AVERAGE}\n            half_k = server.broadcast(theta)")
    ],
    "control variate from the model before the step": [
        ("(theta_k - half_k)  # 17", "(theta_k - state.theta_k)  # 17")
    ],
    "control variate never moves": [(CONTROL, "")],
    "one local step too few": [("range(self.R):", "range(self.R - 1):")],
    "the same batch at each step": [("draw.batch(r)", "draw.batch(0)")],
    "full gradients instead of batches": [("batch=draw.batch(r)", "batch=None")],
    "gradient at the start of the round": [
        ("problem.grad(x_k, batch", "problem.grad(theta_k, batch")
    ],
    "local progress lost on a skip": [("theta_k = half_k  # 19", "pass")],
    "sum for mean": [(AVERAGE, "theta = server.average(half_k) * half_k.shape[0]")],
    "the last client's for the mean": [
        (AVERAGE, "theta = 0 * server.average(half_k) + half_k[-1]")
    ],
    "averages the models before the steps": [(AVERAGE, "theta = server.average(theta_k)")],
    "sends twice": [(AVERAGE, "theta = server.average(server.broadcast(server.average(half_k)))")],
    "a broadcast for free": [("server.broadcast(theta)  #", "stack(theta, theta_k.shape[0])  #")],
    "the server averages on a skip": [
        ("theta_k = half_k  # 19", "theta_k, theta = half_k, half_k.mean(0)")
    ],
    "a coin per client": [
        (
            "            theta_k = server.broadcast(theta)  # 16, 17\n",
            "            own_k = draw.uniform('own', (theta_k.shape[0], 1)) < 1 - self.p\n"
            "            theta_k = own_k * server.broadcast(theta) + ~own_k * half_k\n",
        )
    ],
}
