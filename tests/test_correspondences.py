"""Exact correspondences: the same trajectory under another name, 40 rounds to 1e-10.

Each other method is written out in its own symbols, with the book's in its comments.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    FedPD,
    FedProx,
    GradientDescent,
    ProxSkip,
    Scaffnew,
    Scaffold,
    Server,
    random_quadratics,
    run,
)
from literal.clients import regression
from support.draws import Coins

ROUNDS = 40
S = 0.7
PROBLEMS = {
    "quadratic": random_quadratics(K=5, d=3, linear_spread=2.0),
    "logistic": regression((7, 20, 3, 4, 9), 3, seed=0)[0],
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]


def start(problem, seed=1):
    return np.random.default_rng(seed).normal(size=problem.d)


def states(algorithm, problem, **change):
    """The states of all rounds; `change` replaces fields of the first one."""
    state = algorithm.init(start(problem), problem.K)._replace(**change)
    server = Server(problem.K)
    for _ in range(ROUNDS):
        state = algorithm.round(state, problem, server, Coins(True))
        yield state


def some_duals(problem):
    return np.random.default_rng(2).normal(size=(problem.K, problem.d))


def same(found, expected):
    assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_admm_with_its_blocks_in_the_order_z_x_lambda(problem):
    """min sum f_k(x_k) subject to x_k = z: rho = 1/s; z = theta, x = theta_k, y = lambda."""
    rho, y_k = 1 / S, some_duals(problem)
    z = start(problem)
    for state in states(FedPD(s=S), problem, lambda_k=y_k):
        x_k = problem.prox(z - y_k / rho, 1 / rho)
        y_k = y_k + rho * (x_k - z)
        z = (x_k + y_k / rho).mean(axis=0)
        same(state.theta_k, x_k)
        same(state.lambda_k, y_k)
        same(state.theta, z)


def test_consensus_admm_of_boyd_from_duals_that_sum_to_zero(problem):
    """Blocks in the order x, z, y: the same x; z is the mean of theta_k, y loses its mean."""
    rho, y_k = 1 / S, some_duals(problem)
    y_k = y_k - y_k.mean(axis=0)
    z = start(problem)
    for state in states(FedPD(s=S), problem, lambda_k=y_k):
        x_k = problem.prox(z - y_k / rho, 1 / rho)
        z = x_k.mean(axis=0)
        y_k = y_k + rho * (x_k - z)
        same(state.theta_k, x_k)
        same(state.theta_k.mean(axis=0), z)
        same(state.lambda_k - state.lambda_k.mean(axis=0), y_k)


def test_douglas_rachford(problem):
    """w = theta - s lambda."""
    lambda_k = some_duals(problem)
    w_k = start(problem) - S * lambda_k
    for state in states(FedPD(s=S), problem, lambda_k=lambda_k):
        x_k = problem.prox(w_k, S)
        w_k = w_k + (2 * x_k - w_k).mean(axis=0) - x_k
        same(state.theta - S * state.lambda_k, w_k)


def test_feddyn(problem):
    """Acar et al. 2021 with alpha = 1/s: g_k = -lambda_k, h = -mean lambda_k."""
    alpha, theta = 1 / S, start(problem)
    g_k, h = np.zeros((problem.K, problem.d)), np.zeros(problem.d)
    for state in states(FedPD(s=S), problem):
        theta_k = problem.prox(theta + g_k / alpha, 1 / alpha)
        g_k = g_k - alpha * (theta_k - theta)
        h = h - alpha * (theta_k - theta).mean(axis=0)
        theta = theta_k.mean(axis=0) - h / alpha
        same(state.theta, theta)
        same(state.lambda_k, -g_k)


def test_fedadmm(problem):
    """Gong et al. 2022 with rho = 1/s, server step 1, theta the mean of w_k + y_k/rho."""
    rho = 1 / S
    y_k = np.zeros((problem.K, problem.d))
    w_k = np.broadcast_to(start(problem), y_k.shape)
    theta = (w_k + y_k / rho).mean(axis=0)
    for state in states(FedPD(s=S), problem):
        before_k = w_k + y_k / rho
        w_k = problem.prox(theta - y_k / rho, 1 / rho)
        y_k = y_k + rho * (w_k - theta)
        theta = theta + (w_k + y_k / rho - before_k).mean(axis=0)
        same(state.theta, theta)


def test_feddr_without_regulariser(problem):
    """Tran-Dinh et al. 2021 with alpha = 1, g = 0, eta = s: y = w, xbar = theta."""
    y_k = x_k = np.broadcast_to(start(problem), (problem.K, problem.d))
    x_k = problem.prox(y_k, S)
    hat_k = 2 * x_k - y_k
    xbar = hat_k.mean(axis=0)
    for state in states(FedPD(s=S), problem):
        same(state.theta_k, x_k)
        same(state.theta, xbar)
        y_k = y_k + xbar - x_k
        x_k = problem.prox(y_k, S)
        hat_k = 2 * x_k - y_k
        xbar = hat_k.mean(axis=0)


def test_fedsplit_is_peaceman_rachford_and_feddr_with_alpha_two(problem):
    """Pathak and Wainwright 2020; z_k is the reflection 2 x_k - y_k of FedDR's y_k."""
    y_k = np.broadcast_to(start(problem), (problem.K, problem.d))
    x_k = problem.prox(y_k, S)
    z_k = 2 * x_k - y_k
    for _ in range(ROUNDS):
        xbar = z_k.mean(axis=0)
        y_k = y_k + 2 * (xbar - x_k)
        x_k = problem.prox(y_k, S)
        z_k = z_k + 2 * (problem.prox(2 * xbar - z_k, S) - xbar)
        same(z_k, 2 * x_k - y_k)


def test_fedprox_is_a_gradient_step_on_the_mean_of_the_moreau_envelopes(problem):
    """That is `al-iter` with lambda = 0, mu = 1/s."""
    theta = start(problem)
    history = run(FedProx(mu=1 / S), problem, rounds=0, theta=theta)
    for t in range(ROUNDS):
        theta_k = np.broadcast_to(theta, (problem.K, problem.d))
        envelope_grad_k = (theta_k - problem.prox(theta_k, S)) / S
        theta = theta - S * envelope_grad_k.mean(axis=0)
        history = run(FedProx(mu=1 / S), problem, rounds=1, state=history.state, start=t)
        same(history.theta, theta)


def test_fedpd_that_always_skips_is_the_proximal_point_method_on_each_client(problem):
    algorithm = FedPD(s=S, p=1 - 1e-15)
    x_k = np.broadcast_to(start(problem), (problem.K, problem.d))
    state = algorithm.init(start(problem), problem.K)
    for _ in range(ROUNDS):
        state = run(algorithm, problem, rounds=1, state=state).state
        before_k, x_k = x_k, problem.prox(x_k, S)
        same(state.theta_k, x_k)
        same(state.lambda_k, -problem.grad(x_k))
        same(state.lambda_k, (x_k - before_k) / S)


@pytest.mark.parametrize("corrected", [False, True])
def test_proxskip_without_skipping_is_gradient_descent(problem, corrected):
    """For R = 1; in one other way, a step of size K gamma of proximal gradient descent."""
    gamma = 0.9 / problem.L
    descent = states(GradientDescent(gamma), problem)
    Theta = np.tile(start(problem), (problem.K, 1))
    for state in states(ProxSkip(gamma, p=0.0, corrected=corrected), problem):
        same(state.theta, next(descent).theta)
        gradient_of_the_mean = problem.grad(Theta) / problem.K
        stepped = Theta - problem.K * gamma * gradient_of_the_mean
        Theta = np.broadcast_to(stepped.mean(axis=0), Theta.shape)
        same(state.theta_k, Theta)


@pytest.mark.parametrize("R", [1, 3, 10])
def test_proxskip_as_written_without_skipping_is_fedavg(problem, R):
    gamma, theta = 0.9 / problem.L, start(problem)
    for state in states(ProxSkip(gamma, p=0.0, R=R), problem):
        x_k = np.broadcast_to(theta, (problem.K, problem.d))
        for _ in range(R):
            x_k = x_k - gamma * problem.grad(x_k)
        theta = x_k.mean(axis=0)
        same(state.theta, theta)


@pytest.mark.parametrize("R", [1, 4])
def test_corrected_proxskip_without_skipping_is_scaffold_ii(problem, R):
    """Karimireddy et al. 2020, server step 1: c_k here is c_i - c there."""
    gamma, x = 0.9 / problem.L, start(problem)
    c_i, c = np.zeros((problem.K, problem.d)), np.zeros(problem.d)
    for state in states(ProxSkip(gamma, p=0.0, R=R, corrected=True), problem):
        y_i = np.broadcast_to(x, (problem.K, problem.d))
        for _ in range(R):
            y_i = y_i - gamma * (problem.grad(y_i) - c_i + c)
        c_plus = c_i - c + (x - y_i) / (R * gamma)
        x = x + (y_i - x).mean(axis=0)
        c = c + (c_plus - c_i).mean(axis=0)
        c_i = c_plus
        same(state.theta, x)
        same(state.c_k, c_i - c)


def test_scaffold_ii_is_scaffnew_that_communicates_every_R_steps(problem):
    """Scaffnew's p is 1/R then, and its coin is not random."""
    gamma, R = 0.9 / problem.L, 4
    algorithm, server = Scaffnew(gamma, p=1 / R), Server(problem.K)
    state = algorithm.init(start(problem), problem.K)
    scaffold = run(Scaffold(gamma, R=R), problem, rounds=0, theta=start(problem))
    for t in range(ROUNDS):
        for r in range(R):
            state = algorithm.round(state, problem, server, Coins(r == R - 1))
        scaffold = run(Scaffold(gamma, R=R), problem, 1, state=scaffold.state, start=t)
        same(scaffold.theta, state.theta)
        same(scaffold.state.c_k - scaffold.state.c, state.c_k)


class OneVectorUp(Server):
    """A server that hears the changes of SCAFFOLD's models, and works the others out.

    It keeps the largest difference from what was sent beside them.
    """

    def __init__(self, K, gamma, R_k, d):
        super().__init__(K)
        self.gamma, self.R_k, self.c, self.worst = gamma, np.array(R_k), np.zeros(d), 0.0

    def average(self, dtheta_k, dc_k, clients=None, implied=0):
        R_k = self.R_k[clients][:, None]
        mine_k = -self.c - dtheta_k / (R_k * self.gamma)
        self.worst = max(self.worst, np.abs(mine_k - dc_k).max() / max(1, np.abs(dc_k).max()))
        if implied:
            dc_k = mine_k
        dtheta, dc = super().average(dtheta_k, dc_k, clients=clients, implied=implied)
        self.c = self.c + len(clients) / len(self.R_k) * dc
        return dtheta, dc


def scaffold_with_one_vector_up(option=2, gamma_of_the_server=None):
    """Three of five clients in a round, unequal R, minibatches: the server, and both runs."""
    problem, R, gamma = PROBLEMS["logistic"], (4, 1, 3, 2, 6), 0.3
    server = OneVectorUp(problem.K, gamma_of_the_server or gamma, R, problem.d)
    algorithm, options = Scaffold(gamma, 0.8, R, option), {"batch_size": 2, "participants": 3}
    mine = run(algorithm, problem, 200, server=server, **options)
    return server, mine, run(algorithm, problem, 200, **options)


def test_a_server_can_work_out_the_second_vector_of_scaffold_ii():
    """c_k+ - c_k = -c - dtheta_k/(R_k gamma); the run is the same without it."""
    server, mine, sent = scaffold_with_one_vector_up()
    assert server.worst < 1e-14
    for found, expected in zip(mine.state, sent.state, strict=True):
        assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert np.abs(sent.state.c).max() > 1e-2
    assert (2 * mine.needed_up == mine.floats_up).all()


def test_it_cannot_with_option_one_nor_with_another_step_size():
    for server, history, _ in (
        scaffold_with_one_vector_up(option=1),
        scaffold_with_one_vector_up(gamma_of_the_server=0.31),
    ):
        assert server.worst > 1e-3
        assert (history.needed_up == history.floats_up).all() == (server.gamma == 0.3)


@pytest.mark.parametrize("participants", [5, 2])
@pytest.mark.parametrize("eta", [1.0, 0.7])
def test_with_equal_R_who_hears_of_every_model_knows_c(problem, eta, participants):
    gamma, R, share = 0.5 / problem.L, 3, participants / problem.K
    algorithm = Scaffold(gamma, eta, R)
    state = run(algorithm, problem, rounds=0, theta=start(problem)).state
    c = state.c
    for t in range(ROUNDS):
        theta = state.theta
        state = run(algorithm, problem, 1, state=state, start=t, participants=participants).state
        c = (1 - share) * c + share / (eta * R * gamma) * (theta - state.theta)
        same(state.c, c)


def test_scaffnew_is_corrected_proxskip_with_the_other_probability(problem):
    gamma = 0.9 / problem.L
    scaffnew = run(Scaffnew(gamma, p=0.25), problem, ROUNDS)
    proxskip = run(ProxSkip(gamma, p=0.75, corrected=True), problem, ROUNDS)
    assert scaffnew.communications.tolist() == proxskip.communications.tolist()
    for mine, theirs in zip(scaffnew.state, proxskip.state, strict=True):
        same(mine, theirs)
