"""Metrics have no part in a run, and nothing of them is ever out of date."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from fl_algos import (
    FedPD,
    GradientDescent,
    LeastSquares,
    LogisticRegression,
    Scaffnew,
    random_quadratics,
    run,
)
from fl_algos._counted import Counted
from fl_algos.oracles import GD
from support.small import linear_model


@pytest.fixture(params=[LogisticRegression, LeastSquares])
def problem(request):
    return linear_model(request.param)


@pytest.mark.parametrize("device", [None, "cpu"])
@pytest.mark.parametrize(
    "algorithm", [GradientDescent(0.3), Scaffnew(0.3, 0.4), FedPD(1.0, 0.5, GD(0.3, 2))], ids=str
)
def test_how_often_metrics_are_recorded_does_not_change_a_run(problem, algorithm, device):
    if device is not None:
        pytest.importorskip("torch", reason="torch is not installed")
        problem = problem.to(device)
    often, seldom = (run(algorithm, problem, 30, stride=stride) for stride in (1, 30))
    assert (often.theta == seldom.theta).all()
    assert often.records[-1] == seldom.records[-1]
    assert often.gradients[-1] == seldom.gradients[-1]


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_model_written_to_in_place_is_another_one(problem, device):
    """It must not: but then the metrics would silently be those of an earlier round."""
    if device is not None:
        pytest.importorskip("torch", reason="torch is not installed")
        problem = problem.to(device)

    class InPlace(GradientDescent):
        def round(self, state, problem, server, draw):
            theta, theta_k = state
            step = self.gamma * server.average(problem.grad(theta_k))
            theta -= step
            return type(state)(theta, server.broadcast(theta))

    right = run(GradientDescent(0.3), problem, rounds=5)
    np.testing.assert_allclose(run(InPlace(0.3), problem, rounds=5).loss, right.loss, rtol=1e-12)


def test_a_gradient_that_a_subclass_changes_is_the_one_that_is_used(problem):
    class Halved(type(problem)):
        def grad(self, theta_k, clients=None, batch=None):
            return super().grad(theta_k, clients, batch) / 2

    halved = Halved([np.eye(2)], [[0, 1]], l2=0.1)
    problem = type(problem)([np.eye(2)], [[0, 1]], l2=0.1)
    half, whole = run(GradientDescent(1.0), halved, 4), run(GradientDescent(0.5), problem, 4)
    np.testing.assert_allclose(half.theta, whole.theta, rtol=1e-12)
    np.testing.assert_allclose(half.grad_norm2, whole.grad_norm2 / 4, rtol=1e-12)


def test_a_problem_that_counts_can_be_copied():
    counted = Counted(random_quadratics(K=4, d=3))
    counted.prox(np.ones((4, 3)), 1.0)
    counted.prox(np.ones((2, 3)), 1.0, np.array([1, 3]))
    again = copy.copy(counted)
    assert (again.proxes, again.K) == (4 + 2, 4)
