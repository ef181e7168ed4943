"""The only place where anything crosses between clients, and the ledger of what that cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, like, stack, to_numpy
from fl_algos.placement import Placement

__all__ = ["Ledger", "Server"]


@dataclass
class Ledger:
    """What has been sent so far. The start of an algorithm is free, only rounds are counted.

    Attributes:
        K: number of clients that are counted here: all, or those in this process.
        communications: calls of :meth:`Server.average`, one each, whatever it carried.
        sent_k: how often each client has sent something to the server, shape (K,).
        floats_up, bytes_up: numbers and bytes sent from the clients to the server, in all.
        needed_up: how many of the numbers in floats_up had to be sent; the rest the server could
            have worked out from these and from what it knew.
        floats_down, bytes_down: numbers and bytes sent from the server to the clients, in all.
    """

    K: int
    communications: int = 0
    floats_up: int = 0
    bytes_up: int = 0
    needed_up: int = 0
    floats_down: int = 0
    bytes_down: int = 0
    sent_k: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.K = _checks.count("K", self.K)
        self.sent_k = np.zeros(self.K, dtype=np.int64)


class Server:
    """A server and K clients in one process.

    What `average` takes is the mean of the objective, weighted as its clients are: the projection
    onto the consensus set.

    Args:
        K: number of clients.
        weights: of the clients, all > 0, in any scale; if None those of the problem that a run is
            about, and until then the same for all.

    >>> import numpy as np
    >>> server = Server(K=4)
    >>> theta = server.average(np.arange(8.0).reshape(4, 2))
    >>> theta
    array([3., 4.])
    >>> server.broadcast(theta).shape
    (4, 2)
    >>> server
    <Server: K = 4, communications = 1, floats_up = 8, floats_down = 8>
    >>> Server(K=2, weights=[3, 1]).average(np.array([[0.0], [4.0]]))
    array([1.])
    """

    least_senders = 1
    """Of clients that are named; 0 for a server of clients in several processes."""

    def __init__(self, K: int, weights: Any = None) -> None:
        self.ledger = Ledger(K)
        self._has_weights = weights is not None
        self.weights = _checks.client_weights("weights", weights, self.ledger.K)
        self._looked_at: tuple[Any, np.ndarray | None] = (None, None)

    def __repr__(self) -> str:
        ledger = self.ledger
        names = ("K", "communications", "floats_up", "floats_down")
        counts = ", ".join(f"{name} = {getattr(ledger, name)}" for name in names)
        return f"<{type(self).__name__}: {counts}>"

    def placement(self, problem: Any) -> Placement:
        """Where the clients of this problem lie: here, all of them.

        A run asks for it before its first round. A server to which no weights were given takes
        those of the problem.

        Raises:
            ValueError: the problem has another number of clients, or other weights.
        """
        if self.ledger.K != problem.K:
            raise ValueError(f"server has K = {self.ledger.K}: {problem.K} is expected")
        if not self._has_weights:
            self.weights = _checks.client_weights(
                "the problem's weights", problem.weights, problem.K
            )
        elif np.abs(self.weights - to_numpy(problem.weights)).max() > 1e-12:
            raise ValueError("server has other weights than the problem: the same are expected")
        return Placement.whole(problem)

    def total(self, x: Any) -> Any:
        """The sum over all processes of an array or a number that each of them has.

        With it metrics are reduced; nothing is counted.
        """
        return x

    def average(
        self,
        *rows_k: Array,
        clients: Array | None = None,
        weights: Array | None = None,
        implied: int = 0,
    ) -> Any:
        """The mean over the clients of each argument: one communication, whatever it carries.

        Args:
            rows_k: arrays of shape (K, d), row k sent by client k.
            clients: the rows of the clients that send, one for each row of `rows_k`; all if None.
            weights: of the rows, all > 0, in any scale; those of the clients in the objective if
                None.
            implied: how many of the last arguments the server could work out from the others and
                from what it knows. They are sent and counted, but not as needed.

        Returns:
            The mean, shape (d,); a tuple of means if there were several arguments.

        Raises:
            ValueError: there is no argument, or one is not a floating array with one row for each
                client, or more are implied than there are; nothing is counted then.
        """
        ledger = self.ledger
        senders, number = self._those(clients)
        if weights is not None:
            weights = _checks.positive_weights("weights", weights, number)
        _require_some("rows_k", rows_k)
        for x_k in rows_k:
            if x_k.ndim < 2:
                raise ValueError(f"rows_k has shape {tuple(x_k.shape)}: (K, d) is expected")
            _checks.shape("rows_k", x_k, (number, *x_k.shape[1:]))
        implied = _checks.count("implied", implied, least=0)
        _checks.at_most("implied", implied, "the number of arguments", len(rows_k))
        for x_k in rows_k:
            ledger.floats_up += _floats(x_k)
            ledger.bytes_up += _floats(x_k) * x_k.dtype.itemsize
        ledger.needed_up += sum(_floats(x_k) for x_k in rows_k[: len(rows_k) - implied])
        ledger.communications += 1
        ledger.sent_k[senders] += 1
        if weights is None:
            weights = self.weights if clients is None else self.weights[senders]
        return self._means(rows_k, weights)

    def mean(self, *rows_k: Array) -> Any:
        """What :meth:`average` returns for all clients, without anything being sent: for checks."""
        return self._means(rows_k, self.weights)

    def _means(self, rows_k: tuple[Array, ...], weights: np.ndarray) -> Any:
        if weights is not self._looked_at[0]:  # those of all clients are looked at once
            self._looked_at = weights, _unequal(weights)
        unequal = self._looked_at[1]
        means = tuple(_mean(x_k, unequal) for x_k in rows_k)
        return means if len(means) > 1 else means[0]

    def broadcast(self, *thetas: Array, clients: Array | None = None) -> Any:
        """Each argument sent to every client.

        Args:
            thetas: arrays of shape (d,).
            clients: the rows of the clients that receive them; all if None.

        Returns:
            The clients' copies, shape (K, d); a tuple of them if there were several arguments.

        Raises:
            ValueError: there is no argument, or one is not a floating array.
        """
        ledger = self.ledger
        _require_some("thetas", thetas)
        _, receivers = self._those(clients)
        for theta in thetas:
            ledger.floats_down += receivers * _floats(theta)
            ledger.bytes_down += receivers * _floats(theta) * theta.dtype.itemsize
        copies = tuple(stack(theta, receivers) for theta in thetas)
        return copies if len(copies) > 1 else copies[0]

    def _those(self, clients: Array | None) -> tuple[slice | np.ndarray, int]:
        """Clients by their rows, and how many they are."""
        if clients is None:
            return slice(None), self.ledger.K
        rows = _checks.distinct_clients("clients", clients, self.ledger.K, self.least_senders)
        return rows, len(rows)


def _require_some(name: str, arrays: tuple[Array, ...]) -> None:
    if not arrays:
        raise ValueError(f"{name}: at least one array is expected")
    for x in arrays:
        _checks.floating(name, x)


def _unequal(weights: np.ndarray) -> np.ndarray | None:
    """Weights scaled to the sum 1; None where they are equal, so that none go to a device."""
    scaled = _checks.scaled(weights)
    return None if scaled.min() == scaled.max() else scaled


def _mean(x_k: Array, weights: np.ndarray | None) -> Array:
    xp = array_namespace(x_k)
    if weights is None:
        return xp.mean(x_k, axis=0)
    return xp.tensordot(like(weights, x_k), x_k, axes=1)


def _floats(x: Array) -> int:
    return prod(x.shape)
