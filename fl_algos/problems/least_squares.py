"""Least squares with an L2 penalty, on clients of any sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, like
from fl_algos.problems._linear_model import LinearModel
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import Loss, check_samples, stack_samples, targets

__all__ = ["LeastSquares"]


class LeastSquares(LinearModel):
    """``f_k(theta) = (1/(2 n_k)) sum_i (<x_i, theta> - y_i)^2 + (l2/2) |theta|^2``.

    The sum is over the n_k samples of client k.

    Args:
        X: for each of the K clients its samples, shape (n_k, d), float32 or float64, all of them
            NumPy arrays or all of them torch tensors.
        y: for each of the K clients its targets, shape (n_k,), finite; of any type, lists too.
        l2: coefficient of the L2 penalty, >= 0.
        weights: of the clients in the objective, all > 0, in any scale, e.g. their numbers of
            samples; the same for all if None.

    Attributes:
        K, d: number of clients, dimension.
        sizes: the numbers of samples n_k, shape (K,).

    Raises:
        ValueError: no client, an empty client, shapes that do not fit, samples or targets that are
            not finite, samples that are not floating, a negative penalty.

    Source:
        Boyd and Vandenberghe, Convex Optimization, Cambridge 2004, Section 6.1 and 6.3.2.

    >>> import numpy as np
    >>> X = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 1.0]])]
    >>> problem = LeastSquares(X, y=[[1.0, 2.0], [3.0]])
    >>> problem.theta_star
    array([1., 2.])
    >>> problem.grad(np.zeros((2, 2)))
    array([[-0.5, -1. ],
           [-3. , -3. ]])
    """

    def __init__(
        self,
        X: Sequence[Array],
        y: Sequence[Array],
        l2: float = 0.0,
        weights: Sequence[float] | None = None,
    ) -> None:
        penalty = Penalty(_checks.non_negative("l2", l2), beta=0.0, alpha=1.0)
        check_samples(X, y)
        y = targets(X, y)
        for k, y_k in enumerate(y):
            _checks.real(f"y[{k}]", y_k)
        super().__init__(stack_samples(_SQUARES, X, y), penalty, weights)

    @cached_property
    def _eigenvalues(self) -> tuple[float, float]:
        """The smallest and the largest of all X_k' X_k/n_k."""
        squares = self._samples.singular_values() ** 2
        fewer_than_d = squares.shape[1] < self.d
        return 0.0 if fewer_than_d else float(squares.min()), float(squares.max())

    @property
    def L(self) -> float:
        """``max_k |X_k|^2 / n_k + l2``: every gradient is L-Lipschitz."""
        return self._eigenvalues[1] + self._penalty.l2

    @property
    def mu(self) -> float:
        """The smallest eigenvalue of all Hessians: every f_k is mu-strongly convex if it is > 0."""
        return self._eigenvalues[0] + self._penalty.l2

    @cached_property
    def theta_star(self) -> Array | None:
        """The minimiser of the weighted mean of the f_k, (d,); None if there is not exactly one.

        It is computed in float64 even for float32 data.
        """
        pooled = self._samples.pooled(self.weights)
        zero = np.zeros((1, self.d))
        A, b = pooled.hessian(zero)[0] + self._penalty.l2 * np.eye(self.d), -pooled.grad(zero)[0]
        eigenvalues = np.linalg.eigvalsh(A)
        if eigenvalues[0] <= eigenvalues[-1] * self.d * np.finfo(A.dtype).eps:
            return None
        return self.asarray(np.linalg.solve(A, b))

    def prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)``, shape (K, d), by solving its equation."""
        s = _checks.positive("s", s)
        self._samples.check("v_k", v_k, clients)
        samples, xp = self._samples.of(clients), array_namespace(v_k)
        identity = like(np.eye(self.d), v_k)
        grad_k = samples.grad(v_k) + self._penalty.grad(v_k)
        hessian_k = samples.hessian(v_k) + (self._penalty.l2 + 1 / s) * identity
        return v_k - xp.linalg.solve(hessian_k, grad_k[..., None])[..., 0]


def _value(z: Array, y: Array) -> Array:
    return (z - y) ** 2 / 2


def _slope(z: Array, y: Array) -> Array:
    return z - y


def _curvature(z: Array, y: Array) -> Array:
    return array_namespace(z).ones_like(z)


_SQUARES = Loss("squares", _value, _slope, _curvature)
