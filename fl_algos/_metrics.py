"""What a run records of a state: the figures of the server's model, and whether all is finite."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable
from typing import Any, NamedTuple

from array_api_compat import is_array_api_obj

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, fingerprint, to_floats
from fl_algos._counted import Counted
from fl_algos.history import Record
from fl_algos.protocols import Problem
from fl_algos.server import Server


class Figures(NamedTuple):
    """What a record says of the server's model."""

    loss: float
    grad_norm2: float
    distance: float


class Metrics:
    """The figures of states, one after the other.

    They cost a pass over the samples for each new server's model, and for an algorithm that starts
    from it not even that; and one wait for the device.
    """

    def __init__(self, problem: Counted) -> None:
        self.problem = problem
        self.weights = _weights(problem)
        self.theta_star = _theta_star(problem)
        self.last: tuple[Array, Hashable, Figures] | None = None

    def __call__(self, state: Any) -> tuple[Figures, bool]:
        """The figures, and whether they and the state are surely finite."""
        theta = state.theta
        key = fingerprint(theta)
        sums = [x.sum() for x in arrays(state).values()]  # not finite if a single number is not
        if self.last is not None and self.last[1] == key:
            figures = self.last[2]
            totals = to_floats(sums)
        else:
            value_k, grad_k = self.problem.at_server(theta)
            _checks.shape("the problem's values", value_k, (self.problem.K,))
            _checks.shape("the problem's gradients", grad_k, (self.problem.K, self.problem.d))
            grad = self.weights @ grad_k
            error = theta if self.theta_star is None else theta - self.theta_star
            here = (self.weights @ value_k, grad @ grad, error @ error)
            loss, grad_norm2, distance2, *totals = to_floats([*here, *sums])
            distance = math.nan if self.theta_star is None else math.sqrt(distance2)
            figures = Figures(loss, grad_norm2, distance)
            self.last = theta, key, figures
        return figures, all(map(math.isfinite, (figures.loss, figures.grad_norm2, *totals)))


def record(t: int, figures: Figures, problem: Counted, server: Server) -> Record:
    """The figures after t rounds, and what they have cost."""
    ledger = server.ledger
    return Record(
        rounds=t,
        communications=ledger.communications,
        floats_up=ledger.floats_up,
        needed_up=ledger.needed_up,
        floats_down=ledger.floats_down,
        bytes_up=ledger.bytes_up,
        bytes_down=ledger.bytes_down,
        gradients=problem.gradients,
        proxes=problem.proxes,
        **figures._asdict(),
    )


def not_finite(state: Any, figures: Record) -> str | None:
    """The name of something that is not finite, None if there is nothing."""
    for name, x in arrays(state).items():
        xp = array_namespace(x)
        if not bool(xp.all(xp.isfinite(x))):
            return name
    for name in ("loss", "grad_norm2"):
        if not math.isfinite(getattr(figures, name)):
            return name
    return None


def arrays(state: Any) -> dict[str, Array]:
    """The arrays among a state's fields, by name."""
    return {name: x for name, x in state._asdict().items() if is_array_api_obj(x)}


def _weights(problem: Problem) -> Array:
    _checks.shape("the problem's weights", problem.weights, (problem.K,))
    total = float(problem.weights.sum())
    if abs(total - 1) > 1e-6:
        raise ValueError(f"the sum of the problem's weights is {total}: 1 is expected")
    return problem.asarray(problem.weights)


def _theta_star(problem: Problem) -> Array | None:
    """The minimiser; where it can't be computed, metrics do without."""
    try:
        theta_star = problem.theta_star
    except ArithmeticError as error:
        warnings.warn(f"distances are not known: {error}", RuntimeWarning, stacklevel=4)
        return None
    if theta_star is not None:
        _checks.shape("the problem's theta_star", theta_star, (problem.d,))
    return theta_star
