"""What can be estimated of L, mu and of how different the clients are, by gradients alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, stack, to_numpy
from fl_algos.protocols import Problem

__all__ = ["G_along", "dissimilarity", "hessian_range"]

BASIS = 100
"""How many vectors the Lanczos method keeps; in no more dimensions the Hessian costs no more."""


def hessian_range(problem: Problem, theta: Array) -> tuple[float, float]:
    """The smallest and the largest eigenvalue of the clients' Hessians at theta.

    At theta only: over all points the largest L is at least the second number, and the smallest mu
    at most the first. For quadratics they are L and mu themselves (L, if no eigenvalue is
    negative).

    No Hessian is formed, except in up to 100 dimensions. Products with a client's Hessian are
    central differences of its gradients, and the Lanczos method finds the ends of its spectrum.
    Errors are about 1e-8 times the largest absolute eigenvalue in float64, 1e-3 in float32.

    Args:
        problem: any problem, NumPy or torch.
        theta: a point, shape (d,).

    Raises:
        ValueError: theta is not a floating array of this shape, or not finite.
        ArithmeticError: the Lanczos method has not converged, or a Hessian is not finite.

    Source:
        Lehoucq, Sorensen and Yang, ARPACK Users' Guide, SIAM 1998, for the method.

    >>> from fl_algos import random_quadratics
    >>> problem = random_quadratics(K=3, d=200, L=2.0, mu=0.5)
    >>> smallest, largest = hessian_range(problem, np.zeros(200))
    >>> round(smallest, 6), round(largest, 6)
    (0.5, 2.0)
    """
    _checks.real("theta", theta)
    _checks.shape("theta", theta, (problem.d,))
    theta = problem.asarray(theta)
    ranges = []
    for k in range(problem.K):
        product = _hessian_product(problem, theta, k)
        if problem.d <= BASIS:
            ranges.append(_dense_range(product, problem.d))
        else:
            ranges.append(_lanczos_range(product, problem.d, tolerance=_precision(theta) ** 0.5))
    smallest, largest = zip(*ranges, strict=True)
    return min(smallest), max(largest)


def G_along(problem: Problem, thetas: Array) -> float:
    """The largest ``|grad f_i - grad f_j|`` over all pairs of clients at the given points.

    A LOWER bound of G, which is the supremum over all of R^d. ``problem.G`` is an upper one.

    Args:
        problem: any problem.
        thetas: points, shape (N, d), N >= 1, e.g. the models of a run.

    Raises:
        ValueError: thetas is not a floating array of this shape, or not finite.

    Source:
        Zhang et al., IEEE TSP 2021, assumption A4, for G; the book, erratum E3.

    >>> from fl_algos import Quadratic
    >>> problem = Quadratic(A_k=np.array([[[1.0]], [[3.0]]]), b_k=np.array([[0.0], [4.0]]))
    >>> G_along(problem, np.array([[0.0], [5.0]])), problem.G
    (6.0, inf)
    """
    from scipy.spatial.distance import pdist

    return max(float(pdist(g_k).max(initial=0.0)) for g_k in _gradients(problem, thetas))


def dissimilarity(problem: Problem, thetas: Array, B: float) -> float:
    """The smallest G with ``mean_k |grad f_k|^2 <= G^2 + B^2 |grad f|^2`` at the given points.

    0 where none is needed. Like :func:`G_along` a lower bound of what holds everywhere; but another
    quantity than the G of FedPD. The mean is that of the objective, with the problem's weights.

    Args:
        problem: any problem.
        thetas: points, shape (N, d), N >= 1, e.g. the models of a run.
        B: the factor of the gradient of f, >= 0.

    Raises:
        ValueError: thetas is not a floating array of this shape, or not finite, or B is negative.

    Source:
        Karimireddy et al., SCAFFOLD, ICML 2020, assumption A1.

    >>> from fl_algos import Quadratic
    >>> problem = Quadratic(A_k=np.array([[[1.0]], [[1.0]]]), b_k=np.array([[-2.0], [2.0]]))
    >>> dissimilarity(problem, np.array([[0.0], [5.0]]), B=1.0)
    2.0
    """
    B = _checks.non_negative("B", B)
    excess = 0.0
    for g_k in _gradients(problem, thetas):
        mean_square = float(problem.weights @ (g_k**2).sum(axis=1))
        square_of_mean = float(((problem.weights @ g_k) ** 2).sum())
        excess = max(excess, mean_square - B**2 * square_of_mean)
    return float(np.sqrt(excess))


def _gradients(problem: Problem, thetas: Array) -> Iterator[np.ndarray]:
    """The clients' gradients at each of the points, shape (K, d), in float64."""
    _checks.real("thetas", thetas)
    if thetas.ndim != 2 or thetas.shape[0] == 0 or thetas.shape[1] != problem.d:
        raise ValueError(f"thetas has shape {tuple(thetas.shape)}: (N, {problem.d}) is expected")
    for theta in problem.asarray(thetas):
        yield to_numpy(problem.grad(stack(theta, problem.K))).astype(np.float64)


Product = Callable[[np.ndarray], np.ndarray]
"""From a vector v (d,) to the Hessian times v."""


def _hessian_product(problem: Problem, theta: Array, k: int) -> Product:
    """That of client k at theta, by central differences of its gradient."""
    clients = np.array([k])
    h = _precision(theta) ** (1 / 3) * max(1.0, float(np.linalg.norm(to_numpy(theta))))

    def product(v: np.ndarray) -> np.ndarray:
        step = problem.asarray(h * v)
        ahead, behind = (
            to_numpy(problem.grad(point[None], clients))[0].astype(np.float64)
            for point in (theta + step, theta - step)
        )
        Hv: np.ndarray = (ahead - behind) / (2 * h)
        if not np.isfinite(Hv).all():
            raise ArithmeticError("a Hessian is not finite at theta")
        return Hv

    return product


def _precision(theta: Array) -> float:
    return float(np.finfo(to_numpy(theta).dtype).eps)


def _dense_range(product: Product, d: int) -> tuple[float, float]:
    hessian = np.stack([product(unit) for unit in np.eye(d)])
    eigenvalues = np.linalg.eigvalsh((hessian + hessian.T) / 2)
    return float(eigenvalues[0]), float(eigenvalues[-1])


def _lanczos_range(product: Product, d: int, tolerance: float) -> tuple[float, float]:
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    start = np.random.default_rng(0).normal(size=d)
    if not product(start / np.linalg.norm(start)).any():
        return 0.0, 0.0  # ARPACK refuses the zero matrix

    def eigenvalues(k: int, which: str, shift: float = 0.0) -> np.ndarray:
        """k eigenvalues of the Hessian plus shift times the identity, in order."""
        shifted = LinearOperator(
            (d, d), matvec=lambda v: product(v.ravel()) + shift * v.ravel(), dtype=np.float64
        )
        try:
            found = eigsh(
                shifted,
                k,
                which=which,
                v0=start,
                ncv=min(d, BASIS),
                tol=tolerance,
                return_eigenvectors=False,
            )
        except ArpackError as error:
            raise ArithmeticError("the Lanczos method has not converged") from error
        return np.sort(found)

    # The tolerance is relative to an eigenvalue. So the spectrum is moved into [r, 3 r], lest an
    # eigenvalue near 0 be asked for to more digits than differences of gradients have.
    r = abs(float(eigenvalues(1, "LM")[0]))
    smallest, largest = eigenvalues(2, "BE", shift=2 * r) - 2 * r
    return float(smallest), float(largest)
