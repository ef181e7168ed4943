"""Local work between two communications: how many steps each client takes, and who still moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fl_algos import _checks
from fl_algos.protocols import Problem

__all__ = ["epochs", "local_steps", "steps_of"]


def epochs(E: int, problem: Problem, batch_size: int | None = None) -> tuple[int, ...]:
    """The numbers of local steps R_k that make E passes over each client's samples.

    R_k = E ceil(n_k / batch_size); a client with fewer samples than a batch takes one step for each
    pass, on all of them. Clients of unequal size take unequal numbers of steps, and weigh the more
    in FedAvg the more they take.

    >>> import numpy as np
    >>> from fl_algos import LogisticRegression
    >>> X = [np.ones((10, 1)), np.ones((3, 1))]
    >>> problem = LogisticRegression(X, y=[[1] * 10, [0] * 3], l2=0.1)
    >>> epochs(2, problem, batch_size=3)
    (8, 2)
    """
    E = _checks.count("E", E)
    if batch_size is None:
        return (E,) * problem.K
    size = _checks.count("batch_size", batch_size)
    return tuple(int(E * -(-n_k // size)) for n_k in problem.sizes)


def steps_of(R: int | Sequence[int], numbers: np.ndarray) -> np.ndarray:
    """The number of local steps of each of the clients, by their numbers in the federation."""
    if isinstance(R, int):
        return np.full(len(numbers), R)
    return np.array([R[k] for k in numbers], dtype=np.int64)


def local_steps(
    R: int | Sequence[int], numbers: np.ndarray
) -> Iterator[tuple[int, slice | np.ndarray]]:
    """The local steps r = 0, 1, ..., each with the places of those clients that take it.

    >>> for r, movers in local_steps((3, 9, 1), numbers=np.array([0, 2])):
    ...     print(r, movers)
    0 slice(None, None, None)
    1 [0]
    2 [0]
    """
    R_k = steps_of(R, numbers)
    for r in range(R_k.max(initial=0)):
        moving = r < R_k
        yield r, slice(None) if moving.all() else np.flatnonzero(moving)
