"""Weights of the clients taken into their functions, so that the clients all weigh the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from fl_algos._arrays import Array, array_namespace, to_numpy
from fl_algos.draw import Batch
from fl_algos.protocols import Problem

__all__ = ["Scaled"]


class Scaled:
    """The problem of the functions K w_k f_k with equal weights: its objective is the same.

    An algorithm that samples clients sees an unbiased estimate of its gradient, which the weighted
    mean over those who take part is not. The price: the curvatures lie between mu K min w_k and
    L K max w_k, so that the condition number may be larger by up to max w_k/min w_k, and what a
    client does by itself is another: the proximal coefficient of FedProx is effectively mu/(K w_k),
    and FedAvg with R > 1 rests elsewhere.

    Args:
        problem: of weights that may be unequal.

    >>> import numpy as np
    >>> from fl_algos import Quadratic, Scaffold, random_quadratics, run
    >>> plain = random_quadratics(K=4, d=3)
    >>> weighted = Quadratic(plain.A_k, plain.b_k, weights=[1, 2, 3, 4])
    >>> history = run(Scaffold(gamma=0.1, R=5), Scaled(weighted), rounds=2000, participants=2)
    >>> bool(np.abs(history.theta - weighted.theta_star).max() < 1e-10)
    True
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.K, self.d = problem.K, problem.d
        self.scale_k = problem.K * to_numpy(problem.weights)
        self.weights = np.full(problem.K, 1 / problem.K)

    def __getattr__(self, name: str) -> Any:
        if name == "problem":  # not there yet while a copy is made
            raise AttributeError(name)
        if name in ("sizes", "asarray", "theta_star", "theta_0", "objective"):
            return getattr(self.problem, name)
        if name == "prox" and hasattr(self.problem, "prox"):
            return self._prox
        raise AttributeError(f"{type(self).__name__} of {self.problem!r} has no {name!r}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.problem!r}>"

    @property
    def L(self) -> float:
        """L K max w_k of the problem's L, a bound; it may be less."""
        return float(self.problem.L * self.scale_k.max())  # type: ignore[attr-defined]

    @property
    def mu(self) -> float:
        """mu K min w_k of the problem's mu >= 0, a bound; it may be more."""
        mu = self.problem.mu  # type: ignore[attr-defined]
        return float(mu * (self.scale_k.min() if mu >= 0 else self.scale_k.max()))

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """K w_k f_k(theta_k), shape (K,)."""
        return self._scale(theta_k, clients)[:, 0] * self.problem.value(theta_k, clients)

    def grad(
        self, theta_k: Array, clients: Array | None = None, batch: Batch | None = None
    ) -> Array:
        """The gradients of K w_k f_k at theta_k, shape (K, d)."""
        return self._scale(theta_k, clients) * self.problem.grad(theta_k, clients, batch)

    def _prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """That of K w_k f_k with step s is that of f_k with step s K w_k."""
        numbers = np.arange(self.K) if clients is None else to_numpy(clients)
        x_k = array_namespace(v_k).empty_like(v_k)
        for scale in np.unique(self.scale_k[numbers]):
            some = np.flatnonzero(self.scale_k[numbers] == scale)
            x_k[some] = self.problem.prox(v_k[some], s * float(scale), numbers[some])  # type: ignore[attr-defined]
        return x_k

    def _scale(self, theta_k: Array, clients: Array | None) -> Array:
        scale_k = self.scale_k if clients is None else self.scale_k[to_numpy(clients)]
        return self.problem.asarray(scale_k)[:, None]
