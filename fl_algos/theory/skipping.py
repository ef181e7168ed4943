"""How often FedPD may skip its communication; p is the probability to SKIP.

The source is Zhang, Hong, Dhople, Yin and Liu, FedPD: A Federated Learning Framework With
Adaptivity to Non-IID Data, IEEE Trans. Signal Process. 69 (2021), whose eta is the s here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from fl_algos import _checks
from fl_algos.theory.fedpd import fedpd_step_limit, fedpd_step_size

__all__ = [
    "PAPER_C5",
    "SkipProbability",
    "plateau_factor",
    "skip_probability",
    "skip_probability_as_written",
    "skip_probability_table_iii",
    "theorem_3_bound",
]

PAPER_C5 = 9588.0
"""The factor of C(p) G^2 in Theorem 3, by Appendix C at L = 1 and s = (sqrt(5) - 1)/8."""

PAPER_C2 = 1199.0

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
    return _two_cases(eps, G, s, L, power=1)


def skip_probability_table_iii(eps: float, G: float, s: float, L: float) -> SkipProbability:
    """The skip probability as the paper has it, dividing by 36 s^2 and 42 s^2.

    Otherwise as :func:`skip_probability_as_written`. s^2 has the unit of 1/L^2, so it holds for
    problems scaled to L = 1; it takes :func:`plateau_factor` times G^2 to be at most eps/3, with a
    constant C5 of the bound set to 1 and, in the second case, a factor log C3 dropped.

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
    return _two_cases(eps, G, s, L, power=2)


def plateau_factor(p: float, s: float, L: float) -> float:
    """C(p), the factor of C5 G^2 in the bound of Theorem 3, in the paper's two approximations.

    ``12 (L s)^2 p^2`` for p < (1 - 2 L s)/(1 + L s), and ``14 (L s)^2 C3^(2/(1 - p))`` from there
    on, C3 = (1 + 2 L s)/(1 - L s). It does not decrease with p, and jumps where the two meet.

    These are the approximations from which the paper derives TABLE III. The closed form of its
    Remark 5 is not reproduced here; it is smaller where the two can be compared (erratum E3). Two
    things differ from the table: log C3 is not dropped, and L is put back, so that C(p) has no
    unit (the paper's s^2 for (L s)^2 is the same at L = 1). It is infinite where it is too large
    for a number.

    Args:
        p: probability of SKIPPING the communication of a round, in [0, 1).
        s: step size, in (0, (sqrt(5) - 1)/(4 L)).
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Zhang et al., IEEE TSP 2021, Remark 5; the book, errata E2 and E3.

    >>> round(plateau_factor(0.5, s=0.1, L=1.0), 12)
    0.03
    """
    p = _checks.skip_probability("p", p)
    log = _log_plateau_factor(p, _Ls(s, L))
    return math.exp(log) if log < 709 else math.inf


def skip_probability(eps: float, G: float, s: float, L: float, C5: float = 1.0) -> SkipProbability:
    """The largest p with C5 C(p) <= eps/(3 G^2), by bisection; there is one for every eps/G^2.

    C(p) is :func:`plateau_factor`, the paper's two approximations put together. Where it jumps over
    eps/(3 G^2), p is just below the jump. With the paper's own closed form, which is not reproduced
    here, p would be larger: 0.127 instead of 0.034 at eps/G^2 = 1e-3 and C5 = 1 (erratum E3).

    Args:
        eps: the accuracy wanted, a bound of ``|grad f|^2``, > 0.
        G: a bound of ``|grad f_i - grad f_j|`` over all of R^d, >= 0; at 0 the supremum 1 is no
            probability of skipping, and p is the largest number below.
        s: step size, in (0, (sqrt(5) - 1)/(4 L)).
        L: Lipschitz constant of the gradients of f and of all f_k, > 0.
        C5: the constant in front of C(p), > 0: 1 as in TABLE III, or :data:`PAPER_C5`.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Zhang et al., IEEE TSP 2021, Remark 5; the book, erratum E3.

    >>> s = fedpd_step_size(1.0)
    >>> [round(skip_probability(eps, 1.0, s, 1.0).p, 3) for eps in (0.01, 0.1, 1.0, 1e6)]
    [0.108, 0.341, 0.599, 0.937]
    >>> skip_probability(0.01, 0.0, s, 1.0).capped
    'p = 1 is not admissible: the largest number below'
    """
    C5 = _checks.positive("C5", C5)
    root, Ls = _root(eps, G), _Ls(s, L)
    most = 2 * _log(root) - math.log(3) - math.log(C5)
    if _log_plateau_factor(LARGEST_P, Ls) <= most:
        return _capped("bisection")
    p, above = 0.0, LARGEST_P
    while p < (middle := (p + above) / 2) < above:
        if _log_plateau_factor(middle, Ls) <= most:
            p = middle
        else:
            above = middle
    return SkipProbability(p, "bisection", "")


def theorem_3_bound(gap: float, rounds: int, p: float, G: float) -> float:
    """C2 gap/rounds + C5 C(p) G^2: the right side of Theorem 3, as the paper states it.

    It is to bound the mean over the rounds of ``E |grad f|^2``, not at the server's model, but at
    the mean of the clients' theta_{k,0}. Assumed: L = 1, s = (sqrt(5) - 1)/8, local problems solved
    exactly, assumption A4 with G. C2 = 1199 and C5 = 9588 are what Appendix C gives with equality,
    C(p) is :func:`plateau_factor`. The paper's proof has errors, see erratum E8 of the book.

    Args:
        gap: f at the start minus the infimum of f, >= 0.
        rounds: number of rounds.
        p: probability of SKIPPING the communication of a round, in [0, 1).
        G: a bound of ``|grad f_i - grad f_j|`` over all of R^d, >= 0.

    Raises:
        ValueError: an argument is out of its range.

    Source:
        Zhang et al., IEEE TSP 2021, Theorem 3 and Appendix C.

    >>> theorem_3_bound(gap=1.0, rounds=1199, p=0.0, G=5.0)
    1.0
    """
    gap, rounds = _checks.non_negative("gap", gap), _checks.count("rounds", rounds)
    p, G = _checks.skip_probability("p", p), _checks.non_negative("G", G)
    by_skipping = PAPER_C5 * plateau_factor(p, fedpd_step_size(1.0), 1.0) * G * G if G > 0 else 0.0
    return PAPER_C2 * gap / rounds + by_skipping


def _Ls(s: float, L: float) -> float:
    """L s, for s within the limits of the theorems."""
    L, s = _checks.positive("L", L), _checks.positive("s", s)
    limit = fedpd_step_limit(L)
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


def _log_plateau_factor(p: float, Ls: float) -> float:
    """log C(p): C(p) itself is too large for a number as p tends to 1."""
    if p < _boundary(Ls):
        return math.log(12) + 2 * _log(Ls * p)
    log_C3 = math.log1p(2 * Ls) - math.log1p(-Ls)
    return math.log(14) + 2 * math.log(Ls) + 2 / (1 - p) * log_C3


def _capped(branch: str) -> SkipProbability:
    return SkipProbability(LARGEST_P, branch, "p = 1 is not admissible: the largest number below")


def _two_cases(eps: float, G: float, s: float, L: float, power: int) -> SkipProbability:
    """The two cases with 36 s^power and 42 s^power; each counts only if its p is in its range."""
    root, boundary, s = _root(eps, G), _boundary(_Ls(s, L)), float(s)
    if root == math.inf:
        return _capped("large p")
    p = root / (6 * s ** (power / 2))
    if p < boundary:
        return SkipProbability(p, "small p", "")
    log = 2 * _log(root) - math.log(42) - power * math.log(s)
    if log > 0 and boundary < (p := 1 - 2 / log) < 1:
        return SkipProbability(p, "large p", "")
    return SkipProbability(math.nan, "neither", "")
