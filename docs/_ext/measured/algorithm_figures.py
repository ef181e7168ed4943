"""What a table says of an algorithm: which call makes it, and what a short run shows of it."""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import ModuleType

K, D = 4, 7
"""Clients and dimension of the short run."""
ROUNDS = (10, 100, 1000)
"""Lengths that the run may have: the first one with `ENOUGH` communications is taken."""
ENOUGH = 5


class Figures(NamedTuple):
    """What a run has shown."""

    up: int
    """Numbers that a client sends in a communication, over d."""
    needed: int
    """How many of these the server could not work out by itself, over d."""
    down: int
    """Numbers that it receives, over d."""
    memory: int
    """Vectors of length d that it keeps from round to round."""
    partial: bool
    """Whether a round may do with some of the clients."""


def exports(package: ModuleType) -> dict[str, Any]:
    """The public names of a package, and what they stand for."""
    return {name: getattr(package, name) for name in package.__all__}


def algorithms(exported: dict[str, Any]) -> dict[str, type]:
    """The dataclasses with methods `init` and `round`."""
    return {
        name: value
        for name, value in exported.items()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
        if all(callable(getattr(value, method, None)) for method in ("init", "round"))
    }


def parse_call(text: str) -> ast.Call:
    """The call ``Name(argument=value, ...)`` that a text is."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError("a call with keyword arguments is expected")
    return call


def value_of(node: ast.expr, exported: dict[str, Any]) -> Any:
    """What a literal, an exported name or a call of one stands for; all else is an error."""
    if isinstance(node, ast.Name):
        if node.id not in exported:
            raise ValueError(f"{node.id} is not exported")
        return exported[node.id]
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    if node.args or any(keyword.arg is None for keyword in node.keywords):
        raise ValueError("a call with keyword arguments is expected")
    arguments = {
        keyword.arg: value_of(keyword.value, exported) for keyword in node.keywords if keyword.arg
    }
    return value_of(node.func, exported)(**arguments)


def measure(package: ModuleType, algorithm: Any) -> Figures:
    """Run an algorithm, and read the ledger and its last state."""
    problem = package.random_quadratics(K=K, d=D)
    for rounds in ROUNDS:
        server = package.Server(K)
        state = package.run(algorithm, problem, rounds, seed=0, server=server).state
        ledger = server.ledger
        if ledger.communications >= ENOUGH:
            break
    else:
        raise ValueError(f"{ledger.communications} communications in {rounds} rounds are too few")
    sent = int(ledger.sent_k.sum())
    memory = [
        name
        for name, value in state._asdict().items()
        if re.search(r"_k\d?$", name) and getattr(value, "shape", None) == (K, D)
    ]
    return Figures(
        up=whole("up", ledger.floats_up, sent),
        needed=whole("needed", ledger.needed_up, sent),
        down=whole("down", ledger.floats_down, sent),
        memory=len(memory),
        partial=samples(package, algorithm, problem),
    )


def whole(direction: str, floats: int, sent: int) -> int:
    """The vectors of length d that a client sends or receives in a communication."""
    vectors, rest = divmod(floats, sent * D)
    if rest:
        raise ValueError(f"{floats / sent / D:.3g} d numbers {direction} are no multiple of d")
    return vectors


def samples(package: ModuleType, algorithm: Any, problem: Any) -> bool:
    """Whether a round may do with some of the clients; if it may, some rounds have to."""
    if not getattr(algorithm, "samples_clients", False):
        return False
    package.run(algorithm, problem, ROUNDS[0], seed=0, participants=K // 2)
    return True
