"""The equations of the errata."""

from __future__ import annotations

import numpy as np

from equations.quadratics import CLIENTS, federation, gradient, norm2, same
from equations.skipping import expected_Psi, projection, solution, start
from equations.states import states
from fl_algos.algorithms import proxskip
from fl_algos.theory import proxskip as theory


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
