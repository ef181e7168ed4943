"""run() and its history."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    GD,
    Diverged,
    FedPD,
    GradientDescent,
    History,
    LogisticRegression,
    Quadratic,
    random_quadratics,
    run,
)


@pytest.fixture
def problem():
    return random_quadratics(K=4, d=3)


def test_metrics_are_those_of_the_servers_model(problem):
    history = run(GradientDescent(gamma=1.0), problem, rounds=7, theta=np.ones(3))
    A, b = problem.A_k.mean(axis=0), problem.b_k.mean(axis=0)
    theta = np.ones(3)
    for t in range(8):
        assert history.rounds[t] == t
        assert_allclose(history.loss[t], theta @ A @ theta / 2 - b @ theta)
        assert_allclose(history.grad_norm2[t], np.sum((A @ theta - b) ** 2))
        assert_allclose(history.distance[t], np.linalg.norm(theta - problem.theta_star))
        theta = theta - (A @ theta - b)
    assert_allclose(history.theta, theta + (A @ history.theta - b) * 0, atol=1)


def test_gradient_evaluations_are_counted_by_hand_and_metrics_are_free():
    X = [np.eye(2)[:1], np.vstack([np.eye(2), np.eye(2)])]
    problem = LogisticRegression(X, [[1], [0, 1, 0, 1]], l2=0.1)  # 1 and 4 samples
    assert run(GradientDescent(0.1), problem, rounds=10).gradients[-1] == 10 * 5
    assert run(FedPD(1.0, oracle=GD(0.1, Q=3)), problem, rounds=10).gradients[-1] == 3 * 10 * 5
    history = run(FedPD(1.0), problem, rounds=10)
    assert (history.gradients[-1], history.proxes[-1]) == (0, 10 * 2)


def test_the_same_seed_is_the_same_run_and_another_is_not(problem):
    same = [run(FedPD(1.0, 0.5), problem, 50, seed=3).theta for _ in range(2)]
    other = run(FedPD(1.0, 0.5), problem, 50, seed=4).theta
    assert (same[0] == same[1]).all()
    assert (same[0] != other).any()


def test_it_stops_at_the_tolerance(problem):
    history = run(GradientDescent(1.0), problem, rounds=10_000, tolerance=1e-5)
    assert history.grad_norm2[-1] <= 1e-10 < history.grad_norm2[-2]


def test_stride_keeps_the_first_and_the_last_round(problem):
    history = run(GradientDescent(1.0), problem, rounds=25, stride=10)
    assert history.rounds.tolist() == [0, 10, 20, 25]
    assert len(run(GradientDescent(1.0), problem, rounds=0)) == 1


def test_a_run_can_be_taken_up_again(problem):
    algorithm = FedPD(1.0)
    whole = run(algorithm, problem, rounds=20)
    half = run(algorithm, problem, rounds=10)
    assert_allclose(run(algorithm, problem, rounds=10, state=half.state).theta, whole.theta)


def test_divergence_names_the_round_and_the_quantity_and_keeps_the_history(problem):
    with pytest.raises(Diverged, match=r"after \d+ rounds loss is not finite") as caught:
        run(GradientDescent(gamma=50.0), problem, rounds=10_000)
    error = caught.value
    assert error.quantity == "loss"
    assert error.history.rounds.tolist() == list(range(error.t))
    assert np.isfinite(error.history.loss).all()


def test_what_is_not_finite_is_noticed_in_the_state_too(problem):
    def faulty(al, theta_k, oracle_k, draw):
        return theta_k + (np.nan if draw.t == 3 else 1.0), oracle_k

    with pytest.raises(Diverged, match="after 4 rounds theta_k is not finite"):
        run(FedPD(1.0, 1 - 1e-9, oracle=faulty), problem, rounds=10)


def test_an_oracle_that_changes_the_shape_is_an_error(problem):
    def one_row(al, theta_k, oracle_k, draw):
        return theta_k[0], oracle_k

    with pytest.raises(ValueError, match=r"theta_k has shape \(3,\): \(4, 3\) is expected"):
        run(FedPD(1.0, oracle=one_row), problem, rounds=10)


def test_without_theta_star_the_distance_is_unknown():
    indefinite = Quadratic(np.array([[[-1.0]], [[0.5]]]), np.zeros((2, 1)))
    assert np.isnan(run(FedPD(0.5), indefinite, rounds=2).distance).all()


def test_memory_stays_flat():
    problem = random_quadratics(K=1000, d=3)
    algorithm = FedPD(1.0, 0.3, oracle=GD(0.3, 2))
    run(algorithm, problem, rounds=5)
    peaks = []
    for rounds in (20, 200):
        tracemalloc.start()
        run(algorithm, problem, rounds=rounds)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 200_000  # 180 more records, no more arrays of the clients


class TestHistory:
    @pytest.fixture
    def history(self, problem):
        return run(FedPD(1.0, 0.5), problem, rounds=20)

    def test_to_and_from_a_file_without_pickle(self, history, tmp_path):
        history.save(tmp_path / "run.npz")
        again = History.load(tmp_path / "run.npz")
        assert again.records == history.records
        assert (again.theta == history.theta).all()
        with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
            assert "loss" in file

    def test_to_pandas(self, history):
        pytest.importorskip("pandas", reason="pandas is not installed")
        frame = history.to_pandas()
        assert frame["communications"].tolist() == history.communications.tolist()
        assert len(frame) == 21

    def test_plot(self, history):
        matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
        matplotlib.use("agg")
        (line,) = history.plot(y="distance", x="rounds", label="FedPD").get_lines()
        assert line.get_label() == "FedPD"
        assert_allclose(line.get_xydata(), np.c_[history.rounds, history.distance])

    def test_first(self, history):
        found = history.first(grad_norm2=float(history.grad_norm2[7]))
        assert found == history.records[int(np.argmax(history.grad_norm2 <= history.grad_norm2[7]))]
        assert history.first(loss=-1e9) is None
        with pytest.raises(ValueError, match="accuracy: one of rounds, "):
            history.first(accuracy=0.9)

    def test_an_unknown_metric_is_an_error_that_lists_the_known(self, history):
        with pytest.raises(AttributeError, match=r"has no 'accuracy'; it has rounds, "):
            _ = history.accuracy
