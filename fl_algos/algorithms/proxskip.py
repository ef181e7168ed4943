"""ProxSkip, exactly as its pseudocode is written, and with its coefficient corrected."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, stack, zeros_k
from fl_algos.protocols import Draw, Problem, Server
from fl_algos.theory.proxskip import proxskip_is_stable

__all__ = ["ProxSkip", "State", "UnstableProxSkip"]


class UnstableProxSkip(UserWarning):
    """ProxSkip as written, with p and R for which flat directions are unstable in mean square.

    Single runs may converge all the same, and so may problems without flat directions.
    """


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""
    theta_k: Array
    """The clients' models, (K, d)."""
    c_k: Array
    """The control variates, (K, d); their (weighted) mean is 0."""


@dataclass(frozen=True)
class ProxSkip:
    """ProxSkip as in the block ``pcode-proxskip`` of the book, R local steps to a coin.

    As it is written, the block multiplies by p where the probability of communicating, 1 - p, over
    R should stand (erratum E1 of the book). That is what this class does unless `corrected`.

    Args:
        gamma: step size, > 0; at most 1/L for the paper's theorem, below 2/L by
            :func:`~fl_algos.theory.scaffnew.scaffnew_contraction` (corrected, R = 1).
        p: probability of SKIPPING the communication of a round, in [0, 1).
        R: number of local steps in a round.
        corrected: update the control variates with (1 - p)/(R gamma), and not with p/gamma.

    Raises:
        ValueError: gamma is not positive, p not in [0, 1), R not a positive integer, or
            `corrected` not True or False.

    Warns:
        UnstableProxSkip: as written, with R p/(1 - p) >= 2/(1 + p).

    Source:
        Mishchenko, Malinovsky, Stich and Richtarik, ProxSkip, ICML 2022, Algorithm 2 (called
        Scaffnew there), where p is the probability of communicating and R = 1.

    >>> from fl_algos import random_quadratics, run
    >>> problem = random_quadratics(K=4, d=3)
    >>> algorithm = ProxSkip(gamma=1 / problem.L, p=0.8, corrected=True)
    >>> history = run(algorithm, problem, rounds=1000)
    >>> bool(history.distance[-1] < 1e-8), int(history.communications[-1])
    (True, 210)
    """

    gamma: float
    p: float
    R: int = 1
    corrected: bool = False

    takes_batches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive, p=_checks.skip_probability)
        _checks.store(self, R=_checks.count, corrected=_checks.flag)
        if not (self.corrected or proxskip_is_stable(self.p, self.R)):
            warnings.warn(
                f"ProxSkip as written with p = {self.p} and R = {self.R} is unstable in the mean "
                "square on flat directions (erratum E1): use corrected=True, or Scaffnew",
                UnstableProxSkip,
                stacklevel=3,
            )

    @property
    def coefficient(self) -> float:
        """That of the control variates' update, times gamma."""
        return (1 - self.p) / self.R if self.corrected else self.p

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0: theta (d,) everywhere, no control variates."""
        theta_k, c_k = stack(theta, K), zeros_k(theta, K)  # 2, 3
        return State(theta, theta_k, c_k)

    def check(self, state: State, server: Server) -> None:
        """Refuse a state to start from in which the mean of the control variates is not 0.

        It never changes; the limit would solve grad f(theta) = mean of c_k.
        """
        _checks.mean_is_zero("c_k", state.c_k, server)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of all clients and the server."""
        theta, theta_k, c_k = state
        x_k = theta_k  # 6
        for r in range(self.R):  # 7
            g_k = problem.grad(x_k, batch=draw.batch(r))  # 8
            x_k = x_k - self.gamma * (g_k - c_k)  # 9
        half_k = x_k  # 11
        if draw.with_probability(1 - self.p):  # 13
            theta = server.average(half_k)  # 14, 15
            theta_k = server.broadcast(theta)  # 16, 17
            c_k = c_k + self.coefficient / self.gamma * (theta_k - half_k)  # 17
        else:  # 18
            theta_k = half_k  # 19
        return State(theta, theta_k, c_k)
