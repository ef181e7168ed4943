"""FedPD's stochastic oracles: exact where they can be, a noise floor where they can't."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    FedPD,
    FedProx,
    GradientDescent,
    LogisticRegression,
    run,
)
from fl_algos.draw import Draws
from fl_algos.oracles import GD, SGD, VR, AugmentedLagrangian, exact
from literal.clients import regression
from support.algorithms import EACH

S = 1.0


@pytest.fixture(scope="module")
def problem():
    return regression((12, 20, 5), 3, seed=0)[0]


def test_a_step_of_vr_minimises_the_linearized_augmented_lagrangian(problem):
    """Equation fedpd-linearize, by its optimality condition."""
    rng = np.random.default_rng(0)
    theta_k, theta_k0, lambda_k, g_k = rng.normal(size=(4, 3, 3))
    gamma = 0.3

    class Lagrangian:
        s = S
        clients = None

    al = Lagrangian()
    al.problem, al.theta_k0, al.lambda_k = problem, theta_k0, lambda_k
    x_k, _ = VR(gamma=gamma, Q=1, I=10)(al, theta_k, g_k, Draws(0, problem)[1])
    slope_k = g_k + lambda_k + (x_k - theta_k0) / S + (x_k - theta_k) / gamma
    assert_allclose(slope_k, 0, atol=1e-12)


def test_vr_without_batches_keeps_the_exact_gradient(problem):
    history = run(FedPD(s=S, oracle=VR(gamma=0.3, Q=4, I=5)), problem, rounds=23)
    state = history.state
    assert_allclose(state.oracle_k, problem.grad(state.theta_k), atol=1e-12)


def test_vr_reaches_theta_star_and_sgd_does_not(problem):
    """Same step size, steps and batches of two samples."""
    reached = {}
    for name, oracle in (
        ("VR", VR(gamma=0.3, Q=8, I=5)),
        ("SGD", SGD(eta=0.3 * S / (S + 0.3), Q=8)),
    ):
        history = run(FedPD(s=S, oracle=oracle), problem, rounds=1500, batch_size=2)
        reached[name] = history.distance[-200:]
    assert reached["VR"].max() < 1e-8
    assert reached["SGD"].min() > 1e-4


def test_the_noise_floor_of_sgd_shrinks_with_its_step(problem):
    """Between the step and its square, for batches here go through all samples in turn."""
    floors = []
    for eta in (0.1, 0.025):
        oracle = SGD(eta=eta, Q=20)
        history = run(FedPD(s=S, oracle=oracle), problem, rounds=1200, batch_size=2)
        floors.append((history.distance[300:] ** 2).mean())
    assert 3 < floors[0] / floors[1] < 20


def test_gradient_evaluations_by_hand(problem):
    """37 samples; batches of two take 2 + 2 + 2, or 2 + 2 + 1 at the end of a pass over 5."""
    rounds, n = 10, 37
    counted = {
        oracle: int(run(FedPD(s=S, oracle=oracle), problem, rounds, batch_size=size).gradients[-1])
        for oracle, size in ((GD(0.1, 3), None), (SGD(0.1, 2), 2), (VR(0.1, 2, 5), 2))
    }
    assert counted[GD(0.1, 3)] == rounds * 3 * n
    assert counted[SGD(0.1, 2)] == rounds * 2 * 6
    assert counted[VR(0.1, 2, 5)] == rounds * 2 * 2 * 6 + 2 * n


def a_users_oracle(al, theta_k, oracle_k, draw):
    return theta_k - 0.1 * al.grad(theta_k, batch=draw.batch(0)), oracle_k


@pytest.mark.parametrize(
    ("algorithm", "who"),
    [
        (GradientDescent(0.1), "GradientDescent"),
        (FedPD(S), "the oracle exact"),
        (FedPD(S, oracle=GD(0.1, 3)), "the oracle GD"),
        (FedProx(1.0), "the oracle exact"),
        (FedProx(1.0, a_users_oracle), "the oracle a_users_oracle"),
    ],
)
def test_minibatches_are_refused_where_nothing_looks_at_them(problem, algorithm, who):
    message = f"batch_size = 2: a step of {who} looks at all samples, it does not set takes_batches"
    with pytest.raises(ValueError, match=message):
        run(algorithm, problem, 1, batch_size=2)
    everything = int(problem.sizes.max())
    run(algorithm, problem, 1, batch_size=everything)  # what it does anyhow
    with pytest.raises(ValueError, match=f"batch_size = {everything - 1}"):
        run(algorithm, problem, 1, batch_size=everything - 1)


@pytest.mark.parametrize(
    "algorithm",
    [
        *[algorithm for algorithm in EACH if getattr(algorithm, "takes_batches", False)],
        FedPD(S, oracle=SGD(0.1, 2)),
        FedPD(S, oracle=VR(0.1, 2, 2)),
        FedProx(1.0, SGD(0.1, 2)),
        FedProx(1.0, VR(0.1, 2, 2)),
    ],
)
def test_who_says_that_it_takes_minibatches_looks_at_them(problem, algorithm):
    theta = [run(algorithm, problem, 20, batch_size=size).theta for size in (None, 2)]
    assert (theta[0] != theta[1]).any()


def test_an_oracle_of_ones_own_says_that_it_takes_minibatches(problem):
    def oracle(*arguments):
        return a_users_oracle(*arguments)

    oracle.takes_batches = True
    assert run(FedPD(S, oracle=oracle), problem, 1, batch_size=2).gradients[-1] == 6


@pytest.mark.parametrize("oracle", [SGD(0.2, 3), VR(0.2, 3, 4)])
def test_numpy_and_torch_see_the_same_batches(problem, oracle):
    pytest.importorskip("torch", reason="torch is not installed")
    algorithm = FedPD(s=S, p=0.3, oracle=oracle)
    found = run(algorithm, problem.to("cpu"), rounds=50, batch_size=2)
    expected = run(algorithm, problem, rounds=50, batch_size=2)
    assert_allclose(found.theta, expected.theta, rtol=0, atol=1e-10)
    assert found.gradients.tolist() == expected.gradients.tolist()


@pytest.mark.parametrize("oracle", [exact, GD(0.1, 2), GD(0.1, 2, 1e-3), SGD(0.1, 2)])
def test_what_an_oracle_does_not_use_it_leaves(problem, oracle):
    al, memory = AugmentedLagrangian(problem, S, np.zeros((3, 3)), np.zeros((3, 3))), object()
    assert oracle(al, np.zeros((3, 3)), memory, Draws(0, problem)[0])[1] is memory


def test_a_client_whose_gradient_is_not_a_number_has_not_converged():
    class Lagrangian:
        def grad(self, theta_k, clients):
            return np.where(clients[:, None] == 0, np.nan, 0 * theta_k)

    theta_k, _ = GD(0.1, Q=3, tolerance=1e-3)(Lagrangian(), np.ones((2, 1)), None, None)
    assert np.isnan(theta_k[0]).all()
    assert_allclose(theta_k[1], 1, rtol=0)


def test_the_exact_oracle_searches_from_the_last_solution_where_the_problem_can():
    asked = []

    class Searching(LogisticRegression):
        def prox(self, v_k, s, clients=None, start_k=None):
            asked.append(start_k)
            return super().prox(v_k, s, clients, start_k)

    class Elsewhere(LogisticRegression):
        def prox(self, v_k, s, clients=None):
            return super().prox(v_k, s, clients)

    X, y = np.random.default_rng(0).normal(size=(3, 8, 2)), [[0, 1] * 4] * 3
    found, expected = (
        run(FedPD(1.0), kind(list(X), y, l2=0.1), 5) for kind in (Searching, Elsewhere)
    )
    assert_allclose(found.theta, expected.theta, rtol=1e-12)
    assert len(asked) == 5
    state = run(FedPD(1.0), Searching(list(X), y, l2=0.1), 4).state
    assert_allclose(asked[4], state.theta_k, rtol=1e-13)
