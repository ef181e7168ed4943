"""The kernels of linear models: each agrees with the formula, and with the others to rounding."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Event, get_ident

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import LeastSquares, LogisticRegression
from fl_algos.draw import Draws
from fl_algos.problems import _kernels
from literal.clients import LogisticClient

SIZES = (37, 1, 16, 130, 2)
D = 21


@pytest.fixture(params=["numba", "numpy"])
def kernel(request, monkeypatch):
    """Each kernel in turn; NumPy with blocks of one client and a bit."""
    if request.param == "numba":
        pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setattr(_kernels, "KERNEL", request.param)
    monkeypatch.setattr(_kernels, "BLOCK_BYTES", 2 * 8 * max(SIZES) * D)
    return request.param


def data(sizes=SIZES, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, D)) for n in sizes], [rng.normal(size=n) for n in sizes]


def problems(sizes=SIZES):
    X, y = data(sizes)
    return {
        "logistic": LogisticRegression(X, [y_k > 0 for y_k in y], l2=0.1, beta=0.2),
        "squares": LeastSquares(X, y, l2=0.1),
    }


@pytest.fixture(params=["logistic", "squares"])
def problem(request):
    return problems()[request.param]


def points(K, scale=0.5):
    return scale * np.random.default_rng(1).normal(size=(K, D))


def test_the_gradient_is_that_of_each_client_written_out(kernel):
    X, y = data()
    theta_k = points(len(X))
    logistic = LogisticRegression(X, [y_k > 0 for y_k in y], l2=0.1)
    squares = LeastSquares(X, y, l2=0.1)
    value_k, grad_k = squares.value_and_grad(theta_k)
    for k, theta in enumerate(theta_k):
        client = LogisticClient(X[k], np.sign(y[k]), 0.1)
        assert_allclose(logistic.grad(theta_k)[k], client.grad(theta), rtol=1e-11, atol=1e-13)
        residual = X[k] @ theta - y[k]
        expected = X[k].T @ residual / len(residual) + 0.1 * theta
        assert_allclose(grad_k[k], expected, rtol=1e-11, atol=1e-13)
        assert_allclose(value_k[k], np.mean(residual**2) / 2 + 0.05 * theta @ theta, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "eps"), [("float64", 1e-13), ("float32", 1e-5)])
def test_they_agree_to_rounding(problem, dtype, eps, monkeypatch):
    pytest.importorskip("numba", reason="numba is not installed")
    problem = problem.to(None, dtype)
    found = {}
    for name in ("numba", "numpy"):
        monkeypatch.setattr(_kernels, "KERNEL", name)
        for scale in (0.5, 300.0):
            found[name, scale] = problem.value_and_grad(problem.asarray(points(5, scale)))
    for scale in (0.5, 300.0):
        for ours, theirs in zip(found["numba", scale], found["numpy", scale], strict=True):
            assert ours.dtype == theirs.dtype == dtype
            assert_allclose(ours, theirs, rtol=eps, atol=eps * np.abs(theirs).max())


def test_the_gradient_is_the_same_with_the_values_and_without(problem, kernel):
    """Else a run would depend on how often its metrics are recorded."""
    theta_k = points(5)
    value_k, grad_k = problem.value_and_grad(theta_k)
    assert (grad_k == problem.grad(theta_k)).all()
    assert_allclose(value_k, problem.value(theta_k), rtol=1e-12)


def test_some_clients_are_rows_of_all(problem, kernel):
    theta_k = points(5)
    some = np.array([3, 0, 4])
    value_k, grad_k = problem.value_and_grad(theta_k)
    values, grads = problem.value_and_grad(theta_k[some], some)
    assert_allclose(grads, grad_k[some], rtol=1e-13, atol=1e-14)
    assert_allclose(values, value_k[some], rtol=1e-13)
    assert problem.grad(theta_k[:0], some[:0]).shape == (0, D)


def test_a_batch_is_its_samples(problem, kernel):
    X, y = data()
    theta_k = points(5)
    batch = Draws(0, problem, batch_size=7)[0].batch(2)
    found = problem.grad(theta_k, batch=batch)
    for k in range(problem.K):
        own = batch.rows_k[k][batch.weights_k[k] > 0]
        x, target = X[k][own], y[k][own]
        if isinstance(problem, LeastSquares):
            expected = x.T @ (x @ theta_k[k] - target) / len(own) + 0.1 * theta_k[k]
        else:
            expected = LogisticClient(x, np.sign(target), 0.0).grad(theta_k[k])
            expected = expected + problem._penalty.grad(theta_k[k])
        assert_allclose(found[k], expected, rtol=1e-11, atol=1e-13)


def test_arrays_that_cannot_be_written_or_are_views_are_no_trouble(problem, kernel):
    theta_k = points(5)
    stacked = np.broadcast_to(theta_k[0], (5, D))
    assert (problem.grad(stacked) == problem.grad(stacked.copy())).all()
    assert (problem.grad(np.asfortranarray(theta_k)) == problem.grad(theta_k)).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_stays_so_and_with_its_client(problem, kernel, bad):
    theta_k = points(5)
    expected = problem.grad(theta_k)
    theta_k[3, 0] = bad
    with np.errstate(all="ignore"):
        value_k, grad_k = problem.value_and_grad(theta_k)
    assert not np.isfinite(grad_k[3]).all()
    assert not np.isfinite(value_k[3])
    others = [0, 1, 2, 4]
    assert_allclose(grad_k[others], expected[others], rtol=1e-13, atol=1e-14)


def test_the_exponential_of_the_compiled_kernel():
    fused = pytest.importorskip("fl_algos.problems._fused", reason="numba is not installed")
    near, far = np.linspace(-5, 5, 1001), np.linspace(-700, 700, 1001)
    assert_allclose([fused.exp(x) for x in near], np.exp(near), rtol=1e-15)
    assert_allclose([fused.exp(x) for x in far], np.exp(far), rtol=5e-14)
    assert np.isnan(fused.exp(np.nan))
    assert fused.exp(np.inf) > 1e307
    assert 0 < fused.exp(-np.inf) < 1e-307


def test_the_number_of_threads_changes_nothing(problem, monkeypatch):
    fused = pytest.importorskip("fl_algos.problems._fused", reason="numba is not installed")
    monkeypatch.setattr(_kernels, "KERNEL", "numba")
    found = []
    for threads in (1, 2, 3, 8):
        monkeypatch.setattr(fused, "THREADS", threads)
        found.append(problem.value_and_grad(points(5)))
    for value_k, grad_k in found[1:]:
        assert (value_k == found[0][0]).all()
        assert (grad_k == found[0][1]).all()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("number", [0, 1, 7, 100])
def test_all_is_done_once(number, threads):
    done = []
    _kernels.in_parallel(lambda *share: done.extend(range(*share)), number, threads)
    assert sorted(done) == list(range(number))


def test_a_thread_that_is_late_leaves_its_shares_to_the_others():
    here, all_others_are_done = get_ident(), Event()
    shares = 2 * _kernels.SHARES
    mine, others = [], []

    def work(first, last):
        if get_ident() == here:
            mine.append(first)
        else:
            others.append(first)
            assert all_others_are_done.wait(10)
        if len(mine) >= shares - 1:
            all_others_are_done.set()

    _kernels.in_parallel(work, shares, 2)
    assert sorted(mine + others) == list(range(shares))
    assert len(others) <= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(problem, monkeypatch):
    pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setattr(_kernels, "KERNEL", "numba")
    expected = problem.grad(points(5))
    child = os.fork()
    if child == 0:
        same = (problem.grad(points(5)) == expected).all()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_numba_is_chosen_for_large_problems_only(monkeypatch):
    monkeypatch.setattr(_kernels, "_numba_works", lambda: True)
    monkeypatch.setattr(_kernels, "KERNEL", "auto")
    large, small = np.broadcast_to(1.0, _kernels.PAYS), np.broadcast_to(1.0, _kernels.PAYS - 1)
    assert _kernels.is_compiled(large)
    assert not _kernels.is_compiled(small)
    monkeypatch.setattr(_kernels, "_numba_works", lambda: False)
    assert not _kernels.is_compiled(large)
    monkeypatch.setattr(_kernels, "KERNEL", "numpy")
    assert not _kernels.is_compiled(large)


def python(code, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )


def test_a_small_problem_does_not_import_numba():
    code = (
        "import sys, numpy as np, fl_algos as fl\n"
        "problem = fl.LogisticRegression([np.ones((9, 9))], [[1] * 9], l2=1.0)\n"
        "fl.run(fl.GradientDescent(0.1), problem, rounds=3)\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert python(code, FL_ALGOS_KERNEL="auto").returncode == 0


def test_an_unknown_kernel_is_an_error_that_names_the_known():
    answer = python("import fl_algos", FL_ALGOS_KERNEL="fast")
    assert "FL_ALGOS_KERNEL = 'fast': one of auto, numba, numpy is expected" in answer.stderr


def test_numba_that_is_asked_for_and_missing_is_an_error():
    hidden = "import sys; sys.modules['numba'] = None; import fl_algos"
    answer = python(hidden, FL_ALGOS_KERNEL="numba")
    assert "FL_ALGOS_KERNEL = 'numba', but numba is not installed" in answer.stderr
    assert python(hidden, FL_ALGOS_KERNEL="auto").returncode == 0


@pytest.mark.parametrize("error", [ImportError, RuntimeError])
def test_numpy_stands_in_where_numba_is_missing_or_finds_no_place_for_its_cache(error):
    def answer(kernel):
        return python(
            "import sys, types, numpy as np, fl_algos as fl\n"
            "from fl_algos.problems import _kernels\n"
            "def njit(**options):\n"
            f"    raise {error.__name__}\n"
            "config = types.SimpleNamespace(NUMBA_NUM_THREADS=1)\n"
            "sys.modules['numba'] = types.SimpleNamespace(njit=njit, config=config)\n"
            f"_kernels.KERNEL, _kernels.PAYS = {kernel!r}, 1\n"
            "problem = fl.LeastSquares([np.eye(2)], [[1.0, 2.0]])\n"
            "print(problem.grad(np.zeros((1, 2))))"
        )

    assert answer("auto").stdout == "[[-0.5 -1. ]]\n"
    assert error.__name__ in answer("numba").stderr
