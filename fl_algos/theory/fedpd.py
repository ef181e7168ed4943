"""FedPD: step sizes, and how fast it converges when it never skips.

The algorithm is that of Zhang, Hong, Dhople, Yin and Liu, FedPD: A Federated Learning Framework
With Adaptivity to Non-IID Data, IEEE Trans. Signal Process. 69 (2021), whose eta is the s here.
"""

from __future__ import annotations

import math

from fl_algos import _checks
from fl_algos.theory.fedsplit import fedsplit_contraction

__all__ = [
    "fedpd_contraction",
    "fedpd_gradient_bound",
    "fedpd_quadratic_rate",
    "fedpd_step_limit",
    "fedpd_step_size",
]


def fedpd_step_size(L: float) -> float:
    """(sqrt(5) - 1)/(8 L), the step size s of TABLE III.

    Args:
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.

    Raises:
        ValueError: L is not a finite number > 0.

    Source:
        Zhang et al., IEEE TSP 2021, TABLE III.

    >>> round(fedpd_step_size(1.0), 4)
    0.1545
    """
    return (math.sqrt(5) - 1) / (8 * _checks.positive("L", L))


def fedpd_step_limit(L: float) -> float:
    """1/(2 L): for f_k that need not be convex, s has to be positive and below.

    Below it the gradient at the server's model tends to zero, with p = 0 and exact local solutions;
    from it on there are f_k for which FedPD does not converge. (Convex f_k allow any s > 0. The
    limit of the paper, Theorems 1 to 3, is (sqrt(5) - 1)/(4 L), which is smaller.)

    Args:
        L: Lipschitz constant of the gradients of all f_k, > 0.

    Raises:
        ValueError: L is not a finite number > 0.

    Source:
        The book, primal-dual chapter, has a proof and an example. Themelis and Patrinos,
        Douglas-Rachford splitting and ADMM for nonconvex optimization: tight convergence results,
        SIAM J. Optim. 30 (2020).

    >>> fedpd_step_limit(2.0)
    0.25
    """
    return 0.5 / _checks.positive("L", L)


def fedpd_gradient_bound(
    gap: float, rounds: int, s: float, L: float, start_norm2: float = 0.0
) -> float:
    """A bound of the mean of ``|grad f(theta)|^2`` over the rounds, for f_k of any shape.

    ``C (gap + s (1 + s L)/(2 (1 - s L)^2) start_norm2)/rounds``, where
    C = 2 (1 + s^2 L^2)^2/(s (1 - 2 s L)(1 + s L)) and the mean is that over the server's models
    after rounds 1, ..., `rounds`. Assumed: each f_k L-smooth, f bounded below, p = 0, exact local
    solutions.

    Args:
        gap: f at the start minus the infimum of f, >= 0.
        rounds: number of rounds.
        s: step size, in (0, 1/(2 L)).
        L: Lipschitz constant of the gradients of all f_k, > 0.
        start_norm2: mean over the clients of ``|grad f_k|^2`` at the start, >= 0, for dual
            variables that start at zero. If they start at -grad f_k, let it be 0, and the mean is
            that over the models before rounds 1, ..., `rounds`.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, primal-dual chapter, has a proof.

    >>> round(fedpd_gradient_bound(gap=1.0, rounds=100, s=0.25, L=1.0), 4)
    0.1445
    """
    gap, rounds = _checks.non_negative("gap", gap), _checks.count("rounds", rounds)
    L, s = _checks.positive("L", L), _checks.positive("s", s)
    start_norm2 = _checks.non_negative("start_norm2", start_norm2)
    if s >= fedpd_step_limit(L):
        raise ValueError(f"s = {s!r}: less than 1/(2 L) = {fedpd_step_limit(L):.4g} is expected")
    u = s * L
    C = 2 * (1 + u**2) ** 2 / (s * (1 - 2 * u) * (1 + u))
    return C * (gap + s * (1 + u) / (2 * (1 - u) ** 2) * start_norm2) / rounds


def fedpd_contraction(s: float, L: float, mu: float) -> float:
    """(1 + delta)/2, by which FedPD contracts, at least, with p = 0 and exact local solutions.

    What contracts is the distance of w_k = theta - s lambda_k, all clients stacked, from its limit;
    delta is that of :func:`fedsplit_contraction`. Assumed: each f_k L-smooth and mu-strongly
    convex; any s > 0 will do.

    Args:
        s: step size, > 0.
        L: Lipschitz constant of the gradients, > 0.
        mu: constant of strong convexity, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        FedPD is Douglas-Rachford splitting then (proof: the book, operator splitting). Giselsson
        and Boyd, Linear convergence and metric selection for Douglas-Rachford splitting and ADMM,
        IEEE Trans. Autom. Control 62 (2017).

    >>> fedpd_contraction(s=2.0, L=1.0, mu=0.25)
    0.6666666666666666
    """
    return (1 + fedsplit_contraction(s, L, mu)) / 2


def fedpd_quadratic_rate(s: float, L: float, mu: float) -> float:
    """A bound of the factor by which FedPD contracts in the long run, on convex quadratics.

    ``max{1/(1 + s mu), (1 + sqrt(max{0, (s L - 1)/(s L + 1)}))/2}`` is at least the spectral radius
    of a round on ``theta - s lambda_k``, all clients stacked. The mu is that of the mean f, which
    may be far larger than those of the f_k. Assumed: quadratic, convex, L-smooth f_k, p = 0, exact
    local solutions; any s > 0 will do. At s = 1/sqrt(L mu) it is below 1 - 1/(2 + 2 sqrt(L/mu)).

    Args:
        s: step size, > 0.
        L: Lipschitz constant of the gradients of all f_k, > 0.
        mu: constant of strong convexity of their mean f, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, chapter on operator splitting, has a proof.

    >>> round(fedpd_quadratic_rate(s=2.0, L=1.0, mu=0.25), 4)
    0.7887
    """
    s = _checks.positive("s", s)
    L, mu = _checks.curvatures(L, mu)
    turning = math.sqrt(max(0.0, (s * L - 1) / (s * L + 1)))
    return max(1 / (1 + s * mu), (1 + turning) / 2)
