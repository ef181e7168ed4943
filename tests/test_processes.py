"""Every algorithm is the same wherever its clients lie: in one process, or in two."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fl_algos as fl
from fl_algos import algorithms
from fl_algos.draw import Draws
from fl_algos.oracles import GD, SGD, VR
from fl_algos.placement import Placement
from support.processes import AllReduce, in_processes, outcome, shares

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
            fl.GradientDescent(0.3),
            fl.ProxSkip(0.1, 0.3, R=2, corrected=True),
            fl.Scaffnew(0.1, 0.3),
            fl.FedPD(1.0, 0.3),
            fl.FedPD(1.0, 0.3, GD(0.1, 3)),
            fl.FedAvg(0.2, 3),
            fl.FedAvgM(1.0, 0.2, 0.5, 3),
            fl.FedOpt(0.1, 0.2, fl.Adam(0.9), R=3),
            fl.Scaffold(0.1, R=R),
            fl.FedProx(1.0),
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


@pytest.fixture(scope="module")
def outcomes() -> Any:
    pytest.importorskip("torch", reason="torch is not installed")
    return list(zip(in_one(), *in_processes(in_many, WORLD), strict=True))


NAMES = [f"{number} {a} {kind} {options}" for number, (a, kind, options) in enumerate(CASES)]


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_two_processes_do_what_one_does(outcomes: Any, number: int) -> None:
    one, *parts = outcomes[number]
    for name, expected in one["state"].items():
        if expected is None:
            continue
        found = [part["state"][name] for part in parts]
        if name.endswith(("_k", "_k0")):
            found = [np.concatenate(found)]
        for each in found:
            assert_allclose(each, expected, rtol=1e-12, atol=1e-12)
    for part in parts:
        assert part["end"] == one["end"]
        assert len(part["records"]) == len(one["records"])
        for found, expected in zip(part["records"], one["records"], strict=True):
            costs = found._fields.index("loss")
            assert found[:costs] == expected[:costs]
            assert_allclose(found[costs:], expected[costs:], rtol=1e-11, atol=1e-12)


def test_the_runs_that_should_stop_early_do(outcomes: Any) -> None:
    ends = {str(CASES[number][0]): one["end"] for number, (one, *_) in enumerate(outcomes)}
    assert "not finite" in ends["GradientDescent(gamma=30.0)"]
    assert ends["GradientDescent(gamma=1.0)"] == "done"
    lengths = {
        str(CASES[number][0]): len(one["records"]) for number, (one, *_) in enumerate(outcomes)
    }
    assert 1 < lengths["GradientDescent(gamma=1.0)"] < 1000


def test_every_algorithm_of_the_package_is_among_them() -> None:
    modules = [
        import_module(f"{algorithms.__name__}.{m.name}")
        for m in pkgutil.iter_modules(algorithms.__path__)
    ]
    there = {
        x
        for module in modules
        for x in vars(module).values()
        if isinstance(x, type) and hasattr(x, "round")
    }
    assert {type(algorithm) for algorithm, _, _ in CASES} == there


def test_some_process_has_nobody_in_some_round() -> None:
    draws = [
        Draws(5, federation("logistic"), 4, 1, placement("logistic", rank, WORLD))
        for rank in range(WORLD)
    ]
    present = [[len(each[t].clients) for each in draws] for t in range(25)]
    assert [0, 1] in present
    assert [1, 0] in present


def test_each_process_takes_its_rows_of_what_is_drawn() -> None:
    whole = Draws(5, federation("logistic"), 4, 3)
    parts = [
        Draws(
            5,
            federation("logistic", *shares(K, WORLD)[rank]),
            4,
            3,
            placement("logistic", rank, WORLD),
        )
        for rank in range(WORLD)
    ]
    for t in range(10):
        draw, rows = whole[t], [part[t] for part in parts]
        assert np.concatenate([each.numbers for each in rows]).tolist() == draw.clients.tolist()
        assert {each.share for each in rows} == {3 / 7}
        for r in (0, 2, 5):
            batch, batches = draw.batch(r), [each.batch(r) for each in rows]
            assert batch is not None
            for name in ("rows_k", "weights_k"):
                stacked = np.concatenate([getattr(each, name) for each in batches])
                assert (stacked == getattr(batch, name)).all()
            assert sum(each.samples for each in batches if each) == batch.samples
        mask_k = [each.uniform_k("mask", (2, 3)) for each in rows]
        assert (np.concatenate(mask_k) == draw.uniform_k("mask", (2, 3))).all()
        everyone = draw.uniform("mask", (K, 2, 3))
        assert (draw.uniform_k("mask", (2, 3)) == everyone[draw.clients]).all()
        assert all(
            (each.uniform("mask", (3,)) == draw.uniform("mask", (3,))).all() for each in rows
        )
