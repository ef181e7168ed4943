"""How often FedPD may skip its communication; p is the probability to SKIP.

The source is Zhang, Hong, Dhople, Yin and Liu, FedPD: A Federated Learning Framework With
Adaptivity to Non-IID Data, IEEE Trans. Signal Process. 69 (2021), whose eta is the s here. Numbers
of equations are those of the authors' copy, https://github.com/564612540/FedPD. Theorem 3 of this
paper, on which all of it rests, is wrong as p tends to 0 (erratum E8 of the book).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from fl_algos import _checks
from fl_algos.theory.fedpd import fedpd_step_size

__all__ = [
    "PAPER_C5",
    "SkipProbability",
    "plateau_factor",
    "skip_probability",
    "skip_probability_as_written",
    "skip_probability_table_iii",
]


def _constant_C5(s: float) -> float:
    """C5 for L = 1 by the list of constants in Appendix B, with equality throughout."""
    C6 = 3 * max(((1 + s) / s) ** 2, (1 + 2 * s) ** 2, s**2)
    C7 = 2 * C6 / min((1 - 2 * s - 4 * s**2) / (2 * s), 1 / (2 * s), (1 + 8 * s) / 2)
    C2 = 4 * C7
    return 8 * C2


PAPER_C5 = _constant_C5(fedpd_step_size(1.0))
"""The C5 of Theorem 3 at L = 1 and s = (sqrt(5) - 1)/8, by the constants listed in Appendix B."""

LARGEST_P = math.nextafter(1, 0)


class SkipProbability(NamedTuple):
    """A probability of skipping, and how it came about."""

    p: float
    """The probability; NaN where the source has none."""
    branch: str
    """"small p" or "large p", the case that applies; "neither"; "bisection"."""
    capped: str
    """Empty, or what was capped and why."""


def skip_probability_as_written(eps: float, G: float, s: float, L: float) -> SkipProbability:
    """The skip probability as the book's source of the chapter has it, dividing by 36 s and 42 s.

    ``sqrt(eps/(36 s G^2))`` if that is in [0, b), ``1 - 2/log(eps/(42 s G^2))`` if that is in
    (b, 1), with b = (1 - 2 L s)/(1 + L s). In between, neither case applies.

    Args:
        eps: the accuracy wanted, a bound of ``|grad f|^2``, > 0.
        G: a bound of ``|grad f_i - grad f_j|`` over all of R^d, >= 0; at 0 the supremum 1 is no
            probability of skipping, and p is the largest number below.
        s: step size, in (0, (sqrt(5) - 1)/(4 L)).
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        The book, primal-dual chapter, and its errata E2 and E3.

    >>> skip_probability_as_written(eps=0.01, G=1.0, s=0.125, L=1.0).branch
    'small p'
    >>> skip_probability_as_written(eps=100.0, G=1.0, s=0.125, L=1.0)
    SkipProbability(p=nan, branch='neither', capped='')
    """
    return _two_cases(eps, G, s, L, power=1, closed=False)


def skip_probability_table_iii(eps: float, G: float, s: float, L: float) -> SkipProbability:
    """The skip probability as the paper has it, dividing by 36 s^2 and 42 s^2.

    Otherwise as :func:`skip_probability_as_written`, except that the second range contains its left
    end. s^2 has the unit of 1/L^2, so it is meant for problems scaled to L = 1. It solves
    C(p) <= eps/(3 G^2) for p, with ``12 s^2 p^2`` or ``14 s^2 C3^(2/(1 - p))`` for C(p), and drops
    log C3 in the second case (erratum E2).

    Args:
        eps: the accuracy wanted, a bound of ``|grad f|^2``, > 0.
        G: a bound of ``|grad f_i - grad f_j|`` over all of R^d, >= 0; at 0 the supremum 1 is no
            probability of skipping, and p is the largest number below.
        s: step size, in (0, (sqrt(5) - 1)/(4 L)).
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Zhang et al., IEEE TSP 2021, TABLE III.

    >>> found = skip_probability_table_iii(eps=0.01, G=1.0, s=0.125, L=1.0)
    >>> round(found.p, 4), found.branch
    (0.1333, 'small p')
    """
    return _two_cases(eps, G, s, L, power=2, closed=True)


def plateau_factor(p: float, s: float, L: float, K: int) -> float:
    """C(p)/C5, where C(p) G^2 is what skipping adds to the bound of Theorem 3 for K clients.

    ``(1 - p) (K - 1)/K (L s p (1 + L s) (2 L s + p (3 + L s)) (1 - C3^(1/(1 - p))) / D)^2`` with
    C3 = (p (1 + L s) + L s)/(1 - L s) and D = 1 - 2 L s - p (1 + L s), by continuity at D = 0: the
    formula of Remark 5, with L s for its eta in front, which is the same at L = 1 and has no unit.
    It increases with p (erratum E3), and is infinite where it is too large for a number.

    Args:
        p: probability of SKIPPING the communication of a round, in [0, 1).
        s: step size, in (0, (sqrt(5) - 1)/(4 L)).
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.
        K: number of clients.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Zhang et al., IEEE TSP 2021, Theorem 3 and Remark 5.

    >>> round(plateau_factor(0.5, s=0.1, L=1.0, K=2), 4)
    0.0085
    """
    p, K = _checks.skip_probability("p", p), _checks.count("K", K)
    log = _log_plateau_factor(p, _Ls(s, L), K)
    return math.exp(log) if log < 709 else math.inf


def skip_probability(
    eps: float, G: float, s: float, L: float, *, K: int, C5: float
) -> SkipProbability:
    """The largest p with C(p) <= eps/(3 G^2), C(p) = C5 :func:`plateau_factor`, by bisection.

    There is one for every eps/G^2. C5 has no default because the source has two: its table goes
    with 1, its theorem with :data:`PAPER_C5`.

    Args:
        eps: the accuracy wanted, a bound of ``|grad f|^2``, > 0.
        G: a bound of ``|grad f_i - grad f_j|`` over all of R^d, >= 0; at 0 the supremum 1 is no
            probability of skipping, and p is the largest number below.
        s: step size, in (0, (sqrt(5) - 1)/(4 L)).
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.
        K: number of clients.
        C5: the constant of the bound, > 0; :data:`PAPER_C5` holds for L s = (sqrt(5) - 1)/8.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Zhang et al., IEEE TSP 2021, Remark 5.

    >>> s = fedpd_step_size(1.0)
    >>> [round(skip_probability(0.01, 1.0, s, 1.0, K=10, C5=C5).p, 4) for C5 in (1.0, PAPER_C5)]
    [0.25, 0.0088]
    >>> skip_probability(0.01, 0.0, s, 1.0, K=10, C5=1.0).capped
    'p = 1 is not admissible: the largest number below'
    """
    C5, K = _checks.positive("C5", C5), _checks.count("K", K)
    root, Ls = _root(eps, G), _Ls(s, L)
    most = 2 * _log(root) - math.log(3) - math.log(C5)
    if _log_plateau_factor(LARGEST_P, Ls, K) <= most:
        return _capped("bisection")
    p, above = 0.0, LARGEST_P
    while p < (middle := (p + above) / 2) < above:
        if _log_plateau_factor(middle, Ls, K) <= most:
            p = middle
        else:
            above = middle
    return SkipProbability(p, "bisection", "")


def _Ls(s: float, L: float) -> float:
    """L s, for s within the limits of the theorems."""
    L, s = _checks.positive("L", L), _checks.positive("s", s)
    limit = 2 * fedpd_step_size(L)
    if s >= limit:
        raise ValueError(
            f"s = {s!r}: less than (sqrt(5) - 1)/(4 L) = {limit:.4g} is expected, L = {L!r}"
        )
    return L * s


def _boundary(Ls: float) -> float:
    """Where the range of small p ends and that of large p begins."""
    return (1 - 2 * Ls) / (1 + Ls)


def _root(eps: float, G: float) -> float:
    """sqrt(eps/G^2), infinite for G = 0."""
    eps, G = _checks.positive("eps", eps), _checks.non_negative("G", G)
    return math.sqrt(eps) / G if G > 0 else math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _log_plateau_factor(p: float, Ls: float, K: int) -> float:
    """log C(p)/C5: C(p) itself is too large for a number as p tends to 1."""
    if p == 0 or K == 1:
        return -math.inf
    excess = (p * (1 + Ls) + 2 * Ls - 1) / (1 - Ls)  # C3 - 1
    near_1 = excess > -0.5
    log_C3 = math.log1p(excess) if near_1 else _log(p * (1 + Ls) + Ls) - math.log1p(-Ls)
    exponent = log_C3 / (1 - p)
    if excess == 0:
        log_sum = -math.log1p(-p)
    elif exponent < 700:
        log_sum = math.log(math.expm1(exponent) / excess)
    else:
        log_sum = exponent - math.log(excess)
    log_root = _log(Ls) + _log(p) + math.log1p(Ls) + _log(2 * Ls + p * (3 + Ls)) - math.log1p(-Ls)
    return math.log1p(-1 / K) + math.log1p(-p) + 2 * (log_root + log_sum)


def _capped(branch: str) -> SkipProbability:
    return SkipProbability(LARGEST_P, branch, "p = 1 is not admissible: the largest number below")


def _two_cases(
    eps: float, G: float, s: float, L: float, power: int, closed: bool
) -> SkipProbability:
    """The two cases with 36 s^power and 42 s^power; each counts only if its p is in its range.

    closed: whether the second range contains its left end.
    """
    root, boundary, s = _root(eps, G), _boundary(_Ls(s, L)), float(s)
    if root == math.inf:
        return _capped("large p")
    p = root / (6 * s ** (power / 2))
    if p < boundary:
        return SkipProbability(p, "small p", "")
    log = 2 * _log(root) - math.log(42) - power * math.log(s)
    if log > 0 and (boundary < (p := 1 - 2 / log) < 1 or (closed and p == boundary)):
        return SkipProbability(p, "large p", "")
    return SkipProbability(math.nan, "neither", "")
