"""Least squares with an L2 penalty, on clients of any sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array
from fl_algos.problems import _spectrum
from fl_algos.problems._linear_model import LinearModel
from fl_algos.problems._loss import SQUARES
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import check_samples, stack_samples, targets

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
        super().__init__(stack_samples(SQUARES, X, y), penalty, weights)

    @cached_property
    def _eigenvalues(self) -> tuple[float, float]:
        """The smallest and the largest of all X_k' X_k/n_k, or bounds of them."""
        low_k, high_k = _spectrum.extremes(self._samples, smallest=True)
        return float(low_k.min()), float(high_k.max())

    @property
    def L(self) -> float:
        """``max_k |X_k|^2 / n_k + l2``: every gradient is L-Lipschitz.

        Where min(n_k, d) is over 1000, an upper bound of ``|X_k|^2`` instead: the sum of those of
        groups of at most 1000 samples, or features.
        """
        return self._eigenvalues[1] + self._penalty.l2

    @property
    def mu(self) -> float:
        """The smallest eigenvalue of all Hessians: every f_k is mu-strongly convex if it is > 0.

        Where min(n_k, d) is over 1000, a lower bound instead: l2.
        """
        return self._eigenvalues[0] + self._penalty.l2

    @cached_property
    def theta_star(self) -> Array | None:
        """The minimiser of the weighted mean of the f_k, (d,); None if there is not exactly one.

        It is computed in float64 even for float32 data.

        Raises:
            ArithmeticError: rounding does not let it be found.
        """
        if int(self.sizes.sum()) < self.d:
            return self.asarray(self._minimiser()[0]) if self._penalty.l2 > 0 else None
        # There are more samples than features: the matrix has no more numbers than they have.
        pooled, zero = self._samples.to(None, "float64").pooled(self.weights), np.zeros((1, self.d))
        A, b = pooled.hessian(zero)[0] + self._penalty.l2 * np.eye(self.d), -pooled.grad(zero)[0]
        eigenvalues = np.linalg.eigvalsh(A)
        if eigenvalues[0] <= eigenvalues[-1] * self.d * np.finfo(A.dtype).eps:
            return None
        return self.asarray(np.linalg.solve(A, b))

    def _known(self) -> dict[str, float]:
        known = "_eigenvalues" in vars(self)
        return {"L": self.L, "mu": self.mu} if known else {}
