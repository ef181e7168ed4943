"""What a run costs beside its arithmetic: all as counts, or as ratios within one process."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from functools import partial
from itertools import count

import numpy as np
import pytest

from bench import P, fedpd_by_hand, proxskip_by_hand
from fl_algos import (
    FedAvg,
    FedAvgM,
    FedPD,
    GradientDescent,
    LeastSquares,
    LogisticRegression,
    ProxSkip,
    Server,
    random_quadratics,
    run,
)
from fl_algos._counted import Counted
from fl_algos.draw import Draws
from fl_algos.oracles import GD
from support.small import linear_model


def least(calls, *timers):
    """What each timer tells at least, in so many calls, called in turn.

    A machine that is busy with something else makes a time longer, never shorter; a ratio it can
    make either. So the ratio is taken of the least times, once.
    """
    return np.min([[timer() for timer in timers] for _ in range(calls)], axis=0)


def work(function, *arguments, **options):
    """A timer: the time of this thread for a call."""

    def timer():
        start = time.thread_time()
        function(*arguments, **options)
        return time.thread_time() - start

    return timer


ROUNDS = 200
COINS = np.random.default_rng(0).random(ROUNDS)


def quadratics():
    problem = random_quadratics(K=10, d=10)
    A_k, b_k = problem.A_k, problem.b_k
    return problem, lambda theta_k: (A_k @ theta_k[..., None])[..., 0] - b_k


def logistic():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 10, 10)), np.sign(rng.normal(size=(10, 10)))
    problem = LogisticRegression(list(X), list(y), l2=0.1)
    signed_k = y[..., None] * X

    def grad(theta_k):
        margin_k = (signed_k @ theta_k[..., None])[..., 0]
        slope_k = -0.1 / (1 + np.exp(margin_k))
        return (slope_k[:, None, :] @ signed_k)[:, 0, :] + 0.1 * theta_k

    return problem, grad


@pytest.mark.parametrize("make", [quadratics, logistic])
@pytest.mark.parametrize("name", ["ProxSkip", "FedPD-GD"])
def test_a_round_costs_at_most_three_times_what_it_costs_by_hand(make, name):
    problem, grad = make()
    assert problem.theta_star is not None  # computed here, once
    if name == "ProxSkip":
        algorithm, by_hand = ProxSkip(0.5, P, corrected=True), proxskip_by_hand
        arguments = (grad, 10, 10, COINS, 0.5)
    else:
        algorithm, by_hand = FedPD(1.0, P, GD(0.3, 1)), fedpd_by_hand
        arguments = (grad, 10, 10, COINS, 1.0, 0.3)
    ours = work(run, algorithm, problem, ROUNDS, stride=ROUNDS)
    found, expected = least(60, ours, work(by_hand, *arguments))
    assert found <= 3 * expected


class Federation:
    """K clients with ten samples each, as far as a round can see them."""

    d = 50

    def __init__(self, K):
        self.K, self.sizes = K, np.full(K, 10)
        self.weights = np.full(K, 1 / K)

    def asarray(self, x):
        return np.asarray(x)

    def grad(self, theta_k, clients=None, batch=None):
        assert len(theta_k) == len(clients) == 50
        if batch is not None:
            assert batch.rows_k.shape == (50, 4)
        return theta_k - clients[:, None]


@pytest.mark.parametrize("batch_size", [None, 4])
@pytest.mark.parametrize("algorithm", [FedAvg(0.1, 3), FedAvgM(1.0, 0.1, R=3)], ids=str)
def test_a_round_costs_what_takes_part_in_it(algorithm, batch_size):
    """50 of a thousand clients, and 50 of a million."""
    timers, peaks = [], []
    for K in (1000, 1_000_000):
        problem, server = Counted(Federation(K)), Server(K)
        draws, t = Draws(0, problem, batch_size, participants=50), count()
        state = algorithm.init(np.ones(50), K)

        def one(problem=problem, server=server, draws=draws, t=t, state=state):
            algorithm.round(state, problem, server, draws[next(t)])

        one()
        timers.append(work(one))
        tracemalloc.start()
        one()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= 1.2 * peaks[0]
    few, many = least(60, *timers)
    assert many <= 2 * few


class Passes:
    """Counts the passes over the samples that a problem makes."""

    def __init__(self, problem, monkeypatch):
        self.number = 0
        kind = type(problem)
        for name in ("value", "grad", "value_and_grad", "objective"):
            monkeypatch.setattr(kind, name, self.counted(getattr(kind, name)))

    def counted(self, method):
        def pass_over(*arguments, **options):
            self.number += 1
            return method(*arguments, **options)

        return pass_over


@pytest.fixture(params=[LogisticRegression, LeastSquares])
def problem(request):
    return linear_model(request.param)


def test_metrics_cost_one_pass_for_each_new_model(problem, monkeypatch):
    passes = Passes(problem, monkeypatch)
    run(GradientDescent(0.1), problem, rounds=10)
    assert passes.number == 10 + 11
    passes.number = 0
    history = run(ProxSkip(0.1, 0.7, corrected=True), problem, rounds=30)
    assert 0 < history.communications[-1] < 30
    assert passes.number == 30 + 1 + history.communications[-1]
    passes.number = 0
    run(GradientDescent(0.1), problem, rounds=10, metrics=())
    assert passes.number == 10


ALGORITHMS = [
    GradientDescent(0.1),
    ProxSkip(0.1, 0.3, R=2, corrected=True),
    FedPD(1.0, 0.5, GD(0.1, 2)),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_torch_is_not_asked_for_a_number_between_two_records(problem, algorithm):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from torch.utils._python_dispatch import TorchDispatchMode

    class Numbers(TorchDispatchMode):
        """Counts the numbers that are fetched from a tensor: on a GPU each waits for all before."""

        asked = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.asked += function is torch.ops.aten._local_scalar_dense.default
            return function(*args, **(kwargs or {}))

    problem = problem.to("cpu")
    run(algorithm, problem, 1)  # what is found once, such as theta*
    asked = []
    for rounds in (10, 50):
        with Numbers() as numbers:
            run(algorithm, problem, rounds, stride=rounds)
        asked.append(numbers.asked)
    assert asked[0] == asked[1]
    with Numbers() as numbers:
        float(torch.ones(1))
    assert numbers.asked == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_a_round_on_a_gpu_waits_for_nothing(problem, algorithm, dtype):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU that torch can use")
    problem = Counted(problem.to("cuda", dtype))
    server, draws = Server(problem.K), Draws(0, problem)
    state = algorithm.init(problem.asarray(np.zeros(problem.d)), problem.K)
    state = algorithm.round(state, problem, server, draws[0])
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for t in range(1, 20):
            state = algorithm.round(state, problem, server, draws[t])
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert bool(torch.isfinite(state.theta).all())


def test_to_import_the_package_takes_little_longer_than_to_import_numpy():
    def seconds(module):
        code = f"import time; s = time.process_time(); import {module}; "
        code += "print(time.process_time() - s)"
        return float(subprocess.check_output([sys.executable, "-P", "-c", code]))

    fl_algos, numpy = least(8, partial(seconds, "fl_algos"), partial(seconds, "numpy"))
    assert fl_algos <= 2.5 * numpy
