"""The runs that are held against each other in one process and in several.

They are in a module of their own, not in a test: a process that is spawned has to import it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fl_algos as fl
from fl_algos.oracles import GD, SGD, VR
from fl_algos.placement import Placement
from support.algorithms import EACH
from support.processes import AllReduce, outcome, shares

SIZES = np.array([7, 30, 5, 12, 3, 9, 18])
K, D = len(SIZES), 4
WEIGHTS = SIZES / SIZES.sum()
R = (1, 3, 2, 5, 1, 2, 4)
WORLD = 2


def federation(kind: str, first: int = 0, here: int = K) -> Any:
    """The problem of some of the clients."""
    rng = np.random.default_rng(1)
    some = slice(first, first + here)
    if kind == "quadratic":
        whole = fl.random_quadratics(K, D, linear_spread=2.0, seed=1)
        return fl.Quadratic(whole.A_k[some], whole.b_k[some])
    X, y = [rng.normal(size=(n, D)) for n in SIZES], [rng.integers(0, 2, n) for n in SIZES]
    weights = WEIGHTS[some] if kind == "weighted" else None
    return fl.LogisticRegression(X[some], y[some], l2=0.1, weights=weights)


SAMPLED = {"participants": 2}
BATCHES = {"batch_size": 4}
CASES: list[tuple[Any, str, dict[str, Any]]] = [
    *[
        (algorithm, "logistic", options)
        for algorithm in (
            fl.FedAvg(0.2, R),
            fl.FedAvgM(1.0, 0.2, 0.5, R),
            fl.FedOpt(0.1, 0.2, fl.Yogi(0.9), R=R),
            fl.Scaffold(0.1, 0.9, R, option=1),
            fl.Scaffold(0.1, 0.9, R, option=2),
            fl.FedProx(1.0, SGD(0.1, 3)),
        )
        for options in (BATCHES, BATCHES | SAMPLED, {"participants": 1})
    ],
    (fl.FedProx(1.0), "logistic", SAMPLED),
    (fl.FedProx(1.0, GD(0.1, 3, 1e-2)), "logistic", SAMPLED),
    (fl.FedProx(1.0, VR(0.1, 3, 2)), "logistic", BATCHES | {"participants": 1}),
    *[
        (algorithm, kind, {})
        for algorithm in (
            *EACH,
            fl.ProxSkip(0.1, 0.3, R=2, corrected=True),
            fl.FedPD(1.0, 0.3, GD(0.1, 3)),
            fl.FedOpt(0.1, 0.2, fl.Adam(0.9), R=3),
            fl.Scaffold(0.1, R=R),
        )
        for kind in ("quadratic", "weighted")
    ],
    (fl.FedPD(1.0, 0.3, VR(0.1, 3, 4)), "weighted", BATCHES),
    (fl.FedPD(1.0, 0.3, SGD(0.1, 3)), "logistic", BATCHES),
    (fl.Scaffnew(0.1, 0.3), "logistic", BATCHES),
    (fl.ProxSkip(0.1, 0.3, R=3, corrected=True), "weighted", BATCHES),
    *[
        (algorithm, "weighted", BATCHES | SAMPLED)
        for algorithm in (
            fl.FedAvg(0.2, R),
            fl.FedAvgM(1.0, 0.2, 0.5, R),
            fl.FedProx(1.0, SGD(0.1, 2)),
        )
    ],
    (fl.GradientDescent(1.0), "quadratic", {"tolerance": 1e-3, "rounds": 1000}),
    (fl.GradientDescent(30.0), "quadratic", {"rounds": 1000}),
    (fl.FedAvg(0.2, R), "logistic", SAMPLED | {"metrics": ()}),
]


def options_of(kind: str, options: dict[str, Any]) -> dict[str, Any]:
    return {"rounds": 25, "seed": 5, "theta": np.ones(D)} | options


def in_one() -> list[dict[str, Any]]:
    return [outcome(a, federation(kind), **options_of(kind, o)) for a, kind, o in CASES]


def placement(kind: str, rank: int, world: int) -> Placement:
    sizes = federation(kind).sizes
    weights = WEIGHTS if kind == "weighted" else np.full(K, 1 / K)
    return Placement(sizes, weights, *shares(K, world)[rank], federation(kind).theta_star)


def in_many(rank: int, world: int) -> list[dict[str, Any]]:
    found = []
    for algorithm, kind, options in CASES:
        here = placement(kind, rank, world)
        problem = federation(kind, here.first, here.here)
        found.append(
            outcome(algorithm, problem, server=AllReduce(here), **options_of(kind, options))
        )
    return found
