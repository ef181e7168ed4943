"""FedPD: trajectories worked out by hand, exactness, the same on NumPy and torch."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    FedPD,
    LogisticRegression,
    Quadratic,
    Server,
    random_quadratics,
    run,
)
from fl_algos.oracles import GD, AugmentedLagrangian, exact
from support.draws import Coins
from support.small import column


def test_a_round_with_communication(two_clients):
    """With s = 1, prox_1(v) = v/2 and prox_2(v) = (4 + v)/4."""
    server = Server(2)
    algorithm = FedPD(s=1.0, p=0.5)
    state = algorithm.init(np.array([2.0]), 2)
    state = algorithm.round(state, two_clients, server, Coins(True, probability=0.5))
    # theta_k = prox(2); lambda_k = theta_k - 2; half_k = theta_k + lambda_k = 0, 1; mean 1/2
    assert_allclose(state.theta_k, column(1.0, 1.5))
    assert_allclose(state.lambda_k, column(-1.0, -0.5))
    assert_allclose(state.theta, [0.5])
    assert_allclose(state.theta_k0, column(0.5, 0.5))
    assert server.ledger.communications == 1


def test_a_skipped_round_and_the_one_after_it(two_clients):
    """Erratum E6: on a skip the clients go on from theta_k + s lambda_k, the server from theta."""
    server = Server(2)
    algorithm = FedPD(s=1.0, p=0.5)
    state = algorithm.init(np.array([2.0]), 2)
    state = algorithm.round(state, two_clients, server, Coins(False, probability=0.5))
    assert_allclose(state.theta, [2.0])
    assert_allclose(state.theta_k0, column(0.0, 1.0))
    assert server.ledger.communications == server.ledger.floats_up == server.ledger.floats_down == 0
    # v_k = theta_k0 - lambda_k = 1, 3/2; theta_k = 1/2, 11/8; lambda_k = -1/2, -1/8;
    # half_k = 0, 5/4
    state = algorithm.round(state, two_clients, server, Coins(True, probability=0.5))
    assert_allclose(state.theta_k, column(0.5, 1.375))
    assert_allclose(state.lambda_k, column(-0.5, -0.125))
    assert_allclose(state.theta, [0.625])


def test_a_round_with_gradient_steps(two_clients):
    """One step of 1/2 on x -> f_k(x) + |x - 2|^2/2 from 2: the slopes there are 2 and 2."""
    algorithm = FedPD(s=1.0, p=0.5, oracle=GD(eta=0.5, Q=1))
    state = algorithm.init(np.array([2.0]), 2)
    state = algorithm.round(state, two_clients, Server(2), Coins(True, probability=0.5))
    assert_allclose(state.theta_k, column(1.0, 1.0))
    assert_allclose(state.theta, [0.0])  # half_k = 1 + (1 - 2)


def test_any_callable_is_an_oracle(two_clients):
    def newton(al, theta_k, oracle_k, draw):
        steps = 0 if oracle_k is None else oracle_k
        slope_k = al.grad(theta_k)
        curvature_k = al.grad(theta_k + 1) - slope_k
        return theta_k - slope_k / curvature_k, steps + 1

    history = run(FedPD(s=1.0, oracle=newton), two_clients, rounds=40)
    assert history.state.oracle_k == 40
    assert history.distance[-1] < 1e-10


@pytest.fixture
def logistic():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(n, 5)) + k for k, n in enumerate((7, 20, 3))]
    y = [rng.integers(0, 2, size=len(x)) for x in X]
    return LogisticRegression(X, y, l2=0.1)


@pytest.mark.parametrize("oracle", ["exact", "GD"])
@pytest.mark.parametrize("kind", ["quadratic", "logistic"])
def test_without_skipping_it_reaches_theta_star(kind, oracle, logistic):
    problem = random_quadratics(K=6, d=5, L=1.0, mu=0.1) if kind == "quadratic" else logistic
    s = 1 / (problem.L * problem.mu) ** 0.5
    gd = GD(eta=2 / (problem.L + problem.mu + 2 / s), Q=10_000, tolerance=1e-13)
    algorithm = FedPD(s=s, oracle=exact if oracle == "exact" else gd)
    theta = np.full(problem.d, 3.0)
    history = run(algorithm, problem, rounds=150, theta=theta)
    assert history.distance[0] > 1
    assert history.distance[-1] < 1e-10


def test_any_initial_dual_variable_is_allowed_without_skipping():
    problem = random_quadratics(K=6, d=5)
    algorithm = FedPD(s=1.0)
    state = algorithm.init(np.zeros(5), 6)
    state = state._replace(lambda_k=np.random.default_rng(1).normal(size=(6, 5)))
    assert run(algorithm, problem, rounds=400, state=state).distance[-1] < 1e-10


ORACLES = [exact, GD(eta=0.2, Q=5), GD(eta=0.2, Q=50, tolerance=1e-3)]


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("kind", ["quadratic", "logistic"])
def test_numpy_and_torch_give_the_same_trajectory(kind, oracle, logistic):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    problem = random_quadratics(K=6, d=5) if kind == "quadratic" else logistic
    devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()
    algorithm = FedPD(s=0.7, p=0.4, oracle=oracle)
    expected = run(algorithm, problem, rounds=60)
    for device in devices:
        found = run(algorithm, problem.to(device), rounds=60)
        assert found.theta.device.type == device
        for name in ("loss", "grad_norm2", "distance"):
            assert_allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=1e-10)
        for name in ("communications", "bytes_up", "gradients", "proxes"):
            assert getattr(found, name).tolist() == getattr(expected, name).tolist()
        for mine, theirs in zip(found.state[:4], expected.state[:4], strict=True):
            assert_allclose(mine.cpu(), theirs, rtol=0, atol=1e-10)


def test_float32_stays_float32():
    problem = random_quadratics(K=3, d=2).to(None, "float32")
    history = run(FedPD(s=1.0, p=0.2, oracle=GD(0.3, 4)), problem, rounds=40)
    assert {x.dtype for x in history.state[:4]} == {np.dtype("float32")}
    assert history.bytes_up[-1] == 4 * history.floats_up[-1]
    assert run(FedPD(s=1.0), problem, rounds=200).distance[-1] < 1e-5


def test_the_number_of_threads_does_not_matter():
    program = (
        "import fl_algos as fl; p = fl.random_quadratics(8, 40);"
        "print(*fl.run(fl.FedPD(1.0, 0.3), p, 30).theta.tolist())"
    )
    thetas = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **dict.fromkeys(names, threads)},
            capture_output=True,
            text=True,
            check=True,
        )
        thetas.append([float(x) for x in done.stdout.split()])
    assert_allclose(thetas[0], thetas[1], rtol=0, atol=1e-10)


def test_the_gradient_of_the_augmented_lagrangian_is_that_of_its_value(logistic):
    rng = np.random.default_rng(3)
    x_k, theta_k0, lambda_k, direction_k = rng.normal(size=(4, 3, 5))
    al = AugmentedLagrangian(logistic, 0.7, theta_k0, lambda_k)
    h = 1e-5
    slope_k = (al.value(x_k + h * direction_k) - al.value(x_k - h * direction_k)) / (2 * h)
    assert_allclose(slope_k, (al.grad(x_k) * direction_k).sum(axis=1), rtol=1e-8)
    assert_allclose(al.grad(al.argmin()), np.zeros((3, 5)), atol=1e-13)


def test_gd_stops_each_client_at_its_own_tolerance():
    """A client that starts at its minimiser takes no step and computes one gradient."""
    A_k = np.stack([np.eye(2), np.eye(2)])
    problem = Quadratic(A_k, np.array([[0.0, 0.0], [5.0, 5.0]]))
    state_at_the_optimum_of_client_0 = np.zeros(2)
    history = run(
        FedPD(s=1.0, oracle=GD(eta=0.25, Q=20, tolerance=1e-2)),
        problem,
        rounds=1,
        theta=state_at_the_optimum_of_client_0,
    )
    assert_allclose(history.state.theta_k[0], [0.0, 0.0], atol=0)
    steps = history.gradients[-1] - 2
    assert 1 <= steps < 20
    al_grad = (history.state.theta_k - 0) + history.state.theta_k - problem.b_k
    assert np.linalg.norm(al_grad[1]) <= 1e-2
