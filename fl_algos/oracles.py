"""Oracle_k of FedPD: local solvers of the augmented Lagrangian, for all clients at once.

An oracle is any callable ``oracle(al, theta_k, oracle_k, draw) -> (theta_k, oracle_k)``: `al` is
the :class:`AugmentedLagrangian` to minimise, `theta_k` (K, d) where to start, `oracle_k` what the
oracle itself remembers from round to round (None before the first one), `draw` the round's
randomness. It writes to none of its arguments: their arrays may share memory with others. One that
takes minibatches, ``draw.batch(r)``, says so by an attribute ``takes_batches = True``, one that
asks for proximal points by ``needs = ("prox",)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, norm_k, put, to_numpy
from fl_algos._counted import has_argument
from fl_algos.protocols import Draw

__all__ = ["GD", "SGD", "VR", "AugmentedLagrangian", "exact"]


@dataclass(frozen=True)
class AugmentedLagrangian:
    """``f_k(x_k) + <lambda_k, x_k - theta_k0> + |x_k - theta_k0|^2 / (2 s)``, of each client.

    Equation ``al`` of the book as a function of x_k; theta_k0 and lambda_k are (K, d) as well. If
    `clients` are given, these arrays have a row for each of them.
    """

    problem: Any
    s: float
    theta_k0: Array
    lambda_k: Array
    clients: Array | None = None

    def value(self, x_k: Array) -> Array:
        """Its value at x_k (K, d), shape (K,)."""
        move_k = x_k - self.theta_k0
        xp = array_namespace(x_k)
        extra_k = xp.sum(self.lambda_k * move_k + move_k**2 / (2 * self.s), axis=-1)
        return self.problem.value(x_k, self.clients) + extra_k

    def grad(self, x_k: Array, rows: Array | None = None, batch: Any = None) -> Array:
        """Its gradient at x_k, for some rows (all if None), shape (K, d).

        With a batch, its estimate from these samples.
        """
        here = slice(None) if rows is None else rows
        clients = rows if self.clients is None else self.clients[here]
        move_k = x_k - self.theta_k0[here]
        return self.problem.grad(x_k, clients, batch) + self.lambda_k[here] + move_k / self.s

    def argmin(self, start_k: Array | None = None) -> Array:
        """Its minimiser, shape (K, d): the proximal point of f_k at theta_k0 - s lambda_k.

        Where the problem searches for it, the search starts at start_k (K, d), if that is given.
        """
        v_k = self.theta_k0 - self.s * self.lambda_k
        if start_k is None or not _takes_start(type(self.problem)):  # type: ignore[arg-type]
            return self.problem.prox(v_k, self.s, self.clients)
        return self.problem.prox(v_k, self.s, self.clients, start_k=start_k)


@cache
def _takes_start(kind: type) -> bool:
    return has_argument(getattr(kind, "prox", None), "start_k")


def exact(al: AugmentedLagrangian, theta_k: Array, oracle_k: Any, draw: Draw) -> tuple[Array, Any]:
    """The oracle that minimises the augmented Lagrangian exactly, through ``problem.prox``.

    Where that is a search, it starts at theta_k (K, d), the last solution.
    """
    return al.argmin(theta_k), oracle_k


exact.needs = ("prox",)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class GD:
    """The oracle that takes gradient steps on the augmented Lagrangian.

    Oracle I of Zhang et al. (IEEE TSP 2021), with full gradients.

    Args:
        eta: step size, > 0; for convex f_k it converges for eta < 2/(L + 1/s).
        Q: number of steps, at most.
        tolerance: a client stops before its Q-th step once the norm of the gradient of its
            augmented Lagrangian is at most this, >= 0.
    """

    eta: float
    Q: int
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        _checks.store(self, eta=_checks.positive, Q=_checks.count, tolerance=_checks.non_negative)

    def __call__(
        self, al: AugmentedLagrangian, theta_k: Array, oracle_k: Any, draw: Draw
    ) -> tuple[Array, Any]:
        """Q steps from theta_k (K, d), fewer for the clients within the tolerance."""
        if self.tolerance == 0:
            for _ in range(self.Q):
                theta_k = theta_k - self.eta * al.grad(theta_k)
            return theta_k, oracle_k
        moving = np.arange(theta_k.shape[0])
        for _ in range(self.Q):
            grad_k = al.grad(theta_k[moving], moving)
            far = ~(to_numpy(norm_k(grad_k)) <= self.tolerance)  # NaN is far
            moving = moving[far]
            if len(moving) == 0:
                break
            theta_k = put(theta_k, moving, theta_k[moving] - self.eta * grad_k[far])
        return theta_k, oracle_k


@dataclass(frozen=True)
class SGD:
    """The oracle that takes stochastic gradient steps on the augmented Lagrangian.

    Oracle I of Zhang et al. (IEEE TSP 2021). With a constant step size the errors of its solutions
    do not tend to zero, so that FedPD ends at a noise floor.

    Args:
        eta: step size, > 0.
        Q: number of steps; step q looks at the batch ``draw.batch(q)``.
    """

    eta: float
    Q: int

    takes_batches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, eta=_checks.positive, Q=_checks.count)

    def __call__(
        self, al: AugmentedLagrangian, theta_k: Array, oracle_k: Any, draw: Draw
    ) -> tuple[Array, Any]:
        """Q steps from theta_k (K, d)."""
        for q in range(self.Q):
            theta_k = theta_k - self.eta * al.grad(theta_k, batch=draw.batch(q))
        return theta_k, oracle_k


@dataclass(frozen=True)
class VR:
    """The oracle of linearized augmented Lagrangians and a recursive gradient estimate.

    Oracle II of Zhang et al. (IEEE TSP 2021, Algorithm 4): the estimate g_k of the local gradient
    is carried on from step to step and from round to round by differences over a batch, as in
    SARAH, and renewed by a full gradient every I rounds. Each step is equation ``fedpd-linearize``
    of the book, which is a gradient step of the length s gamma/(s + gamma) on the augmented
    Lagrangian with g_k in the place of the gradient of f_k: what sets it apart from :class:`SGD` is
    the estimate alone.

    Args:
        gamma: step size of the proximal term, > 0.
        Q: number of steps; step q looks at the batch ``draw.batch(q)``.
        I: rounds from one full gradient to the next.
    """

    gamma: float
    Q: int
    I: int  # noqa: E741, the paper's symbol

    takes_batches: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive, Q=_checks.count, I=_checks.count)

    def __call__(
        self, al: AugmentedLagrangian, theta_k: Array, g_k: Array | None, draw: Draw
    ) -> tuple[Array, Array]:
        """Q steps from theta_k (K, d) with the estimate g_k (K, d)."""
        s, gamma = al.s, self.gamma
        if draw.t % self.I == 0 or g_k is None:
            g_k = al.problem.grad(theta_k, al.clients)
        for q in range(self.Q):
            before_k = theta_k
            centre_k = (s * theta_k + gamma * al.theta_k0) / (s + gamma)
            theta_k = centre_k - s * gamma / (s + gamma) * (g_k + al.lambda_k)
            batch = draw.batch(q)
            change_k = al.problem.grad(theta_k, al.clients, batch) - al.problem.grad(
                before_k, al.clients, batch
            )
            g_k = g_k + change_k
        return theta_k, g_k
