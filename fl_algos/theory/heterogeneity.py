"""What can be estimated of L, mu and of how different the clients are, by gradients alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, stack, to_numpy
from fl_algos.protocols import Problem

__all__ = ["G_along", "dissimilarity", "hessian_range"]

DENSE_UP_TO = 20
"""The dimension up to which whole Hessians cost no more gradients than Lanczos takes at least."""


def hessian_range(problem: Problem, theta: Array) -> tuple[float, float]:
    """The smallest and the largest eigenvalue of the clients' Hessians at theta.

    At theta only: over all points the largest L is at least the second number, and the smallest mu
    at most the first. For quadratics they are L and mu themselves (L, if no eigenvalue is
    negative).

    No Hessian is formed, except in small dimensions. Products with Hessians are central differences
    of gradients; all clients together are one symmetric matrix of K blocks, whose ends the Lanczos
    method finds. Expect 8 digits of the larger of the two in float64, 3 in float32.

    Args:
        problem: any problem, NumPy or torch.
        theta: a point, shape (d,).

    Raises:
        ValueError: theta is not a floating array of this shape, or not finite.
        ArithmeticError: the Lanczos method has not converged, or a Hessian is not finite.

    Source:
        Lehoucq, Sorensen and Yang, ARPACK Users' Guide, SIAM 1998, for the method.

    >>> from fl_algos import random_quadratics
    >>> problem = random_quadratics(K=3, d=40, L=2.0, mu=0.5)
    >>> smallest, largest = hessian_range(problem, np.zeros(40))
    >>> round(smallest, 6), round(largest, 6)
    (0.5, 2.0)
    """
    _checks.real("theta", theta)
    _checks.shape("theta", theta, (problem.d,))
    theta = problem.asarray(theta)
    precision = float(np.finfo(to_numpy(theta).dtype).eps)
    product = _hessian_product(problem, theta, precision)
    if problem.d <= DENSE_UP_TO:
        return _dense_range(product, problem.K, problem.d)
    return _lanczos_range(product, problem.K, problem.d, tolerance=precision**0.5)


def G_along(problem: Problem, thetas: Array) -> float:
    """The largest |grad f_i - grad f_j| over all pairs of clients at the given points.

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
    """The smallest G with mean_k |grad f_k|^2 <= G^2 + B^2 |grad f|^2 at the given points.

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


def _hessian_product(
    problem: Problem, theta: Array, precision: float
) -> Callable[[np.ndarray], np.ndarray]:
    """From V_k (K, d) to the clients' Hessians at theta times V_k, by central differences."""
    theta_k = stack(theta, problem.K)
    h = precision ** (1 / 3) * max(1.0, float(np.linalg.norm(to_numpy(theta))))

    def product(V_k: np.ndarray) -> np.ndarray:
        step_k = problem.asarray(h * V_k)
        difference_k = problem.grad(theta_k + step_k) - problem.grad(theta_k - step_k)
        product_k: np.ndarray = to_numpy(difference_k).astype(np.float64) / (2 * h)
        if not np.isfinite(product_k).all():
            raise ArithmeticError("a Hessian is not finite at theta")
        return product_k

    return product


def _dense_range(
    product: Callable[[np.ndarray], np.ndarray], K: int, d: int
) -> tuple[float, float]:
    columns = [product(np.tile(unit, (K, 1))) for unit in np.eye(d)]
    hessian_k = np.stack(columns, axis=-1)
    eigenvalues = np.linalg.eigvalsh((hessian_k + hessian_k.mT) / 2)
    return float(eigenvalues.min()), float(eigenvalues.max())


def _lanczos_range(
    product: Callable[[np.ndarray], np.ndarray], K: int, d: int, tolerance: float
) -> tuple[float, float]:
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    def ends(k: int, which: str, shift: float) -> np.ndarray:
        """Eigenvalues of the block diagonal matrix plus shift times the identity, in order."""

        def matvec(v: np.ndarray) -> np.ndarray:
            return product(v.reshape(K, d)).ravel() + shift * v.ravel()

        operator = LinearOperator((K * d, K * d), matvec=matvec, dtype=np.float64)
        start = np.random.default_rng(0).normal(size=K * d)
        try:
            found = eigsh(
                operator, k, which=which, v0=start, tol=tolerance, return_eigenvectors=False
            )
        except ArpackNoConvergence as error:
            raise ArithmeticError("the Lanczos method has not converged") from error
        return np.sort(found)

    # The tolerance is relative to an eigenvalue. So the spectrum is moved into [r, 3 r], lest an
    # eigenvalue near 0 be asked for to more digits than differences of gradients have.
    r = abs(float(ends(1, "LM", 0.0)[0]))
    smallest, largest = ends(2, "BE", 2 * r) - 2 * r
    return float(smallest), float(largest)
