"""The equations of the errata."""

from __future__ import annotations

import numpy as np

from equations.quadratics import CLIENTS, federation, gradient, norm2, same
from equations.skipping import expected_Psi, projection, solution, start
from equations.states import states
from fl_algos.algorithms import proxskip
from fl_algos.theory import proxskip as theory
from fl_algos.theory import skipping


@states(
    "proxskip-boundary",
    "04ace3",
    theory,
    [("return 2 / (1 + _checks", "return 2 / (1 - _checks")],
    [("return R * p / (1 - p)", "return R * p / (1 + p)")],
)
def proxskip_boundary(theory):
    """N is geometric: n rounds, of which only the last communicates."""
    n = np.arange(1, 20000)
    for R in (1, 2, 5):
        for p in (0.05, 0.2, 0.3, 0.5, 0.56, 0.57, 0.9):
            rho = theory.proxskip_rho(p, R)
            E = np.sum(p ** (n - 1) * (1 - p) * (1 - p * R * n) ** 2)
            same(E, 1 - 2 * rho + (1 + p) * rho**2)
            assert (E < 1) == (0 < rho < 2 / (1 + p)) == theory.proxskip_is_stable(p, R)
            same(theory.proxskip_rho_limit(p), 2 / (1 + p))


@states(
    "proxskip-identity",
    "a77432",
    proxskip,
    [("else self.p\n", "else 1 - self.p\n")],
    [("(theta_k - half_k)  # 17", "(half_k - theta_k)  # 17")],
    [("(g_k - c_k)", "(g_k + c_k)")],
)
def proxskip_identity(proxskip):
    gamma, p = 0.6, 0.3  # p is the probability of skipping here
    problem, f = federation()
    theta_star, c_star = solution(f)
    algorithm = proxskip.ProxSkip(gamma=gamma, p=p)
    _, theta_k, c_k = start(algorithm)
    a = np.array(
        [
            (theta_k[k] - gamma * gradient(f[k], theta_k[k])) - (theta_star - gamma * c_star[k])
            for k in CLIENTS
        ]
    )
    b = gamma * (c_k - c_star)
    Pa = projection(a)
    same(
        expected_Psi(algorithm, problem, f, gamma, 1 - p),
        norm2(Pa) + p / (1 - p) * norm2(a - Pa) + (1 - p * (1 - p)) * norm2(b) / (1 - p) ** 2,
    )


@states(
    "fedpd-plateau-bound",
    "5ffab3",
    skipping,
    [("(2 * Ls + p * (3 + Ls))", "(2 * Ls + p * (3 - Ls))")],
    [("math.log1p(-1 / K)", "math.log1p(1 / K)")],
    [("+ math.log1p(-p) + 2 *", "+ 2 *")],
    [("2 * Ls - 1) / (1 - Ls)  # C3 - 1", "2 * Ls - 1) / (1 + Ls)  # C3 - 1")],
)
def fedpd_plateau_bound(skipping):
    """At L = 1: the s^2 in front has a unit that the rest has not (erratum E2)."""
    L, C_5, K = 1.0, skipping.PAPER_C5, 7
    for s in (0.05, 0.1545, 0.3):
        boundary = (1 - 2 * L * s) / (1 + L * s)
        values = []
        for p in np.linspace(0.01, 0.95, 60):
            C_3 = (p * (1 + L * s) + L * s) / (1 - L * s)
            assert (C_3 < 1) == (p < boundary)
            above = p * (1 + L * s) * (2 * L * s + p * (3 + L * s)) * (1 - C_3 ** (1 / (1 - p)))
            square = (above / (1 - 2 * L * s - p * (1 + L * s))) ** 2
            values.append(C_5 * s**2 * (1 - p) * (K - 1) / K * square)
            same(C_5 * skipping.plateau_factor(p, s, L, K) / values[-1], 1)
        assert np.all(np.diff(values) > 0)
        for share in (0.3, 0.7):  # the largest p with C(p) below a number
            most = values[int(share * 60)]
            found = skipping.skip_probability(3 * most, 1.0, s, L, K=K, C5=C_5).p
            same(found, np.linspace(0.01, 0.95, 60)[int(share * 60)])
