"""What logistic regression and least squares have in common."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, like, to_numpy
from fl_algos.draw import Batch
from fl_algos.problems import _kernels, _newton, _proximal
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import Samples


class LinearModel:
    """f_k is the mean loss of linear predictions on the samples of client k, and a penalty."""

    def __init__(self, samples: Samples, penalty: Penalty, weights: Sequence[float] | None) -> None:
        self._samples, self._penalty = samples, penalty
        self.K, self.d = len(samples.sizes), int(samples.x.shape[-1])
        self.sizes = samples.sizes
        self.weights = _checks.client_weights("weights", weights, self.K)
        self._all: tuple[np.ndarray, Samples] | None = None

    def __repr__(self) -> str:
        sizes = self.sizes
        n = f"{sizes.min()} to {sizes.max()}" if np.ptp(sizes) > 0 else f"{sizes[0]}"
        constants = "".join(f", {name} = {value:.4g}" for name, value in self._known().items())
        return f"<{type(self).__name__}: K = {self.K}, n = {n}, d = {self.d}{constants}>"

    def to(self, device: str | None = None, dtype: str | None = None) -> Self:
        """The same problem in NumPy (device None) or in torch on a device, dtype unless None."""
        _checks.destination(device, dtype)
        moved = copy.copy(self)
        moved._samples, moved._all = self._samples.to(device, dtype), None
        for name, known in vars(self).items():
            # Converted data have slightly other ones; what is not known stays so.
            if isinstance(getattr(type(self), name, None), cached_property) and known is not None:
                del vars(moved)[name]
        return moved

    def asarray(self, x: Array) -> Array:
        """x with the type and on the device of the problem's data."""
        return like(x, self._samples.x)

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """f_k(theta_k), shape (K,)."""
        numbers = self._samples.check("theta_k", theta_k, clients)
        return self._samples.value(theta_k, numbers) + self._penalty.value(theta_k)

    def grad(
        self, theta_k: Array, clients: Array | None = None, batch: Batch | None = None
    ) -> Array:
        """The gradients of f_k at theta_k, shape (K, d); with a batch their estimates from it."""
        samples = self._samples
        numbers = samples.check("theta_k", theta_k, clients)
        if batch is not None:
            samples, numbers = samples.batch(batch, numbers), None
        return samples.grad(theta_k, numbers) + self._penalty.grad(theta_k)

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """f_k(theta_k), shape (K,), and the gradients, (K, d), for the price of the gradients."""
        numbers = self._samples.check("theta_k", theta_k, clients)
        value_k, grad_k = self._samples.value_and_grad(theta_k, numbers)
        return value_k + self._penalty.value(theta_k), grad_k + self._penalty.grad(theta_k)

    def objective(self, theta: Array) -> tuple[Array, Array]:
        """The weighted mean of the f_k at theta (d,), a number, and its gradient, (d,).

        In one pass over the samples, without the gradients of the clients one by one.
        """
        theta_1 = theta[None]
        _checks.rows("theta[None]", theta_1, None, self._samples.x, 1)
        value_1, grad_1 = self._pooled().value_and_grad(theta_1)
        value, grad = value_1 + self._penalty.value(theta_1), grad_1 + self._penalty.grad(theta_1)
        return value[0], grad[0]

    def prox(
        self, v_k: Array, s: float, clients: Array | None = None, start_k: Array | None = None
    ) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)``, shape (K, d).

        By Newton's method with conjugate gradients; a client that has arrived costs nothing more.

        Args:
            v_k: shape (K, d).
            s: step size, > 0.
            clients: whose, all if None; v_k and start_k have a row for each.
            start_k: where the search begins, shape (K, d): v_k if None. The nearer to the solution
                the sooner it ends.

        Raises:
            ValueError: s is not so small that this function is strictly convex, or the shapes do
                not fit.
        """
        return self._prox(v_k, s, clients, start_k)[0]

    def _prox(
        self, v_k: Array, s: float, clients: Array | None = None, start_k: Array | None = None
    ) -> tuple[Array, np.ndarray]:
        """The proximal points, and the passes over its samples that each client has made, (K,)."""
        s = _checks.proximal_step("s", s, self._penalty.smallest_curvature)
        samples = self._samples
        samples.check("v_k", v_k, clients)
        if start_k is not None:
            samples.check("start_k", start_k, clients)
        numbers = np.arange(self.K) if clients is None else to_numpy(clients)
        squares_k, slope_k = self._scales_k
        x_k = array_namespace(v_k).empty_like(v_k)
        passes_k = np.empty(len(numbers), dtype=np.int64)
        for group in self._groups(len(numbers)):
            some = numbers[group]
            h = _proximal.Proximal(
                samples, self._penalty, some, v_k[group], s, squares_k[some], slope_k[some]
            )
            start = v_k if start_k is None else start_k
            x_k[group], passes_k[group] = _newton.minimise_k(h, start[group])
        return x_k, passes_k

    def _groups(self, number: int) -> Iterator[slice]:
        """Clients that are dealt with together: more of them would need much memory at once."""
        direct = self.d <= _proximal.DIRECT and not _kernels.is_compiled(self._samples.x)
        size = _proximal.NUMBERS * 4 // self.d**2 if direct else _proximal.NUMBERS // self.d
        size = max(16, size)
        for first in range(0, number, size):
            yield slice(first, min(first + size, number))

    def _minimiser(self) -> tuple[Array, float]:
        """The minimiser of the weighted mean, (d,), in NumPy and float64, and |grad| there."""
        samples, zero = (
            self._samples.to(None, "float64").pooled(self.weights),
            np.zeros((1, self.d)),
        )
        squares_k, slope_k = (to_numpy(x_k).astype(np.float64) for x_k in self._scales_k)
        squares, slope = self.weights @ squares_k, self.weights @ slope_k
        h = _proximal.Proximal(
            samples, self._penalty, np.arange(1), zero, np.inf, squares[None], slope[None]
        )
        theta, _ = _newton.minimise_k(h, zero)
        norm = np.linalg.norm(samples.grad(theta) + self._penalty.grad(theta))
        return theta[0], float(norm)

    @cached_property
    def _scales_k(self) -> tuple[Array, np.ndarray]:
        """The mean squares of the features, (K, d), and about how large the slopes are, (K,)."""
        squares_k, target_k = self._samples.squares()
        return squares_k, np.sqrt(target_k)

    def _pooled(self) -> Samples:
        if self._all is None or self._all[0] is not self.weights:
            self._all = self.weights, self._samples.pooled(self.weights)
        return self._all[1]

    def _known(self) -> dict[str, float]:
        """The constants that are known without computing."""
        raise NotImplementedError
