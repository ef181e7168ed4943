"""CLASS: TODO, in a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fl_algos import _checks
from fl_algos._arrays import Array
from fl_algos.protocols import Draw, Problem, Server

__all__ = ["CLASS", "State"]


class State(NamedTuple):
    """What lives from round to round."""

    theta: Array
    """The server's model, (d,)."""


@dataclass(frozen=True)
class CLASS:
    """TODO, as in the block ``pcode-NAME`` of the book.

    Args:
        gamma: step size, > 0.

    Raises:
        ValueError: gamma is not positive.

    Source:
        TODO: authors, title, where and when, which algorithm of it.
    """

    gamma: float

    def __post_init__(self) -> None:
        _checks.store(self, gamma=_checks.positive)

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0."""
        return State(theta)  # 2

    def round(self, state: State, problem: Problem, server: Server, draw: Draw) -> State:
        """One round of the clients, and the server."""
        raise NotImplementedError("TODO: lines 5, 7, 8, 9")
