"""All randomness of a round.

Every number is a function of (seed, round, purpose) alone, so that NumPy and torch, on any device,
see the same coins and the same uniform numbers, in whatever order they ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array

__all__ = ["Draw", "Draws"]

COINS_PER_BLOCK = 1024


class Draws:
    """The randomness of a whole run; ``draws[t]`` is that of round t.

    Args:
        seed: an integer in [0, 2**64).
        problem: random numbers come with the type and on the device of its arrays.

    >>> problem = type("P", (), {"asarray": staticmethod(np.asarray)})
    >>> draws = Draws(seed=7, problem=problem)
    >>> [draws[t].with_probability(0.5) for t in range(6)]
    [False, True, True, True, False, False]
    """

    def __init__(self, seed: int, problem: object) -> None:
        _checks.count("seed", seed, least=0)
        if seed >= 2**64:
            raise ValueError(f"seed = {seed}: less than 2**64 is expected")
        self.seed = seed
        self.problem = problem
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

    def uniform(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1) of the given shape, the same each time that a purpose asks for them."""
        numbers = self.draws.stream(purpose, self.t).random(shape)
        return self.draws.problem.asarray(numbers)  # type: ignore[attr-defined]
