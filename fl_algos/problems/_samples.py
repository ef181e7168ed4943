"""The samples of all clients, and the mean losses of linear predictions on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fl_algos import _checks, _kernels
from fl_algos._arrays import Array, array_namespace, kind_of, like, place, take, to_numpy
from fl_algos.draw import Batch


class Loss(NamedTuple):
    """A function of a prediction z = <x, theta> and a target y, element by element."""

    name: str
    value: Callable[[Array, Array], Array]
    slope: Callable[[Array, Array], Array]
    """Its derivative with respect to z."""
    curvature: Callable[[Array, Array], Array]
    """Its second derivative."""


class Samples(NamedTuple):
    """The samples of all clients, with zero rows of no weight where a client has fewer than most.

    The zeros are not written: where a system gives memory on the first write, most need none.
    """

    loss: Loss
    sizes: np.ndarray  # n_k, shape (K,)
    x_k: Array  # shape (K, most, d)
    y_k: Array  # shape (K, most)
    weights_k: Array  # 1/n_k, shape (K, most)

    def to(self, device: str | None, dtype: str | None) -> Samples:
        """The same in NumPy or in torch."""
        return Samples(self.loss, self.sizes, *(place(x, device, dtype) for x in self[2:]))

    def of(self, clients: Array | slice | None) -> Samples:
        """Those of some of the clients; of a slice of them without zeros that all of these have."""
        if clients is None:
            return self
        if isinstance(clients, slice):
            sizes = self.sizes[clients]
            rows = clients, slice(sizes.max())
            return Samples(self.loss, sizes, *(x[rows] for x in self[2:]))
        return Samples(self.loss, *(take(x, clients) for x in self[1:]))

    def check(self, name: str, theta_k: Array, clients: Array | None) -> None:
        """Refuse what is not a row for each of the clients."""
        _checks.rows(name, theta_k, clients, self.x_k)

    def value(self, theta_k: Array) -> Array:
        """The mean losses, shape (K,)."""
        return self.mean_loss(self.predict(theta_k))

    def grad(self, theta_k: Array, clients: Array | None = None) -> Array:
        """The gradients of those of the clients, shape (K, d)."""
        return _kernels.gradients(self, theta_k, clients)[1]

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """Both, in one pass over the samples."""
        return _kernels.gradients(self, theta_k, clients, values=True)

    def hessian(self, theta_k: Array) -> Array:
        """The Hessians, shape (K, d, d)."""
        curvature_k = self.weights_k * self.loss.curvature(self.predict(theta_k), self.y_k)
        return self.x_k.mT @ (curvature_k[..., None] * self.x_k)

    def batch(self, batch: Batch, clients: Array | None = None) -> Samples:
        """The samples of a batch, with its weights; it has a row for each of the clients."""
        owners = np.arange(len(self.sizes)) if clients is None else to_numpy(clients)
        rows = owners[:, None], batch.rows_k
        return Samples(
            self.loss,
            sizes=np.full(len(owners), batch.rows_k.shape[1]),
            x_k=self.x_k[rows],
            y_k=self.y_k[rows],
            weights_k=batch.weights_k,
        )

    def pooled(self, weights: np.ndarray) -> Samples:
        """All samples with one client, in float64: its loss is the weighted mean of the losses."""
        x_k, y_k, weights_k = (to_numpy(x) for x in self[2:])
        own = np.arange(x_k.shape[1]) < self.sizes[:, None]
        return Samples(
            self.loss,
            self.sizes.sum(keepdims=True),
            x_k[own][None].astype(np.float64, copy=False),
            y_k[own][None].astype(np.float64),
            (weights[:, None] * weights_k)[own][None].astype(np.float64),
        )

    def singular_values(self) -> np.ndarray:
        """Those of X_k/sqrt(n_k) of all clients, min(most, d) of each, in float64."""
        x_k, weights_k = (to_numpy(x).astype(np.float64) for x in (self.x_k, self.weights_k))
        return np.linalg.svd(np.sqrt(weights_k)[..., None] * x_k, compute_uv=False)

    def predict(self, theta_k: Array) -> Array:
        """z_k = <x, theta_k> for each sample x, shape (K, most)."""
        return (self.x_k @ theta_k[..., None])[..., 0]

    def mean_loss(self, z_k: Array) -> Array:
        """The mean losses of these predictions, shape (K,)."""
        xp = array_namespace(z_k)
        return xp.sum(self.weights_k * self.loss.value(z_k, self.y_k), axis=-1)


def stack_samples(loss: Loss, X: Sequence[Array], y: Sequence[np.ndarray]) -> Samples:
    """The samples and targets of all clients, with the type and on the device of X[0]."""
    sizes = np.array([len(x) for x in X])
    K, most, d = len(X), int(sizes.max()), int(X[0].shape[1])
    x_k = np.zeros((K, most, d), kind_of(X[0]).dtype)
    y_k, weights_k = np.zeros((K, most)), np.zeros((K, most))
    for k, n_k in enumerate(sizes):
        x_k[k, :n_k] = to_numpy(X[k])
        y_k[k, :n_k] = y[k]
        weights_k[k, :n_k] = 1 / n_k
    return Samples(loss, sizes, *(like(x, X[0]) for x in (x_k, y_k, weights_k)))


def check_samples(X: Sequence[Array], y: Sequence[Array]) -> None:
    """Refuse X that is not a list of finite, floating arrays (n_k, d), or no y for each."""
    if len(X) == 0:
        raise ValueError("X has no client: K >= 1 is expected")
    if len(X) != len(y):
        raise ValueError(f"y has {len(y)} clients: {len(X)} are expected, as in X")
    for k, x in enumerate(X):
        _checks.floating(f"X[{k}]", x)
        if x.ndim != 2 or x.shape[1] == 0:
            raise ValueError(f"X[{k}] has shape {tuple(x.shape)}: (n_k, d) is expected, d >= 1")
        if len(x) == 0:
            raise ValueError(f"X[{k}] is empty: every client needs a sample")
        _checks.kind(f"X[{k}]", x, kind_of(X[0])._replace(shape=(len(x), X[0].shape[1])))
        _checks.real(f"X[{k}]", x)


def targets(X: Sequence[Array], y: Sequence[Array]) -> list[np.ndarray]:
    """A real number for each sample, as NumPy arrays of float64."""
    found = []
    for k, y_k in enumerate(y):
        target = _checks.labels(f"y[{k}]", y_k)
        if target.dtype.kind not in "biuf":
            raise ValueError(f"y[{k}] has dtype {target.dtype}: numbers are expected")
        _checks.shape(f"y[{k}]", target, (len(X[k]),))
        found.append(target.astype(np.float64))
    return found
