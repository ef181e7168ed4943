"""What every framework is given: a federation, plain NumPy's answer, and a stopwatch.

The task is gradient descent on logistic regression with an L2 penalty. In a round each client takes
one step of length GAMMA from the server's model, with all of its samples, and the server averages.
"""

from __future__ import annotations

import json
import sys
import time
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

L2 = 0.01
GAMMA = 0.5
CHECKED = 3  # rounds before the model is looked at, and the clock starts
TOLERANCE = 1e-4
BLOCKS = 3


class Task(NamedTuple):
    """Sizes of a federation, and how many rounds a block has."""

    K: int
    n: int
    d: int
    rounds: int

    @property
    def all_rounds(self) -> int:
        """Rounds until the stopwatch has seen all that it waits for."""
        return CHECKED + BLOCKS * self.rounds


def asked() -> Task:
    """The task that the command line names: K n d rounds."""
    return Task(*map(int, sys.argv[1:]))


@cache
def samples(K: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples (K, n, d), and labels -1 or 1, (K, n), in float32; the clients' labels differ."""
    rng = np.random.default_rng(0)
    X_k = rng.standard_normal((K, n, d), dtype=np.float32)
    y_k = np.sign(X_k @ rng.standard_normal(d) + rng.standard_normal((K, 1)))
    return X_k, y_k.astype(np.float32)


def gradient_descent(X_k: np.ndarray, y_k: np.ndarray, rounds: int) -> np.ndarray:
    """The model after so many rounds, in float64."""
    theta = np.zeros(X_k.shape[-1])
    for _ in range(rounds):
        grad_k = []
        for X, y in zip(X_k.astype(float), y_k, strict=True):
            slope = -y / (1 + np.exp(y * (X @ theta)))
            grad_k.append(slope @ X / len(y) + L2 * theta)
        theta = theta - GAMMA * np.mean(grad_k, axis=0)
    return theta


class Stopwatch:
    """Is told the server's model after every round; times blocks of rounds after the check.

    Args:
        expected: the model after CHECKED rounds, (d,).
        rounds: in a block.

    Raises:
        ValueError: the expected model is about zero, so that it would tell nothing.
    """

    def __init__(self, expected: np.ndarray, rounds: int) -> None:
        if not np.abs(expected).max() > 100 * TOLERANCE:
            raise ValueError(f"expected is about zero: {expected}")
        self.expected = expected
        self.rounds = rounds
        self.t = 0
        self.times: list[float] = []

    @classmethod
    def of(cls, task: Task) -> Stopwatch:
        """The stopwatch of a task."""
        X_k, y_k = samples(task.K, task.n, task.d)
        return cls(gradient_descent(X_k, y_k, CHECKED), task.rounds)

    def __call__(self, theta: Any, rounds: int = 1) -> None:
        """Take note of the model after one more round, or several.

        Raises:
            ValueError: after CHECKED rounds it is not the expected one.
        """
        self.t += rounds
        if self.t == CHECKED:
            self._check(np.asarray(theta))
        if self.t >= CHECKED and (self.t - CHECKED) % self.rounds == 0:
            np.asarray(theta)  # what is computed later would not be in the time
            self.times.append(time.perf_counter())

    def _check(self, theta: np.ndarray) -> None:
        if theta.dtype != np.float32 or theta.shape != self.expected.shape:
            found = f"{theta.dtype}, shape {theta.shape}"
            raise ValueError(f"theta is {found}: float32, {self.expected.shape} is expected")
        error = np.abs(theta - self.expected).max()
        if not error <= TOLERANCE:
            raise ValueError(f"theta is off by {error:.1e} after {CHECKED} rounds")

    def rate(self) -> float:
        """Rounds per second, in the best block.

        Raises:
            ValueError: not as many rounds came as were asked for.
        """
        if len(self.times) != 1 + BLOCKS:
            raise ValueError(f"the stopwatch was told of {self.t} rounds, in blocks: {self.times}")
        return self.rounds / float(np.diff(self.times).min())


def report(task: Task, stopwatch: Stopwatch, package: str, base: str) -> None:
    """Print a line of JSON: versions of a framework and of what it computes with, and the rate."""
    versions = {name: version(name).partition("+")[0] for name in (package, base)}
    line = {"version": versions[package], "with": f"{base} {versions[base]}"}
    print(json.dumps({**line, **task._asdict(), "rate": stopwatch.rate()}))
