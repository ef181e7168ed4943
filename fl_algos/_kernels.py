"""Gradients of linear models at all clients, with as few passes over the samples as can be.

A gradient uses each sample twice, for a prediction and for its share of the sum. Large problems in
NumPy wait for the memory that the samples come from, so the second use should find them in a cache:
the compiled kernel takes a few samples of a client at a time, and NumPy without numba a few clients
at a time. The two agree up to rounding.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from fl_algos._arrays import Array, is_torch_array, to_numpy

if TYPE_CHECKING:
    from fl_algos.problems._samples import Samples

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
SHARES = 4
"""Of each thread: one that wakes late, or meets larger clients, leaves some to the others."""


def gradients(
    samples: Samples, theta_k: Array, clients: Array | None = None, values: bool = False
) -> tuple[Array | None, Array]:
    """The mean losses at theta_k, (K,), None unless asked for, and their gradients, (K, d)."""
    if is_torch_array(samples.x_k):
        return _stacked(samples.of(clients), theta_k, values)
    if _numba_is_chosen(samples.x_k.size) and theta_k.dtype == samples.x_k.dtype:
        return _compiled(samples, theta_k, clients, values)
    return _in_blocks(samples, theta_k, clients, values)


def _numba_is_chosen(size: int) -> bool:
    if KERNEL == "auto":
        return size >= PAYS and _numba_works()
    return KERNEL == "numba"


@cache
def _numba_works() -> bool:
    try:
        from fl_algos import _fused  # noqa: F401
    except (ImportError, RuntimeError):  # not installed; no place to keep what it compiles
        return False
    return True


def _stacked(samples: Samples, theta_k: Array, values: bool) -> tuple[Array | None, Array]:
    z_k = samples.predict(theta_k)
    slope_k = samples.weights_k * samples.loss.slope(z_k, samples.y_k)
    grad_k = (slope_k[..., None, :] @ samples.x_k)[..., 0, :]
    return samples.mean_loss(z_k) if values else None, grad_k


def _in_blocks(
    samples: Samples, theta_k: Array, clients: Array | None, values: bool
) -> tuple[Array | None, Array]:
    K, size = len(theta_k), max(1, BLOCK_BYTES // samples.x_k[0].nbytes)
    if size >= K:
        return _stacked(samples.of(clients), theta_k, values)
    grad_k, value_k = np.empty_like(theta_k), np.empty_like(theta_k[:, 0])
    for first in range(0, K, size):
        block = slice(first, first + size)
        some = samples.of(block if clients is None else clients[block])
        value_k[block], grad_k[block] = _stacked(some, theta_k[block], values)
    return value_k if values else None, grad_k


def _compiled(
    samples: Samples, theta_k: Array, clients: Array | None, values: bool
) -> tuple[Array | None, Array]:
    from fl_algos import _fused

    x_k, y_k, weights_k, sizes = samples.x_k, samples.y_k, samples.weights_k, samples.sizes
    numbers = np.arange(len(theta_k)) if clients is None else to_numpy(clients)
    numbers = np.require(numbers, np.int64, ["C", "W"])
    theta_k = np.require(theta_k, requirements=["C", "W"])  # one type of array, compiled once
    grad_k = np.empty_like(theta_k)
    value_k = np.empty(len(theta_k) if values else 0, theta_k.dtype)
    loss = _fused.LOSSES[samples.loss.name]

    def work(first: int, last: int) -> None:
        _fused.gradients(
            loss, x_k, y_k, weights_k, sizes, numbers, theta_k, grad_k, value_k, first, last
        )

    in_parallel(work, len(numbers), _fused.THREADS)
    return value_k if values else None, grad_k


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
