"""All randomness of a round.

Every number is a function of (seed, round, purpose) alone, so that NumPy and torch, on any device,
see the same coins, batches and uniform numbers, in whatever order they ask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import NamedTuple
from zlib import crc32

import numpy as np

from fl_algos import _checks, _table
from fl_algos._arrays import Array
from fl_algos.placement import Placement
from fl_algos.protocols import Problem

__all__ = ["Batch", "Draw", "Draws"]

COINS_PER_BLOCK = 1024


class Batch(NamedTuple):
    """Samples that a local step looks at, and how much each counts."""

    rows_k: np.ndarray
    """Numbers of samples within each client, shape (K, B), integers."""
    weights_k: Array
    """Weights, shape (K, B): 1 over the size of the client's batch, 0 for padding."""
    samples: int
    """How many samples these are, all clients together, without padding."""


class Orders:
    """The orders in which the clients of a round go through their samples, found when asked for.

    Args:
        starts: where the first key of each client lies in the table of keys, shape (m,).
        n: numbers of samples of these clients, shape (m,).
        streams: from the number of a pass to a stream with its table of keys.
    """

    def __init__(
        self, starts: np.ndarray, n: np.ndarray, streams: Callable[[int], np.random.Generator]
    ) -> None:
        self.starts, self.n, self.streams = starts, n, streams
        self.places = n.cumsum() - n  # where the samples of each client lie in `order`
        self.of_pass: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def rows(self, clients: np.ndarray, epoch: int, place_k: np.ndarray) -> np.ndarray:
        """The samples at some places (m, B) in the orders of some of the clients, in a pass."""
        if epoch not in self.of_pass:
            order = np.empty(int(self.n.sum()), dtype=np.intp)
            self.of_pass[epoch] = order, np.zeros(len(self.n), dtype=bool)
        order, is_sorted = self.of_pass[epoch]
        new = np.sort(clients[~is_sorted[clients]])
        if len(new) > 0:
            n = self.n[new]
            keys = _table.entries(self.streams(epoch), self.starts[new], n)
            order[_table.ranges(self.places[new], n)] = sorted_each(keys, n)
            is_sorted[new] = True
        found: np.ndarray = order[self.places[clients][:, None] + place_k]
        return found


def sorted_each(keys: np.ndarray, n: np.ndarray) -> np.ndarray:
    """For keys of the first client, n_0 of them, then of the second, and so on: their argsorts."""
    if (n == n[0]).all():
        sorted_rows: np.ndarray = keys.reshape(len(n), -1).argsort(axis=1).ravel()
        return sorted_rows
    order = np.lexsort((keys, np.repeat(np.arange(len(n)), n)))
    argsorts: np.ndarray = order - np.repeat(n.cumsum() - n, n)
    return argsorts


class Draws:
    """The randomness of a whole run; ``draws[t]`` is that of round t.

    Args:
        seed: an integer in [0, 2**64).
        problem: random numbers come with the type and on the device of its arrays.
        batch_size: samples that each client draws for a local step, at most; None for all of them.
        participants: clients that take part in a round, drawn anew in each; None for all of them.
        placement: the federation, and which of its clients the problem has; None if it has all.

    >>> from fl_algos import random_quadratics
    >>> draws = Draws(seed=7, problem=random_quadratics(K=2, d=1))
    >>> [draws[t].with_probability(0.5) for t in range(6)]
    [False, True, True, True, False, False]
    """

    def __init__(
        self,
        seed: int,
        problem: Problem,
        batch_size: int | None = None,
        participants: int | None = None,
        placement: Placement | None = None,
    ) -> None:
        self.seed = _checks.count("seed", seed, least=0)
        if self.seed >= 2**64:
            raise ValueError(f"seed = {seed}: less than 2**64 is expected")
        self.problem = problem
        self.batch_size = None if batch_size is None else _checks.count("batch_size", batch_size)
        self.placement = Placement.whole(problem) if placement is None else placement
        self.participants = self.placement.K
        if participants is not None:
            self.participants = _checks.count("participants", participants)
            _checks.at_most("participants", self.participants, "K", self.placement.K)
        self._most = int(np.max(self.placement.sizes))
        self._everyone = np.arange(self.placement.here)
        self._round = -1
        self._clients = self._everyone
        self._orders: Orders | None = None
        self._block = -1
        self._coins = np.empty(0)

    def __getitem__(self, t: int) -> Draw:
        return Draw(t, self)

    def stream(self, purpose: str, t: int) -> np.random.Generator:
        """The stream of random numbers of one purpose in round t, on the CPU."""
        key = np.array([self.seed, crc32(purpose.encode())], dtype=np.uint64)
        counter = np.array([0, 0, 0, t], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=key, counter=counter))

    def coin(self, t: int) -> float:
        """The federation's uniform number of round t, in [0, 1)."""
        block, within = divmod(t, COINS_PER_BLOCK)
        if block != self._block:  # a stream per coin would cost more than a small round
            self._block = block
            self._coins = self.stream("coin", block).random(COINS_PER_BLOCK)
        return float(self._coins[within])

    def clients(self, t: int) -> np.ndarray:
        """Who takes part in round t: rows of clients, in order, drawn without replacement."""
        if self._round != t:
            self._round, self._orders = t, None
            self._clients = self._drawn(t)
        return self._clients

    def numbers(self, t: int) -> np.ndarray:
        """The numbers of these clients in the federation."""
        return self.clients(t) + self.placement.first

    def _drawn(self, t: int) -> np.ndarray:
        if self.participants == self.placement.K:
            return self._everyone
        K = self.placement.K
        drawn = self.stream("clients", t).choice(K, self.participants, replace=False)
        return self.placement.rows(np.sort(drawn))

    def batch(self, t: int, r: int, movers: slice | np.ndarray = slice(None)) -> Batch | None:
        """The batch of local step r in round t, of those who take part, or the movers among them.

        Within a round each client goes through its own samples in random order, batch by batch,
        and through them in another order when it has seen them all. The last batch of a pass may
        be smaller; a client with fewer samples than a batch takes all of them at every step.
        """
        if self.batch_size is None:
            return None
        orders = self._orders_of(t)
        movers = np.arange(len(orders.n))[movers]
        n_k = orders.n[movers][:, None]
        size = min(self.batch_size, self._most)
        epoch_k, step_k = np.divmod(r, -(-n_k // size))
        place_k = step_k * size + np.arange(size)
        own_k = place_k < n_k
        place_k = np.minimum(place_k, n_k - 1)
        rows_k = np.empty(place_k.shape, dtype=np.intp)
        for epoch in np.unique(epoch_k).tolist():
            there = epoch_k[:, 0] == epoch
            rows_k[there] = orders.rows(movers[there], epoch, place_k[there])
        weights_k = own_k / own_k.sum(axis=1, keepdims=True)
        return Batch(rows_k, self.problem.asarray(weights_k), int(own_k.sum()))

    def _orders_of(self, t: int) -> Orders:
        numbers = self.numbers(t)
        if self._orders is None:
            self._orders = Orders(
                starts=numbers * self._most,
                n=np.asarray(self.placement.sizes)[numbers],
                streams=lambda epoch: self.stream(f"epoch {epoch}", t),
            )
        return self._orders

    def uniform_k(self, t: int, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1) of the given shape for each client that takes part in round t."""
        numbers, width = self.numbers(t), prod(shape)
        number = np.full(len(numbers), width)
        found = _table.entries(self.stream(purpose, t), numbers * width, number)
        return self.problem.asarray(found.reshape(len(numbers), *shape))


@dataclass(frozen=True)
class Draw:
    """The randomness of round t."""

    t: int
    draws: Draws

    def with_probability(self, probability: float) -> bool:
        """One coin for the whole federation: True with the given probability.

        Asked twice in a round, it is the same coin.
        """
        return self.draws.coin(self.t) < probability

    @property
    def clients(self) -> np.ndarray:
        """Who takes part, of the clients in this process: their rows, in order."""
        return self.draws.clients(self.t)

    @property
    def numbers(self) -> np.ndarray:
        """The same clients' numbers in the federation; in one process those are their rows."""
        return self.draws.numbers(self.t)

    @property
    def share(self) -> float:
        """The share of the federation's clients that take part."""
        return self.draws.participants / self.draws.placement.K

    def batch(self, r: int, movers: slice | np.ndarray = slice(None)) -> Batch | None:
        """The batch of local step r; None if a step looks at all samples.

        It has a row for each client that takes part, or, among these, for the movers only.
        """
        return self.draws.batch(self.t, r, movers)

    def uniform(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1) of the given shape, the same each time that a purpose asks for them.

        They are one for the whole federation.
        """
        numbers = self.draws.stream(purpose, self.t).random(shape)
        return self.draws.problem.asarray(numbers)

    def uniform_k(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1), of the given shape for each client that takes part.

        Row k is that of client k in ``uniform(purpose, (K, *shape))``, which is never made.
        """
        return self.draws.uniform_k(self.t, purpose, shape)
