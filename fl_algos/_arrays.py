"""The few array helpers that the algorithms share, for NumPy and torch alike."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace, device, is_torch_array

Array = Any
"""A NumPy array or a torch tensor."""


class Kind(NamedTuple):
    """What two arrays have in common that can be computed with together."""

    shape: tuple[int, ...]
    type: str
    dtype: str
    device: str


def kind_of(x: Array) -> Kind:
    """The kind of an array, in words that NumPy and torch share."""
    library = "torch tensor" if is_torch_array(x) else "NumPy array"
    return Kind(tuple(x.shape), library, str(x.dtype).removeprefix("torch."), str(device(x)))


def stack(theta: Array, K: int) -> Array:
    """The same (d,) vector for each of K clients, as a (K, d) view."""
    return array_namespace(theta).broadcast_to(theta, (K, *theta.shape))


def zeros_k(theta: Array, K: int) -> Array:
    """K zero vectors of the length, type and device of theta, shape (K, d)."""
    xp = array_namespace(theta)
    return xp.zeros((K, theta.shape[0]), dtype=theta.dtype, device=theta.device)


def take(x_k: Array, clients: Array | None) -> Array:
    """The rows of the clients, all of them if None; not a copy where it is all of them in order."""
    if clients is None:
        return x_k
    K = x_k.shape[0]
    everyone = len(clients) == K and bool((to_numpy(clients) == np.arange(K)).all())
    return x_k if everyone else x_k[clients]


def put(x_k: Array, clients: Array, rows: Array) -> Array:
    """A copy of x_k (K, d) in which the rows of `clients` are replaced."""
    copy = array_namespace(x_k).asarray(x_k, copy=True)
    copy[clients] = rows
    return copy


def norm_k(x_k: Array) -> Array:
    """The Euclidean norm of each row of x_k, shape (K,)."""
    return array_namespace(x_k).linalg.vector_norm(x_k, axis=-1)


def to_numpy(x: Array) -> np.ndarray:
    """x as a NumPy array, fetched from its device if need be."""
    if is_torch_array(x):
        return np.asarray(x.detach().cpu())
    return np.asarray(x)


def like(x: Any, reference: Array) -> Array:
    """x with the array type, dtype and device of a reference array."""
    if not is_torch_array(reference):
        return to_numpy(x).astype(reference.dtype, copy=False)
    import torch

    return torch.as_tensor(x, dtype=reference.dtype, device=reference.device)


def place(x: Array, on: str | None, dtype: str | None = None) -> Array:
    """x as a NumPy array (`on` is None) or as a torch tensor on a device.

    dtype is "float32", "float64" or None (unchanged).
    """
    array = to_numpy(x)
    if dtype is not None and array.dtype.kind == "f":
        array = array.astype(dtype)
    if on is None:
        return array
    import torch

    return torch.asarray(array, device=on)
