"""Every algorithm is the same wherever its clients lie: in one process, or in two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos.draw import Draws
from support.federations import CASES, WORLD, K, federation, in_many, in_one, placement
from support.processes import in_processes, shares


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
