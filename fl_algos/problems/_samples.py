"""The samples of all clients, and the mean losses of linear predictions on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, is_torch_array, kind_of, like, place, to_numpy
from fl_algos.draw import Batch
from fl_algos.problems import _kernels
from fl_algos.problems._layout import Layout, everyone_is_none, layout
from fl_algos.problems._loss import Loss


@dataclass(frozen=True)
class Samples:
    """The samples of all clients, those of each one after the other.

    Attributes:
        layout: which rows are whose.
        x: shape (rows, d); where a client has fewer samples than room, zeros of no weight.
        y: shape (rows,).
        weights: 1/n_k for a sample of client k, shape (rows,).
    """

    loss: Loss
    layout: Layout
    x: Array
    y: Array
    weights: Array

    @property
    def sizes(self) -> np.ndarray:
        """n_k, shape (K,)."""
        return self.layout.sizes

    def to(self, device: str | None, dtype: str | None) -> Samples:
        """The same in NumPy or in torch."""
        x, y, weights = (place(a, device, dtype) for a in (self.x, self.y, self.weights))
        return replace(self, x=x, y=y, weights=weights)

    def check(self, name: str, theta_k: Array, clients: Array | None) -> np.ndarray | None:
        """Refuse what is not a row for each of the clients; return their numbers, None for all."""
        K = len(self.sizes)
        _checks.rows(name, theta_k, clients, self.x, K)
        return None if clients is None else everyone_is_none(to_numpy(clients), K)

    def value(self, theta_k: Array, clients: np.ndarray | None = None) -> Array:
        """The mean losses, shape (K,)."""
        return _kernels.values(self.loss, self.layout, self._arrays, theta_k, clients)

    def grad(self, theta_k: Array, clients: np.ndarray | None = None) -> Array:
        """The gradients of those of the clients, shape (K, d)."""
        return _kernels.gradients(
            self.loss, self.layout, self._arrays, theta_k, clients, stack=self._stack
        )[1]

    def value_and_grad(
        self, theta_k: Array, clients: np.ndarray | None = None
    ) -> tuple[Array, Array]:
        """Both, in one pass over the samples."""
        return _kernels.gradients(
            self.loss, self.layout, self._arrays, theta_k, clients, values=True, stack=self._stack
        )

    def grad_and_curvature(
        self, theta_k: Array, clients: np.ndarray | None, curvature: Array
    ) -> Array:
        """The gradients; the weighted second derivatives of the losses go to `curvature`, (rows,).

        Only rows of these clients are written to; those of no weight need not be.
        """
        return _kernels.gradients(
            self.loss, self.layout, self._arrays, theta_k, clients, curvature=curvature
        )[1]

    def product(self, curvature: Array, v_k: Array, clients: np.ndarray | None) -> Array:
        """The Hessians with this curvature, (rows,), times v_k, shape (K, d)."""
        return _kernels.products(self.layout, self.x, curvature, v_k, clients)

    def hessian(self, theta_k: Array, clients: np.ndarray | None = None) -> Array:
        """The Hessians, shape (K, d, d)."""
        curvature = array_namespace(theta_k).zeros_like(self.weights)
        self.grad_and_curvature(theta_k, clients, curvature)
        return _kernels.hessians(self.layout, self.x, curvature, clients)

    def squares(self) -> tuple[Array, np.ndarray]:
        """The mean squares of each feature, (K, d), and those of the targets, (K,)."""
        squares_k = _kernels.squares(self.layout, self.x, self.weights)
        target_k = _kernels.squares(self.layout, self.y[:, None], self.weights)
        return squares_k, to_numpy(target_k)[:, 0].astype(np.float64)

    def longest(self) -> float:
        """The largest norm of a sample."""
        return _kernels.longest(self.layout, self.x)

    def batch(self, batch: Batch, clients: np.ndarray | None = None) -> Samples:
        """The samples of a batch, with its weights; it has a row for each of the clients."""
        firsts = self.layout.firsts if clients is None else self.layout.firsts[clients]
        number, size = batch.rows_k.shape
        rows = (firsts[:, None] + batch.rows_k).reshape(-1)
        return Samples(
            self.loss,
            equal_layout(number, size),
            self.x[rows],
            self.y[rows],
            batch.weights_k.reshape(-1),
        )

    def pooled(self, weights: np.ndarray) -> Samples:
        """All samples with one client: its loss is the weighted mean of the losses.

        The samples themselves are not copied.
        """
        order = np.argsort(self.layout.firsts)
        scale = np.repeat(weights[order], self.layout.rooms[order])
        scaled = self.weights * like(scale, self.weights)
        return replace(self, layout=equal_layout(1, self.layout.rows), weights=scaled)

    @cached_property
    def _arrays(self) -> tuple[Array, Array, Array]:
        return self.x, self.y, self.weights

    @cached_property
    def _stack(self) -> tuple[Array, Array, Array] | None:
        """Views of the arrays with a first axis for the clients, where these are one block."""
        if not self.layout.is_one_block:
            return None
        K = len(self.sizes)
        room = self.layout.rows // K
        x_k = self.x.reshape((K, room, self.x.shape[1]))
        return x_k, self.y.reshape((K, room)), self.weights.reshape((K, room))


def equal_layout(K: int, n: int) -> Layout:
    """The layout for K clients with n samples each."""
    sizes = np.full(K, n)
    return Layout(sizes, n * np.arange(K), sizes, np.zeros(K, dtype=np.int64), K * n)


def stack_samples(loss: Loss, X: Sequence[Array], y: Sequence[np.ndarray]) -> Samples:
    """The samples and targets of all clients, with the type and on the device of X[0]."""
    sizes, d = np.array([len(x) for x in X]), int(X[0].shape[1])
    where = layout(sizes, d)
    x = _zeros((where.rows, d), X[0])
    y_all, weights = np.zeros(where.rows), np.zeros(where.rows)
    for k, (first, n_k) in enumerate(zip(where.firsts, sizes, strict=True)):
        rows = slice(first, first + n_k)
        x[rows] = like(X[k], x)
        y_all[rows] = y[k]
        weights[rows] = 1 / n_k
    return Samples(loss, where, x, like(y_all, x), like(weights, x))


def _zeros(shape: tuple[int, ...], reference: Array) -> Array:
    """Zeros like a reference; where a system gives memory on the first write, they need none."""
    if not is_torch_array(reference):
        return np.zeros(shape, reference.dtype)
    import torch

    return torch.zeros(shape, dtype=reference.dtype, device=reference.device)


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
