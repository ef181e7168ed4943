"""FedAdagrad, FedYogi, FedAdam: FedAvg with an adaptive step on the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, put
from fl_algos.local import local_steps
from fl_algos.protocols import Draw, Problem, Server

__all__ = [
    "Adam",
    "FedAdagrad",
    "FedAdam",
    "FedOpt",
    "FedYogi",
    "State",
    "Yogi",
    "adagrad",
]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""
    m: Array
    """The first moment, (d,)."""
    v: Array
    """The second moment, (d,)."""


def adagrad(v: Array, delta: Array) -> Array:
    """The second moment of FedAdagrad: the sum of all squares."""
    return v + delta**2


@dataclass(frozen=True)
class Yogi:
    """The second moment of FedYogi: it moves by a fixed share of the new square.

    Args:
        beta2: in [0, 1).
    """

    beta2: float = 0.99

    def __post_init__(self) -> None:
        _checks.store(self, beta2=_checks.fraction)

    def __call__(self, v: Array, delta: Array) -> Array:
        """From v to the next v, both (d,)."""
        sign = array_namespace(v).sign(v - delta**2)
        return v - (1 - self.beta2) * delta**2 * sign


@dataclass(frozen=True)
class Adam:
    """The second moment of FedAdam: the mean of squares, the older the less.

    Args:
        beta2: in [0, 1).
    """

    beta2: float = 0.99

    def __post_init__(self) -> None:
        _checks.store(self, beta2=_checks.fraction)

    def __call__(self, v: Array, delta: Array) -> Array:
        """From v to the next v, both (d,)."""
        return self.beta2 * v + (1 - self.beta2) * delta**2


@dataclass(frozen=True)
class FedOpt:
    """FedAdagrad, FedYogi or FedAdam, as in the block ``pcode-fedopt`` of the book.

    Where the problem has weights, the mean is weighted; over sampled clients it is biased then, as
    that of FedAvg.

    Args:
        eta: step size of the server, > 0.
        gamma: step size of the local steps, > 0.
        second_moment: which of the three: :func:`adagrad`, :class:`Yogi` or :class:`Adam`, as
            ``Adam(beta2=0.99)``.
        beta1: of the first moment, in [0, 1).
        tau: adaptivity, > 0: added to the root of the second moment, which starts at its square.
            Near a point of rest the second moment of Adam tends to 0 and the step to eta/tau times
            the first moment: for strongly convex quadratics, gamma < 2/L, all clients and full
            gradients the point is stable if eta nu/tau < 2 (1 + beta1)/(1 - beta1), and unstable
            beyond that, where nu is the largest eigenvalue of the mean of I - (I - gamma A_k)^R, at
            most gamma L R.
        R: number of local steps, or one for each client, see :func:`~fl_algos.local.epochs`.

    Raises:
        ValueError: one of them is out of its range.

    Source:
        Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar and McMahan, Adaptive Federated
        Optimization, ICLR 2021, Algorithm 2. There is no bias correction there, unlike in common
        code of Adam.

    >>> from fl_algos import random_quadratics, run
    >>> algorithm = FedOpt(eta=0.1, gamma=0.5, second_moment=Adam(beta2=0.99), R=3)
    >>> history = run(algorithm, random_quadratics(K=6, d=3), rounds=300)
    >>> bool(history.grad_norm2[-1] < history.grad_norm2[0] / 10)
    True
    """

    eta: float
    gamma: float
    second_moment: Callable[[Array, Array], Array]
    beta1: float = 0.9
    tau: float = 1e-3
    R: int | Sequence[int] = 1

    samples_clients: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True
    uses_weights: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, eta=_checks.positive, gamma=_checks.positive)
        _checks.store(self, second_moment=_checks.function, beta1=_checks.fraction)
        _checks.store(self, tau=_checks.positive, R=_checks.local_steps)

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0."""
        m, v = 0 * theta, 0 * theta + self.tau**2  # 2
        return State(theta, m, v)

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of the clients that take part, and the server."""
        theta, m, v = state
        S = draw.clients  # 4
        theta_k = server.broadcast(theta, clients=S)  # 5
        x_k = theta_k  # 7
        for r, n in local_steps(self.R, draw.numbers):  # 8
            g_k = problem.grad(x_k[n], S[n], draw.batch(r, n))  # 9
            x_k = put(x_k, n, x_k[n] - self.gamma * g_k)  # 10
        delta = server.average(x_k - theta_k, clients=S)  # 13, 14
        m = self.beta1 * m + (1 - self.beta1) * delta  # 15
        v = self.second_moment(v, delta)  # 16, 17, 18
        theta = theta + self.eta * m / (v**0.5 + self.tau)  # 19
        return State(theta, m, v)


def FedAdagrad(
    eta: float,
    gamma: float,
    beta1: float = 0.9,
    tau: float = 1e-3,
    R: int | Sequence[int] = 1,
) -> FedOpt:
    """:class:`FedOpt` with the second moment of :func:`adagrad`.

    >>> FedAdagrad(eta=0.1, gamma=0.5).second_moment is adagrad
    True
    """
    return FedOpt(eta, gamma, adagrad, beta1, tau, R)


def FedYogi(
    eta: float,
    gamma: float,
    beta1: float = 0.9,
    beta2: float = 0.99,
    tau: float = 1e-3,
    R: int | Sequence[int] = 1,
) -> FedOpt:
    """:class:`FedOpt` with the second moment of :class:`Yogi`.

    >>> FedYogi(eta=0.1, gamma=0.5, beta2=0.9).second_moment
    Yogi(beta2=0.9)
    """
    return FedOpt(eta, gamma, Yogi(beta2), beta1, tau, R)


def FedAdam(
    eta: float,
    gamma: float,
    beta1: float = 0.9,
    beta2: float = 0.99,
    tau: float = 1e-3,
    R: int | Sequence[int] = 1,
) -> FedOpt:
    """:class:`FedOpt` with the second moment of :class:`Adam`.

    >>> FedAdam(eta=0.1, gamma=0.5, R=3) == FedOpt(0.1, 0.5, Adam(0.99), beta1=0.9, tau=1e-3, R=3)
    True
    """
    return FedOpt(eta, gamma, Adam(beta2), beta1, tau, R)
