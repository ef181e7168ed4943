"""What a run records of a state: the figures of the server's model, and whether all is finite."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import is_array_api_obj

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, copy_of, stack, to_floats
from fl_algos._counted import Counted
from fl_algos.history import Record
from fl_algos.placement import Placement
from fl_algos.protocols import Problem, Server


class Figures(NamedTuple):
    """What a record says of the server's model; NaN what is not wanted or not known."""

    loss: float = math.nan
    grad_norm2: float = math.nan
    distance: float = math.nan


class Seen(NamedTuple):
    """A model, its numbers in case that somebody writes to it, and its figures."""

    theta: Array
    copy: Array
    figures: Figures


class Metrics:
    """The figures of states, one after the other.

    Loss and gradient cost a pass over the samples for each new server's model, and one wait for the
    device. Everything is reduced over all processes by the server.

    Args:
        wanted: which of METRICS.
        problem: the clients here.
        server: whose `total` sums over processes.
        placement: which clients of the federation are here.
    """

    def __init__(
        self, wanted: Sequence[str], problem: Problem, server: Server, placement: Placement
    ) -> None:
        self.wanted = frozenset(wanted)
        self.problem, self.server = problem, server
        self.share = None if placement.is_whole else float(placement.weights_here.sum())
        self.has_objective = has_objective(problem)
        self.theta_star = None
        if "distance" in self.wanted:
            here = placement.is_whole
            self.theta_star = _theta_star(problem) if here else placement.theta_star
        self.last: Seen | None = None

    def __call__(self, state: Any) -> tuple[Figures, bool]:
        """The figures, and whether they and the state are surely finite, in all processes."""
        theta = state.theta
        sums = [x.sum() for x in arrays(state).values()]  # not finite if a single number is not
        last = self.last
        is_new = last is None or last.theta is not theta or not bool((last.copy == theta).all())
        known = self._figures(theta) if is_new else {}
        numbers = to_floats([*known.values(), *sums])
        totals = numbers[len(known) :]
        if last is None or is_new:
            found = dict(zip(known, numbers, strict=False))
            if "distance" in found:
                found["distance"] = math.sqrt(found["distance"])
            self.last = last = Seen(theta, copy_of(theta), Figures(**found))
        figures = last.figures
        looked_at = self.wanted & {"loss", "grad_norm2"}
        finite = all(map(math.isfinite, (*(getattr(figures, x) for x in looked_at), *totals)))
        return figures, not self.server.total(float(not finite)) > 0

    def not_finite(self, state: Any, figures: Figures) -> str | None:
        """The name of something that is not finite, None if there is nothing after all."""
        found = {name: _is_finite(x) for name, x in arrays(state).items()}
        for name in ("loss", "grad_norm2"):
            if name in self.wanted:
                found[name] = math.isfinite(getattr(figures, name))
        infinite = np.asarray(self.server.total(np.array([not x for x in found.values()], float)))
        return next((name for name, x in zip(found, infinite, strict=True) if x > 0), None)

    def _figures(self, theta: Array) -> dict[str, Array]:
        """The figures that are wanted and known, the distance squared."""
        found = {}
        if self.wanted & {"loss", "grad_norm2"}:
            loss, grad = self.objective(theta)
            found = {"loss": loss, "grad_norm2": grad @ grad}
        if self.theta_star is not None:
            error = theta - self.theta_star
            found["distance"] = error @ error
        return {name: x for name, x in found.items() if name in self.wanted}

    def objective(self, theta: Array) -> tuple[Array, Array]:
        """The federation's f(theta), and its gradient, (d,)."""
        if self.has_objective:
            value, grad = self.problem.objective(theta)  # type: ignore[attr-defined]
        else:
            value, grad = _mean_of_all(self.problem, theta)
        if self.share is None:
            return value, grad
        return self.server.total(self.share * value), self.server.total(self.share * grad)


def record(t: int, figures: Figures, problem: Counted, server: Server) -> Record:
    """The figures after t rounds, and what they have cost in all processes."""
    ledger = server.ledger
    sent = ledger.floats_up, ledger.needed_up, ledger.floats_down
    counts = *sent, ledger.bytes_up, ledger.bytes_down, problem.gradients, problem.proxes
    totals = server.total(np.array(counts)).tolist()
    return Record._make((t, ledger.communications, *totals, *figures))


def arrays(state: Any) -> dict[str, Array]:
    """The arrays among a state's fields, by name."""
    return {name: x for name, x in state._asdict().items() if is_array_api_obj(x)}


def _is_finite(x: Array) -> bool:
    xp = array_namespace(x)
    return bool(xp.all(xp.isfinite(x)))


def has_objective(problem: Any) -> bool:
    """Whether `objective` is there, and no subclass has changed only what it is made of."""
    for names in (getattr(problem, "__dict__", {}), *map(vars, type(problem).__mro__)):
        if not {"value", "grad", "objective"}.isdisjoint(names):
            return "objective" in names
    return False


def _mean_of_all(problem: Problem, theta: Array) -> tuple[Array, Array]:
    theta_k, weights = stack(theta, problem.K), problem.asarray(problem.weights)
    value_k, grad_k = problem.value(theta_k), problem.grad(theta_k)
    _checks.shape("the problem's values", value_k, (problem.K,))
    _checks.shape("the problem's gradients", grad_k, (problem.K, problem.d))
    return weights @ value_k, weights @ grad_k


def require_weights(problem: Problem) -> None:
    """Refuse weights of another shape or sum."""
    _checks.shape("the problem's weights", problem.weights, (problem.K,))
    total = float(problem.weights.sum())
    if abs(total - 1) > 1e-6:
        raise ValueError(f"the sum of the problem's weights is {total}: 1 is expected")


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
