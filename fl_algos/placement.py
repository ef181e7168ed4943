"""Where the clients of a federation lie: which of them this process holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fl_algos._arrays import Array

__all__ = ["Placement"]


@dataclass(frozen=True, eq=False)
class Placement:
    """A federation, and the clients of it that this process holds: `here` of them from `first` on.

    What is drawn in a round is drawn from the whole federation, and each process takes its rows. A
    client has a *number*, which counts through the federation, and a *row*, its number less
    `first`.

    Attributes:
        sizes: number of samples of each client of the federation, shape (K,).
        weights: of each client of the federation in the objective, shape (K,), with the sum 1.
        first: the number of the first client here.
        here: how many clients lie here, >= 1.
        theta_star: the minimiser of the federation's objective, shape (d,), if it is known and the
            problem here, which has some of the clients only, can't say.
    """

    sizes: np.ndarray
    weights: np.ndarray
    first: int
    here: int
    theta_star: Array | None = None

    @classmethod
    def whole(cls, problem: Any) -> Placement:
        """All clients of the problem, and no others: a federation in one process."""
        return cls(problem.sizes, problem.weights, 0, problem.K)

    @property
    def K(self) -> int:
        """The number of clients of the federation."""
        return len(self.sizes)

    @property
    def is_whole(self) -> bool:
        """Whether all clients lie here."""
        return self.here == self.K

    @property
    def weights_here(self) -> np.ndarray:
        """The weights of the clients here, shape (here,); they sum to 1 if all are here."""
        return self.weights[self.first : self.first + self.here]

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        """Of clients by their numbers, in order, the rows of those that lie here."""
        if self.is_whole:
            return numbers
        first, last = np.searchsorted(numbers, (self.first, self.first + self.here))
        return numbers[first:last] - self.first
