"""The equations of the skipping chapter."""

from __future__ import annotations

import numpy as np
import pytest

from equations.quadratics import (
    CLIENTS,
    K,
    argmin,
    federation,
    gradient,
    norm2,
    same,
    vectors,
)
from equations.states import states
from fl_algos import Server
from fl_algos.algorithms import gradient_descent, proxskip, scaffnew
from fl_algos.theory import scaffnew as theory
from support.draws import Coins

gamma, p, R = 0.6, 0.4, 3


def projection(Theta):
    """The nearest point whose blocks are all the same: prox of the indicator function of E."""
    return np.tile(argmin(lambda theta: sum(norm2(theta - Theta[k]) for k in CLIENTS)), (K, 1))


@states(
    "proxgd",
    "2022b0",
    gradient_descent,
    [("theta_k - self.gamma *", "theta_k + self.gamma *")],
    [("theta_k = server.broadcast(theta)  # 10, 11", "theta_k = half_k")],
)
def proxgd(gradient_descent):
    problem, f = federation()
    algorithm = gradient_descent.GradientDescent(gamma=gamma)
    state = algorithm.init(vectors(1)[0], K)
    after = algorithm.round(state, problem, Server(K), Coins(True))
    s = K * gamma
    Theta = np.array(state.theta_k)

    def F(Theta):
        return 1 / K * sum(f[k](Theta[k]) for k in CLIENTS)

    same(after.theta_k, projection(Theta - s * gradient(F, Theta)))


@states(
    "proxskip-local",
    "5acfb8",
    proxskip,
    [("(g_k - c_k)", "(g_k + c_k)")],
    [("x_k - self.gamma *", "x_k + self.gamma *")],
)
def proxskip_local(proxskip):
    problem, f = federation()
    algorithm = proxskip.ProxSkip(gamma=gamma, p=p)
    theta_k, c_k = vectors(1), vectors(2)
    state = algorithm.init(theta_k[0], K)._replace(theta_k=theta_k, c_k=c_k)
    after = algorithm.round(state, problem, Server(K), Coins(False, probability=1 - p))
    for k in CLIENTS:
        same(after.theta_k[k], theta_k[k] - gamma * (gradient(f[k], theta_k[k]) - c_k[k]))


def solution(f):
    """theta*, and the c_k* = grad f_k(theta*)."""
    theta_star = argmin(lambda theta: 1 / K * sum(f[k](theta) for k in CLIENTS))
    return theta_star, np.array([gradient(f[k], theta_star) for k in CLIENTS])


def Psi(f, theta_k, c_k, gamma, p):
    """The measure of the error, as in equation scaffnew-lyapunov."""
    theta_star, c_star = solution(f)
    return sum(norm2(theta_k[k] - theta_star) for k in CLIENTS) + gamma**2 / p**2 * sum(
        norm2(c_k[k] - c_star[k]) for k in CLIENTS
    )


def start(algorithm):
    """Some state whose control variates sum to zero."""
    theta_k, c_k = vectors(1), vectors(2)
    c_k = c_k - c_k.mean(axis=0)
    return algorithm.init(theta_k[0], K)._replace(theta_k=theta_k, c_k=c_k)


def expected_Psi(algorithm, problem, f, gamma, p):
    """The expectation of Psi after a round from `start`, p the probability of communicating."""
    after = {
        communicate: algorithm.round(
            start(algorithm), problem, Server(K), Coins(communicate, probability=p)
        )
        for communicate in (True, False)
    }
    with_it, without = (Psi(f, x.theta_k, x.c_k, gamma, p) for x in after.values())
    return p * with_it + (1 - p) * without


@states(
    "scaffnew-lyapunov",
    "c560f4",
    theory,
    [("gamma / p * (c_k - problem", "p / gamma * (c_k - problem")],
    [("(c_k - problem.grad(star_k))", "(c_k + problem.grad(star_k))")],
)
def scaffnew_lyapunov(theory):
    problem, f = federation()
    theta_k, c_k = vectors(1), vectors(2)
    found = theory.scaffnew_lyapunov(problem, theta_k, c_k, gamma, p)
    same(found, Psi(f, theta_k, c_k, gamma, p))


COEFFICIENT = "self.p / self.gamma * (theta_k - half_k)"


@states(
    "scaffnew-identity",
    "deea69",
    scaffnew,
    [(COEFFICIENT, "0.9 * " + COEFFICIENT)],
    [(COEFFICIENT, "1 / self.gamma * (theta_k - half_k)")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_identity(scaffnew):
    problem, f = federation()
    theta_star, c_star = solution(f)
    algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)
    _, theta_k, c_k = start(algorithm)
    a = [
        (theta_k[k] - gamma * gradient(f[k], theta_k[k])) - (theta_star - gamma * c_star[k])
        for k in CLIENTS
    ]
    same(
        expected_Psi(algorithm, problem, f, gamma, p),
        norm2(np.array(a))
        + (1 - p**2) * gamma**2 / p**2 * sum(norm2(c_k[k] - c_star[k]) for k in CLIENTS),
    )


@states(
    "scaffnew-rate",
    "5e1d11",
    theory,
    [("max((1 - gamma * mu) ** 2, ", "max((1 + gamma * mu) ** 2, ")],
)
def scaffnew_rate(theory):
    problem, f = federation()
    L, mu = problem.L, problem.mu
    for gamma in (0.1 / L, 0.5 / L, 1 / L):
        for p in (0.05, 0.4, 1.0):
            algorithm = scaffnew.Scaffnew(gamma=gamma, p=p)
            _, theta_k, c_k = start(algorithm)
            now = Psi(f, theta_k, c_k, gamma, p)
            contraction = max((1 - gamma * mu) ** 2, 1 - p**2)
            rate = 1 - min(gamma * mu, p**2)
            assert expected_Psi(algorithm, problem, f, gamma, p) <= contraction * now
            assert contraction <= rate
            assert theory.scaffnew_contraction(gamma, p, L, mu) == pytest.approx(contraction)
            assert theory.scaffnew_rate(gamma, p, mu) == pytest.approx(rate)


@states(
    "scaffnew-steps-identity",
    "1ad3d2",
    proxskip,
    [("(1 - self.p) / self.R", "(1 - self.p)")],
    [("range(self.R):", "range(self.R - 1):")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def scaffnew_steps_identity(proxskip):
    problem, f = federation()
    theta_star, c_star = solution(f)
    algorithm = proxskip.ProxSkip(gamma=gamma, p=1 - p, R=R, corrected=True)
    _, theta_k, c_k = start(algorithm)
    x = {}
    for k in CLIENTS:
        x[k] = theta_k[k]
        for _ in range(R):
            x[k] = x[k] - gamma * (gradient(f[k], x[k]) - c_k[k])
    same(
        expected_Psi(algorithm, problem, f, R * gamma, p),
        sum(norm2(x[k] - theta_star - R * gamma * (c_k[k] - c_star[k])) for k in CLIENTS)
        + (1 - p**2) * R**2 * gamma**2 / p**2 * sum(norm2(c_k[k] - c_star[k]) for k in CLIENTS),
    )
