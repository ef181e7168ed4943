"""A problem that counts what is asked of it."""

from __future__ import annotations

from typing import Any

from fl_algos._arrays import Array, to_numpy


class Counted:
    """A problem with counters of what all its clients have computed.

    Attributes:
        uncounted: the problem itself, e.g. for metrics, which no algorithm pays for.
        gradients: per-sample gradients so far.
        proxes: proximal points so far.
    """

    def __init__(self, problem: Any) -> None:
        self.uncounted = problem
        self.gradients = 0
        self.proxes = 0

    def __getattr__(self, name: str) -> Any:
        if name == "uncounted":  # not there yet while a copy is made
            raise AttributeError(name)
        return getattr(self.uncounted, name)

    def grad(self, theta_k: Array, clients: Array | None = None, batch: Any = None) -> Array:
        """The problem's gradient, counted once for each sample of the clients, or of the batch."""
        if batch is not None:
            self.gradients += int((to_numpy(batch.weights_k) > 0).sum())
        else:
            sizes = self.uncounted.sizes
            self.gradients += int((sizes if clients is None else sizes[to_numpy(clients)]).sum())
        return self.uncounted.grad(theta_k, clients, batch)

    def prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """The problem's proximal points, counted once for each client."""
        self.proxes += int(v_k.shape[0])
        return self.uncounted.prox(v_k, s, clients)
