"""Checks of what users pass in: each raises a ValueError that names the argument and its value."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from fl_algos._arrays import Array, to_numpy


def positive(name: str, value: Any) -> None:
    """A finite real number > 0."""
    _number(name, value, lambda x: x > 0, "a finite number > 0")


def non_negative(name: str, value: Any) -> None:
    """A finite real number >= 0."""
    _number(name, value, lambda x: x >= 0, "a finite number >= 0")


def skip_probability(name: str, value: Any) -> None:
    """A real number in [0, 1): at 1 nothing would ever be communicated."""
    _number(name, value, lambda x: 0 <= x < 1, "a probability in [0, 1)")


def communication_probability(name: str, value: Any) -> None:
    """A real number in (0, 1]: at 0 nothing would ever be communicated."""
    _number(name, value, lambda x: 0 < x <= 1, "a probability in (0, 1]")


def count(name: str, value: Any, least: int = 1) -> None:
    """An integer >= least."""
    integral = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integral or value < least:
        raise ValueError(f"{name} = {value!r}: an integer >= {least} is expected")


def real(name: str, x: Array) -> None:
    """An array of real floating-point numbers, all finite."""
    array = to_numpy(x)
    if array.dtype not in (np.float32, np.float64):
        raise ValueError(f"{name} has dtype {array.dtype}: float32 or float64 is expected")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{', '.join(map(str, where))}] = {array[where]}: not finite")


def shape(name: str, x: Array, expected: tuple[int, ...]) -> None:
    """An array of exactly the expected shape."""
    if tuple(x.shape) != expected:
        raise ValueError(f"{name} has shape {tuple(x.shape)}: {expected} is expected")


def proximal_step(name: str, value: Any, mu: float) -> None:
    """A step size > 0 for which a function of curvature >= mu has one proximal point."""
    positive(name, value)
    if mu + 1 / value <= 0:
        raise ValueError(f"{name} = {value!r}: less than {-1 / mu!r} is expected, f_k not convex")


def sum_to_zero(name: str, x_k: Array) -> None:
    """Rows that sum to zero, up to rounding."""
    rows = to_numpy(x_k).astype(np.float64)
    total = np.abs(rows.sum(axis=0)).max()
    if total > 1e-5 * np.abs(rows).sum(axis=0).max():
        raise ValueError(f"the sum of {name} over the clients is not 0 but up to {total:.3g}")


def _number(name: str, value: Any, allowed: Callable[[float], bool], expected: str) -> None:
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or not allowed(value):
        raise ValueError(f"{name} = {value!r}: {expected} is expected")
