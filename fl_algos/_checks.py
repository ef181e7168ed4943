"""Checks of what users pass in: each raises a ValueError that names the argument and its value.

Those of numbers return them as Python numbers: a NumPy scalar of float64 would turn a float32 run
into one of float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from fl_algos._arrays import Array, Kind, dtype_name, is_torch_array, kind_of, to_numpy


def store(settings: Any, **checks: Callable[[str, Any], Any]) -> None:
    """Check fields of a frozen dataclass, and keep what the checks return."""
    for name, check in checks.items():
        object.__setattr__(settings, name, check(name, getattr(settings, name)))


def finite(name: str, value: Any) -> float:
    """A finite real number."""
    return _number(name, value, lambda x: True, "a finite number")


def positive(name: str, value: Any) -> float:
    """A finite real number > 0."""
    return _number(name, value, lambda x: x > 0, "a finite number > 0")


def non_negative(name: str, value: Any) -> float:
    """A finite real number >= 0."""
    return _number(name, value, lambda x: x >= 0, "a finite number >= 0")


def skip_probability(name: str, value: Any) -> float:
    """A real number in [0, 1): at 1 nothing would ever be communicated."""
    return _number(name, value, lambda x: 0 <= x < 1, "a probability in [0, 1)")


def fraction(name: str, value: Any) -> float:
    """A real number in [0, 1)."""
    return _number(name, value, lambda x: 0 <= x < 1, "a number in [0, 1)")


def communication_probability(name: str, value: Any) -> float:
    """A real number in (0, 1]: at 0 nothing would ever be communicated."""
    return _number(name, value, lambda x: 0 < x <= 1, "a probability in (0, 1]")


def at_most(name: str, value: float, bound: str, most: float) -> None:
    """A number that is not over a bound, which has a name too."""
    if value > most:
        raise ValueError(f"{name} = {value!r}: at most {bound} = {most!r} is expected")


def curvatures(L: Any, mu: Any) -> tuple[float, float]:
    """L > 0 and mu in (0, L]."""
    L, mu = positive("L", L), positive("mu", mu)
    at_most("mu", mu, "L", L)
    return L, mu


def proximal_step(name: str, value: Any, mu: float) -> float:
    """A step size > 0 for which a function of curvature >= mu has one proximal point."""
    step = positive(name, value)
    if mu + 1 / step <= 0:
        raise ValueError(f"{name} = {value!r}: less than {-1 / mu!r} is expected, f_k not convex")
    return step


def count(name: str, value: Any, least: int = 1) -> int:
    """An integer >= least."""
    integral = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integral or value < least:
        raise ValueError(f"{name} = {value!r}: an integer >= {least} is expected")
    return int(value)


def local_steps(name: str, value: Any) -> int | tuple[int, ...]:
    """A number of local steps >= 1, or one for each client."""
    if isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(count(f"{name}[{k}]", R) for k, R in enumerate(value))
    return count(name, value)


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} = {value!r}: True or False is expected")
    return bool(value)


def client_weights(name: str, value: Any, K: int) -> np.ndarray:
    """A positive weight for each client, scaled to sum to 1; the same for all if None.

    They can't be written to: what has been computed with them would silently be wrong.
    """
    if value is None:
        return read_only(np.full(K, 1 / K))
    return read_only(scaled(positive_weights(name, value, K)))


def positive_weights(name: str, value: Any, K: int) -> np.ndarray:
    """A positive weight for each client, in any scale."""
    weights = to_numpy(value)
    is_one_each = weights.dtype.kind == "f" and weights.shape == (K,) and K > 0
    if is_one_each and weights.min() > 0 and weights.max() < math.inf:  # in rounds: be quick
        return weights
    if weights.dtype.kind not in "iuf" or weights.shape != (K,):
        raise ValueError(f"{name} = {value!r}: a number for each of {K} clients is expected")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(bad) > 0:
        positive(f"{name}[{bad[0]}]", weights[bad[0]].item())
    return weights


def scaled(weights: np.ndarray) -> np.ndarray:
    """Weights, at least one, scaled to sum to 1."""
    relative = weights / weights.max()
    return np.asarray(relative / relative.sum())


def read_only(x: np.ndarray) -> np.ndarray:
    """The same array, which refuses to be written to from now on."""
    x.setflags(write=False)
    return x


def client_numbers(name: str, value: Any, K: int) -> np.ndarray:
    """Numbers of clients."""
    numbers = to_numpy(value)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{name} = {value!r}: a vector of integers is expected")
    if len(numbers) > 0 and (numbers.min() < 0 or numbers.max() >= K):
        raise ValueError(f"{name} = {value!r}: numbers in 0, ..., {K - 1} are expected")
    return numbers


def distinct_clients(name: str, value: Any, K: int, least: int = 1) -> np.ndarray:
    """Numbers of clients, each at most once."""
    numbers = value if type(value) is np.ndarray else to_numpy(value)
    is_vector = numbers.ndim == 1 and numbers.dtype.kind == "i" and len(numbers) >= max(least, 1)
    if is_vector and (numbers[1:] > numbers[:-1]).all() and numbers[0] >= 0 and numbers[-1] < K:
        return numbers  # in rounds: be quick
    numbers = client_numbers(name, value, K)
    if len(numbers) < least or len(np.unique(numbers)) < len(numbers):
        raise ValueError(f"{name} = {value!r}: distinct numbers of clients are expected")
    return numbers


def some_of(name: str, value: Any, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Some of several names, in a sequence that is no string."""
    found = tuple(value) if isinstance(value, (list, tuple)) else (None,)
    if not set(found) <= set(allowed):
        names = ", ".join(allowed)
        raise ValueError(f"{name} = {value!r}: a tuple with some of {names} is expected")
    return found


def function(name: str, value: Any) -> Any:
    """Something to call; of a class an instance is meant."""
    if not callable(value) or isinstance(value, type):
        raise ValueError(f"{name} = {value!r}: a function is expected, or an instance of a class")
    return value


def instance(name: str, value: Any, method: str) -> None:
    """Something with a method; not a class that has it."""
    if isinstance(value, type) or not hasattr(value, method):
        raise ValueError(f"{name} = {value!r}: an object with a method {method} is expected")


def floating(name: str, x: Any) -> None:
    """A NumPy array or a torch tensor of float32 or float64."""
    if type(x) is np.ndarray and x.dtype in (np.float64, np.float32):  # in rounds: be quick
        return
    _array(name, x)
    dtype = dtype_name(x.dtype)
    if dtype not in ("float32", "float64"):
        raise ValueError(f"{name} has dtype {dtype}: float32 or float64 is expected")


def real(name: str, x: Any) -> None:
    """A NumPy array or a torch tensor of float32 or float64, all finite."""
    floating(name, x)
    array = to_numpy(x)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{', '.join(map(str, where))}] = {array[where]}: not finite")


def shape(name: str, x: Any, expected: tuple[int, ...]) -> None:
    """An array of exactly the expected shape."""
    if type(x) is np.ndarray and x.shape == expected:  # in rounds: be quick
        return
    _array(name, x)
    if tuple(x.shape) != expected:
        raise ValueError(f"{name} has shape {tuple(x.shape)}: {expected} is expected")


def kind(name: str, x: Any, expected: Kind) -> None:
    """An array of the expected shape, type, dtype and device."""
    _array(name, x)
    for what, found, wanted in zip(Kind._fields, kind_of(x), expected, strict=True):
        if found != wanted:
            raise ValueError(f"{name} has {what} {found}: {wanted} is expected")


def rows(name: str, x_k: Any, clients: Any, data: Array, K: int) -> None:
    """A row of x_k for each of K clients, or for each of `clients`, like the data (..., d)."""
    expected = K if clients is None else len(client_numbers("clients", clients, K))
    shape(name, x_k, (expected, int(data.shape[-1])))
    if type(x_k) is not type(data) and is_torch_array(x_k) != is_torch_array(data):
        found, wanted = kind_of(x_k).type, kind_of(data).type
        raise ValueError(f"{name} has type {found}: {wanted} is expected, as the problem has")


def labels(name: str, y: Any) -> np.ndarray:
    """A vector of labels, none of them NaN, as a NumPy array; any sequence will do."""
    try:
        array = to_numpy(y)
    except ValueError:
        raise ValueError(f"{name} is ragged: a vector of labels is expected") from None
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: a vector of labels is expected")
    if (array != array).any():
        raise ValueError(f"{name}[{int(np.argmax(array != array))}] is NaN: a label is expected")
    return array


def equal_weights(name: str, problem: Any) -> None:
    """A problem whose clients all weigh the same."""
    if np.ptp(problem.weights) > 1e-12:
        raise ValueError(f"weights of the problem: {name} needs the same for all clients")


def mean_is_zero(name: str, x_k: Array, server: Any) -> None:
    """Rows whose (weighted) mean over all clients is zero, up to rounding."""
    mean, size = (to_numpy(x).astype(np.float64) for x in server.mean(x_k, abs(x_k)))
    largest = np.abs(mean).max()
    if largest > 1e-5 * max(size.max(), 1e-300):
        raise ValueError(f"the mean of {name} over the clients is not 0 but up to {largest:.3g}")


def destination(device: Any, dtype: Any) -> None:
    """A device of torch that is there, or None; "float32", "float64" or None."""
    if dtype not in (None, "float32", "float64"):
        raise ValueError(f"dtype = {dtype!r}: 'float32', 'float64' or None is expected")
    if device is None:
        return
    import torch

    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"device = {device!r}: None or a device that torch finds here is expected"
        ) from error


def _array(name: str, x: Any) -> None:
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array: one without a mask is expected")
    if not (isinstance(x, (np.ndarray, np.generic)) or is_torch_array(x)):
        raise ValueError(
            f"{name} is a {type(x).__name__}: a NumPy array or a torch tensor is expected"
        )


def _number(name: str, value: Any, allowed: Callable[[float], bool], expected: str) -> float:
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if not math.isfinite(number) or not allowed(number):
        raise ValueError(f"{name} = {value!r}: {expected} is expected")
    return number
