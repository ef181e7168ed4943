"""FedProx: local problems held near the server's model by a proximal term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array
from fl_algos.oracles import AugmentedLagrangian, exact
from fl_algos.protocols import Draw, Oracle, Problem, Server

__all__ = ["FedProx", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""


@dataclass(frozen=True)
class FedProx:
    """FedProx, as in the block ``pcode-fedprox`` of the book.

    Its local problem is the augmented Lagrangian of FedPD with s = 1/mu and without dual variables,
    and any oracle of FedPD solves it. Nothing is kept for an oracle from one round to the next, so
    that VR takes a full gradient in each. Where the problem has weights, the mean is weighted; over
    sampled clients it is biased then, as that of FedAvg.

    Args:
        mu: proximal coefficient, > 0.
        oracle: the local solver, see :mod:`fl_algos.oracles`.

    Raises:
        ValueError: mu is not positive, or oracle not callable.

    Source:
        Li, Sahu, Zaheer, Sanjabi, Talwalkar and Smith, Federated Optimization in Heterogeneous
        Networks, MLSys 2020, Algorithm 2; clients are drawn uniformly here.

    >>> from fl_algos import random_quadratics, run
    >>> history = run(FedProx(mu=1.0), random_quadratics(K=6, d=3), rounds=100)
    >>> bool(1e-3 < history.distance[-1] < history.distance[0])
    True
    """

    mu: float
    oracle: Oracle = exact

    samples_clients: ClassVar[bool] = True
    uses_weights: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, mu=_checks.positive, oracle=_checks.function)

    @property
    def takes_batches(self) -> bool:
        """Whether the oracle takes minibatches."""
        return getattr(self.oracle, "takes_batches", False)

    @property
    def needs(self) -> tuple[str, ...]:
        """What the oracle needs of a problem."""
        return getattr(self.oracle, "needs", ())

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0."""
        return State(theta)  # 2

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of the clients that take part, and the server."""
        (theta,) = state
        S = draw.clients  # 4
        theta_k = server.broadcast(theta, clients=S)  # 5
        al = AugmentedLagrangian(problem, 1 / self.mu, theta_k, 0 * theta_k, S)  # 7
        x_k, _ = self.oracle(al, theta_k, None, draw)  # 7
        theta = server.average(x_k, clients=S)  # 9, 10
        return State(theta)
