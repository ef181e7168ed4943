"""Memory is that of the data, whatever the sizes of clients, and L and mu are on the safe side."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from fl_algos import FedPD, LeastSquares, LogisticRegression, random_quadratics, run
from fl_algos.problems import _kernels, _layout, _spectrum
from support.cases import SEEDS


def federation(sizes, d, kind=LogisticRegression):
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(n, d)) for n in sizes]
    return kind(X, [rng.integers(0, 2, len(x)) for x in X], l2=0.1), X


@given(seed=SEEDS)
def test_at_most_a_quarter_is_padding(seed):
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.pareto(0.7, size=rng.integers(1, 200)).clip(max=1e5).astype(int)
    layout = _layout.layout(sizes, d=20_000)
    assert sizes.sum() <= layout.rows <= 1.25 * sizes.sum()
    taken = np.concatenate([f + np.arange(n) for f, n in zip(layout.firsts, sizes, strict=True)])
    assert len(np.unique(taken)) == sizes.sum()
    assert taken.max() < layout.rows


def test_clients_of_one_size_are_one_block():
    layout = _layout.layout(np.full(1000, 50), d=100)
    assert layout.is_one_block
    assert (layout.firsts == 50 * np.arange(1000)).all()


def test_all_samples_come_once_and_in_few_chunks():
    sizes = np.array([5, 300, 7, 290, 6, 5, 1])
    layout = _layout.layout(sizes, d=1000)
    assert layout.block_k.max() == 2
    x = np.arange(layout.rows)
    for clients in (None, np.array([4, 1, 0]), np.array([2, 2, 3])):
        wanted = np.arange(7) if clients is None else clients
        seen = [[] for _ in wanted]
        for chunk in layout.chunks(clients, most=100):
            part = chunk.of(x)
            assert part.size <= 100
            for place, rows in zip(np.arange(len(wanted))[chunk.where], part, strict=True):
                seen[place].extend(rows)
        for k, rows in zip(wanted, seen, strict=True):
            assert set(layout.firsts[k] + np.arange(sizes[k])) <= set(rows)
            assert len(rows) == len(set(rows)) <= layout.rooms[k]


WORK = {
    "gradients": lambda problem, v_k: problem.value_and_grad(v_k),
    "values": lambda problem, v_k: problem.value(v_k),
    "some gradients": lambda problem, v_k: problem.grad(v_k[::2], np.arange(0, 301, 2)),
    "proximal points": lambda problem, v_k: problem.prox(v_k, 1.0),
    "L and mu": lambda problem, v_k: (problem.L, problem.mu),
    "theta_star": lambda problem, v_k: problem.theta_star,
    "objective": lambda problem, v_k: problem.objective(v_k[0]),
    "a round": lambda problem, v_k: run(FedPD(1.0), problem, 1),
}


@pytest.mark.parametrize("kind", [LogisticRegression, LeastSquares])
@pytest.mark.parametrize("kernel", ["numba", "numpy"])
def test_memory_is_that_of_the_data(kind, kernel, monkeypatch):
    """One client with 20,000 samples and 300 with 10: padded to the largest they were 2.4 GB.

    At most three times the data and six (K, d) arrays, what the problem itself holds among them.
    """
    import scipy.linalg  # noqa: F401 (its own memory is not ours)

    if kernel == "numba":
        pytest.importorskip("numba", reason="numba is not installed")
        from fl_algos.problems import _fused  # noqa: F401
    monkeypatch.setattr(_kernels, "KERNEL", kernel)
    d = 50
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(n, d)) for n in [20_000] + [10] * 300]
    y = [rng.integers(0, 2, len(x)) for x in X]
    v_k = 0.1 * rng.normal(size=(301, d))
    for work in WORK.values():  # what is compiled and imported is so only once
        work(kind(X[1:2] * 301, y[1:2] * 301, l2=0.1), v_k)
    most = 3 * sum(x.nbytes for x in X) + 6 * v_k.nbytes
    peaks = {}
    for name, work in WORK.items():
        tracemalloc.start()
        work(kind(X, y, l2=0.1), v_k)
        peaks[name] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert max(peaks.values()) <= most, peaks


@pytest.mark.parametrize("kernel", ["numba", "numpy"])
def test_the_memory_of_proximal_points_does_not_grow_with_the_clients(kernel, monkeypatch):
    if kernel == "numba":
        pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setattr(_kernels, "KERNEL", kernel)
    v_k, peaks = np.zeros((4000, 50)), []
    for _ in range(3):  # what is compiled and imported is so only once
        problem, X = federation([2] * 4000, 50)
        problem.prox(v_k[:9], 1.0, np.arange(9))
        tracemalloc.start()
        problem.prox(v_k, 1.0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert min(peaks) <= 2 * sum(x.nbytes for x in X) + 4 * v_k.nbytes


def test_clients_of_any_sizes_are_what_they_are_alone():
    sizes = (400, 3, 17, 1, 60)
    problem, X = federation(sizes, 80)
    assert not problem._samples.layout.is_one_block
    theta_k = np.random.default_rng(1).normal(size=(5, 80))
    firsts = problem._samples.layout.firsts
    y = [problem._samples.y[f : f + n] for f, n in zip(firsts, sizes, strict=True)]
    for k in range(5):
        alone = LogisticRegression([X[k]], [y[k]], l2=0.1)
        one = theta_k[k : k + 1]
        assert_allclose(problem.grad(theta_k)[k], alone.grad(one)[0], rtol=1e-12, atol=1e-14)
        assert_allclose(problem.value(theta_k)[k], alone.value(one)[0], rtol=1e-13)
        assert_allclose(problem.prox(theta_k, 2.0)[k], alone.prox(one, 2.0)[0], atol=1e-12)


@pytest.mark.parametrize(("n", "d"), [(90, 50), (50, 90), (60, 60), (500, 20), (20, 500)])
def test_the_extreme_eigenvalues_are_exact_and_on_the_safe_side(n, d):
    problem, X = federation((n, n, n - 1), d, LeastSquares)
    squares = [np.linalg.svd(x, compute_uv=False) ** 2 / len(x) for x in X]
    largest = max(s.max() for s in squares)
    smallest = min(s.min() if len(x) >= d else 0 for s, x in zip(squares, X, strict=True))
    low_k, high_k = _spectrum.extremes(problem._samples, smallest=True)
    assert_allclose(high_k.max(), largest, rtol=2e-12)
    assert_allclose(low_k.min(), smallest, rtol=1e-9, atol=2e-12)
    assert high_k.max() >= largest * (1 - 1e-14)
    assert low_k.min() <= smallest * (1 + 1e-9)


def test_a_wrong_estimate_is_found_out(monkeypatch):
    """Lanczos that ends too early would make L too small and mu too large."""
    problem, _ = federation((90, 90), 50, LeastSquares)
    right = _spectrum.extremes(problem._samples, smallest=True)
    monkeypatch.setattr(_spectrum, "_largest", lambda gram_k: gram_k[:, 0, 0].copy())
    found = _spectrum.extremes(problem._samples, smallest=True)
    assert_allclose(found[0], right[0], rtol=1e-9)
    assert_allclose(found[1], right[1], rtol=1e-12)


@pytest.mark.parametrize(("n", "d"), [(150, 120), (120, 150), (130, 130)])
def test_beyond_the_limit_there_are_bounds(n, d, monkeypatch):
    monkeypatch.setattr(_spectrum, "EXACT", 50)
    problem, X = federation((n, n), d, LeastSquares)
    largest = max(np.linalg.norm(x, 2) ** 2 / n for x in X)
    assert largest + 0.1 <= problem.L <= 3 * largest
    assert problem.mu == 0.1


def test_equal_columns_have_no_smallest_eigenvalue():
    x = np.random.default_rng(0).normal(size=(90, 25))
    problem = LeastSquares([np.concatenate([x, x], axis=1)], [np.ones(90)])
    assert 0 <= problem.mu <= 1e-12


def test_a_problem_says_what_it_is():
    problem, _ = federation((20, 3), 4)
    assert repr(problem) == "<LogisticRegression: K = 2, n = 3 to 20, d = 4, mu = 0.1>"
    assert problem.L > 0
    assert f"L = {problem.L:.4g}, mu = 0.1" in repr(problem)
    squares, _ = federation((20, 20), 4, LeastSquares)
    assert repr(squares) == "<LeastSquares: K = 2, n = 20, d = 4>"
    assert squares.mu > 0
    assert "mu = " in repr(squares)
    quadratic = random_quadratics(K=3, d=2)
    assert repr(quadratic) == "<Quadratic: K = 3, d = 2>"
    assert quadratic.L > 0
    assert repr(quadratic) == "<Quadratic: K = 3, d = 2, L = 1, mu = 0.1>"


@pytest.mark.parametrize("problem", [federation((3, 2), 2)[0], random_quadratics(K=2, d=2)])
def test_weights_cannot_be_written_to(problem):
    with pytest.raises(ValueError, match="read-only"):
        problem.weights[0] = 1.0
