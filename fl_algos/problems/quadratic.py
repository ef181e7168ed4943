"""Quadratic clients: f_k(theta) = <theta, A_k theta>/2 - <b_k, theta>, all known in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array, array_namespace, copy_of, kind_of, like, place, take, to_numpy
from fl_algos.draw import Batch

__all__ = ["Quadratic", "random_quadratics"]


class Quadratic:
    """``f_k(theta) = <theta, A_k theta>/2 - <b_k, theta>``.

    Args:
        A_k: symmetric matrices, shape (K, d, d), float32 or float64.
        b_k: vectors, shape (K, d), of the same type.
        weights: of the clients in the objective, all > 0, in any scale; the same for all if None.

    Attributes:
        L: the largest absolute eigenvalue of all A_k: every gradient is L-Lipschitz.
        mu: the smallest eigenvalue of all A_k: every f_k is mu-strongly convex if mu > 0.
        theta_star: the minimiser of the weighted mean of the f_k, (d,); None if not exactly one.

    Raises:
        ValueError: A_k or b_k is not an array, not finite, not floating, not of these shapes, or an
            A_k is not symmetric.

    >>> import numpy as np
    >>> problem = Quadratic(A_k=np.array([[[1.0]], [[3.0]]]), b_k=np.array([[0.0], [4.0]]))
    >>> problem.theta_star
    array([1.])
    >>> problem.grad(np.array([[1.0], [1.0]]))
    array([[ 1.],
           [-1.]])
    """

    def __init__(self, A_k: Array, b_k: Array, weights: Sequence[float] | None = None) -> None:
        _checks.real("A_k", A_k)
        if A_k.ndim != 3 or 0 in A_k.shape or A_k.shape[1] != A_k.shape[2]:
            raise ValueError(f"A_k has shape {tuple(A_k.shape)}: (K, d, d) is expected, K, d >= 1")
        _checks.kind("b_k", b_k, kind_of(A_k)._replace(shape=tuple(A_k.shape[:2])))
        _checks.real("b_k", b_k)
        A = to_numpy(A_k)
        if not np.allclose(A, A.mT, rtol=1e-6, atol=1e-6 * np.abs(A).max()):
            raise ValueError("A_k: symmetric matrices are expected")
        self.A_k, self.b_k = copy_of(A_k), copy_of(b_k)
        self.K, self.d = int(b_k.shape[0]), int(b_k.shape[1])
        self.weights = _checks.client_weights("weights", weights, self.K)

    def to(self, device: str | None = None, dtype: str | None = None) -> Quadratic:
        """The same problem in NumPy (device None) or in torch on a device, dtype unless None."""
        _checks.destination(device, dtype)
        A_k, b_k = place(self.A_k, device, dtype), place(self.b_k, device, dtype)
        return Quadratic(A_k, b_k, self.weights.tolist())

    def asarray(self, x: Array) -> Array:
        """x with the type and on the device of the problem's data."""
        return like(x, self.b_k)

    @cached_property
    def sizes(self) -> np.ndarray:
        """One sample for each client, shape (K,): a gradient costs one evaluation."""
        return np.ones(self.K, dtype=np.int64)

    @cached_property
    def _eigenvalues(self) -> np.ndarray:
        return np.linalg.eigvalsh(to_numpy(self.A_k).astype(np.float64))

    @property
    def L(self) -> float:
        """The largest absolute eigenvalue."""
        return float(np.abs(self._eigenvalues).max())

    @property
    def mu(self) -> float:
        """The smallest eigenvalue, negative for non-convex clients."""
        return float(self._eigenvalues.min())

    @cached_property
    def G(self) -> float:
        """The largest ``|grad f_i - grad f_j|`` over all pairs of clients and all of R^d.

        It is the largest ``|b_i - b_j|`` if all A_k are equal, to the last digit; infinite if not.
        """
        A_k, b_k = (to_numpy(x_k).astype(np.float64) for x_k in (self.A_k, self.b_k))
        if (A_k != A_k[0]).any():
            return math.inf
        return max(float(np.linalg.norm(b_k - b, axis=1).max()) for b in b_k)

    @cached_property
    def _mean(self) -> tuple[np.ndarray, np.ndarray]:
        """The weighted means of the A_k and of the b_k, in float64."""
        A, b = (np.tensordot(self.weights, to_numpy(x_k), 1) for x_k in (self.A_k, self.b_k))
        return A, b

    @cached_property
    def _mean_here(self) -> tuple[Array, Array]:
        """The same, as the data are."""
        A, b = self._mean
        return self.asarray(A), self.asarray(b)

    @cached_property
    def theta_star(self) -> Array | None:
        """The minimiser of the weighted mean of the f_k, (d,); None if there is not exactly one.

        It is computed in float64 even for float32 data.
        """
        A, b = self._mean
        if np.linalg.eigvalsh(A).min() <= 0:
            return None
        return self.asarray(np.linalg.solve(A, b))

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """f_k(theta_k), shape (K,)."""
        return self.value_and_grad(theta_k, clients)[0]

    def grad(
        self, theta_k: Array, clients: Array | None = None, batch: Batch | None = None
    ) -> Array:
        """A_k theta_k - b_k, shape (K, d), whatever the batch: a client has only one sample."""
        A_k, b_k = self._rows("theta_k", theta_k, clients)
        return (A_k @ theta_k[..., None])[..., 0] - b_k

    def value_and_grad(self, theta_k: Array, clients: Array | None = None) -> tuple[Array, Array]:
        """f_k(theta_k), shape (K,), and the gradients, (K, d), for the price of the gradients."""
        grad_k = self.grad(theta_k, clients)
        b_k = take(self.b_k, clients)
        return array_namespace(theta_k).sum(theta_k * (grad_k - b_k), axis=-1) / 2, grad_k

    def objective(self, theta: Array) -> tuple[Array, Array]:
        """The weighted mean of the f_k at theta (d,), a number, and its gradient, (d,)."""
        _checks.rows("theta[None]", theta[None], None, self.b_k, 1)
        A, b = self._mean_here
        grad = A @ theta - b
        return theta @ (grad - b) / 2, grad

    def prox(
        self, v_k: Array, s: float, clients: Array | None = None, start_k: Array | None = None
    ) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)``, shape (K, d), in closed form.

        By the eigenvectors of A_k, which are found once. So it does not matter where a search would
        start.

        Raises:
            ValueError: s is not so small that this function is strictly convex.
        """
        s = _checks.proximal_step("s", s, self.mu)
        A_k, b_k = self._rows("v_k", v_k, clients)
        eigenvalues_k, Q_k = (take(x_k, clients) for x_k in self._eigenvectors)

        def solve(r_k: Array) -> Array:
            turned_k = Q_k.mT @ r_k[..., None] / (eigenvalues_k + 1 / s)[..., None]
            return (Q_k @ turned_k)[..., 0]

        right_k = b_k + v_k / s
        x_k = solve(right_k)
        # The residual's solution takes away what rounding has left, which is more than in a
        # factorisation of A_k + I/s.
        return x_k + solve(right_k - (A_k @ x_k[..., None])[..., 0] - x_k / s)

    @cached_property
    def _eigenvectors(self) -> tuple[Array, Array]:
        """Of all A_k, (K, d) and (K, d, d), with the type and on the device of A_k."""
        eigenvalues_k, Q_k = np.linalg.eigh(to_numpy(self.A_k).astype(np.float64))
        return self.asarray(eigenvalues_k), self.asarray(Q_k)

    def __repr__(self) -> str:
        known = "_eigenvalues" in vars(self)
        constants = f", L = {self.L:.4g}, mu = {self.mu:.4g}" if known else ""
        return f"<{type(self).__name__}: K = {self.K}, d = {self.d}{constants}>"

    def _rows(self, name: str, x_k: Array, clients: Array | None) -> tuple[Array, Array]:
        _checks.rows(name, x_k, clients, self.b_k, self.K)
        return take(self.A_k, clients), take(self.b_k, clients)


def random_quadratics(
    K: int,
    d: int,
    L: float = 1.0,
    mu: float = 0.1,
    hessian_angle: float = 1.0,
    linear_spread: float = 1.0,
    seed: int = 0,
) -> Quadratic:
    """Random quadratics with exactly this L, mu, heterogeneity, and a known theta*.

    Every A_k has the eigenvalues mu and L and d - 2 others between them (d = 1: L alone, so that
    mu has no effect), the same for all clients. Its eigenvectors are those of a common matrix,
    turned by at most `hessian_angle`. The gradients at theta* have a mean of zero, and
    `linear_spread` is their root mean square length, whatever the A_k are.

    Args:
        K: number of clients.
        d: dimension.
        L: the largest eigenvalue, > 0.
        mu: the smallest eigenvalue, in (0, L].
        hessian_angle: heterogeneity of the Hessians: the largest angle, in radians, by which a
            client's eigenvectors are turned; 0 gives all clients the same Hessian.
        linear_spread: heterogeneity of the linear terms: the root mean square over clients of
            ``|grad f_k(theta*)|``; 0 gives all clients the same minimiser. (With K = 1 it is
            always 0.)
        seed: of the random numbers; the same theta* and directions for every heterogeneity.

    >>> problem = random_quadratics(K=5, d=4, L=2.0, mu=0.5, linear_spread=3.0)
    >>> round(problem.L, 12), round(problem.mu, 12)
    (2.0, 0.5)
    >>> grad_k = problem.grad(np.broadcast_to(problem.theta_star, (5, 4)))
    >>> bool(abs((grad_k**2).sum(axis=1).mean() - 9) < 1e-12)
    True
    """
    K, d = _checks.count("K", K), _checks.count("d", d)
    L, mu = _checks.curvatures(L, mu)
    hessian_angle = _checks.non_negative("hessian_angle", hessian_angle)
    linear_spread = _checks.non_negative("linear_spread", linear_spread)
    seed = _checks.count("seed", seed, least=0)

    rng = np.random.default_rng(seed)
    theta_star = rng.normal(size=d)
    grad_k = rng.normal(size=(K, d))
    grad_k -= grad_k.mean(axis=0)
    rms = np.sqrt((grad_k**2).sum(axis=1).mean())
    grad_k *= linear_spread / rms if K > 1 else 0.0

    eigenvalues = np.sort(rng.uniform(mu, L, size=d))
    eigenvalues[0], eigenvalues[-1] = mu, L
    common = np.linalg.qr(rng.normal(size=(d, d)))[0]
    Q_k = _rotations(rng, K, d, hessian_angle) @ common
    A_k = (Q_k * eigenvalues) @ Q_k.mT
    A_k = (A_k + A_k.mT) / 2
    problem = Quadratic(A_k, A_k @ theta_star - grad_k)
    problem.theta_star = theta_star
    return problem


def _rotations(rng: np.random.Generator, K: int, d: int, angle: float) -> np.ndarray:
    """K random rotations of R^d whose largest plane angle is `angle`, shape (K, d, d)."""
    from scipy.linalg import expm

    S_k = rng.normal(size=(K, d, d))
    S_k = S_k - S_k.mT
    if d == 1:
        return np.ones((K, 1, 1))
    S_k *= angle / np.linalg.norm(S_k, ord=2, axis=(1, 2), keepdims=True)
    return np.asarray(expm(S_k))
