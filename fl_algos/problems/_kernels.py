"""Linear models at all clients: gradients and Hessian products with few passes over the samples.

A gradient uses each sample twice, for a prediction and for its share of the sum. Large problems in
NumPy wait for the memory that the samples come from, so the second use should find them in a cache:
the compiled kernel takes a few samples of a client at a time, and NumPy without numba a few clients
at a time. The two agree up to rounding.

The arrays are x (rows, d), y (rows,) and weights (rows,), and the layout says which rows are whose.
`clients` are numbers, None for all; row j of what is given and returned belongs to the j-th.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from fl_algos._arrays import Array, array_namespace, is_torch_array, norm_k, to_numpy
from fl_algos.problems._layout import Chunk, Layout, Pieces
from fl_algos.problems._loss import Loss

KERNELS = ("auto", "numba", "numpy")
KERNEL = os.environ.get("FL_ALGOS_KERNEL", "auto")
"""Read when the package is imported; "auto" is numba where it works and pays."""
if KERNEL not in KERNELS:
    raise ValueError(f"FL_ALGOS_KERNEL = {KERNEL!r}: one of {', '.join(KERNELS)} is expected")
if KERNEL == "numba" and find_spec("numba") is None:
    raise ImportError("FL_ALGOS_KERNEL = 'numba', but numba is not installed")

PAYS = 2_000_000
"""Numbers in the samples from which "auto" takes numba. To import it takes as long as hundreds of
gradients of a problem of this size; smaller ones are in the caches anyway."""
BLOCK_BYTES = 2 * 1024 * 1024
"""Samples that NumPy takes at a time: as many as a cache holds, and not so few that the calls cost
more than is gained."""
TORCH_BYTES = 64 * 1024 * 1024
"""The same for torch, whose calls cost more, where the samples of some clients are picked out;
those of all are taken at once."""
PIECE_BYTES = 4 * 1024 * 1024
"""Samples of a client that one thread takes: of a larger client several threads take some each."""
SHARES = 4
"""Of each thread: one that wakes late, or meets larger clients, leaves some to the others."""

Arrays = tuple[Array, Array, Array]
"""x, y and weights."""


def is_compiled(x: Array) -> bool:
    """Whether numba takes these samples."""
    if is_torch_array(x):
        return False
    if KERNEL == "auto":
        return bool(x.size >= PAYS) and _numba_works()
    return KERNEL == "numba"


@cache
def _numba_works() -> bool:
    try:
        from fl_algos.problems import _fused  # noqa: F401
    except (ImportError, RuntimeError):  # not installed; no place to keep what it compiles
        return False
    return True


def gradients(
    loss: Loss,
    layout: Layout,
    arrays: Arrays,
    theta_k: Array,
    clients: np.ndarray | None = None,
    *,
    values: bool = False,
    curvature: Array | None = None,
    stack: Arrays | None = None,
) -> tuple[Array | None, Array]:
    """The mean losses at theta_k, (K,), None unless asked for, and their gradients, (K, d).

    `stack` are the same arrays with a first axis for the clients, where these are one block. The
    second derivatives of the losses, times the weights, are written into the clients' rows of
    `curvature`, (rows,), if it is given.
    """
    if is_compiled(arrays[0]):
        return _compiled_gradients(loss, layout, arrays, theta_k, clients, values, curvature)
    if stack is not None and curvature is None and _is_one_call(arrays[0], layout, clients):
        parts = stack if clients is None else tuple(a[clients] for a in stack)
        return _gradients_of(loss, parts, theta_k, values)
    grad_k, value_k = _zeros_like(theta_k), _zeros_like(theta_k[:, 0])
    for chunk in _chunks(layout, arrays[0], clients):
        parts = _parts(arrays, chunk)
        part = _gradients_of(loss, parts, theta_k[chunk.where], values, chunk, curvature)
        grad_k[chunk.where] += part[1]
        if values:
            value_k[chunk.where] += part[0]
    return value_k if values else None, grad_k


def values(
    loss: Loss, layout: Layout, arrays: Arrays, theta_k: Array, clients: np.ndarray | None
) -> Array:
    """The mean losses at theta_k, shape (K,)."""
    value_k = _zeros_like(theta_k[:, 0])
    for chunk in _chunks(layout, arrays[0], clients):
        x_k, y_k, weights_k = _parts(arrays, chunk)
        z_k = _predict(x_k, theta_k[chunk.where])
        value_k[chunk.where] += _mean_loss(loss, z_k, y_k, weights_k)
    return value_k


def products(
    layout: Layout, x: Array, curvature: Array, v_k: Array, clients: np.ndarray | None
) -> Array:
    """X_k' diag(curvature of k) X_k v_k for each of the clients, shape (K, d)."""
    if is_compiled(x):
        return _compiled_products(layout, x, curvature, v_k, clients)
    product_k = _zeros_like(v_k)
    for chunk in _chunks(layout, x, clients):
        x_k, curvature_k = chunk.of(x), chunk.of(curvature)
        z_k = curvature_k * _predict(x_k, v_k[chunk.where])
        product_k[chunk.where] += _sum_up(x_k, z_k)
    return product_k


def hessians(layout: Layout, x: Array, curvature: Array, clients: np.ndarray | None) -> Array:
    """X_k' diag(curvature of k) X_k for each of the clients, shape (K, d, d)."""
    number, d = len(layout.sizes) if clients is None else len(clients), x.shape[1]
    hessian_k = _zeros_like(x, (number, d, d))
    for chunk in _chunks(layout, x, clients):
        x_k, curvature_k = chunk.of(x), chunk.of(curvature)
        hessian_k[chunk.where] += x_k.mT @ (curvature_k[..., None] * x_k)
    return hessian_k


def squares(layout: Layout, x: Array, weights: Array) -> Array:
    """The weighted sums of the squares of each feature, shape (K, d)."""
    K, d = len(layout.sizes), x.shape[1]
    square_k = _zeros_like(x, (K, d))
    for chunk in _chunks(layout, x, None):
        square_k[chunk.where] += _sum_up(chunk.of(x) ** 2, chunk.of(weights))
    return square_k


def longest(layout: Layout, x: Array) -> float:
    """The largest norm of a row."""
    norms = [norm_k(chunk.of(x)) for chunk in _chunks(layout, x, None)]
    return max(float(to_numpy(norm.max())) for norm in norms)


def sums(layout: Layout, a: Array, clients: np.ndarray) -> Array:
    """The sum of what an array (rows,), zero for rows of no weight, has for each of the clients."""
    sum_k = _zeros_like(a, (len(clients),))
    for chunk in _chunks(layout, a[:, None], clients):
        sum_k[chunk.where] += chunk.of(a).sum(-1)
    return sum_k


# --- arrays of NumPy and torch -------------------------------------------------------------------


def _chunks(layout: Layout, x: Array, clients: np.ndarray | None) -> Iterator[Chunk]:
    """Stacks that are in a cache when they are used again."""
    most = BLOCK_BYTES
    if is_torch_array(x):
        most = TORCH_BYTES if clients is not None else x.nbytes
    return layout.chunks(clients, max(1, most // (x.shape[1] * x.itemsize)))


def _is_one_call(x: Array, layout: Layout, clients: np.ndarray | None) -> bool:
    """Whether nothing is gained by taking a few clients at a time."""
    if is_torch_array(x):
        return clients is None
    share = 1 if clients is None else len(clients) / len(layout.sizes)
    return bool(x.nbytes * share <= BLOCK_BYTES)


def _parts(arrays: Arrays, chunk: Chunk) -> Arrays:
    x, y, weights = arrays
    return chunk.of(x), chunk.of(y), chunk.of(weights)


def _gradients_of(
    loss: Loss,
    parts: Arrays,
    theta_k: Array,
    values: bool,
    chunk: Chunk | None = None,
    curvature: Array | None = None,
) -> tuple[Array | None, Array]:
    x_k, y_k, weights_k = parts
    z_k = _predict(x_k, theta_k)
    grad_k = _sum_up(x_k, weights_k * loss.slope(z_k, y_k))
    if curvature is not None and chunk is not None:
        chunk.put(curvature, weights_k * loss.curvature(z_k, y_k))
    return _mean_loss(loss, z_k, y_k, weights_k) if values else None, grad_k


def _predict(x_k: Array, theta_k: Array) -> Array:
    """z_k = <x, theta_k> for each sample x, shape (m, most)."""
    return (x_k @ theta_k[..., None])[..., 0]


def _sum_up(x_k: Array, z_k: Array) -> Array:
    """The sum of z_i x_i over the samples of each client, shape (m, d)."""
    return (z_k[..., None, :] @ x_k)[..., 0, :]


def _mean_loss(loss: Loss, z_k: Array, y_k: Array, weights_k: Array) -> Array:
    return array_namespace(z_k).sum(weights_k * loss.value(z_k, y_k), axis=-1)


def _zeros_like(x: Array, shape: tuple[int, ...] | None = None) -> Array:
    xp = array_namespace(x)
    return xp.zeros(tuple(x.shape) if shape is None else shape, dtype=x.dtype, device=x.device)


# --- compiled ------------------------------------------------------------------------------------


def _pieces(layout: Layout, x: Array, clients: np.ndarray | None) -> Pieces:
    return layout.pieces(clients, max(1, PIECE_BYTES // (x.shape[1] * x.itemsize)))


def writable(x: np.ndarray) -> np.ndarray:
    """An array of the one kind for which the kernel is compiled."""
    return np.require(x, requirements=["C", "W"])


def _compiled_gradients(
    loss: Loss,
    layout: Layout,
    arrays: Arrays,
    theta_k: Array,
    clients: np.ndarray | None,
    values: bool,
    curvature: Array | None,
) -> tuple[Array | None, Array]:
    from fl_algos.problems import _fused

    x, y, weights = arrays
    pieces = _pieces(layout, x, clients)
    theta_k, number = writable(theta_k), len(pieces.table)
    grad_k = np.empty((number, x.shape[1]), x.dtype)
    value_k = np.empty(number if values else 0, x.dtype)
    curvature = np.empty(0, x.dtype) if curvature is None else curvature
    name = _fused.LOSSES[loss.name]

    def work(first: int, last: int) -> None:
        _fused.gradients(
            name, x, y, weights, pieces.table[first:last], theta_k, grad_k, value_k, curvature
        )

    in_parallel(work, number, _fused.THREADS)
    return pieces.total(value_k) if values else None, pieces.total(grad_k)


def _compiled_products(
    layout: Layout, x: Array, curvature: Array, v_k: Array, clients: np.ndarray | None
) -> Array:
    from fl_algos.problems import _fused

    pieces = _pieces(layout, x, clients)
    v_k, number = writable(v_k), len(pieces.table)
    product_k = np.empty((number, x.shape[1]), x.dtype)

    def work(first: int, last: int) -> None:
        _fused.products(x, curvature, pieces.table[first:last], v_k, product_k)

    in_parallel(work, number, _fused.THREADS)
    return pieces.total(product_k)


def compiled_conjugate_gradients(
    layout: Layout,
    x: Array,
    curvature: Array,
    clients: np.ndarray,
    system: tuple[Array, Array, Array, Array],
    most: int,
) -> tuple[Array, Any]:
    """:func:`~fl_algos.problems._newton.conjugate_gradients`, client by client.

    All of it on one client before the next, so that a cache has its samples from the second
    product on.
    """
    from fl_algos.problems import _fused

    grad_k, diagonal_k, scale_k, enough_k = map(writable, system)
    firsts, ends = layout.firsts[clients], layout.firsts[clients] + layout.sizes[clients]
    rows_k = np.stack([firsts, ends], axis=1)
    step_k = np.empty_like(grad_k)
    number_k = np.empty(len(clients), np.int64)

    def work(first: int, last: int) -> None:
        _fused.conjugate_gradients(
            x,
            curvature,
            rows_k,
            grad_k,
            diagonal_k,
            scale_k,
            enough_k,
            most,
            step_k,
            number_k,
            first,
            last,
        )

    in_parallel(work, len(clients), _fused.THREADS)
    return step_k, number_k


def in_parallel(work: Callable[[int, int], None], number: int, threads: int) -> None:
    """Do the work from 0 to a number, by shares, on so many threads, this one among them."""
    size = -(-number // (SHARES * threads)) or 1
    firsts = iter(range(0, number, size))

    def take_shares() -> None:
        for first in firsts:  # each goes to the thread that comes for it first
            work(first, min(first + size, number))

    others = [_pool(os.getpid(), threads).submit(take_shares) for _ in range(threads - 1)]
    take_shares()
    for other in others:
        if not other.cancel():  # it has begun
            other.result()


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads beside this one; a forked process needs new ones, for none go along."""
    return ThreadPoolExecutor(threads - 1)
