"""The few array helpers that the algorithms share, for NumPy and torch alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import array_api_compat
import numpy as np

Array = Any
"""A NumPy array or a torch tensor."""


def array_namespace(x: Array) -> Any:
    """The functions for arrays like x.

    NumPy's own already are those of the standard; to import what wraps them takes longer than NumPy
    itself, and to look for them as long as a small round.
    """
    return np if isinstance(x, (np.ndarray, np.generic)) else array_api_compat.array_namespace(x)


def is_torch_array(x: Any) -> bool:
    """Whether x is a torch tensor; torch is not imported for that."""
    return type(x) is not np.ndarray and bool(array_api_compat.is_torch_array(x))


class Kind(NamedTuple):
    """What two arrays have in common that can be computed with together."""

    shape: tuple[int, ...]
    type: str
    dtype: str
    device: str


def kind_of(x: Array) -> Kind:
    """The kind of an array, in words that NumPy and torch share."""
    library, device = ("torch tensor", x.device) if is_torch_array(x) else ("NumPy array", "cpu")
    return Kind(tuple(x.shape), library, dtype_name(x.dtype), str(device))


@cache
def dtype_name(dtype: Any) -> str:
    """What NumPy and torch both call it; kept, for to spell it out costs as much as to compute."""
    return str(dtype).removeprefix("torch.")


def stack(theta: Array, K: int) -> Array:
    """The same (d,) vector for each of K clients, as a (K, d) view."""
    return array_namespace(theta).broadcast_to(theta, (K, *theta.shape))


def copy_of(x: Array) -> Array:
    """The same numbers in memory of their own, without a graph of torch's."""
    return x.detach().clone() if is_torch_array(x) else x.copy()


def zeros_k(theta: Array, K: int) -> Array:
    """K zero vectors of the length, type and device of theta, shape (K, d)."""
    xp = array_namespace(theta)
    return xp.zeros((K, theta.shape[0]), dtype=theta.dtype, device=theta.device)


def take(x_k: Array, clients: Array | None) -> Array:
    """The rows of the clients, all of them if None; not a copy where it is all of them in order."""
    return x_k if is_everyone(clients, x_k.shape[0]) else x_k[to_numpy(clients)]


def is_everyone(clients: Array | None, K: int) -> bool:
    """Whether these are all K clients, in order."""
    if clients is None:
        return True
    return len(clients) == K and bool((to_numpy(clients) == np.arange(K)).all())


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


def to_floats(xs: Sequence[Array]) -> list[float]:
    """The numbers in arrays of one number each, fetched from their device all at once."""
    if not is_torch_array(xs[0]):
        return [float(x) for x in xs]
    import torch

    return [float(x) for x in torch.stack([x.to(xs[0]) for x in xs]).tolist()]


def like(x: Any, reference: Array) -> Array:
    """x with the array type, dtype and device of a reference array."""
    if not is_torch_array(reference):
        return to_numpy(x).astype(reference.dtype, copy=False)
    import torch

    if isinstance(x, np.ndarray) and not x.flags.writeable:
        x = x.copy()  # torch has no such thing as an array that may only be read
    return torch.as_tensor(x, dtype=reference.dtype, device=reference.device).detach()


def place(x: Array, on: str | None, dtype: str | None = None) -> Array:
    """x as a NumPy array (`on` is None) or as a torch tensor on a device.

    dtype is "float32", "float64" or None (unchanged).
    """
    array = to_numpy(x)
    if dtype is not None and array.dtype.kind == "f":
        array = array.astype(dtype, copy=False)
    if on is None:
        return array
    import torch

    return torch.asarray(array, device=on)
