"""All randomness of a round.

Every number is a function of (seed, round, purpose) alone, so that NumPy and torch, on any device,
see the same coins, batches and uniform numbers, in whatever order they ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array
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
    """Orders of samples, by random keys (K, n): only those of the clients that are asked for."""

    def __init__(self, keys_k: np.ndarray) -> None:
        self.keys_k = keys_k
        self.order_k = np.empty(keys_k.shape, dtype=np.intp)
        self.is_sorted_k = np.zeros(len(keys_k), dtype=bool)

    def of(self, clients: np.ndarray) -> np.ndarray:
        """The sample numbers of each of the clients, that of the smallest key first."""
        new = clients[~self.is_sorted_k[clients]]
        if len(new) > 0:
            self.order_k[new] = self.keys_k[new].argsort(axis=1)
            self.is_sorted_k[new] = True
        order_k: np.ndarray = self.order_k[clients]
        return order_k


class Draws:
    """The randomness of a whole run; ``draws[t]`` is that of round t.

    Args:
        seed: an integer in [0, 2**64).
        problem: random numbers come with the type and on the device of its arrays.
        batch_size: samples that each client draws for a local step, at most; None for all of them.
        participants: clients that take part in a round, drawn anew in each; None for all of them.

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
    ) -> None:
        self.seed = _checks.count("seed", seed, least=0)
        if self.seed >= 2**64:
            raise ValueError(f"seed = {seed}: less than 2**64 is expected")
        self.problem = problem
        self.batch_size = None if batch_size is None else _checks.count("batch_size", batch_size)
        self.participants = problem.K
        if participants is not None:
            self.participants = _checks.count("participants", participants)
            _checks.at_most("participants", self.participants, "K", problem.K)
        self._orders: dict[int, Orders] = {}
        self._orders_of = -1
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
        """Who takes part in round t: numbers of clients, in order, drawn without replacement."""
        if self.participants == self.problem.K:
            return np.arange(self.problem.K)
        drawn = self.stream("clients", t).choice(self.problem.K, self.participants, replace=False)
        return np.sort(drawn)

    def batch(self, t: int, r: int, clients: np.ndarray) -> Batch | None:
        """The clients' batch of local step r in round t; None if a step looks at all samples.

        Within a round each client goes through its own samples in random order, batch by batch,
        and through them in another order when it has seen them all. The last batch of a pass may
        be smaller; a client with fewer samples than a batch takes all of them at every step.
        """
        if self.batch_size is None:
            return None
        sizes = np.asarray(self.problem.sizes)
        n_k, most = sizes[clients][:, None], int(sizes.max())
        size = min(self.batch_size, most)
        epoch_k, step_k = np.divmod(r, -(-n_k // size))
        place_k = step_k * size + np.arange(size)
        own_k = place_k < n_k
        order_k = np.empty((len(n_k), most), dtype=np.intp)
        for epoch in np.unique(epoch_k):
            there = epoch_k[:, 0] == epoch
            order_k[there] = self._order(t, int(epoch), clients[there])
        rows_k = np.take_along_axis(order_k, np.minimum(place_k, n_k - 1), axis=1)
        weights_k = own_k / own_k.sum(axis=1, keepdims=True)
        return Batch(rows_k, self.problem.asarray(weights_k), int(own_k.sum()))

    def _order(self, t: int, epoch: int, clients: np.ndarray) -> np.ndarray:
        """The order in which each of the clients goes through its samples, padding last."""
        if self._orders_of != t:
            self._orders_of, self._orders = t, {}
        if epoch not in self._orders:
            n_k = np.asarray(self.problem.sizes)[:, None]
            keys_k = self.stream(f"epoch {epoch}", t).random((len(n_k), int(n_k.max())))
            keys_k[np.arange(keys_k.shape[1]) >= n_k] = 2.0
            self._orders[epoch] = Orders(keys_k)
        return self._orders[epoch].of(clients)


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

    @cached_property
    def clients(self) -> np.ndarray:
        """Who takes part: numbers of clients, in order."""
        return self.draws.clients(self.t)

    @property
    def share(self) -> float:
        """The share of the clients that take part."""
        return self.draws.participants / self.draws.problem.K

    def batch(self, r: int, movers: slice | np.ndarray = slice(None)) -> Batch | None:
        """The batch of local step r; None if a step looks at all samples.

        It has a row for each client that takes part, or, among these, for the movers only.
        """
        if self.draws.batch_size is None:
            return None
        return self.draws.batch(self.t, r, self.clients[movers])

    def uniform(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1) of the given shape, the same each time that a purpose asks for them."""
        numbers = self.draws.stream(purpose, self.t).random(shape)
        return self.draws.problem.asarray(numbers)
