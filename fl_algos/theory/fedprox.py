"""FedProx: by how much a round contracts."""

from __future__ import annotations

from fl_algos import _checks

__all__ = ["fedprox_contraction"]


def fedprox_contraction(s: float, mu: float) -> float:
    """``1/(1 + s mu)``, by which a round of FedProx contracts distances between server's models.

    So it converges to its point of rest, which in general is not the solution. Assumed: each f_k
    mu-strongly convex, proximal steps exact, all clients take part; any s > 0 will do.

    Args:
        s: step size, > 0: one over the coefficient of FedProx, which is called mu there.
        mu: constant of strong convexity, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, proximal methods, has a proof.

    >>> fedprox_contraction(s=4.0, mu=0.25)
    0.5
    """
    return 1 / (1 + _checks.positive("s", s) * _checks.positive("mu", mu))
