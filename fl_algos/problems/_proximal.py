"""The functions that a proximal point of a linear model minimises."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fl_algos._arrays import Array, array_namespace, like, to_numpy
from fl_algos.problems import _kernels, _newton
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import Samples

DENSE = 1000
"""The largest d for which a d x d matrix may be formed, for one client at a time."""
DIRECT = 32
"""The largest d for which Newton's systems are solved at once, where nothing is compiled."""
UNEQUAL = 100.0
"""Times the geometric mean: features with a larger mean square have the matrices scaled."""
PRECISION = 4.0
"""Times the unit of rounding: relative to what it is the sum of, a gradient as small as zero."""
NUMBERS = 2**16
"""In a (m, d) array of the clients that are dealt with together, at least 16 of them."""


System = tuple[Array, Array, Array, np.ndarray]
"""Gradients, diagonal parts of the Hessians, preconditioners, norms of residuals to stop at."""


class Proximal:
    """``h_k(x) = f_k(x) + |x - v_k|^2/(2 s)`` of some clients, for Newton's method.

    Args:
        samples, penalty: f_k.
        clients: their numbers, shape (m,).
        v_k: shape (m, d).
        s: > 0, infinite for f_k itself.
        squares_k: the mean squares of the features of these clients, shape (m, d).
        slope_k: how large the slopes of the losses are, about, shape (m,).
    """

    def __init__(
        self,
        samples: Samples,
        penalty: Penalty,
        clients: np.ndarray,
        v_k: Array,
        s: float,
        squares_k: Array,
        slope_k: np.ndarray,
    ) -> None:
        self.samples, self.penalty, self.clients = samples, penalty, clients
        self.v_k, self.s, self.squares_k = v_k, s, squares_k
        self.forcing = 0.0 if samples.loss.name == "squares" else _newton.FIRST_FORCING
        self.curvature = array_namespace(v_k).zeros_like(samples.weights)
        self._length_k = slope_k * _newton.sizes(array_namespace(v_k).sqrt(squares_k))
        self.hard_k = np.zeros(len(clients), dtype=bool)
        sizes = samples.sizes[clients]
        self.most = 50 + 2 * int(np.minimum(sizes, samples.x.shape[1]).max(initial=0))

    def grad(self, x_k: Array, places: np.ndarray) -> Array:
        """The gradients, shape (len(places), d); the curvatures are taken there."""
        grad_k = self.samples.grad_and_curvature(x_k, self.clients[places], self.curvature)
        return grad_k + self.penalty.grad(x_k) + (x_k - self._centres(places)) / self.s

    def goal(self, x_k: Array, places: np.ndarray) -> np.ndarray:
        """A few units of rounding of the terms that a gradient is the sum of, shape (m,)."""
        eps = float(array_namespace(x_k).finfo(x_k.dtype).eps)
        centre_k = _newton.sizes(self._centres(places))
        shift = self.penalty.largest_curvature + 1 / self.s
        terms_k = self._length_k[places] + shift * (_newton.sizes(x_k) + centre_k)
        goal_k: np.ndarray = PRECISION * eps * terms_k
        return goal_k

    def step(
        self, x_k: Array, grad_k: Array, enough_k: np.ndarray, places: np.ndarray
    ) -> tuple[Array, np.ndarray]:
        """Newton's steps up to residuals of these norms, and the passes that they have taken."""
        diagonal_k = self.penalty.curvature(x_k) + 1 / self.s
        d, compiled = x_k.shape[1], _kernels.is_compiled(self.samples.x)
        if d <= DIRECT and not compiled:
            hessian_k = self._hessians(diagonal_k, places)
            return _solve(hessian_k, grad_k), np.ones(len(places), dtype=np.int64)
        step_k = array_namespace(x_k).empty_like(x_k)
        number_k = np.ones(len(places), dtype=np.int64)
        system = grad_k, diagonal_k, self._scales(diagonal_k, places), enough_k
        big_k = np.full(len(places), not compiled) | self._is_big(places)
        easy_k = ~self.hard_k[places]
        for some_k, solve in ((easy_k & ~big_k, self._compiled), (easy_k & big_k, self._arrays)):
            if some_k.any():
                part = system if some_k.all() else tuple(a[some_k] for a in system)
                step_k[some_k], number_k[some_k] = solve(part, places[some_k])
        if d <= DENSE:
            self.hard_k[places[number_k >= self.most]] = True
            for j in np.flatnonzero(self.hard_k[places]):
                one = slice(j, j + 1)
                step_k[one] = _solve(self._hessians(diagonal_k[one], places[one]), grad_k[one])
        return step_k, number_k

    def _compiled(self, system: System, places: np.ndarray) -> tuple[Array, np.ndarray]:
        samples = self.samples
        return _kernels.compiled_conjugate_gradients(
            samples.layout, samples.x, self.curvature, self.clients[places], system, self.most
        )

    def _arrays(self, system: System, places: np.ndarray) -> tuple[Array, np.ndarray]:
        def product(v_k: Array, some: np.ndarray) -> Array:
            return self.samples.product(self.curvature, v_k, self.clients[places[some]])

        return _newton.conjugate_gradients(product, *system, most=self.most)

    def _hessians(self, diagonal_k: Array, places: np.ndarray) -> Array:
        """Shape (m, d, d)."""
        samples = self.samples
        hessian_k = _kernels.hessians(
            samples.layout, samples.x, self.curvature, self.clients[places]
        )
        identity = like(np.eye(diagonal_k.shape[1]), diagonal_k)
        return hessian_k + diagonal_k[..., None] * identity

    def _scales(self, diagonal_k: Array, places: np.ndarray) -> Array:
        """The preconditioner: about the diagonals where features differ in scale, or else 1."""
        xp = array_namespace(diagonal_k)
        if not self._is_unequal_k[places].any():
            return xp.ones_like(diagonal_k)
        samples, clients = self.samples, self.clients[places]
        curvature_k = _kernels.sums(samples.layout, self.curvature, clients)[:, None]
        unequal_k = like(self._is_unequal_k[places], diagonal_k)[:, None]
        scale_k = curvature_k * self.squares_k[places] + diagonal_k
        return unequal_k * scale_k + (1 - unequal_k)

    def _is_big(self, places: np.ndarray) -> np.ndarray:
        """Whether several threads take the samples of one of these clients."""
        x = self.samples.x
        row_bytes = x.shape[1] * x.itemsize
        big_k: np.ndarray = self.samples.sizes[self.clients[places]] * row_bytes > (
            _kernels.PIECE_BYTES
        )
        return big_k

    def _centres(self, places: np.ndarray) -> Array:
        return self.v_k if len(places) == len(self.v_k) else self.v_k[places]

    @cached_property
    def _is_unequal_k(self) -> np.ndarray:
        squares_k = to_numpy(self.squares_k).astype(np.float64)
        logs_k = np.log(squares_k, out=np.zeros_like(squares_k), where=squares_k > 0)
        mean_k = np.exp(logs_k.sum(axis=1) / np.maximum(1, (squares_k > 0).sum(axis=1)))
        unequal_k: np.ndarray = squares_k.max(axis=1) > UNEQUAL * mean_k
        return unequal_k


def _solve(hessian_k: Array, grad_k: Array) -> Array:
    """Newton's steps, shape (m, d)."""
    try:
        return -array_namespace(grad_k).linalg.solve(hessian_k, grad_k[..., None])[..., 0]
    except (np.linalg.LinAlgError, RuntimeError) as error:
        raise ArithmeticError("a Hessian is singular up to rounding") from error
