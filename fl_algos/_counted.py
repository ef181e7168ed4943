"""A problem that counts what is asked of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from fl_algos._arrays import Array, fingerprint, is_everyone, is_stacked, stack, to_numpy


class Counted:
    """A problem with counters of what all its clients have computed.

    Attributes:
        uncounted: the problem itself.
        gradients: per-sample gradients so far.
        proxes: proximal points so far.
    """

    def __init__(self, problem: Any) -> None:
        self.uncounted = problem
        self.gradients = 0
        self.proxes = 0
        self._samples = int(problem.sizes.sum())
        self._has_both = has_both(problem)
        self._known: tuple[Array, Hashable, Array] | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "uncounted":  # not there yet while a copy is made
            raise AttributeError(name)
        return getattr(self.uncounted, name)

    def at_server(self, theta: Array) -> tuple[Array, Array]:
        """The values and gradients of all clients at theta (d,), for metrics: nobody pays for them.

        If :meth:`grad` is asked next for the gradients there, these are at hand.
        """
        theta_k = stack(theta, self.uncounted.K)
        if not self._has_both:
            return self.uncounted.value(theta_k), self.uncounted.grad(theta_k)
        value_k, grad_k = self.uncounted.value_and_grad(theta_k)
        self._known = theta, fingerprint(theta), grad_k
        return value_k, grad_k

    def grad(self, theta_k: Array, clients: Array | None = None, batch: Any = None) -> Array:
        """The problem's gradient, counted once for each sample of the clients, or of the batch."""
        if batch is not None:
            self.gradients += batch.samples
            return self.uncounted.grad(theta_k, clients, batch)
        clients = None if is_everyone(clients, self.uncounted.K) else clients
        self.gradients += self._samples_of(clients)
        if clients is not None:
            return self.uncounted.grad(theta_k, clients)
        known, self._known = self._known, None  # given away once: who gets it may write to it
        if known is not None and is_stacked(theta_k) and fingerprint(theta_k[0]) == known[1]:
            return known[2]
        return self.uncounted.grad(theta_k)  # without `clients`, no sample is copied

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """The problem's values and gradients, counted as :meth:`grad` counts."""
        self.gradients += self._samples_of(clients)
        value_k, grad_k = self.uncounted.value_and_grad(theta_k, clients)
        return value_k, grad_k

    def prox(
        self, v_k: Array, s: float, clients: Array | None = None, start_k: Array | None = None
    ) -> Array:
        """The problem's proximal points, counted once for each client."""
        if not hasattr(self.uncounted, "prox"):
            raise ValueError(
                f"{type(self.uncounted).__name__} has no method prox, by which local problems are "
                "solved exactly: an oracle that takes steps is expected, GD, SGD or VR"
            )
        self.proxes += int(v_k.shape[0])
        if start_k is None:  # a problem need not know of it
            return self.uncounted.prox(v_k, s, clients)
        return self.uncounted.prox(v_k, s, clients, start_k=start_k)

    def _samples_of(self, clients: Array | None) -> int:
        if clients is None:
            return self._samples
        return int(self.uncounted.sizes[to_numpy(clients)].sum())


def has_both(problem: Any) -> bool:
    """Whether value_and_grad is there, and no subclass has changed only what it stands for."""
    for names in (getattr(problem, "__dict__", {}), *map(vars, type(problem).__mro__)):
        if not {"value", "grad", "value_and_grad"}.isdisjoint(names):
            return "value_and_grad" in names
    return False
