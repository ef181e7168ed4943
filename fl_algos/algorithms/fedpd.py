"""FedPD: the federated primal-dual algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, stack, zeros_k
from fl_algos.oracles import AugmentedLagrangian, exact
from fl_algos.protocols import Draw, Oracle, Problem, Server

__all__ = ["FedPD", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""
    theta_k: Array
    """The clients' solutions of their local problems, (K, d)."""
    theta_k0: Array
    """The clients' copies of the global model, (K, d); without communication what stands for it."""
    lambda_k: Array
    """The dual variables, (K, d)."""
    oracle_k: Any = None
    """What the oracle remembers."""


@dataclass(frozen=True)
class FedPD:
    """Federated primal-dual algorithm, as in the block ``pcode-fedpd`` of the book.

    Args:
        s: step size of the proximal steps, s = 1/mu > 0, where mu is the penalty of the augmented
            Lagrangian and the step size of the dual variables; for non-convex f_k less than
            1/(2 L), see :func:`~fl_algos.theory.fedpd.fedpd_step_limit`.
        p: probability of SKIPPING the communication of a round, in [0, 1).
        oracle: the local solver of the augmented Lagrangian, see :mod:`fl_algos.oracles`.

    Raises:
        ValueError: s is not positive, p not in [0, 1), or oracle not callable.

    Source:
        Zhang, Hong, Dhople, Yin and Liu, FedPD: A Federated Learning Framework With Adaptivity to
        Non-IID Data, IEEE Trans. Signal Process. 69 (2021), Algorithm 2.

    >>> from fl_algos import run, random_quadratics
    >>> problem = random_quadratics(K=4, d=3)
    >>> history = run(FedPD(s=1.0, p=0.5), problem, rounds=100)
    >>> int(history.communications[-1])
    50
    """

    s: float
    p: float = 0.0
    oracle: Oracle = exact

    def __post_init__(self) -> None:
        _checks.store(self, s=_checks.positive, p=_checks.skip_probability, oracle=_checks.function)

    @property
    def takes_batches(self) -> bool:
        """Whether the oracle takes minibatches."""
        return getattr(self.oracle, "takes_batches", False)

    @property
    def needs(self) -> tuple[str, ...]:
        """What the oracle needs of a problem."""
        return getattr(self.oracle, "needs", ())

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0: theta (d,) everywhere, no dual variables."""
        theta_k = theta_k0 = stack(theta, K)  # 2, 3
        lambda_k = zeros_k(theta, K)  # 3
        return State(theta, theta_k, theta_k0, lambda_k)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of all clients and the server."""
        theta, theta_k, theta_k0, lambda_k, oracle_k = state
        al = AugmentedLagrangian(problem, self.s, theta_k0, lambda_k)  # 6
        theta_k, oracle_k = self.oracle(al, theta_k, oracle_k, draw)  # 6
        lambda_k = lambda_k + (theta_k - theta_k0) / self.s  # 7
        half_k = theta_k + self.s * lambda_k  # 8
        if draw.with_probability(1 - self.p):  # 10
            theta = server.average(half_k)  # 11, 12
            theta_k0 = server.broadcast(theta)  # 13, 14
        else:  # 15
            theta_k0 = half_k  # 16
        return State(theta, theta_k, theta_k0, lambda_k, oracle_k)
