"""Where the samples of each client lie in one array: blocks of clients of like size.

NumPy and torch compute with stacks (m, most, d), in which a client with fewer samples than most is
filled up with zeros. One stack of all clients would have the size of K times the largest client; so
clients are sorted by size, and a new block begins where the zeros would be over a quarter of what
the block has. The compiled kernel needs no stacks and passes over no zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fl_algos._arrays import is_everyone

PADDING = 0.25
"""Rows of zeros, at most, for each row of samples in a block."""
SMALL = 20_000
"""Numbers in the samples, zeros among them, that are one block in any case: further calls would
cost more time than the zeros do."""


class Chunk(NamedTuple):
    """The samples of m clients, or a run of those of one client, as a stack (m, most, ...)."""

    where: slice | np.ndarray
    """The places of these clients among those that were asked for."""
    rows: slice | np.ndarray
    """Of the array that has all samples: a slice of m * most rows, or their numbers, (m, most)."""
    shape: tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """The rows of K clients with n_k samples each.

    Attributes:
        sizes: n_k, shape (K,).
        firsts: the row of each client's first sample, shape (K,).
        rooms: the rows that each client takes, zeros among them, shape (K,).
        block_k: the number of each client's block, shape (K,).
        rows: how many rows there are.
    """

    sizes: np.ndarray
    firsts: np.ndarray
    rooms: np.ndarray
    block_k: np.ndarray
    rows: int

    @cached_property
    def is_one_block(self) -> bool:
        """Whether all clients take the same room, in the order of their numbers."""
        return not self.block_k.any()

    @cached_property
    def _blocks(self) -> list[np.ndarray]:
        """The clients of each block, in the order of their rows."""
        return [np.flatnonzero(self.block_k == b) for b in range(int(self.block_k.max()) + 1)]

    def chunks(self, clients: np.ndarray | None, most: int) -> Iterator[Chunk]:
        """Stacks of at most so many rows for some of the clients, or for all.

        A client with more rows than that comes in several chunks.
        """
        for where, numbers in self._by_block(clients):
            room = int(self.rooms[numbers[0]])
            if room > most:
                for place, k in zip(_places(where, len(numbers)), numbers, strict=True):
                    yield from self._of_one(int(place), int(k), most)
                continue
            step = max(1, most // room)
            for begin in range(0, len(numbers), step):
                some = numbers[begin : begin + step]
                end = begin + len(some)
                here = slice(begin, end) if isinstance(where, slice) else where[begin:end]
                yield Chunk(here, self._rows(some, room), (len(some), room))

    def _by_block(
        self, clients: np.ndarray | None
    ) -> Iterator[tuple[slice | np.ndarray, np.ndarray]]:
        """The places of the clients in each block, and their numbers."""
        if self.is_one_block:
            numbers = np.arange(len(self.sizes)) if clients is None else clients
            if len(numbers) > 0:
                yield slice(0, len(numbers)), numbers
        elif clients is None:
            for numbers in self._blocks:
                yield numbers, numbers
        else:
            block_k = self.block_k[clients]
            for block in np.unique(block_k):
                where = np.flatnonzero(block_k == block)
                yield where, clients[where]

    def _of_one(self, place: int, k: int, most: int) -> Iterator[Chunk]:
        first, end = int(self.firsts[k]), int(self.firsts[k] + self.sizes[k])
        for begin in range(first, end, most):
            rows = slice(begin, min(begin + most, end))
            yield Chunk(slice(place, place + 1), rows, (1, rows.stop - rows.start))

    def _rows(self, clients: np.ndarray, room: int) -> slice | np.ndarray:
        """A slice where these clients lie one after the other, so that nothing is copied."""
        firsts = self.firsts[clients]
        if is_run(firsts, room):
            return slice(int(firsts[0]), int(firsts[0]) + len(firsts) * room)
        rows: np.ndarray = firsts[:, None] + np.arange(room)
        return rows


def is_run(numbers: np.ndarray, step: int = 1) -> bool:
    """Whether each number is the one before plus the step."""
    return len(numbers) == 1 or bool((np.diff(numbers) == step).all())


def _places(where: slice | np.ndarray, number: int) -> np.ndarray:
    return np.arange(number) if isinstance(where, slice) else where


def layout(sizes: np.ndarray, d: int) -> Layout:
    """The layout for clients of these sizes, with d numbers in a sample."""
    sizes = np.asarray(sizes, dtype=np.int64)
    block_k = _block_of_each(sizes, d)
    firsts, rooms, row = np.empty_like(sizes), np.empty_like(sizes), 0
    for block in range(int(block_k.max()) + 1):
        members = np.flatnonzero(block_k == block)
        room = int(sizes[members].max())
        firsts[members] = row + room * np.arange(len(members))
        rooms[members] = room
        row += room * len(members)
    return Layout(sizes, firsts, rooms, block_k, row)


def _block_of_each(sizes: np.ndarray, d: int) -> np.ndarray:
    """From the largest client on, a block takes the next one in as long as its zeros allow."""
    block_k = np.zeros(len(sizes), dtype=np.int64)
    if len(sizes) * int(sizes.max()) * d <= SMALL:
        return block_k
    block, most, own, room = 0, 0, 0, 0
    for k in np.argsort(-sizes, kind="stable"):
        size = int(sizes[k])
        if own == 0:
            most = size
        elif room + most > (1 + PADDING) * (own + size):
            block, most, own, room = block + 1, size, 0, 0
        block_k[k], own, room = block, own + size, room + most
    return block_k


def everyone_is_none(clients: np.ndarray | None, K: int) -> np.ndarray | None:
    """None if these are all K clients in order."""
    return None if is_everyone(clients, K) else clients
