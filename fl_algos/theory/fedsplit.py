"""FedSplit, Peaceman-Rachford splitting over the clients: its contraction and its best step."""

from __future__ import annotations

import math

from fl_algos import _checks

__all__ = [
    "fedsplit_best_step",
    "fedsplit_contraction",
]


def fedsplit_contraction(s: float, L: float, mu: float) -> float:
    """``delta = max{|s L - 1|/(s L + 1), |1 - s mu|/(1 + s mu)}``, by which FedSplit contracts.

    What contracts is the distance of Peaceman-Rachford's variable from its limit. Assumed: each f_k
    L-smooth and mu-strongly convex, proximal steps exact; any s > 0 will do.

    Args:
        s: step size, > 0.
        L: Lipschitz constant of the gradients, > 0.
        mu: constant of strong convexity, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, operator splitting, has a proof. Giselsson and Boyd, Linear convergence and metric
        selection for Douglas-Rachford splitting and ADMM, IEEE Trans. Autom. Control 62 (2017); for
        FedSplit Pathak and Wainwright, FedSplit, NeurIPS 2020.

    >>> fedsplit_contraction(s=2.0, L=1.0, mu=0.25)
    0.3333333333333333
    """
    s = _checks.positive("s", s)
    L, mu = _checks.curvatures(L, mu)
    return max(abs(s * L - 1) / (s * L + 1), abs(1 - s * mu) / (1 + s * mu))


def fedsplit_best_step(L: float, mu: float) -> float:
    """1/sqrt(L mu), the s with the smallest delta, (sqrt(kappa) - 1)/(sqrt(kappa) + 1).

    Args:
        L: Lipschitz constant of the gradients, > 0.
        mu: constant of strong convexity, in (0, L].

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Pathak and Wainwright, FedSplit, NeurIPS 2020.

    >>> fedsplit_best_step(L=1.0, mu=0.25)
    2.0
    """
    L, mu = _checks.curvatures(L, mu)
    return 1 / math.sqrt(L) / math.sqrt(mu)
