"""Exact local solutions: as few passes over the samples as they need, from any start, on any data.

Passes are gradients and Hessian products; each reads the samples of a client once.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import LeastSquares, LogisticRegression, Quadratic, random_quadratics
from fl_algos._counted import Counted
from fl_algos.problems import _kernels, _newton, _proximal


@pytest.fixture(params=["numba", "numpy", "torch"])
def placed(request, monkeypatch):
    """A problem where each of the ways to compute takes it."""
    if request.param == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        before = torch.get_num_threads()
        torch.set_num_threads(1)  # for arrays of this size several wait for each other
        yield lambda problem: problem.to("cpu")
        torch.set_num_threads(before)
        return
    if request.param == "numba":
        pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setattr(_kernels, "KERNEL", request.param)
    yield lambda problem: problem


def standard(K, n, d, kind=LogisticRegression, seed=0, dtype=np.float64):
    """Standard normal features with random labels, and v."""
    rng = np.random.default_rng(seed)
    X = list(rng.standard_normal((K, n, d)).astype(dtype))
    y = list(rng.integers(0, 2, (K, n)))
    return kind(X, y, l2=0.01), 0.1 * rng.standard_normal((K, d)).astype(dtype)


def residual(problem, x_k, v_k, s):
    """The largest norm of a gradient of f_k(x) + |x - v_k|^2/(2 s)."""
    grad_k = np.asarray(problem.grad(x_k)) + (np.asarray(x_k) - v_k) / s
    return np.linalg.norm(grad_k, axis=1).max()


@pytest.mark.parametrize(("K", "n", "d"), [(4, 500, 300), (50, 50, 100)])
def test_a_proximal_point_takes_at_most_60_passes(K, n, d, placed):
    problem, v_k = standard(K, n, d)
    s = 1 / np.sqrt(problem.L * problem.mu)
    problem = placed(problem)
    x_k, passes_k = problem._prox(problem.asarray(v_k), s)
    assert passes_k.mean() <= 60
    assert residual(problem, x_k, v_k, s) <= 1e-13


def test_the_passes_are_those_that_are_made(monkeypatch):
    """Counted by what the kernels are asked for, not by the solver itself."""
    monkeypatch.setattr(_kernels, "KERNEL", "numpy")
    problem, v_k = standard(6, 40, 50)
    made_k = np.zeros(6, dtype=int)
    for name in ("gradients", "products"):
        whole = getattr(_kernels, name)

        def counted(*arguments, whole=whole, name=name, **options):
            made_k[arguments[4]] += 1
            return whole(*arguments, **options)

        monkeypatch.setattr(_kernels, name, counted)
    _, passes_k = problem._prox(v_k, 5.0)
    assert (passes_k == made_k).all()


def test_clients_that_have_arrived_cost_nothing(placed):
    """Started at their solutions, all but one are asked for one gradient."""
    problem, v_k = standard(8, 60, 50)
    problem = placed(problem)
    v_k = problem.asarray(v_k)
    x_k = problem.prox(v_k, 5.0)
    start_k = _kernels.array_namespace(x_k).asarray(x_k, copy=True)
    start_k[3] += 1
    again_k, passes_k = problem._prox(v_k, 5.0, start_k=start_k)
    assert passes_k[3] > 10
    assert (np.delete(passes_k, 3) <= 3).all()
    assert_allclose(np.asarray(again_k), np.asarray(x_k), atol=1e-13)


def test_a_near_start_saves_passes(placed):
    problem, v_k = standard(5, 80, 60)
    problem = placed(problem)
    v_k = problem.asarray(v_k)
    x_k, cold_k = problem._prox(v_k, 10.0)
    near_k, warm_k = problem._prox(v_k, 10.0, start_k=x_k + 1e-6)
    assert (warm_k < 0.7 * cold_k).all()
    assert_allclose(np.asarray(near_k), np.asarray(x_k), atol=1e-12)


def test_the_start_is_passed_on_and_checked():
    problem, v_k = standard(3, 8, 40)
    x_k = problem.prox(v_k, 1.0)
    counted = Counted(problem)
    assert_allclose(counted.prox(v_k, 1.0, start_k=x_k), x_k, atol=1e-13)
    some = np.array([2, 0])
    assert_allclose(problem.prox(v_k[some], 1.0, some, x_k[some]), x_k[some], atol=1e-13)
    with pytest.raises(ValueError, match="start_k has shape"):
        problem.prox(v_k, 1.0, start_k=x_k[:2])


def spoiled():
    """Data that are hard: name, problem, s, and v."""
    rng = np.random.default_rng(0)
    K, n, d = 4, 60, 40
    X = rng.normal(size=(K, n, d))
    random, v_k = rng.integers(0, 2, (K, n)), 0.1 * rng.normal(size=(K, d))
    mixed = np.where(np.arange(d) % 2 == 0, 1e4, 1.0)
    double_k = np.concatenate([v_k, -v_k], axis=1)
    bent = LogisticRegression(list(X), list(random), l2=0.01, beta=0.2, alpha=2.0)

    def logistic(X, y, l2):
        return LogisticRegression(list(X), list(y), l2=l2)

    few = rng.lognormal(sigma=2, size=(3, 5, 5000))
    return {
        "separable": (logistic(X, X @ rng.normal(size=d) > 0, 0.0), 1e4, v_k),
        "far away": (logistic(X, random, 0.0), 1e3, 200 + v_k),
        "large features": (logistic(1e4 * X, random, 0.01), 10.0, v_k),
        "features of mixed scales": (logistic(mixed * X, random, 0.01), 10.0, v_k),
        "nearly collinear": (logistic(X[..., :1] + 1e-4 * X, random, 1e-6), 1e4, v_k),
        "one sample": (logistic(X[:, :1], random[:, :1], 0.01), 1e4, v_k),
        "columns twice": (logistic(np.concatenate([X, X], axis=2), random, 1e-3), 10.0, double_k),
        "not convex": (bent, -0.99 / bent.mu, 10 * v_k),
        "many dimensions": (logistic(few, random[:3, :5], 0.01), 10.0, np.zeros((3, 5000))),
        "least squares": (LeastSquares(list(mixed * X), list(X[..., 0])), 1e4, v_k),
    }


@pytest.mark.parametrize("name", spoiled())
def test_it_converges_on_any_data(name, placed):
    problem, s, v_k = spoiled()[name]
    problem = placed(problem)
    x_k = problem.prox(problem.asarray(v_k), s)
    longest = np.sqrt(np.asarray(problem._scales_k[0]).sum(axis=1).max())
    assert residual(problem, x_k, v_k, s) <= 1e-13 * (longest + np.abs(v_k).max())


@pytest.fixture
def impatient(monkeypatch):
    """Conjugate gradients that make three products at most."""
    init = _proximal.Proximal.__init__

    def patched(self, *arguments):
        init(self, *arguments)
        self.most = 3

    monkeypatch.setattr(_proximal.Proximal, "__init__", patched)


@pytest.mark.usefixtures("impatient")
def test_no_matrix_is_formed_where_d_is_large(placed, monkeypatch):
    def never(*arguments):
        raise AssertionError

    monkeypatch.setattr(_kernels, "hessians", never)
    problem, v_k = standard(2, 5, 20_000)
    problem = placed(problem)
    x_k = problem.prox(problem.asarray(v_k), 10.0)
    assert residual(problem, x_k, v_k, 10.0) <= 1e-12


@pytest.mark.usefixtures("impatient")
def test_where_products_do_not_suffice_the_hessian_is_formed(placed):
    problem, v_k = standard(3, 60, 40)
    problem = placed(problem)
    x_k, passes_k = problem._prox(problem.asarray(v_k), 1e3)
    assert residual(problem, x_k, v_k, 1e3) <= 1e-13
    assert passes_k.max() < 30


def test_rows_of_no_weight_have_no_curvature(placed, monkeypatch):
    """Of what is not written NaN times 0 would be NaN: in Hessians and in preconditioners."""
    rng = np.random.default_rng(0)
    sizes = (60, 55, 58)
    X = [rng.normal(size=(n, 40)) * 10.0 ** rng.integers(-3, 3, 40) for n in sizes]
    problem = placed(LogisticRegression(X, [rng.integers(0, 2, n) for n in sizes], l2=0.01))
    samples, v_k = problem._samples, problem.asarray(np.zeros((3, 40)))
    monkeypatch.setattr(np, "empty_like", lambda x: np.full(x.shape, np.nan, x.dtype))
    h = _proximal.Proximal(
        samples, problem._penalty, np.arange(3), v_k, 1.0, problem._scales_k[0], np.ones(3)
    )
    grad_k = h.grad(v_k, np.arange(3))
    assert (np.asarray(h.curvature)[np.asarray(samples.weights) == 0] == 0).all()
    hessian_k = np.asarray(h._hessians(problem.asarray(np.ones((3, 40))), np.arange(3)))
    for x, n, hessian in zip(X, sizes, hessian_k, strict=True):
        assert_allclose(hessian, x.T @ x / n / 4 + np.eye(40), rtol=1e-11, atol=1e-13)
    scale_k = np.asarray(h._scales(problem.asarray(np.ones((3, 40))), np.arange(3)))
    assert h._is_unequal_k.all()
    assert_allclose(scale_k, np.diagonal(hessian_k, axis1=1, axis2=2), rtol=1e-11)
    assert np.isfinite(np.asarray(grad_k)).all()


@pytest.mark.parametrize("kind", [LogisticRegression, LeastSquares])
def test_groups_of_clients_are_dealt_with_one_after_the_other(kind, monkeypatch, placed):
    problem, v_k = standard(40, 6, 35, kind)
    problem = placed(problem)
    v_k = problem.asarray(v_k)
    whole = np.asarray(problem.prox(v_k, 3.0))
    monkeypatch.setattr(_proximal, "NUMBERS", 1)
    assert_allclose(np.asarray(problem.prox(v_k, 3.0)), whole, rtol=1e-12, atol=1e-14)
    assert [group.stop for group in problem._groups(40)] == [16, 32, 40]


def test_conjugate_gradients_compiled_and_not_are_the_same(monkeypatch):
    pytest.importorskip("numba", reason="numba is not installed")
    problem, v_k = standard(6, 30, 50)
    found = {}
    for name in ("numba", "numpy"):
        monkeypatch.setattr(_kernels, "KERNEL", name)
        found[name] = problem._prox(v_k, 5.0)
    assert_allclose(found["numba"][0], found["numpy"][0], rtol=1e-12, atol=1e-14)
    assert np.abs(found["numba"][1] - found["numpy"][1]).max() <= 3


def test_single_precision(placed):
    problem, v_k = standard(5, 60, 40, dtype=np.float32)
    problem = placed(problem)
    x_k = problem.prox(problem.asarray(v_k), 5.0)
    assert str(x_k.dtype).endswith("float32")
    assert residual(problem, x_k, v_k, 5.0) <= 1e-5


def test_a_quadratic_is_solved_by_its_eigenvectors():
    problem = random_quadratics(K=5, d=40, L=3.0, mu=1e-3)
    v_k = np.random.default_rng(0).normal(size=(5, 40))
    for s in (0.1, 10.0, 1e3):
        identity = np.eye(40)
        expected = np.linalg.solve(problem.A_k + identity / s, (problem.b_k + v_k / s)[..., None])
        largest = np.abs(expected).max()
        assert_allclose(problem.prox(v_k, s), expected[..., 0], rtol=0, atol=2e-13 * largest)


def test_a_quadratic_is_decomposed_once(monkeypatch):
    problem, calls, eigh = random_quadratics(K=5, d=40), [], np.linalg.eigh

    def counted(A_k):
        calls.append(len(A_k))
        return eigh(A_k)

    monkeypatch.setattr(np.linalg, "eigh", counted)
    for s in (0.1, 1.0, 2.0):
        problem.prox(np.ones((5, 40)), s, start_k=np.zeros((5, 40)))
    assert calls == [5]


def test_forcing_terms_make_newton_fast():
    """The passes beyond a single linear system's, to the same residual, are few."""
    problem, v_k = standard(4, 200, 100)
    squares = LeastSquares(
        [x / 2 for x in problem._samples.x.reshape(4, 200, 100)], np.zeros((4, 200)), l2=0.01
    )
    s = 1 / np.sqrt(problem.L * problem.mu)
    _, passes_k = problem._prox(v_k, s)
    _, linear_k = squares._prox(v_k, s)
    assert passes_k.mean() <= 1.5 * linear_k.mean()
    assert _newton.FIRST_FORCING > 0


def test_objective_is_the_weighted_mean(placed):
    rng = np.random.default_rng(0)
    sizes = (400, 3, 17, 1, 60)
    X, y = [rng.normal(size=(n, 30)) for n in sizes], [rng.integers(0, 2, n) for n in sizes]
    for problem in (
        LogisticRegression(X, y, l2=0.1, beta=0.3, weights=[1, 2, 3, 4, 5]),
        LeastSquares(X, y, l2=0.1, weights=[1, 2, 3, 4, 5]),
    ):
        problem = placed(problem)
        theta = problem.asarray(rng.normal(size=30))
        theta_k = problem.asarray(np.broadcast_to(np.asarray(theta), (5, 30)).copy())
        value, grad = problem.objective(theta)
        assert_allclose(float(value), problem.weights @ np.asarray(problem.value(theta_k)), 1e-13)
        expected = problem.weights @ np.asarray(problem.grad(theta_k))
        assert_allclose(np.asarray(grad), expected, rtol=1e-12, atol=1e-14)
        assert tuple(grad.shape) == (30,)


def test_objective_of_quadratics_and_of_new_weights():
    problem = random_quadratics(K=5, d=4, linear_spread=2.0)
    weighted = Quadratic(problem.A_k, problem.b_k, weights=[1, 2, 3, 4, 5])
    theta = np.random.default_rng(0).normal(size=4)
    theta_k = np.broadcast_to(theta, (5, 4))
    value, grad = weighted.objective(theta)
    assert_allclose(value, weighted.weights @ weighted.value(theta_k), rtol=1e-13)
    assert_allclose(grad, weighted.weights @ weighted.grad(theta_k), rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="shape"):
        weighted.objective(theta_k)


@pytest.mark.parametrize("kind", [LogisticRegression, LeastSquares])
def test_objective_follows_the_weights(kind):
    problem, v_k = standard(3, 8, 5, kind)
    theta_k = np.broadcast_to(v_k[0], (3, 5))
    problem.objective(v_k[0])
    problem.weights = np.array([0.5, 0.25, 0.25])
    assert_allclose(problem.objective(v_k[0])[0], problem.weights @ problem.value(theta_k), 1e-13)
