"""Measure what rounds, records, proximal points and unequal clients cost; print it as JSON.

`make bench` runs it twice, with this version of the package and with an older one, each in a
process of its own.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

import fl_algos as fl
from fl_algos.draw import Draws

FEDERATIONS = (1000, 10_000, 100_000)
PROXIMAL_CASES = ((20, 500, 300), (1000, 50, 100))
PROXIMAL_STEPS = (0.1, 1, 10, 100)  # times 1/sqrt(L mu)
WIDE = (100, 2, 31_504)
SKEWED = (20_000, *(10,) * 300)
TURNS = 3
CALLS = 20


def main() -> None:
    """Measure, and print the results."""
    results = {
        "proximal": [
            {"K": K, "n": n, "d": d, "factor": factor, "calls": proximal(K, n, d, factor)}
            for K, n, d in PROXIMAL_CASES
            for factor in PROXIMAL_STEPS
        ],
        "participation": [participation(K, batch) for K in FEDERATIONS for batch in (None, 4)],
        "records": [records(*WIDE)],
        "unequal": unequal(),
    }
    print(json.dumps(results))


def normal(K: int, n: int, d: int, l2: float) -> tuple[Any, np.random.Generator]:
    """Standard normal features and random labels."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((K, n, d)), rng.integers(0, 2, (K, n))
    return fl.LogisticRegression(list(X), list(y), l2=l2), rng


def least(function: Callable[[], object], seconds: float = 4.0) -> float:
    """The least seconds of a call."""
    found, end = float("inf"), time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        function()
        found = min(found, time.perf_counter() - begin)
    return found


def peak(function: Callable[[], object]) -> int:
    """The bytes that a call newly takes at most."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def proximal(K: int, n: int, d: int, factor: float) -> float:
    """The time of a proximal point in those of a gradient, the medians of calls in turn."""
    problem, rng = normal(K, n, d, 0.01)
    v_k, s = 0.1 * rng.standard_normal((K, d)), factor / (problem.L * problem.mu) ** 0.5
    seconds = []
    for _ in range(TURNS):
        begin = time.perf_counter()
        problem.prox(v_k, s)
        middle = time.perf_counter()
        for _ in range(CALLS):
            problem.grad(v_k)
        seconds.append((middle - begin, (time.perf_counter() - middle) / CALLS))
    first, second = np.median(seconds, axis=0)
    return float(first / second)


def participation(K: int, batch_size: int | None) -> dict[str, Any]:
    """A round of FedAvg in which 50 of K clients take part, and the memory that it newly takes."""
    problem, _ = normal(K, 10, 50, 0.1)
    server, algorithm = fl.Server(K), fl.FedAvg(gamma=0.1, R=3)
    draws, rounds = Draws(0, problem, batch_size, participants=50), count()
    state = algorithm.init(np.zeros(50), K)

    def one() -> None:
        algorithm.round(state, problem, server, draws[next(rounds)])

    one()  # what is compiled and imported is so only once
    return {"K": K, "batch_size": batch_size, "bytes": peak(one), "seconds": least(one)}


def records(K: int, n: int, d: int) -> dict[str, Any]:
    """The bytes that a run newly takes in which 5 of K clients take part, with two records."""
    problem, _ = normal(K, n, d, 0.1)
    problem.__dict__["theta_star"] = np.zeros(d)  # to find it is not what is measured
    algorithm = fl.FedAvg(gamma=0.1, R=1)

    def run() -> None:
        fl.run(algorithm, problem, 3, stride=3, participants=5)

    run()
    return {"K": K, "n": n, "d": d, "samples": 8 * K * n * d, "bytes": peak(run)}


def unequal() -> list[dict[str, Any]]:
    """Memory with one client of many samples, and the time against that of equal clients."""
    total, K = sum(SKEWED), len(SKEWED)
    equal = tuple(total // K + (k < total % K) for k in range(K))
    rng, d = np.random.default_rng(0), 50
    x, y = rng.standard_normal((total, d)), rng.integers(0, 2, total)

    def tasks(sizes: tuple[int, ...]) -> dict[str, Callable[[], object]]:
        bounds = np.cumsum(sizes)[:-1]
        X_k, y_k = np.split(x, bounds), np.split(y, bounds)

        def federation() -> Any:
            return fl.LogisticRegression(X_k, y_k, l2=0.1)

        problem, v_k = federation(), np.zeros((K, d))
        algorithm = fl.FedPD(1.0)
        state, draws = algorithm.init(np.zeros(d), K), Draws(0, problem)
        return {
            "LogisticRegression": federation,
            "L": lambda: federation().L,
            "theta_star": lambda: federation().theta_star,
            "grad": lambda: problem.grad(v_k),
            "FedPD": lambda: algorithm.round(state, problem, fl.Server(K), draws[0]),
        }

    skewed, even = tasks(SKEWED), tasks(equal)
    found = []
    for name in skewed:
        even[name]()  # what is compiled and imported is so only once
        bytes_ = peak(skewed[name])
        seconds = {"skewed": least(skewed[name], 1.0), "equal": least(even[name], 1.0)}
        found.append({"task": name, "bytes": bytes_, **seconds})
    return found


if __name__ == "__main__":
    main()
