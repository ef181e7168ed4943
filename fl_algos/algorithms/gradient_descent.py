"""Gradient descent on the mean of the clients' functions: the baseline of all chapters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, stack
from fl_algos.protocols import Draw, Problem, Server

__all__ = ["GradientDescent", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""
    theta_k: Array
    """The clients' copies of it, (K, d)."""


@dataclass(frozen=True)
class GradientDescent:
    """Distributed gradient descent, as in the block ``pcode-gd`` of the book.

    Args:
        gamma: step size, > 0; for convex L-smooth f it converges for gamma < 2/L.

    Raises:
        ValueError: gamma is not positive.

    Source:
        Nesterov, Introductory Lectures on Convex Optimization, Kluwer 2004, Section 2.1.5.

    >>> from fl_algos import run, random_quadratics
    >>> history = run(GradientDescent(gamma=1.0), random_quadratics(K=4, d=3), rounds=200)
    >>> bool(history.distance[-1] < 1e-8), int(history.communications[-1])
    (True, 200)
    """

    gamma: float

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive)

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0: theta (d,) everywhere."""
        theta_k = stack(theta, K)  # 2, 3
        return State(theta, theta_k)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One gradient step, one communication."""
        theta, theta_k = state
        half_k = theta_k - self.gamma * problem.grad(theta_k)  # 6
        theta = server.average(half_k)  # 8, 9
        theta_k = server.broadcast(theta)  # 10, 11
        return State(theta, theta_k)
