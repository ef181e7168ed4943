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
    "scaffnew_mean_square_rate",
    "scaffnew_rate",
    "scaffnew_steps_contraction",
    "scaffnew_steps_rate",
]


def scaffnew_best_p(gamma: float, L: float, mu: float) -> float:
    """Gamma sqrt(L mu): the probability belongs to the step size. At gamma = 1/L 1/sqrt(kappa).

    There it promises the fewest communications by :func:`scaffnew_communications`. For smaller
    steps that function, a bound, has its minimum at sqrt(gamma mu), which is too large. The exact
    rate, :func:`scaffnew_mean_square_rate`, with the worst curvature in [mu, L], has the fewest
    communications at sqrt(4/(6 - gamma L)) times this p if kappa is large; this p then needs
    12/((4 + gamma L) sqrt(6 - gamma L)) times as many, at most 1.23.

    Args:
        gamma: step size, in (0, 1/L].
        L: Lipschitz constant of the gradients, > 0.
        mu: constant of strong convexity, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        For gamma = 1/L Mishchenko, Malinovsky, Stich and Richtarik, ProxSkip, ICML 2022, the choice
        of p after the convergence theorem; else the book, skipping chapter.

    >>> scaffnew_best_p(gamma=1.0, L=1.0, mu=1e-4), scaffnew_best_p(gamma=0.1, L=1.0, mu=1e-4)
    (0.01, 0.001)
    """
    gamma, (L, mu) = _checks.positive("gamma", gamma), _checks.curvatures(L, mu)
    _checks.at_most("gamma", gamma, "1/L", 1 / L)
    return gamma * math.sqrt(L * mu)


def scaffnew_mean_square_rate(gamma: float, p: float, a: float) -> float:
    """By which factor a round shrinks the mean square of the errors where all curvatures are a.

    In the long run, and exactly, not as a bound: on quadratics, in a direction that is an
    eigenvector of every client's Hessian, with the eigenvalue a. At gamma = 1/a it is
    1 - 2 p^2 + p^3. For p much below gamma a it is about 1 - 2 p^2/(gamma a), for gamma a much
    below p, itself small, about 1 - min{2 gamma a, (4 gamma a + p^2)/3}.

    Args:
        gamma: step size, in (0, 2/a).
        p: probability of COMMUNICATING in a round, in (0, 1].
        a: the curvature, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, skipping chapter. The clients' mean error is multiplied by 1 - gamma a. Let e be
        the deviation of theta_k from the mean, u that of gamma c_k from its limit. Then a round is
        h = (1 - gamma a) e + u, and (e, u) <- (0, u - p h) with probability p, else (h, u). The
        expectations of e^2, e u and u^2 are mapped by a matrix, whose spectral radius is taken.

    >>> round(scaffnew_mean_square_rate(gamma=1.0, p=0.1, a=1.0), 12)
    0.981
    """
    gamma, p = _checks.positive("gamma", gamma), _checks.communication_probability("p", p)
    a = _checks.positive("a", a)
    if gamma >= 2 / a:
        raise ValueError(f"gamma = {gamma!r}: less than 2/a = {2 / a!r} is expected")
    z, q, lost = 1 - gamma * a, 1 - p, gamma * a * (2 - gamma * a)  # z^2 = 1 - lost
    # Of e, u/p, and without the identity: so small differences from 1 keep their digits.
    changes = [
        [-p - q * lost, 2 * p * q * z, q * p**2],
        [0, -p - q * gamma * a, q * p],
        [p * z**2, -2 * p * q * z, -p * p * (2 - p)],
    ]
    return max(z**2, float(np.abs(1 + np.linalg.eigvals(changes)).max()))


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

    At gamma = 1/L and p = 1/sqrt(kappa) that is sqrt(kappa) log(Psi_0/eps). For smaller steps it is
    a weak bound: the p^2 of the theorem is, by the exact rate, about p^2/(gamma L).

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
    """The larger of two eigenvalues: corrected ProxSkip with R local steps.

    By this factor, at least, one round shrinks the expectation of
    ``sum |theta_k - theta*|^2 + (R gamma/p)^2 sum |c_k - grad f_k(theta*)|^2``, and by no smaller
    one for all states and all quadratics with these constants. For R = 1 it is
    :func:`scaffnew_contraction`. Proved for quadratics. For all L-smooth and mu-strongly convex f_k
    the notebook scaffnew_rate computes the best factor at some settings, by semidefinite
    programming, and finds this one; proved for them is :func:`scaffnew_steps_rate`.

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


def scaffnew_steps_rate(gamma: float, p: float, R: int, mu: float) -> float:
    """1/(1 + tau/2) with tau = min{R gamma mu, p^2 delta}, for 0 < gamma <= 1/L and R >= 2.

    Here delta = (R - (1 + 1/2 + ... + 1/R))/R^2. By this factor, at least, one round of corrected
    ProxSkip with R local steps shrinks the expectation of the sum that
    :func:`scaffnew_steps_contraction` speaks of, for all L-smooth and mu-strongly convex f_k. For
    R = 1 it is :func:`scaffnew_rate`.

    Args:
        gamma: step size, in (0, 1/L]; only gamma <= 1/mu is checked, L not being an argument.
        p: probability of COMMUNICATING in a round, in (0, 1]; ProxSkip's argument p is 1 - p.
        R: number of local steps in a round.
        mu: constant of strong convexity, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, skipping chapter, theorem on local steps.

    >>> round(scaffnew_steps_rate(gamma=1.0, p=1.0, R=10, mu=0.01), 3)
    0.966
    """
    R = _checks.count("R", R)
    if R == 1:
        return scaffnew_rate(gamma, p, mu)
    gamma, p, mu = _assumed(gamma, p, mu)
    delta = (R - float(np.sum(1 / np.arange(1, R + 1)))) / R**2
    return 1 / (1 + min(R * gamma * mu, p**2 * delta) / 2)


def _largest_eigenvalue(z: float, p: float, R: int) -> float:
    x, y = z**R, 1 - float(np.mean(z ** np.arange(R)))
    form = [[x * x, -p * x * y], [-p * x * y, 1 - p**2 + (p * y) ** 2]]
    return float(np.linalg.eigvalsh(form)[-1])


def _assumed(gamma: float, p: float, mu: float) -> tuple[float, float, float]:
    gamma, p = _checks.positive("gamma", gamma), _checks.communication_probability("p", p)
    mu = _checks.positive("mu", mu)
    _checks.at_most("gamma", gamma, "1/mu", 1 / mu)
    return gamma, p, mu
