"""Scaffnew: the federated special case of ProxSkip, as its authors give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fl_algos import _checks
from fl_algos._arrays import Array, stack, zeros_k
from fl_algos.algorithms.proxskip import State
from fl_algos.protocols import Draw, Problem, Server

__all__ = ["Scaffnew"]


@dataclass(frozen=True)
class Scaffnew:
    """Scaffnew, as in the block ``pcode-scaffnew`` of the book.

    The same as corrected ProxSkip with R = 1 and 1 - p for p. The gradients are full, or with a
    `batch_size` those of minibatches, and then a noise floor remains.

    Args:
        gamma: step size, > 0; at most 1/L for the paper's theorem, below 2/L by
            :func:`~fl_algos.theory.scaffnew.scaffnew_contraction`.
        p: probability of COMMUNICATING in a round, in (0, 1]; it belongs to the step size, see
            :func:`~fl_algos.theory.scaffnew.scaffnew_best_p`: 1/sqrt(kappa) at gamma = 1/L, in
            proportion to gamma below.

    Raises:
        ValueError: gamma is not positive, or p not in (0, 1].

    Source:
        Mishchenko, Malinovsky, Stich and Richtarik, ProxSkip, ICML 2022, Algorithm 2; its h_i are
        the c_k here.

    >>> from fl_algos import random_quadratics, run
    >>> problem = random_quadratics(K=4, d=3, L=1.0, mu=0.01)
    >>> history = run(Scaffnew(gamma=1.0, p=0.1), problem, rounds=3000)
    >>> bool(history.distance[-1] < 1e-8), int(history.communications[-1])
    (True, 287)
    """

    gamma: float
    p: float

    takes_batches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive, p=_checks.communication_probability)

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0: theta (d,) everywhere, no control variates."""
        theta_k, c_k = stack(theta, K), zeros_k(theta, K)  # 2, 3
        return State(theta, theta_k, c_k)

    def check(self, state: State, server: Server) -> None:
        """Refuse a state to start from in which the mean of the control variates is not 0."""
        _checks.mean_is_zero("c_k", state.c_k, server)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of all clients and the server."""
        theta, theta_k, c_k = state
        g_k = problem.grad(theta_k, batch=draw.batch(0))  # 6
        half_k = theta_k - self.gamma * (g_k - c_k)  # 7
        if draw.with_probability(self.p):  # 9
            theta = server.average(half_k)  # 10, 11
            theta_k = server.broadcast(theta)  # 12, 13
        else:
            theta_k = half_k  # 15
        c_k = c_k + self.p / self.gamma * (theta_k - half_k)  # 16
        return State(theta, theta_k, c_k)
