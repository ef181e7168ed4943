"""The penalty of a linear model: L2, and the bounded non-convex one of the FedPD paper."""

from __future__ import annotations

from typing import NamedTuple

from fl_algos._arrays import Array, array_namespace


class Penalty(NamedTuple):
    """theta -> (l2/2) |theta|^2 + beta sum_j alpha theta_j^2 / (1 + alpha theta_j^2).

    The second term is at most beta for each coordinate, and convex only near 0. Its second
    derivative lies in [-alpha beta/2, 2 alpha beta].
    """

    l2: float
    beta: float
    alpha: float

    def value(self, theta_k: Array) -> Array:
        """Its values at theta_k (K, d), shape (K,)."""
        squares_k = theta_k**2
        if self.beta == 0:
            return self.l2 / 2 * array_namespace(theta_k).sum(squares_k, axis=-1)
        bounded_k = self.alpha * squares_k / (1 + self.alpha * squares_k)
        terms_k = self.l2 / 2 * squares_k + self.beta * bounded_k
        return array_namespace(theta_k).sum(terms_k, axis=-1)

    def grad(self, theta_k: Array) -> Array:
        """Its gradients at theta_k, shape (K, d)."""
        if self.beta == 0:
            return self.l2 * theta_k
        return (self.l2 + 2 * self.alpha * self.beta / (1 + self.alpha * theta_k**2) ** 2) * theta_k

    def curvature(self, theta_k: Array) -> Array:
        """The diagonals of its Hessians at theta_k, shape (K, d)."""
        u_k = self.alpha * theta_k**2
        return self.l2 + 2 * self.alpha * self.beta * (1 - 3 * u_k) / (1 + u_k) ** 3

    @property
    def largest_curvature(self) -> float:
        """Reached at 0."""
        return self.l2 + 2 * self.alpha * self.beta

    @property
    def smallest_curvature(self) -> float:
        """Reached where alpha theta_j^2 = 1."""
        return self.l2 - self.alpha * self.beta / 2
