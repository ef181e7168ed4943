"""What logistic regression and least squares have in common."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Self

from fl_algos import _checks
from fl_algos._arrays import Array, like
from fl_algos.draw import Batch
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import Samples


class LinearModel:
    """f_k is the mean loss of linear predictions on the samples of client k, and a penalty."""

    def __init__(self, samples: Samples, penalty: Penalty, weights: Sequence[float] | None) -> None:
        self._samples, self._penalty = samples, penalty
        self.K, self.d = len(samples.sizes), int(samples.x_k.shape[-1])
        self.sizes = samples.sizes
        self.weights = _checks.client_weights("weights", weights, self.K)

    def to(self, device: str | None = None, dtype: str | None = None) -> Self:
        """The same problem in NumPy (device None) or in torch on a device, dtype unless None."""
        _checks.destination(device, dtype)
        moved = copy.copy(self)
        moved._samples = self._samples.to(device, dtype)
        for name, known in vars(self).items():
            # Converted data have slightly other ones; what is not known stays so.
            if isinstance(getattr(type(self), name, None), cached_property) and known is not None:
                del vars(moved)[name]
        return moved

    def asarray(self, x: Array) -> Array:
        """x with the type and on the device of the problem's data."""
        return like(x, self._samples.x_k)

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """f_k(theta_k), shape (K,)."""
        self._samples.check("theta_k", theta_k, clients)
        return self._samples.of(clients).value(theta_k) + self._penalty.value(theta_k)

    def grad(
        self, theta_k: Array, clients: Array | None = None, batch: Batch | None = None
    ) -> Array:
        """The gradients of f_k at theta_k, shape (K, d); with a batch their estimates from it."""
        samples = self._samples
        samples.check("theta_k", theta_k, clients)
        if batch is not None:
            samples, clients = samples.batch(batch, clients), None
        return samples.grad(theta_k, clients) + self._penalty.grad(theta_k)

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """f_k(theta_k), shape (K,), and the gradients, (K, d), for the price of the gradients."""
        self._samples.check("theta_k", theta_k, clients)
        value_k, grad_k = self._samples.value_and_grad(theta_k, clients)
        return value_k + self._penalty.value(theta_k), grad_k + self._penalty.grad(theta_k)
