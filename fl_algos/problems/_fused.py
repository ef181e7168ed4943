"""The compiled kernel: passes over the samples of linear models that read each once from memory.

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
    x: Array,
    y: Array,
    weights: Array,
    pieces: Array,
    theta_k: Array,
    grad_k: Array,
    value_k: Array,
    curvature: Array,
) -> None:
    """Fill rows of grad_k, and of value_k and curvature unless these are empty.

    A piece is the first of its samples, the one after the last, the row of theta_k, and the row of
    grad_k and value_k.
    """
    block = rows_of_a_block(x)
    z = np.empty(block, x.dtype)
    for p in range(len(pieces)):
        begin, end, j, target = pieces[p]
        grad_k[target] = 0
        value = 0.0
        for i in range(begin, end, block):
            rows = slice(i, min(i + block, end))
            predict(x[rows], theta_k[j], z)
            if value_k.size > 0:
                value += total_loss(loss, z, y[rows], weights[rows])
            if curvature.size > 0:
                curvatures(loss, z, weights[rows], curvature[rows])
            slopes(loss, z, y[rows], weights[rows])
            add(x[rows], z, grad_k[target])
        if value_k.size > 0:
            value_k[target] = value


@compiled
def products(x: Array, curvature: Array, pieces: Array, v_k: Array, product_k: Array) -> None:
    """Fill rows of product_k with X' diag(curvature) X v; pieces as for :func:`gradients`."""
    block = rows_of_a_block(x)
    z = np.empty(block, x.dtype)
    for p in range(len(pieces)):
        begin, end, j, target = pieces[p]
        product_k[target] = 0
        multiply(x[begin:end], curvature[begin:end], v_k[j], product_k[target], z)


@compiled
def conjugate_gradients(
    x: Array,
    curvature: Array,
    rows_k: Array,
    grad_k: Array,
    diagonal_k: Array,
    scale_k: Array,
    enough_k: Array,
    most: int,
    step_k: Array,
    number_k: Array,
    first: int,
    last: int,
) -> None:
    """Solve (X' diag(curvature) X + diag(diagonal)) step = -grad for the rows from first to last.

    Until the residual's norm is at most enough_k, preconditioned by the diagonal scale_k, by at
    most so many products; number_k says by how many.
    """
    z, d = np.empty(rows_of_a_block(x), x.dtype), x.shape[1]
    residual, direction, product = np.empty(d, x.dtype), np.empty(d, x.dtype), np.empty(d, x.dtype)
    for k in range(first, last):
        rows = slice(rows_k[k, 0], rows_k[k, 1])
        step, diagonal, scale = step_k[k], diagonal_k[k], scale_k[k]
        fit, square = 0.0, 0.0
        for j in range(d):
            step[j] = 0
            residual[j] = -grad_k[k, j]
            direction[j] = residual[j] / scale[j]
            fit += residual[j] * direction[j]
            square += residual[j] * residual[j]
        number = 0
        while number < most and square > enough_k[k] ** 2:
            number += 1
            slope = 0.0
            for j in range(d):
                product[j] = diagonal[j] * direction[j]
            multiply(x[rows], curvature[rows], direction, product, z)
            for j in range(d):
                slope += product[j] * direction[j]
            if not slope > 0:  # NaN too
                break
            length, before = fit / slope, fit
            fit, square = 0.0, 0.0
            for j in range(d):
                step[j] += length * direction[j]
                residual[j] -= length * product[j]
                fit += residual[j] * residual[j] / scale[j]
                square += residual[j] * residual[j]
            for j in range(d):
                direction[j] = residual[j] / scale[j] + fit / before * direction[j]
        number_k[k] = number


@compiled
def multiply(x: Array, curvature: Array, v: Array, product: Array, z: Array) -> None:
    """Add X' diag(curvature) X v to the product."""
    for i in range(0, x.shape[0], z.size):
        rows = slice(i, min(i + z.size, x.shape[0]))
        predict(x[rows], v, z)
        c = curvature[rows]
        for a in range(c.size):
            z[a] *= c[a]
        add(x[rows], z, product)


@compiled
def rows_of_a_block(x: Array) -> int:
    """As many as a core's own cache holds, a multiple of four."""
    fit: int = BLOCK_BYTES // (x.shape[1] * x.itemsize)
    return min(max(fit - fit % 4, 4), MOST_ROWS)


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
def curvatures(loss: int, z: Array, weights: Array, curvature: Array) -> None:
    """The weighted second derivatives of the losses of the predictions z."""
    for i in range(weights.size):
        if loss == SQUARES:
            curvature[i] = weights[i]
        else:
            e = exp(-abs(z[i]))
            curvature[i] = weights[i] * e / ((1 + e) * (1 + e))


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
