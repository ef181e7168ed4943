"""FedPD: step sizes, and how fast it converges when it never skips.

The source is Zhang, Hong, Dhople, Yin and Liu, FedPD: A Federated Learning Framework With
Adaptivity to Non-IID Data, IEEE Trans. Signal Process. 69 (2021), whose eta is the s here.
"""

from __future__ import annotations

import math

from fl_algos import _checks
from fl_algos.theory.fedsplit import fedsplit_contraction

__all__ = [
    "fedpd_contraction",
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
    """(sqrt(5) - 1)/(4 L): for f_k that need not be convex, s has to be positive and below.

    Args:
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.

    Raises:
        ValueError: L is not a finite number > 0.

    Source:
        Zhang et al., IEEE TSP 2021, Theorems 1 to 3.

    >>> round(fedpd_step_limit(1.0), 4)
    0.309
    """
    return 2 * fedpd_step_size(L)


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
