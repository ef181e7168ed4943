"""A problem that counts what is asked of it."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from fl_algos._arrays import Array, is_everyone, to_numpy
from fl_algos.placement import Placement


class Counted:
    """A problem as the rounds of a run see it, with counters of what its clients have computed.

    Its weights are those of its clients in the whole federation. Nobody's gradients and proximal
    points are not asked for: in a process none of whose clients takes part.

    Attributes:
        uncounted: the problem itself.
        gradients: per-sample gradients so far.
        proxes: proximal points so far.
        weights: the clients' weights in the objective of the federation, shape (K,).
    """

    def __init__(self, problem: Any, placement: Placement | None = None) -> None:
        self.uncounted = problem
        self.gradients = 0
        self.proxes = 0
        self.weights = problem.weights if placement is None else placement.weights_here
        self._samples = int(problem.sizes.sum())
        self._takes_start = has_argument(getattr(problem, "prox", None), "start_k")

    def __getattr__(self, name: str) -> Any:
        if name == "uncounted":  # not there yet while a copy is made
            raise AttributeError(name)
        return getattr(self.uncounted, name)

    def grad(self, theta_k: Array, clients: Array | None = None, batch: Any = None) -> Array:
        """The problem's gradient, counted once for each sample of the clients, or of the batch."""
        if theta_k.shape[0] == 0:
            return 0 * theta_k
        if batch is not None:
            self.gradients += batch.samples
            return self.uncounted.grad(theta_k, clients, batch)
        if is_everyone(clients, self.uncounted.K):
            self.gradients += self._samples
            return self.uncounted.grad(theta_k)  # without `clients`, no sample is copied
        self.gradients += self._samples_of(clients)
        return self.uncounted.grad(theta_k, clients)

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """The problem's values and gradients, counted as :meth:`grad` counts."""
        self.gradients += self._samples_of(clients)
        value_k, grad_k = self.uncounted.value_and_grad(theta_k, clients)
        return value_k, grad_k

    def prox(
        self, v_k: Array, s: float, clients: Array | None = None, start_k: Array | None = None
    ) -> Array:
        """The problem's proximal points, counted once for each client."""
        if v_k.shape[0] == 0:
            return 0 * v_k
        self.proxes += int(v_k.shape[0])
        if start_k is None or not self._takes_start:
            return self.uncounted.prox(v_k, s, clients)
        return self.uncounted.prox(v_k, s, clients, start_k=start_k)

    def _samples_of(self, clients: Array | None) -> int:
        if clients is None:
            return self._samples
        return int(np.asarray(self.uncounted.sizes)[to_numpy(clients)].sum())


def has_argument(function: Any, name: str) -> bool:
    """Whether a function takes an argument of this name."""
    try:
        return name in signature(function).parameters
    except (TypeError, ValueError):  # no function, or one that does not say
        return False
