"""Scaffnew: its Lyapunov function, the rate, and what an accuracy costs.

p is the probability of COMMUNICATING. Assumed throughout: each f_k is L-smooth and mu-strongly
convex, L being the largest of these constants and mu the smallest, f is their mean, gradients are
full, and the c_k have the sum 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, stack

__all__ = [
    "scaffnew_best_p",
    "scaffnew_communications",
    "scaffnew_contraction",
    "scaffnew_iterations",
    "scaffnew_lyapunov",
    "scaffnew_rate",
    "scaffnew_steps_contraction",
]


def scaffnew_best_p(kappa: float) -> float:
    """1/sqrt(kappa): with gamma = 1/L the fewest communications that the theorem promises.

    Args:
        kappa: the condition number L/mu, >= 1.

    Raises:
        ValueError: kappa is not a finite number >= 1.

    Source:
        Mishchenko, Malinovsky, Stich and Richtarik, ProxSkip, ICML 2022, the choice of p
        after the convergence theorem.

    >>> scaffnew_best_p(10_000)
    0.01
    """
    return 1 / math.sqrt(_checks.at_least_one("kappa", kappa))


def scaffnew_lyapunov(problem: Any, theta_k: Array, c_k: Array, gamma: float, p: float) -> float:
    """``Psi = sum |theta_k - theta*|^2 + (gamma/p)^2 sum |c_k - grad f_k(theta*)|^2``.

    For R steps to a coin (corrected ProxSkip) put R gamma for gamma.

    Args:
        problem: with equal weights and a known theta*.
        theta_k: the clients' models, shape (K, d).
        c_k: the control variates, shape (K, d).
        gamma: step size, > 0.
        p: probability of COMMUNICATING in a round, in (0, 1].

    Raises:
        ValueError: theta* is not known, weights differ, shapes do not fit, or a number is out of
            its range.

    Source:
        Mishchenko et al., ProxSkip, ICML 2022, the Lyapunov function of the convergence theorem;
        its h_i are the c_k.

    >>> from fl_algos import Quadratic
    >>> problem = Quadratic(A_k=np.array([[[1.0]], [[3.0]]]), b_k=np.array([[0.0], [4.0]]))
    >>> theta_k, c_k = np.array([[2.0], [0.0]]), np.array([[1.0], [-1.0]])  # theta* = 1
    >>> scaffnew_lyapunov(problem, theta_k, c_k, gamma=0.5, p=0.5)
    2.0
    """
    gamma, p = _checks.positive("gamma", gamma), _checks.communication_probability("p", p)
    for name, x_k in (("theta_k", theta_k), ("c_k", c_k)):
        _checks.shape(name, x_k, (problem.K, problem.d))
    if problem.theta_star is None:
        raise ValueError("problem has no known theta_star")
    _checks.equal_weights("scaffnew_lyapunov", problem)
    xp = array_namespace(theta_k)
    star_k = stack(problem.theta_star, problem.K)
    errors = xp.sum((theta_k - star_k) ** 2)
    return float(errors + xp.sum((gamma / p * (c_k - problem.grad(star_k))) ** 2))


def scaffnew_contraction(gamma: float, p: float, L: float, mu: float) -> float:
    """max{(1 - gamma mu)^2, (1 - gamma L)^2, 1 - p^2}, for 0 < gamma < 2/L.

    By this factor, at least, one round shrinks the expectation of Psi. It is below the rate of
    :func:`scaffnew_rate` and holds for larger steps; the assumptions are the same.

    Args:
        gamma: step size, in (0, 2/L).
        p: probability of COMMUNICATING in a round, in (0, 1].
        L: Lipschitz constant of the gradients, > 0.
        mu: constant of strong convexity, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        ``E Psi+ = sum |v_k - v_k*|^2 + (1 - p^2) (gamma/p)^2 sum |c_k - c_k*|^2``, an identity with
        v_k = theta_k - gamma grad f_k(theta_k), as in the proof of the convergence theorem of
        Mishchenko et al., ProxSkip, ICML 2022, and the contraction of a gradient step.

    >>> scaffnew_contraction(gamma=1.0, p=0.1, L=1.0, mu=0.01)
    0.99
    """
    gamma, p = _checks.positive("gamma", gamma), _checks.communication_probability("p", p)
    L, mu = _checks.curvatures(L, mu)
    if gamma >= 2 / L:
        raise ValueError(f"gamma = {gamma!r}: less than 2/L = {2 / L!r} is expected")
    return max((1 - gamma * mu) ** 2, (1 - gamma * L) ** 2, 1 - p**2)


def scaffnew_rate(gamma: float, p: float, mu: float) -> float:
    """1 - zeta with zeta = min{gamma mu, p^2}, for 0 < gamma <= 1/L.

    The theorem: E Psi after T rounds is at most (1 - zeta)^T Psi_0. With unbiased stochastic
    gradients gamma^2 C/zeta is added, where their variances, summed over the clients, are at most C
    everywhere.

    Args:
        gamma: step size, in (0, 1/L]; only gamma <= 1/mu is checked, L not being an argument.
        p: probability of COMMUNICATING in a round, in (0, 1].
        mu: constant of strong convexity, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Mishchenko et al., ProxSkip, ICML 2022, the convergence theorem.

    >>> scaffnew_rate(gamma=1.0, p=0.1, mu=0.01)
    0.99
    """
    gamma, p, mu = _assumed(gamma, p, mu)
    return 1 - min(gamma * mu, p**2)


def scaffnew_iterations(Psi_0: float, eps: float, gamma: float, p: float, mu: float) -> float:
    """log(Psi_0/eps)/zeta, rounds after which E Psi <= eps; 0 if Psi_0 <= eps.

    Psi is a square: for an error of 1e-8 of the first one, eps is 1e-16 Psi_0.

    Args:
        Psi_0: the Lyapunov function at the start, >= 0.
        eps: what its expectation shall come down to, > 0.
        gamma: step size, in (0, 1/L]; only gamma <= 1/mu is checked, L not being an argument.
        p: probability of COMMUNICATING in a round, in (0, 1].
        mu: constant of strong convexity, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Mishchenko et al., ProxSkip, ICML 2022, the convergence theorem and what follows of it.

    >>> round(scaffnew_iterations(Psi_0=1.0, eps=1e-16, gamma=1.0, p=0.1, mu=0.01))
    3684
    """
    Psi_0, eps = _checks.non_negative("Psi_0", Psi_0), _checks.positive("eps", eps)
    gamma, p, mu = _assumed(gamma, p, mu)
    if Psi_0 <= eps:
        return 0.0
    return (math.log(Psi_0) - math.log(eps)) * max(1 / gamma / mu, 1 / p / p)


def scaffnew_communications(Psi_0: float, eps: float, gamma: float, p: float, mu: float) -> float:
    """p times :func:`scaffnew_iterations`: the expected communications until E Psi <= eps.

    At gamma = 1/L and p = 1/sqrt(kappa) that is sqrt(kappa) log(Psi_0/eps).

    Args:
        Psi_0: the Lyapunov function at the start, >= 0.
        eps: what its expectation shall come down to, > 0.
        gamma: step size, in (0, 1/L]; only gamma <= 1/mu is checked, L not being an argument.
        p: probability of COMMUNICATING in a round, in (0, 1].
        mu: constant of strong convexity, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Mishchenko et al., ProxSkip, ICML 2022, the convergence theorem and what follows of it.

    >>> round(scaffnew_communications(Psi_0=1.0, eps=1e-16, gamma=1.0, p=0.1, mu=0.01))
    368
    """
    return p * scaffnew_iterations(Psi_0, eps, gamma, p, mu)


def scaffnew_steps_contraction(gamma: float, p: float, R: int, L: float, mu: float) -> float:
    """The larger of two eigenvalues: corrected ProxSkip with R local steps, quadratics only.

    By this factor, at least, one round shrinks the expectation of
    ``sum |theta_k - theta*|^2 + (R gamma/p)^2 sum |c_k - grad f_k(theta*)|^2``. For R = 1 it is
    :func:`scaffnew_contraction`, and no smaller factor holds for all states and all quadratics with
    these constants. Not proved beyond quadratics.

    Args:
        gamma: step size, in (0, 1/L].
        p: probability of COMMUNICATING in a round, in (0, 1]; ProxSkip's argument p is 1 - p.
        R: number of local steps in a round.
        L: Lipschitz constant of the gradients, > 0.
        mu: constant of strong convexity, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, skipping chapter: its identity for R steps, on the eigenvectors of a client's
        Hessian. Where z = 1 - gamma times the eigenvalue, x = z^R, and y = 1 - (mean of z^r,
        r < R), the expectation is a quadratic form in the errors of theta_k and of c_k, with the
        matrix [[x^2, -p x y], [-p x y, 1 - p^2 + p^2 y^2]]. Its larger eigenvalue is at most q if
        and only if x^2/q + p^2 y^2/(q - 1 + p^2) <= 1 (for q > 1 - p^2). With z the left side first
        falls and then rises, since -y y'/(x x') decreases: so its maximum over an interval is at an
        end, and that of the eigenvalue, too.

    >>> round(scaffnew_steps_contraction(gamma=1.0, p=0.1, R=1, L=1.0, mu=0.01), 12)
    0.99
    >>> round(scaffnew_steps_contraction(gamma=1.0, p=1.0, R=10, L=1.0, mu=0.01), 3)
    0.82
    """
    gamma, p = _checks.positive("gamma", gamma), _checks.communication_probability("p", p)
    R = _checks.count("R", R)
    L, mu = _checks.curvatures(L, mu)
    _checks.at_most("gamma", gamma, "1/L", 1 / L)
    return max(_largest_eigenvalue(1 - gamma * a, p, R) for a in (mu, L))


def _largest_eigenvalue(z: float, p: float, R: int) -> float:
    x, y = z**R, 1 - float(np.mean(z ** np.arange(R)))
    form = [[x * x, -p * x * y], [-p * x * y, 1 - p**2 + (p * y) ** 2]]
    return float(np.linalg.eigvalsh(form)[-1])


def _assumed(gamma: float, p: float, mu: float) -> tuple[float, float, float]:
    gamma, p = _checks.positive("gamma", gamma), _checks.communication_probability("p", p)
    mu = _checks.positive("mu", mu)
    _checks.at_most("gamma", gamma, "1/mu", 1 / mu)
    return gamma, p, mu
