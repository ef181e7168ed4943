"""Logistic regression with an L2 or a non-convex penalty, on clients of any sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, like
from fl_algos._newton import minimise_k
from fl_algos.problems._linear_model import LinearModel
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import Loss, Samples, check_samples, stack_samples, targets

__all__ = ["LogisticRegression"]


class LogisticRegression(LinearModel):
    """``f_k(theta) = (1/n_k) sum_i log(1 + exp(-y_i <x_i, theta>)) + penalty``.

    The sum is over the n_k samples of client k, with labels y_i in {-1, 1}. The penalty is
    ``(l2/2) |theta|^2 + beta sum_j alpha theta_j^2 / (1 + alpha theta_j^2)``; its second term, not
    convex, is that of the experiments of Zhang et al. (IEEE TSP 2021, Section V).

    Args:
        X: for each of the K clients its samples, shape (n_k, d), float32 or float64, all of them
            NumPy arrays or all of them torch tensors.
        y: for each of the K clients its labels, shape (n_k,), all of them in {0, 1} or all of them
            in {-1, 1}; of any type, lists too.
        l2: coefficient of the L2 penalty, >= 0.
        beta: coefficient of the non-convex penalty, >= 0.
        alpha: its steepness, > 0.
        weights: of the clients in the objective, all > 0, in any scale, e.g. their numbers of
            samples; the same for all if None.

    Attributes:
        K, d: number of clients, dimension.
        sizes: the numbers of samples n_k, shape (K,).

    Raises:
        ValueError: no client, an empty client, shapes that do not fit, samples that are not finite
            or not floating, other labels, a penalty out of its range.

    Source:
        Zhang, Hong, Dhople, Yin and Liu, FedPD, IEEE Trans. Signal Process. 69 (2021), Section V,
        for the penalty.

    >>> import numpy as np
    >>> X = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 1.0]])]
    >>> problem = LogisticRegression(X, y=[[0, 1], [1]], l2=0.1)
    >>> problem.K, problem.d, problem.sizes
    (2, 2, array([2, 1]))
    >>> theta_k = np.broadcast_to(problem.theta_star, (2, 2))
    >>> bool(np.linalg.norm(problem.grad(theta_k).mean(axis=0)) <= 1e-12)
    True
    """

    def __init__(
        self,
        X: Sequence[Array],
        y: Sequence[Array],
        l2: float = 0.0,
        beta: float = 0.0,
        alpha: float = 1.0,
        weights: Sequence[float] | None = None,
    ) -> None:
        penalty = Penalty(
            _checks.non_negative("l2", l2),
            _checks.non_negative("beta", beta),
            _checks.positive("alpha", alpha),
        )
        check_samples(X, y)
        super().__init__(stack_samples(_LOGISTIC, X, _signs(targets(X, y))), penalty, weights)

    @cached_property
    def L(self) -> float:
        """The bound ``max_k |X_k|^2 / (4 n_k) + l2 + 2 alpha beta``, sharp at theta = 0."""
        return float(self._norm_k.max()) ** 2 / 4 + self._penalty.largest_curvature

    @cached_property
    def G(self) -> float:
        """An upper bound of ``|grad f_i - grad f_j|`` over all pairs of clients and all of R^d.

        The two largest ``|X_k|/sqrt(n_k)``, spectral norms, added: grad f_k is
        ``X_k^T u/n_k`` with ``|u_i| <= 1``, at most that long, plus the penalty's gradient, which
        all have in common. 0 for one client.
        """
        return float(np.sort(self._norm_k)[-2:].sum()) if self.K > 1 else 0.0

    @cached_property
    def _norm_k(self) -> np.ndarray:
        """The spectral norms ``|X_k|/sqrt(n_k)``, shape (K,)."""
        return np.asarray(self._samples.singular_values().max(axis=-1))

    @property
    def mu(self) -> float:
        """A lower bound of all eigenvalues of the Hessians: ``l2 - alpha beta/2``.

        Every f_k is mu-strongly convex if it is positive.
        """
        return self._penalty.smallest_curvature

    @cached_property
    def theta_star(self) -> Array | None:
        """The minimiser of the weighted mean of the f_k, shape (d,).

        To a gradient norm of 1e-12, times the largest norm of a sample where that is over 1. None
        if mu <= 0, as there may be none, or several. It is computed in float64 even for float32
        data. To do without it, and save a time of order d^3 and the memory of two d x d matrices,
        set it to None.

        Raises:
            ArithmeticError: the gradient's norm could not be brought down that far.
        """
        if self.mu <= 0:
            return None
        pooled = self._samples.pooled(self.weights)
        try:
            theta = self._minimiser(pooled, np.zeros((1, self.d)), s=np.inf)
        except np.linalg.LinAlgError as error:
            raise ArithmeticError("a Hessian is singular up to rounding") from error
        norm = float(np.linalg.norm(pooled.grad(theta) + self._penalty.grad(theta)))
        most = 1e-12 * max(1.0, float(np.linalg.norm(pooled.x_k[0], axis=-1).max()))
        if not norm <= most:
            raise ArithmeticError(
                f"the gradient's norm at theta_star is {norm}, over {most}: scaled features help"
            )
        return self.asarray(theta[0])

    def prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)``, shape (K, d), by Newton's method.

        Raises:
            ValueError: s is not so small that this function is strictly convex.
        """
        s = _checks.proximal_step("s", s, self.mu)
        self._samples.check("v_k", v_k, clients)
        return self._minimiser(self._samples.of(clients), v_k, s)

    def _minimiser(self, samples: Samples, v_k: Array, s: float) -> Array:
        identity = like(np.eye(self.d), v_k)

        def gradient(x_k: Array) -> Array:
            return samples.grad(x_k) + self._penalty.grad(x_k) + (x_k - v_k) / s

        def hessian(x_k: Array) -> Array:
            diagonal_k = self._penalty.curvature(x_k) + 1 / s
            return samples.hessian(x_k) + diagonal_k[..., None] * identity

        return minimise_k(gradient, hessian, v_k)


def _loss(z: Array, y: Array) -> Array:
    """log(1 + exp(-y z)), without overflow."""
    xp = array_namespace(z)
    return xp.log1p(xp.exp(-xp.abs(z))) + xp.clip(-y * z, 0, None)


def _slope(z: Array, y: Array) -> Array:
    """-y/(1 + exp(y z)), without overflow."""
    return (array_namespace(z).tanh(z / 2) - y) / 2


def _curvature(z: Array, y: Array) -> Array:
    sigma = (1 + array_namespace(z).tanh(z / 2)) / 2
    return sigma * (1 - sigma)


_LOGISTIC = Loss("logistic", value=_loss, slope=_slope, curvature=_curvature)


def _signs(labels_k: list[np.ndarray]) -> list[np.ndarray]:
    """The labels as -1.0 and 1.0."""
    labels = set(np.unique(np.concatenate(labels_k)).tolist())
    if labels <= {0.0, 1.0}:
        return [2 * label - 1 for label in labels_k]
    if labels <= {-1.0, 1.0}:
        return labels_k
    raise ValueError(f"y has the labels {sorted(labels)}: {{0, 1}} or {{-1, 1}} are expected")
