"""The compiled kernel: gradients of linear models that read each sample once from memory.

Only this module imports numba, which takes longer than many a run; `_kernels` imports it where that
pays. What is compiled, for float32 and for float64, is kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import config, njit

Array = Any
F = TypeVar("F", bound=Callable[..., Any])

THREADS = int(config.NUMBA_NUM_THREADS)
"""The cores that this process may use, or what the variable NUMBA_NUM_THREADS says."""
LOSSES = {"logistic": 0, "squares": 1}
SQUARES = LOSSES["squares"]
ROWS = 16
"""Samples of a block: so few that they are still in the cache when they are used again."""


def compiled(function: F) -> F:
    """Compile a function when it is first called.

    A sum may be taken in the order that suits the processor, but it is one order, whatever the
    number of threads; NaN and infinity stay what they are.
    """
    options: dict[str, Any] = {"nogil": True, "cache": True}
    options["fastmath"] = {"reassoc", "contract", "nsz", "arcp"}
    compiled: F = njit(**options)(function)
    return compiled


@compiled
def gradients(
    loss: int,
    x_k: Array,
    y_k: Array,
    weights_k: Array,
    sizes: Array,
    clients: Array,
    theta_k: Array,
    grad_k: Array,
    value_k: Array,
    first: int,
    last: int,
) -> None:
    """Fill the rows from first to last of grad_k, and of value_k unless it is empty.

    Row j is the gradient of client clients[j] at theta_k[j].
    """
    z = np.empty(ROWS, x_k.dtype)
    for j in range(first, last):
        k = clients[j]
        grad_k[j] = 0
        value = 0.0
        for i in range(0, sizes[k], ROWS):
            rows = slice(i, min(i + ROWS, sizes[k]))
            x, y, weights = x_k[k, rows], y_k[k, rows], weights_k[k, rows]
            predict(x, theta_k[j], z)
            if value_k.size > 0:
                value += total_loss(loss, z, y, weights)
            slopes(loss, z, y, weights)
            add(x, z, grad_k[j])
        if value_k.size > 0:
            value_k[j] = value


@compiled
def predict(x: Array, theta: Array, z: Array) -> None:
    """z_i = <x_i, theta>, one sample after the other: more streams of memory would be slower."""
    for i in range(x.shape[0]):
        total = x.dtype.type(0)
        for j in range(x.shape[1]):
            total += x[i, j] * theta[j]
        z[i] = total


@compiled
def total_loss(loss: int, z: Array, y: Array, weights: Array) -> float:
    """The weighted sum of the losses of the predictions z."""
    total = 0.0
    for i in range(y.size):
        if loss == SQUARES:
            total += weights[i] * (z[i] - y[i]) ** 2 / 2
        else:
            margin = y[i] * z[i]
            total += weights[i] * (np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0))
    return total


@compiled
def slopes(loss: int, z: Array, y: Array, weights: Array) -> None:
    """Replace each prediction by the weighted derivative of its loss."""
    one = z.dtype.type(1)
    for i in range(y.size):
        if loss == SQUARES:
            z[i] = weights[i] * (z[i] - y[i])
        else:
            z[i] = -weights[i] * y[i] / (one + np.exp(y[i] * z[i]))


@compiled
def add(x: Array, z: Array, grad: Array) -> None:
    """Add the sum of z_i x_i to grad, four samples at a time."""
    rows, d = x.shape
    fours = rows - rows % 4
    for i in range(0, fours, 4):
        a, b, c, e = z[i], z[i + 1], z[i + 2], z[i + 3]
        for j in range(d):
            grad[j] += a * x[i, j] + b * x[i + 1, j] + c * x[i + 2, j] + e * x[i + 3, j]
    for i in range(fours, rows):
        a = z[i]
        for j in range(d):
            grad[j] += a * x[i, j]
