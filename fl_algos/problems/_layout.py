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

from fl_algos._arrays import Array, is_everyone

PADDING = 0.25
"""Rows of zeros, at most, for each row of samples in a block."""
SMALL = 20_000
"""Numbers in the samples, zeros among them, that are one block in any case: further calls would
cost more time than the zeros do."""


class Chunk(NamedTuple):
    """The samples of m clients, or a run of those of one client, as a stack (m, most, ...)."""

    where: slice | np.ndarray
    """The places of these clients among those that were asked for."""
    rows: slice
    """Of the array that has all samples."""
    shape: tuple[int, int]
    """Clients in these rows, and rows for each."""
    picked: np.ndarray | None
    """Which of these clients, all of them if None."""

    def of(self, a: Array) -> Array:
        """What an array (rows, ...) has for them: a view if they are all of those in the rows."""
        stack = a[self.rows].reshape((*self.shape, *a.shape[1:]))
        return stack if self.picked is None else stack[self.picked]

    def put(self, a: Array, part: Array) -> None:
        """Write a part (m, most) into an array (rows,)."""
        stack = a[self.rows].reshape(self.shape)
        stack[slice(None) if self.picked is None else self.picked] = part


class Pieces(NamedTuple):
    """Runs of a client's rows, of which a thread takes one after the other."""

    table: np.ndarray
    """First row, row after the last, row of theta_k, row of the result, shape (number, 4)."""
    clients: int
    """How many these are; their first pieces come first."""
    owners: np.ndarray
    """For each further piece, the place of its client."""

    def total(self, result: np.ndarray) -> np.ndarray:
        """The result of each client, from those of its pieces."""
        if len(self.owners) == 0:
            return result
        whole = result[: self.clients]
        np.add.at(whole, self.owners, result[self.clients :])
        return whole


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

    def pieces(self, clients: np.ndarray | None, most: int) -> Pieces:
        """What threads take of the samples of some of the clients, or of all."""
        if clients is not None:
            return _cut(self.firsts[clients], self.sizes[clients], most)
        if most not in self._pieces_of_all:
            self._pieces_of_all[most] = _cut(self.firsts, self.sizes, most)
        return self._pieces_of_all[most]

    @cached_property
    def _pieces_of_all(self) -> dict[int, Pieces]:
        return {}

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
                yield self._of_some(here, some, room)

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
            yield Chunk(slice(place, place + 1), rows, (1, rows.stop - rows.start), None)

    def _of_some(self, where: slice | np.ndarray, clients: np.ndarray, room: int) -> Chunk:
        """Clients of one block; a slice of its rows where they lie one after the other."""
        firsts = self.firsts[clients]
        first, number = int(firsts[0]), len(clients)
        if number == 1 or bool((np.diff(firsts) == room).all()):
            rows = slice(first, first + number * room)
            return Chunk(where, rows, (number, room), None)
        first, last = int(firsts.min()), int(firsts.max())
        shape = (last - first) // room + 1, room
        return Chunk(where, slice(first, last + room), shape, (firsts - first) // room)


def _places(where: slice | np.ndarray, number: int) -> np.ndarray:
    return np.arange(number) if isinstance(where, slice) else where


def _cut(firsts: np.ndarray, sizes: np.ndarray, most: int) -> Pieces:
    """Pieces of at most so many rows."""
    number = len(sizes)
    table = np.empty((number, 4), dtype=np.int64)
    table[:, 0] = firsts
    table[:, 1] = firsts + np.minimum(sizes, most)
    table[:, 2] = table[:, 3] = np.arange(number)
    owners = np.repeat(np.arange(number), (sizes - 1) // most)
    if len(owners) == 0:
        return Pieces(table, number, owners)
    beyond = np.arange(len(owners))
    nth = 1 + beyond - np.searchsorted(owners, owners)  # those of one client follow each other
    begin = firsts[owners] + nth * most
    end = np.minimum(begin + most, (firsts + sizes)[owners])
    more = np.stack([begin, end, owners, number + beyond], axis=1)
    return Pieces(np.concatenate([table, more]), number, owners)


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
