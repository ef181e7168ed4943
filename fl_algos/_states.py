"""The states that an algorithm returns: what is wrong with one is said before the next round."""

from __future__ import annotations

import warnings
from typing import Any

from fl_algos import _checks
from fl_algos._arrays import Array, Kind, array_namespace, copy_of, kind_of
from fl_algos._metrics import arrays
from fl_algos.protocols import Server


class States:
    """What the states of a run have in common, by the one that `init` has returned.

    Args:
        name: of the algorithm.
        initial: the state that `init` has returned for theta.
        theta: the model that it was given.
    """

    def __init__(self, name: str, initial: Any, theta: Array) -> None:
        self.name = name
        fields = fields_of(initial)
        if "theta" not in fields:
            raise ValueError(
                f"init of {name} has returned {_described(initial)}: "
                "a NamedTuple with a field theta is expected"
            )
        _checks.kind(f"init of {name}: theta", initial.theta, kind_of(theta))
        self.fields = fields
        self.kinds: dict[str, Kind] = {field: kind_of(x) for field, x in arrays(initial).items()}
        self.require_one_library(f"init of {name}: ", initial)

    def require_fields(self, what: str, state: Any) -> None:
        """Refuse what is not a NamedTuple with these fields."""
        if fields_of(state) != self.fields:
            expected = ", ".join(self.fields)
            raise ValueError(
                f"{what} {_described(state)}: a NamedTuple with {expected} is expected"
            )

    def require_kinds(self, where: str, state: Any) -> None:
        """Refuse arrays of another shape: a wrong one would be broadcast to a wrong number."""
        for field, expected in self.kinds.items():
            _checks.kind(where + field, getattr(state, field), expected)

    def require_one_library(self, where: str, state: Any) -> None:
        """Refuse arrays of NumPy beside those of torch, whatever the field."""
        expected = self.kinds["theta"].type
        for field, x in arrays(state).items():
            found = kind_of(x).type
            if found != expected:
                raise ValueError(f"{where}{field} is a {found}: a {expected} is expected")


class Rounds:
    """Looks at what `round` returns, the first time closely, and afterwards at its type alone.

    Args:
        states: what its states have in common.
        start: the state to start from.
        server: whose communications are counted.
    """

    def __init__(self, states: States, start: Any, server: Server) -> None:
        self.states = states
        self.type: type | None = None
        self.server = server
        self.communications = server.ledger.communications
        self.theta_start = copy_of(start.theta)
        self.theta_seen: Array | None = None
        self.is_silent = True

    def look_at(self, t: int, state: Any) -> None:
        """Say what is wrong with the state after t rounds."""
        if type(state) is not self.type:
            self.states.require_fields(f"round {t} of {self.states.name} has returned", state)
            self.states.require_kinds(f"round {t}: ", state)
            self.states.require_one_library(f"round {t}: ", state)
            self.type = type(state)
        if self.is_silent:
            self._listen(t, state.theta)

    def _listen(self, t: int, theta: Array) -> None:
        """Warn if the model has changed while nothing was sent, and look no further.

        It is no error: a server may move its model by itself, by momentum say.
        """
        if self.server.ledger.communications > self.communications:
            self.is_silent = False
        elif theta is not self.theta_seen:
            self.theta_seen = theta
            if not bool(array_namespace(theta).all(theta == self.theta_start)):
                self.is_silent = False
                warnings.warn(
                    f"round {t}: {self.states.name} has changed theta, but has not called "
                    "server.average: what crosses between clients is not counted",
                    RuntimeWarning,
                    stacklevel=4,
                )


def fields_of(state: Any) -> tuple[str, ...]:
    """The fields of a NamedTuple; none of anything else."""
    fields = getattr(state, "_fields", ())
    return fields if isinstance(state, tuple) else ()


def _described(state: Any) -> str:
    if fields := fields_of(state):
        return ", ".join(fields)
    return "None" if state is None else type(state).__name__
