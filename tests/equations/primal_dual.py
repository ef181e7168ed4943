"""The equations of the primal-dual chapter."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from equations.quadratics import (
    CLIENTS,
    K,
    argmin,
    federation,
    gradient,
    mean,
    norm2,
    same,
    vectors,
    without_convexity,
)
from equations.states import states
from fl_algos import Quadratic, Server, oracles
from fl_algos.algorithms import fedpd
from fl_algos.theory import fedpd as theory
from fl_algos.theory import skipping
from support.draws import Coins

s = 0.7
DUAL = "lambda_k + (theta_k - theta_k0) / self.s"
HALF = "half_k = theta_k + self.s * lambda_k"


def L_k(f_k, theta, theta_k, lambda_k, s=s):
    """One client's augmented Lagrangian, as in equation al."""
    return f_k(theta_k) + lambda_k @ (theta_k - theta) + 1 / (2 * s) * norm2(theta_k - theta)


def a_round(fedpd, problem, p=0.0, communicate=True):
    """FedPD's state before and after a round, from dual variables that are not zero."""
    state = fedpd.FedPD(s=s, p=p).init(vectors(1)[0], K)._replace(lambda_k=vectors(2))
    after = fedpd.FedPD(s=s, p=p).round(
        state, problem, Server(K), Coins(communicate, probability=1 - p)
    )
    return state, after


@states(
    "al",
    "b7f2ba",
    oracles,
    [("self.lambda_k * move_k + move_k**2", "self.lambda_k * move_k - move_k**2")],
    [("self.lambda_k * move_k + move_k**2", "move_k**2 - self.lambda_k * move_k")],
    [("/ (2 * self.s)", "/ self.s")],
    [("move_k = x_k - self.theta_k0\n", "move_k = x_k + self.theta_k0\n")],
)
def al(oracles):
    problem, f = federation()
    theta, theta_k, lambda_k = vectors(1)[0], vectors(2), vectors(3)
    found = oracles.AugmentedLagrangian(problem, s, np.tile(theta, (K, 1)), lambda_k)
    each = [L_k(f[k], theta, theta_k[k], lambda_k[k]) for k in CLIENTS]
    same(found.value(theta_k), each)
    same(sum(found.value(theta_k)), sum(each))


@states(
    "al-iter",
    "784288",
    fedpd,
    [(DUAL, DUAL.replace("+", "-"))],
    [(DUAL, DUAL.replace("/ self.s", "* self.s"))],
    [(HALF, HALF.replace("+", "-"))],
    [(HALF, "half_k = theta_k")],
    [("self.s, theta_k0, lambda_k)", "self.s, theta_k0, -lambda_k)")],
)
def al_iter(fedpd):
    problem, f = federation()
    before, after = a_round(fedpd, problem)
    theta, lambda_k = before.theta, before.lambda_k
    theta_k = [argmin(lambda x, k=k: L_k(f[k], theta, x, lambda_k[k])) for k in CLIENTS]
    lambda_k = [lambda_k[k] + 1 / s * (theta_k[k] - theta) for k in CLIENTS]

    def server_s(theta):
        return sum(1 / (2 * s) * norm2(theta_k[k] - theta) - lambda_k[k] @ theta for k in CLIENTS)

    same(after.theta_k, theta_k)
    same(after.lambda_k, lambda_k)
    same(after.theta, argmin(server_s))
    same(after.theta, mean([theta_k[k] + s * lambda_k[k] for k in CLIENTS]))


@states(
    "al-prox",
    "29cca2",
    oracles,
    [("self.theta_k0 - self.s * self.lambda_k", "self.theta_k0 + self.s * self.lambda_k")],
    [("prox(v_k, self.s, self.clients)\n", "prox(v_k, 1 / self.s, self.clients)\n")],
)
def al_prox(oracles):
    problem, f = federation()
    theta, lambda_k = vectors(1)[0], vectors(2)
    found = oracles.AugmentedLagrangian(problem, s, np.tile(theta, (K, 1)), lambda_k).argmin()
    for k in CLIENTS:
        centre = theta - s * lambda_k[k]
        same(found[k], argmin(lambda x, k=k, c=centre: f[k](x) + 1 / (2 * s) * norm2(x - c)))


@states("dual-is-gradient", "9db424", fedpd, [(DUAL, DUAL.replace("/ self.s", "* self.s"))])
def dual_is_gradient(fedpd):
    problem, f = federation()
    _, after = a_round(fedpd, problem)
    for k in CLIENTS:
        same(after.lambda_k[k], -gradient(f[k], after.theta_k[k]))


@states(
    "fedpd-linearize",
    "6747fc",
    oracles,
    [("s * theta_k + gamma * al.theta_k0", "gamma * theta_k + s * al.theta_k0")],
    [("(g_k + al.lambda_k)", "(g_k - al.lambda_k)")],
    [("s * gamma / (s + gamma)", "s * gamma / (s - gamma)")],
    [("centre_k - s * gamma", "centre_k + s * gamma")],
)
def fedpd_linearize(oracles):
    gamma = 0.3
    problem, _ = federation()
    theta_k0, lambda_k, theta_k, g_k = (vectors(seed) for seed in (1, 2, 3, 4))
    lagrangian = oracles.AugmentedLagrangian(problem, s, theta_k0, lambda_k)
    draw = SimpleNamespace(t=1, batch=lambda q: None)  # in round 1 the estimate is not renewed
    found, _ = oracles.VR(gamma=gamma, Q=1, I=2)(lagrangian, theta_k, g_k, draw)
    for k in CLIENTS:

        def linearized(x, k=k):
            near = 1 / (2 * s) * norm2(x - theta_k0[k]) + 1 / (2 * gamma) * norm2(x - theta_k[k])
            return (g_k[k] + lambda_k[k]) @ x + near

        same(found[k], argmin(linearized))
        same(
            found[k],
            s / (s + gamma) * theta_k[k]
            + gamma / (s + gamma) * theta_k0[k]
            - s * gamma / (s + gamma) * (g_k[k] + lambda_k[k]),
        )


def without_skipping(fedpd, problem, s, state):
    """FedPD's state after a round that communicates."""
    return fedpd.FedPD(s=s).round(state, problem, Server(K), Coins(True, probability=1))


ROUND = [
    [(DUAL, DUAL.replace("+", "-"))],
    [(HALF, "half_k = theta_k")],
    [("theta = server.average(half_k)", "theta = server.average(theta_k)")],
]


def after_rounds(fedpd, problem, s, rounds=6):
    """FedPD's states after one round, two..., from dual variables that are zero."""
    state = fedpd.FedPD(s=s).init(vectors(1)[0], K)
    for _ in range(rounds):
        state = without_skipping(fedpd, problem, s, state)
        yield state


def mean_of(f):
    """The function f itself."""
    return lambda x: 1 / K * sum(f[k](x) for k in CLIENTS)


def D(f, s, state):
    """The augmented Lagrangian, as in equation al, over K."""
    theta, theta_k, _, lambda_k, _ = state
    return 1 / K * sum(L_k(f[k], theta, theta_k[k], lambda_k[k], s) for k in CLIENTS)


def moved(before, after):
    """1/K times the sum of the squares of Delta_k."""
    return 1 / K * norm2(after.theta_k - before.theta_k)


def without_convexity_and_steps():
    """Clients, f_k and step sizes up to 1/(2 L)."""
    problem, f = without_convexity()
    return [(problem, f, share / (2 * problem.L)) for share in (0.1, 0.5, 0.98)]


@states(
    "algorithms/primal_dual, be1e3f",
    "be1e3f",
    fedpd,
    [(DUAL, DUAL.replace("+", "-"))],
    [(DUAL, DUAL.replace("/ self.s", "* self.s"))],
    [("self.s, theta_k0, lambda_k)", "self.s, theta_k0, -lambda_k)")],
)
def fedpd_descent(fedpd):
    def share(s, L):
        return (1 - 2 * s * L) * (1 + s * L) / (2 * s)

    for problem, f, s in without_convexity_and_steps():
        for before, after in pairwise(after_rounds(fedpd, problem, s)):
            lost = share(s, problem.L) * moved(before, after)
            assert D(f, s, after) <= D(f, s, before) - lost + 1e-12
            assert D(f, s, after) >= mean_of(f)(after.theta)
    # Two clients with the curvature -L walk apart, the others rest: there is equality.
    s, L = 0.3, 1.0
    problem = Quadratic(L * np.array([-1.0, -1.0, 1.0, 1.0])[:, None, None], np.zeros((K, 1)))
    f = [lambda x, a=a: x @ a @ x / 2 for a in problem.A_k]
    apart = np.array([[1.0], [-1.0], [0.0], [0.0]])
    before = fedpd.FedPD(s=s).init(np.zeros(1), K)._replace(theta_k=apart, lambda_k=L * apart)
    after = without_skipping(fedpd, problem, s, before)
    same(D(f, s, after), D(f, s, before) - share(s, L) * moved(before, after))


@states("algorithms/primal_dual, 4e1993", "4e1993", fedpd, *ROUND)
def fedpd_gradient_and_moves(fedpd):
    for problem, f, s in without_convexity_and_steps():
        for before, after in pairwise(after_rounds(fedpd, problem, s)):
            factor = ((1 + s**2 * problem.L**2) / s) ** 2
            square = norm2(gradient(mean_of(f), before.theta))
            assert square <= factor * moved(before, after)
            Delta = after.theta_k - before.theta_k
            same(mean([gradient(f[k], after.theta_k[k]) for k in CLIENTS]), -1 / s * mean(Delta))
            for k in CLIENTS:
                apart = norm2(after.theta_k[k] - before.theta)
                assert apart <= s**2 * problem.L**2 * norm2(Delta[k]) * (1 + 1e-9)


@states(
    "fedpd-descent-rate",
    "de8c42",
    theory,
    [("C = 2 * (1 + u**2) ** 2", "C = (1 + u**2) ** 2")],
    [("s * (1 + u) / (2 * (1 - u) ** 2)", "s * (1 + u) / (2 * (1 + u) ** 2)")],
    [("(s * (1 - 2 * u) * (1 + u))", "(s * (1 + u))")],
)
def fedpd_descent_rate(theory):
    for problem, f, s in without_convexity_and_steps():
        L, theta, value = problem.L, vectors(1)[0], mean_of(f)
        gap = value(theta) - value(argmin(value))
        g_k = np.array([gradient(f[k], theta) for k in CLIENTS])
        C = 2 * (1 + s**2 * L**2) ** 2 / (s * (1 - 2 * s * L) * (1 + s * L))
        at_start = s * (1 + s * L) / (2 * (1 - s * L) ** 2) * 1 / K * norm2(g_k)
        total = 0.0
        for T, state in enumerate(after_rounds(fedpd, problem, s), 1):
            total += norm2(gradient(value, state.theta))
            assert 1 / T * total <= C / T * (gap + at_start)
            found = theory.fedpd_gradient_bound(gap, T, s, L, 1 / K * norm2(g_k))
            same(found, C / T * (gap + at_start))
        # From lambda_k = -grad f_k on: in the first round only theta moves.
        before = fedpd.FedPD(s=s).init(theta, K)._replace(lambda_k=-g_k)
        after = without_skipping(fedpd, problem, s, before)
        same(moved(before, after), 0)
        same(D(f, s, before), value(theta))
        same(D(f, s, after), value(theta) - s / 2 * norm2(mean(g_k)))
        assert 2 / s <= C


@states(
    "fedpd-iter",
    "60ed79",
    fedpd,
    [("with_probability(1 - self.p)", "with_probability(self.p)")],
    [(HALF, HALF.replace("+", "-"))],
    [("theta_k0 = half_k  # 16", "theta_k0, theta = half_k, half_k.mean(0)")],
)
def fedpd_iter(fedpd):
    problem, _ = federation()
    before, after = a_round(fedpd, problem, p=0.3, communicate=True)
    same(after.theta, mean([after.theta_k[k] + s * after.lambda_k[k] for k in CLIENTS]))
    before, after = a_round(fedpd, problem, p=0.3, communicate=False)
    same(after.theta, before.theta)


@states(
    "fedpd-skipping-prob",
    "ae2890",
    skipping,
    [("root / (6 * s", "root / (5 * s")],
    [("math.log(42)", "math.log(24)")],
    [("1 - 2 / log", "1 - 1 / log")],
    [("return (1 - 2 * Ls) / (1 + Ls)", "return (1 - 2 * Ls) / (1 - Ls)")],
)
def fedpd_skipping_prob(skipping):
    s, L, G = 0.15, 1.0, 2.0
    boundary = (1 - 2 * L * s) / (1 + L * s)
    branches = set()
    for eps in G**2 * np.geomspace(1e-4, 1e6, 300):
        p, branch, _ = skipping.skip_probability_as_written(eps, G, s, L)
        first = math.sqrt(1 / (36 * s) * eps / G**2)
        log = math.log(1 / (42 * s) * eps / G**2)
        second = 1 - 2 / log
        cases = [first] * (0 <= first < boundary) + [second] * (boundary < second < 1)
        assert (branch == "neither") == (not cases)
        assert not cases or p == pytest.approx(cases[0], rel=1e-12)
        branches.add(branch)
    assert branches == {"small p", "large p", "neither"}
