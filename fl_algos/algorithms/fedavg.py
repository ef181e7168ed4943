"""FedAvg: local gradient steps, then the average of the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, put
from fl_algos.local import local_steps
from fl_algos.protocols import Draw, Problem, Server

__all__ = ["FedAvg", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""


@dataclass(frozen=True)
class FedAvg:
    """Federated averaging, as in the block ``pcode-fedavg`` of the book.

    The weights of the average are those of the problem: uniform by default, by samples with
    ``LogisticRegression(..., weights=sizes)``. With R = 1 and full gradients it is FedSGD, that is,
    gradient descent on the clients that take part. With sampled clients the weighted average is
    biased: where one client takes part in a round, the weights have no effect.

    Args:
        gamma: step size of the local steps, > 0.
        R: number of local steps, or one for each client, see :func:`~fl_algos.local.epochs`.

    Raises:
        ValueError: gamma is not positive, or R not a number of steps.

    Source:
        McMahan, Moore, Ramage, Hampson and Aguera y Arcas, Communication-Efficient Learning of Deep
        Networks from Decentralized Data, AISTATS 2017, Algorithm 1, with weights over those who
        take part.

    >>> from fl_algos import random_quadratics, run
    >>> problem = random_quadratics(K=6, d=3)
    >>> history = run(FedAvg(gamma=0.5, R=5), problem, rounds=100, participants=2)
    >>> int(history.floats_up[-1]) == 100 * 2 * 3
    True
    """

    gamma: float
    R: int | Sequence[int] = 1

    samples_clients: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True
    uses_weights: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive, R=_checks.local_steps)

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0."""
        return State(theta)  # 2

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of the clients that take part, and the server."""
        (theta,) = state
        S = draw.clients  # 4
        theta_k = server.broadcast(theta, clients=S)  # 5
        x_k = theta_k  # 7
        for r, m in local_steps(self.R, draw.numbers):  # 8
            g_k = problem.grad(x_k[m], S[m], draw.batch(r, m))  # 9
            x_k = put(x_k, m, x_k[m] - self.gamma * g_k)  # 10
        theta = server.average(x_k, clients=S, weights=problem.weights[S])  # 13, 14
        return State(theta)
