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
BLOCK_BYTES = 256 * 1024
"""Samples of a block: so few that a core's own cache still has them when they are used again. Where
they come from memory, longer blocks are better, for between two of them no memory is read."""
MOST_ROWS = 64
LOG2_E, LN_2 = np.log2(np.e), np.log(2.0)


def compiled(function: F) -> F:
    """Compile a function when it is first called.

    A sum may be taken in the order that suits the processor, but it is one order, whatever the
    number of threads; NaN and infinity stay what they are.
    """
    options: dict[str, Any] = {"nogil": True, "cache": True}
    options["fastmath"] = {"reassoc", "contract", "nsz", "arcp"}
    options["error_model"] = "numpy"  # a check for zero before each division is no vector code
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
    fit = BLOCK_BYTES // (x_k.shape[2] * x_k.itemsize)
    block = min(max(fit - fit % 4, 4), MOST_ROWS)
    z = np.empty(block, x_k.dtype)
    for j in range(first, last):
        k = clients[j]
        grad_k[j] = 0
        value = 0.0
        for i in range(0, sizes[k], block):
            rows = slice(i, min(i + block, sizes[k]))
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
    for i in range(y.size):
        if loss == SQUARES:
            z[i] = weights[i] * (z[i] - y[i])
        else:
            z[i] = -weights[i] * y[i] / (1 + exp(y[i] * z[i]))


@compiled
def exp(x: float) -> float:
    """e^x in plain arithmetic, which several samples can share; at most e^708, at least e^-708."""
    x = min(max(float(x), -708.0), 708.0)
    n = np.floor(x * LOG2_E + 0.5)
    r = x - n * LN_2  # at most ln(2)/2, so that 13 terms of the series are enough
    series = 1.0
    for i in range(13, 0, -1):
        series = 1 + series * r / i
    return series * np.int64((np.int64(n) + 1023) << 52).view(np.float64)  # times 2^n


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
