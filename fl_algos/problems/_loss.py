"""Losses of a prediction: their values, slopes and curvatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fl_algos._arrays import Array, array_namespace


class Loss(NamedTuple):
    """A function of a prediction z = <x, theta> and a target y, element by element."""

    name: str
    value: Callable[[Array, Array], Array]
    slope: Callable[[Array, Array], Array]
    """Its derivative with respect to z."""
    curvature: Callable[[Array, Array], Array]
    """Its second derivative."""


def _logistic_value(z: Array, y: Array) -> Array:
    """log(1 + exp(-y z)), without overflow."""
    xp = array_namespace(z)
    return xp.log1p(xp.exp(-xp.abs(z))) + xp.clip(-y * z, 0, None)


def _logistic_slope(z: Array, y: Array) -> Array:
    """-y/(1 + exp(y z)), without overflow."""
    return (array_namespace(z).tanh(z / 2) - y) / 2


def _logistic_curvature(z: Array, y: Array) -> Array:
    sigma = (1 + array_namespace(z).tanh(z / 2)) / 2
    return sigma * (1 - sigma)


def _squares_value(z: Array, y: Array) -> Array:
    return (z - y) ** 2 / 2


def _squares_slope(z: Array, y: Array) -> Array:
    return z - y


def _squares_curvature(z: Array, y: Array) -> Array:
    return array_namespace(z).ones_like(z)


LOGISTIC = Loss("logistic", _logistic_value, _logistic_slope, _logistic_curvature)
SQUARES = Loss("squares", _squares_value, _squares_slope, _squares_curvature)
