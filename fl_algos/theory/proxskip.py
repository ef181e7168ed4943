"""ProxSkip exactly as its block is written: where it is stable, and how fast it contracts there.

The block has p/gamma as the coefficient of the control variates where (1 - p)/(R gamma) should
stand (erratum E1 of the book). The statements here are the book's own; the corrected form is that
of :mod:`fl_algos.theory.scaffnew`.
"""

from __future__ import annotations

from fl_algos import _checks

__all__ = ["proxskip_contraction", "proxskip_is_stable", "proxskip_rho", "proxskip_rho_limit"]


def proxskip_rho(p: float, R: int = 1) -> float:
    """R p/(1 - p): the coefficient as written over the corrected one.

    Args:
        p: probability of SKIPPING the communication of a round, in [0, 1).
        R: number of local steps in a round.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, erratum E1.

    >>> proxskip_rho(0.5), proxskip_rho(0.5, R=5)
    (1.0, 5.0)
    """
    p, R = _checks.skip_probability("p", p), _checks.count("R", R)
    return R * p / (1 - p)


def proxskip_rho_limit(p: float) -> float:
    """2/(1 + p): on flat directions the mean square shrinks if and only if 0 < rho < this.

    On a flat direction the control variate is multiplied by 1 - p R N when a communication follows
    after N rounds, and E (1 - p R N)^2 = 1 - 2 rho + (1 + p) rho^2 for the geometric N. At
    rho = 0, that is p = 0, the control variates stay as they are. Single runs may converge beyond
    the limit, and so may problems without flat directions.

    Args:
        p: probability of SKIPPING the communication of a round, in [0, 1).

    Raises:
        ValueError: p is not in [0, 1).

    Source:
        The book, erratum E1.

    >>> proxskip_rho_limit(0.0), proxskip_rho_limit(0.6)
    (2.0, 1.25)
    """
    return 2 / (1 + _checks.skip_probability("p", p))


def proxskip_is_stable(p: float, R: int = 1) -> bool:
    """Whether rho is below its limit, so that also flat directions are stable in mean square.

    At p = 0 nothing grows, but nothing shrinks either: the control variates stay as they are.

    Args:
        p: probability of SKIPPING the communication of a round, in [0, 1).
        R: number of local steps in a round.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, erratum E1.

    >>> proxskip_is_stable(0.56), proxskip_is_stable(0.57), proxskip_is_stable(0.5, R=5)
    (True, False, False)
    """
    return proxskip_rho(p, R) < proxskip_rho_limit(p)


def proxskip_contraction(gamma: float, p: float, mu: float) -> float:
    """max{(1 - gamma mu)^2, 1 - p (1 - p)}, for one local step and 0 < p <= 1/2.

    By this factor, at least, one round shrinks the expectation of
    ``sum |theta_k - theta*|^2 + (gamma/(1 - p))^2 sum |c_k - grad f_k(theta*)|^2``. Assumed are
    L-smooth and mu-strongly convex f_k, gamma <= 1/L, full gradients, R = 1, and c_k of the sum 0.

    Args:
        gamma: step size, in (0, 1/L]; only gamma <= 1/mu is checked, L not being an argument.
        p: probability of SKIPPING the communication of a round, in (0, 1/2].
        mu: constant of strong convexity, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, erratum E1.

    >>> proxskip_contraction(gamma=1.0, p=0.5, mu=0.1)
    0.81
    """
    gamma, mu = _checks.positive("gamma", gamma), _checks.positive("mu", mu)
    _checks.at_most("gamma", gamma, "1/mu", 1 / mu)
    p = _checks.positive("p", p)
    _checks.at_most("p", p, "1/2", 0.5)
    return max((1 - gamma * mu) ** 2, 1 - p * (1 - p))
