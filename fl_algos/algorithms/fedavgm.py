"""FedAvgM: FedAvg with momentum on the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, put
from fl_algos.local import local_steps
from fl_algos.protocols import Draw, Problem, Server

__all__ = ["FedAvgM", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""
    m: Array
    """The momentum, (d,)."""


@dataclass(frozen=True)
class FedAvgM:
    """FedAvg with server momentum, as in the block ``pcode-fedavgm`` of the book.

    Where the problem has weights, the mean is weighted; over sampled clients it is biased then, as
    that of FedAvg.

    Args:
        eta: step size of the server, > 0; 1 with beta = 0 is FedAvg.
        gamma: step size of the local steps, > 0.
        beta: momentum, in [0, 1).
        R: number of local steps, or one for each client, see :func:`~fl_algos.local.epochs`.

    Raises:
        ValueError: a step size is not positive, beta not in [0, 1), or R not a number of steps.

    Source:
        Hsu, Qi and Brown, Measuring the Effects of Non-Identical Data Distribution for Federated
        Visual Classification, arXiv:1909.06335 (2019), Section 4; a special case of Reddi et al.,
        ICLR 2021, Algorithm 1.

    >>> from fl_algos import random_quadratics, run
    >>> algorithm = FedAvgM(eta=1.0, gamma=0.5, beta=0.5)
    >>> history = run(algorithm, random_quadratics(K=6, d=3), rounds=500)
    >>> bool(history.distance[-1] < 1e-8)
    True
    """

    eta: float
    gamma: float
    beta: float = 0.9
    R: int | Sequence[int] = 1

    samples_clients: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True
    uses_weights: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, eta=_checks.positive, gamma=_checks.positive)
        _checks.store(self, beta=_checks.fraction, R=_checks.local_steps)

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0: no momentum."""
        m = 0 * theta  # 2
        return State(theta, m)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of the clients that take part, and the server."""
        theta, m = state
        S = draw.clients  # 4
        theta_k = server.broadcast(theta, clients=S)  # 5
        x_k = theta_k  # 7
        for r, n in local_steps(self.R, draw.numbers):  # 8
            g_k = problem.grad(x_k[n], S[n], draw.batch(r, n))  # 9
            x_k = put(x_k, n, x_k[n] - self.gamma * g_k)  # 10
        delta = server.average(x_k - theta_k, clients=S)  # 13, 14
        m = self.beta * m + delta  # 15
        theta = theta + self.eta * m  # 16
        return State(theta, m)
