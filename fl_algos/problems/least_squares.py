"""Least squares with an L2 penalty, on clients of any sizes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, like
from fl_algos.draw import Batch
from fl_algos.problems._samples import Loss, check_samples, stack_samples, targets

__all__ = ["LeastSquares"]


class LeastSquares:
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
        self.l2 = _checks.non_negative("l2", l2)
        check_samples(X, y)
        y = targets(X, y)
        for k, y_k in enumerate(y):
            _checks.real(f"y[{k}]", y_k)
        self._samples = stack_samples(_SQUARES, X, y)
        self.K, self.d = len(X), int(X[0].shape[1])
        self.sizes = self._samples.sizes
        self.weights = _checks.client_weights("weights", weights, self.K)

    def to(self, device: str | None = None, dtype: str | None = None) -> LeastSquares:
        """The same problem in NumPy (device None) or in torch on a device, dtype unless None."""
        _checks.destination(device, dtype)
        moved = copy.copy(self)
        moved._samples = self._samples.to(device, dtype)
        for cached in ("_eigenvalues", "theta_star"):  # those of the converted data are different
            vars(moved).pop(cached, None)
        return moved

    def asarray(self, x: Array) -> Array:
        """x with the type and on the device of the problem's data."""
        return like(x, self._samples.x_k)

    @cached_property
    def _eigenvalues(self) -> tuple[float, float]:
        """The smallest and the largest of all X_k' X_k/n_k."""
        squares = self._samples.singular_values() ** 2
        fewer_than_d = squares.shape[1] < self.d
        return 0.0 if fewer_than_d else float(squares.min()), float(squares.max())

    @property
    def L(self) -> float:
        """``max_k |X_k|^2 / n_k + l2``: every gradient is L-Lipschitz."""
        return self._eigenvalues[1] + self.l2

    @property
    def mu(self) -> float:
        """The smallest eigenvalue of all Hessians: every f_k is mu-strongly convex if it is > 0."""
        return self._eigenvalues[0] + self.l2

    @cached_property
    def theta_star(self) -> Array | None:
        """The minimiser of the weighted mean of the f_k, (d,); None if there is not exactly one.

        It is computed in float64 even for float32 data.
        """
        pooled = self._samples.pooled(self.weights)
        zero = np.zeros((1, self.d))
        A, b = pooled.hessian(zero)[0] + self.l2 * np.eye(self.d), -pooled.grad(zero)[0]
        eigenvalues = np.linalg.eigvalsh(A)
        if eigenvalues[0] <= eigenvalues[-1] * self.d * np.finfo(A.dtype).eps:
            return None
        return self.asarray(np.linalg.solve(A, b))

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """f_k(theta_k), shape (K,)."""
        self._samples.check("theta_k", theta_k, clients)
        return self._samples.of(clients).value(theta_k) + self._penalty(theta_k)

    def grad(
        self, theta_k: Array, clients: Array | None = None, batch: Batch | None = None
    ) -> Array:
        """The gradients of f_k at theta_k, shape (K, d); with a batch their estimates from it."""
        samples = self._samples
        samples.check("theta_k", theta_k, clients)
        if batch is not None:
            samples, clients = samples.of(clients).batch(batch), None
        return samples.grad(theta_k, clients) + self.l2 * theta_k

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """f_k(theta_k), shape (K,), and the gradients, (K, d), for the price of the gradients."""
        self._samples.check("theta_k", theta_k, clients)
        value_k, grad_k = self._samples.value_and_grad(theta_k, clients)
        return value_k + self._penalty(theta_k), grad_k + self.l2 * theta_k

    def prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)``, shape (K, d), by solving its equation."""
        s = _checks.positive("s", s)
        self._samples.check("v_k", v_k, clients)
        samples, xp = self._samples.of(clients), array_namespace(v_k)
        identity = like(np.eye(self.d), v_k)
        grad_k = samples.grad(v_k) + self.l2 * v_k
        hessian_k = samples.hessian(v_k) + (self.l2 + 1 / s) * identity
        return v_k - xp.linalg.solve(hessian_k, grad_k[..., None])[..., 0]

    def _penalty(self, theta_k: Array) -> Array:
        return self.l2 / 2 * array_namespace(theta_k).sum(theta_k**2, axis=-1)


_SQUARES = Loss(
    "squares",
    value=lambda z, y: (z - y) ** 2 / 2,
    slope=lambda z, y: z - y,
    curvature=lambda z, y: array_namespace(z).ones_like(z),
)
