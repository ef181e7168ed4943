"""Oracle_k of FedPD: local solvers of the augmented Lagrangian, for all clients at once.

An oracle is any callable ``oracle(al, theta_k, oracle_k, draw) -> (theta_k, oracle_k)``: `al` is
the :class:`AugmentedLagrangian` to minimise, `theta_k` (K, d) where to start, `oracle_k` what the
oracle itself remembers from round to round (None before the first one), `draw` the round's
randomness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from fl_algos import _checks
from fl_algos._arrays import Array, norm_k, put, to_numpy
from fl_algos.protocols import Draw, Problem

__all__ = ["GD", "AugmentedLagrangian", "exact"]


@dataclass(frozen=True)
class AugmentedLagrangian:
    """``f_k(x_k) + <lambda_k, x_k - theta_k0> + |x_k - theta_k0|^2 / (2 s)``, of each client.

    Equation ``al`` of the book as a function of x_k; theta_k0 and lambda_k are (K, d) as well.
    """

    problem: Problem
    s: float
    theta_k0: Array
    lambda_k: Array

    def value(self, x_k: Array) -> Array:
        """Its value at x_k (K, d), shape (K,)."""
        move_k = x_k - self.theta_k0
        xp = array_namespace(x_k)
        extra_k = xp.sum(self.lambda_k * move_k + move_k**2 / (2 * self.s), axis=-1)
        return self.problem.value(x_k) + extra_k

    def grad(self, x_k: Array, clients: Array | None = None) -> Array:
        """Its gradient at x_k, for each of the clients (all if None), shape (K, d)."""
        rows = slice(None) if clients is None else clients
        move_k = x_k - self.theta_k0[rows]
        return self.problem.grad(x_k, clients) + self.lambda_k[rows] + move_k / self.s

    def argmin(self) -> Array:
        """Its minimiser, shape (K, d): the proximal point of f_k at theta_k0 - s lambda_k."""
        return self.problem.prox(self.theta_k0 - self.s * self.lambda_k, self.s)


def exact(al: AugmentedLagrangian, theta_k: Array, oracle_k: Any, draw: Draw) -> tuple[Array, Any]:
    """The oracle that minimises the augmented Lagrangian exactly, through ``problem.prox``."""
    return al.argmin(), oracle_k


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
        _checks.positive("eta", self.eta)
        _checks.count("Q", self.Q)
        _checks.non_negative("tolerance", self.tolerance)

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
            far = to_numpy(norm_k(grad_k)) > self.tolerance
            moving = moving[far]
            if len(moving) == 0:
                break
            theta_k = put(theta_k, moving, theta_k[moving] - self.eta * grad_k[far])
        return theta_k, oracle_k
