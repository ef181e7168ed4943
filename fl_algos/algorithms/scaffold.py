"""SCAFFOLD: local gradient steps, corrected for the drift of the clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, like, put, zeros_k
from fl_algos.local import local_steps, steps_of
from fl_algos.protocols import Draw, Problem, Server

__all__ = ["Scaffold", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""
    c: Array
    """The server's control variate, (d,): the mean of the clients'."""
    c_k: Array
    """The clients' control variates, (K, d); they stay with the client, whoever takes part."""


@dataclass(frozen=True)
class Scaffold:
    """SCAFFOLD, as in the block ``pcode-scaffold`` of the book.

    A client sends two vectors. With Option II one would do: the change of c_k is
    -c - (change of theta_k)/(R_k gamma), and the server knows c, R_k and gamma. The ledger counts
    both as sent and one as needed.

    Where the problem has weights, c is the weighted mean of the c_k, and all clients have to take
    part: of a weighted mean over some of them it would not be known what it is the mean of. With
    sampled clients :class:`~fl_algos.problems.scaled.Scaled` does for such a problem.

    Args:
        gamma: step size of the local steps, > 0.
        eta: step size of the server, > 0.
        R: number of local steps, or one for each client, see :func:`~fl_algos.local.epochs`.
        option: how control variates are renewed: 1 by a full gradient at the server's model, 2 from
            the local steps.

    Raises:
        ValueError: a step size is not positive, R not a number of steps, or option not 1 or 2.

    Source:
        Karimireddy, Kale, Mohri, Reddi, Stich and Suresh, SCAFFOLD, ICML 2020, Algorithm 1.

    >>> from fl_algos import random_quadratics, run
    >>> problem = random_quadratics(K=6, d=3)
    >>> history = run(Scaffold(gamma=0.5, R=5), problem, rounds=300, participants=3)
    >>> bool(history.distance[-1] < 1e-8)
    True
    """

    gamma: float
    eta: float = 1.0
    R: int | Sequence[int] = 1
    option: int = 2

    samples_clients: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive, eta=_checks.positive, R=_checks.local_steps)
        _checks.store(self, option=_checks.count)
        if self.option > 2:
            raise ValueError(f"option = {self.option!r}: 1 or 2 is expected")

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0: no control variates."""
        c = 0 * theta  # 2
        c_k = zeros_k(theta, K)  # 3
        return State(theta, c, c_k)

    def check(self, state: State, server: Server) -> None:
        """Refuse a state to start from in which c is not the mean of the c_k: it would stay so."""
        _checks.mean_is_zero("c_k - c", state.c_k - state.c, server)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of the clients that take part, and the server."""
        theta, c, c_k = state
        S = draw.clients  # 5
        theta_k, copy_k = server.broadcast(theta, c, clients=S)  # 6
        x_k = theta_k  # 8
        for r, m in local_steps(self.R, draw.numbers):  # 9
            g_k = problem.grad(x_k[m], S[m], draw.batch(r, m))  # 10
            x_k = put(x_k, m, x_k[m] - self.gamma * (g_k - c_k[S[m]] + copy_k[m]))  # 11
        if self.option == 1:  # 13
            plus_k = problem.grad(theta_k, S)  # 13
        else:  # 14
            R_k = like(steps_of(self.R, draw.numbers)[:, None], theta)  # 14
            plus_k = c_k[S] - copy_k + (theta_k - x_k) / (R_k * self.gamma)  # 14
        dtheta_k, dc_k = x_k - theta_k, plus_k - c_k[S]  # 16
        dtheta, dc = server.average(dtheta_k, dc_k, clients=S, implied=int(self.option == 2))  # 17
        c_k = put(c_k, S, plus_k)  # 18
        theta = theta + self.eta * dtheta  # 19
        c = c + draw.share * dc  # 20
        return State(theta, c, c_k)
