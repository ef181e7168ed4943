"""Logistic regression with an L2 or a non-convex penalty, on clients of any sizes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from array_api_compat import array_namespace

from fl_algos import _checks
from fl_algos._arrays import Array, kind_of, like, place, take, to_numpy
from fl_algos._newton import minimise_k
from fl_algos.draw import Batch
from fl_algos.problems._penalty import Penalty

__all__ = ["LogisticRegression"]


class LogisticRegression:
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
        self._penalty = Penalty(
            _checks.non_negative("l2", l2),
            _checks.non_negative("beta", beta),
            _checks.positive("alpha", alpha),
        )
        _check_samples(X, y)
        signs = _signs(X, y)
        self.K, self.d = len(X), int(X[0].shape[1])
        self.sizes = np.array([len(x) for x in X])
        self.weights = _checks.client_weights("weights", weights, self.K)
        self._samples = _stack_samples(X, signs)

    def to(self, device: str | None = None, dtype: str | None = None) -> LogisticRegression:
        """The same problem in NumPy (device None) or in torch on a device, dtype unless None."""
        _checks.destination(device, dtype)
        moved = copy.copy(self)
        moved._samples = _Samples(*(place(x, device, dtype) for x in self._samples))
        # What is derived from the converted data is a little different.
        for derived in ("L", "G", "_norm_k", "theta_star"):
            vars(moved).pop(derived, None)
        return moved

    def asarray(self, x: Array) -> Array:
        """x with the type and on the device of the problem's data."""
        return like(x, self._samples.signed_k)

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
        signed_k, weights_k, _ = (to_numpy(x).astype(np.float64) for x in self._samples)
        rows_k = np.sqrt(weights_k)[..., None] * signed_k
        return np.asarray(np.linalg.norm(rows_k, ord=2, axis=(1, 2)))

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
        data.

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
        most = 1e-12 * max(1.0, float(pooled.norm_k[0]))
        if not norm <= most:
            raise ArithmeticError(f"the gradient's norm at theta_star is {norm}, over {most}")
        return self.asarray(theta[0])

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """f_k(theta_k), shape (K,)."""
        samples = self._rows("theta_k", theta_k, clients)
        return samples.value(theta_k) + self._penalty.value(theta_k)

    def grad(
        self, theta_k: Array, clients: Array | None = None, batch: Batch | None = None
    ) -> Array:
        """The gradients of f_k at theta_k, shape (K, d); with a batch their estimates from it."""
        samples = self._rows("theta_k", theta_k, clients)
        if batch is not None:
            samples = samples.batch(batch)
        return samples.grad(theta_k) + self._penalty.grad(theta_k)

    def prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)``, shape (K, d), by damped Newton steps.

        Raises:
            ValueError: s is not so small that this function is strictly convex.
        """
        s = _checks.proximal_step("s", s, self.mu)
        return self._minimiser(self._rows("v_k", v_k, clients), v_k, s)

    def _rows(self, name: str, x_k: Array, clients: Array | None) -> _Samples:
        _checks.rows(name, x_k, clients, self._samples.signed_k)
        return _Samples(*(take(x, clients) for x in self._samples))

    def _minimiser(self, samples: _Samples, v_k: Array, s: float) -> Array:
        identity = like(np.eye(self.d), v_k)

        def derivatives(x_k: Array) -> tuple[Array, Array]:
            grad_k = samples.grad(x_k) + self._penalty.grad(x_k) + (x_k - v_k) / s
            diagonal_k = self._penalty.curvature(x_k) + 1 / s
            return grad_k, samples.hessian(x_k) + diagonal_k[..., None] * identity

        # What the penalty adds to the third derivative is within this multiple of the second.
        by_penalty = self._penalty.third_derivative / (self.mu + 1 / s)
        return minimise_k(derivatives, v_k, samples.norm_k.clip(by_penalty))


class _Samples(NamedTuple):
    """The samples of all clients, padded with zero rows of no weight where a client has fewer."""

    signed_k: Array  # y_i x_i, shape (K, most, d)
    weights_k: Array  # 1/n_k, shape (K, most)
    norm_k: Array  # the largest |x_i| of each client, shape (K,)

    def value(self, theta_k: Array) -> Array:
        """The mean logistic losses, shape (K,)."""
        xp = array_namespace(theta_k)
        margin_k = self._margin(theta_k)
        loss_k = xp.log1p(xp.exp(-xp.abs(margin_k))) + xp.clip(-margin_k, 0, None)
        return xp.sum(self.weights_k * loss_k, axis=-1)

    def grad(self, theta_k: Array) -> Array:
        """Their gradients, shape (K, d)."""
        slope_k = -self.weights_k * _sigmoid(-self._margin(theta_k))
        return (slope_k[..., None, :] @ self.signed_k)[..., 0, :]

    def hessian(self, theta_k: Array) -> Array:
        """Their Hessians, shape (K, d, d)."""
        sigma_k = _sigmoid(-self._margin(theta_k))
        curvature_k = self.weights_k * sigma_k * (1 - sigma_k)
        return self.signed_k.mT @ (curvature_k[..., None] * self.signed_k)

    def batch(self, batch: Batch) -> _Samples:
        """The samples of a batch, with its weights; it has a row for each client here."""
        clients = np.arange(len(batch.rows_k))[:, None]
        return self._replace(
            signed_k=self.signed_k[clients, batch.rows_k], weights_k=batch.weights_k
        )

    def pooled(self, weights: np.ndarray) -> _Samples:
        """All samples with one client, in float64: its loss is the weighted mean of the losses."""
        signed_k, weights_k, norm_k = (to_numpy(x).astype(np.float64) for x in self)
        own = weights_k > 0
        weights_of_samples = (weights[:, None] * weights_k)[own]
        return _Samples(signed_k[own][None], weights_of_samples[None], norm_k.max(keepdims=True))

    def _margin(self, theta_k: Array) -> Array:
        return (self.signed_k @ theta_k[..., None])[..., 0]


def _sigmoid(z: Array) -> Array:
    """1/(1 + exp(-z)), without overflow."""
    return (1 + array_namespace(z).tanh(z / 2)) / 2


def _stack_samples(X: Sequence[Array], signs: list[np.ndarray]) -> _Samples:
    sizes = [len(x) for x in X]
    signed_k = np.zeros((len(X), max(sizes), X[0].shape[1]))
    weights_k = np.zeros(signed_k.shape[:2])
    for k, n_k in enumerate(sizes):
        signed_k[k, :n_k] = signs[k][:, None] * to_numpy(X[k])
        weights_k[k, :n_k] = 1 / n_k
    norm_k = np.linalg.norm(signed_k, axis=-1).max(axis=-1)
    return _Samples(*(like(x, X[0]) for x in (signed_k, weights_k, norm_k)))


def _check_samples(X: Sequence[Array], y: Sequence[Array]) -> None:
    if len(X) == 0:
        raise ValueError("X has no client: K >= 1 is expected")
    if len(X) != len(y):
        raise ValueError(f"y has {len(y)} clients: {len(X)} are expected, as in X")
    for k, x in enumerate(X):
        _checks.floating(f"X[{k}]", x)
        if x.ndim != 2 or x.shape[1] == 0:
            raise ValueError(f"X[{k}] has shape {tuple(x.shape)}: (n_k, d) is expected, d >= 1")
        if len(x) == 0:
            raise ValueError(f"X[{k}] is empty: every client needs a sample")
        _checks.kind(f"X[{k}]", x, kind_of(X[0])._replace(shape=(len(x), X[0].shape[1])))
        _checks.real(f"X[{k}]", x)


def _signs(X: Sequence[Array], y: Sequence[Array]) -> list[np.ndarray]:
    """The labels as -1.0 and 1.0."""
    signs = []
    for k, y_k in enumerate(y):
        sign = _checks.labels(f"y[{k}]", y_k)
        if sign.dtype.kind not in "biuf":
            raise ValueError(f"y[{k}] has dtype {sign.dtype}: numbers are expected")
        _checks.shape(f"y[{k}]", sign, (len(X[k]),))
        signs.append(sign.astype(np.float64))
    labels = set(np.unique(np.concatenate(signs)).tolist())
    if labels <= {0.0, 1.0}:
        return [2 * sign - 1 for sign in signs]
    if labels <= {-1.0, 1.0}:
        return signs
    raise ValueError(f"y has the labels {sorted(labels)}: {{0, 1}} or {{-1, 1}} are expected")
