"""The only place where anything crosses between clients, and the ledger of what that cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, like, stack

__all__ = ["Ledger", "Server"]


@dataclass
class Ledger:
    """What has been sent so far. The start of an algorithm is free, only rounds are counted.

    Attributes:
        K: number of clients.
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

    >>> import numpy as np
    >>> server = Server(K=4)
    >>> theta = server.average(np.arange(8.0).reshape(4, 2))
    >>> theta
    array([3., 4.])
    >>> server.broadcast(theta).shape
    (4, 2)
    >>> server.ledger.floats_up, server.ledger.bytes_down, server.ledger.communications
    (8, 64, 1)
    """

    def __init__(self, K: int) -> None:
        self.ledger = Ledger(K)

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
            clients: the numbers of the clients that send, one for each row; all if None.
            weights: of the rows, all > 0, in any scale; the same for all if None.
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
            weights = _checks.client_weights("weights", weights, number)
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
        means = tuple(_mean(x_k, weights) for x_k in rows_k)
        return means if len(means) > 1 else means[0]

    def broadcast(self, *thetas: Array, clients: Array | None = None) -> Any:
        """Each argument sent to every client.

        Args:
            thetas: arrays of shape (d,).
            clients: the numbers of the clients that receive them; all if None.

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
        """Clients by their numbers, and how many they are."""
        if clients is None:
            return slice(None), self.ledger.K
        numbers = _checks.distinct_clients("clients", clients, self.ledger.K)
        return numbers, len(numbers)


def _require_some(name: str, arrays: tuple[Array, ...]) -> None:
    if not arrays:
        raise ValueError(f"{name}: at least one array is expected")
    for x in arrays:
        _checks.floating(name, x)


def _mean(x_k: Array, weights: np.ndarray | None) -> Array:
    """The mean of the rows, with weights of the sum 1 or with the same for all."""
    xp = array_namespace(x_k)
    if weights is None or weights.min() == weights.max():  # then none go to a device
        return xp.mean(x_k, axis=0)
    return xp.tensordot(like(weights, x_k), x_k, axes=1)


def _floats(x: Array) -> int:
    return prod(x.shape)
