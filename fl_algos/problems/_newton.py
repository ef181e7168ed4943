"""Newton's method with conjugate gradients for strictly convex functions, all clients at once.

Why it converges from every start. Let m > 0 be a modulus of strong convexity of h and M a Lipschitz
constant of its gradient g. Conjugate gradients, begun at 0 and ended after any number of products
>= 1, give a step p with <g, p> = -<p, H p> <= -m |p|^2 and |p| >= c |g|, where c > 0 depends on M
and the preconditioner alone: from product to product the steps grow (in the preconditioner's norm),
and the first one is as long. The step is halved while h rises at its end. Where it is taken whole,
h has fallen by at least m |p|^2/2. Where it is halved, h has fallen by at least half of what the
best multiple of p would bring, because h is convex along p and the step at least half the best one;
and that is at least <g, p>^2/(2 M |p|^2) >= m^2 |p|^2/(2 M). So each step lowers h by at least a
constant times |g|^2, and as h is bounded from below, g tends to 0. A whole step is also taken where
it halves the least norm of g so far, which happens finitely often before g is as small as asked. At
last all steps are whole, and the forcing terms, which are proportional to the norm of g, make the
convergence quadratic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from fl_algos._arrays import Array, array_namespace, copy_of, norm_k, to_numpy

MOST_STEPS = 1000
MOST_HALVINGS = 50
PATIENCE = 20
"""Steps that don't halve the gradient, near the minimum, until rounding is taken to be why; whole
steps, which show it sooner, count four times."""
FIRST_FORCING = 0.1


class Functions(Protocol):
    """Strictly convex functions h_k, K of them; places are numbers in 0, ..., K - 1."""

    forcing: float
    """Of the first step: the share of the gradient that it may leave over, in the model."""

    def grad(self, x_k: Array, places: np.ndarray) -> Array:
        """The gradients of those at the places, a row for each; the Hessians are taken here."""

    def step(
        self, x_k: Array, grad_k: Array, enough_k: np.ndarray, places: np.ndarray
    ) -> tuple[Array, np.ndarray]:
        """Steps p with ``|H p + grad| <= enough_k``, and how many passes each has taken."""

    def goal(self, x_k: Array, places: np.ndarray) -> np.ndarray:
        """The norms of gradients that are small enough there, no less than rounding allows."""


def minimise_k(h: Functions, x_k: Array) -> tuple[Array, np.ndarray]:
    """The minimiser of each of K strictly convex functions h_k.

    Args:
        h: the functions.
        x_k: where to start, shape (K, d).

    Returns:
        The minimisers, shape (K, d), or what rounding allows: near the minimum a client has arrived
        too when its gradient has not been halved for a while. From points that are not finite, NaN.
        And the passes over the samples of each client, shape (K,): gradients and Hessian products.

    Raises:
        ArithmeticError: no convergence.
    """
    found_k, places = copy_of(x_k), np.arange(len(x_k))
    grad_k = h.grad(x_k, places)
    passes_k = np.ones(len(x_k), dtype=np.int64)
    size_k, goal_k = sizes(grad_k), h.goal(x_k, places)
    least_k, waited_k = size_k, np.zeros(len(x_k), dtype=np.int64)
    forcing_k = np.full(len(x_k), h.forcing)
    lost_k, here_k = ~np.isfinite(size_k), size_k <= goal_k
    for _ in range(MOST_STEPS):
        if (done_k := here_k | lost_k).any():
            found_k[places[here_k]] = x_k[here_k]
            found_k[places[lost_k]] = np.nan
            places, x_k, grad_k = places[~done_k], x_k[~done_k], grad_k[~done_k]
            size_k, least_k, waited_k, forcing_k = (
                a[~done_k] for a in (size_k, least_k, waited_k, forcing_k)
            )
            goal_k = goal_k[~done_k]
        if len(places) == 0:
            return found_k, passes_k
        enough_k = np.maximum(forcing_k * size_k, goal_k / 2)
        step_k, number_k = h.step(x_k, grad_k, enough_k, places)
        passes_k[places] += number_k
        new_k, grad_k, number_k = _along(h, x_k, step_k, least_k / 2, places)
        passes_k[places] += number_k
        before_k, size_k, goal_k = size_k, sizes(grad_k), h.goal(new_k, places)
        forcing_k = _forcing(h, before_k, size_k, enough_k)
        # Near is within eps^-0.4 times what is asked for. Farther away gradients may grow for long.
        slow_k = (least_k <= goal_k * _eps(new_k) ** -0.4) & (size_k > least_k / 2)
        waited_k = np.where(slow_k, waited_k + np.where(number_k == 1, 4, 1), 0)
        stuck_k = waited_k >= PATIENCE
        least_k = np.minimum(least_k, size_k)
        lost_k, here_k, x_k = ~np.isfinite(size_k), (size_k <= goal_k) | stuck_k, new_k
        here_k &= ~lost_k
    raise ArithmeticError(f"Newton's method has not converged in {MOST_STEPS} steps")


def _along(
    h: Functions, x_k: Array, step_k: Array, enough_k: np.ndarray, places: np.ndarray
) -> tuple[Array, Array, np.ndarray]:
    """Where the steps lead, the gradients there, and how many have been taken for each.

    A step is halved until h_k still falls there, or the gradient's norm is at most enough_k; not if
    it is so small that rounding decides.
    """
    small = _eps(x_k) ** (2 / 3)
    tiny_k = ~(sizes(step_k) > small * (1 + sizes(x_k)))  # NaN too
    there_k = x_k + step_k
    grad_k = h.grad(there_k, places)
    number_k = np.ones(len(places), dtype=np.int64)
    beyond = np.flatnonzero(_rises(grad_k, step_k) & (sizes(grad_k) > enough_k) & ~tiny_k)
    for halvings in range(1, MOST_HALVINGS):
        if len(beyond) == 0:
            break
        part_k = step_k[beyond]
        there_k[beyond] = x_k[beyond] + 0.5**halvings * part_k
        grad_k[beyond] = h.grad(there_k[beyond], places[beyond])
        number_k[beyond] += 1
        still_k = _rises(grad_k[beyond], part_k) & (sizes(grad_k[beyond]) > enough_k[beyond])
        beyond = beyond[still_k]
    return there_k, grad_k, number_k


def _rises(grad_k: Array, step_k: Array) -> np.ndarray:
    return to_numpy(array_namespace(grad_k).sum(grad_k * step_k, axis=-1)) > 0


def _eps(x_k: Array) -> float:
    return float(array_namespace(x_k).finfo(x_k.dtype).eps)


def _forcing(
    h: Functions, before_k: np.ndarray, size_k: np.ndarray, enough_k: np.ndarray
) -> np.ndarray:
    """The share of the gradient that the next step may leave over.

    As much as the model will be wrong there: by the square of the gradient, times what this has
    been at the last step.
    """
    if h.forcing == 0:
        return np.zeros_like(size_k)
    wrong_k = np.maximum(size_k - enough_k, 0.1 * enough_k) / before_k**2
    forcing_k: np.ndarray = np.clip(wrong_k * size_k, 0, h.forcing)
    return forcing_k


def sizes(x_k: Array) -> np.ndarray:
    """The Euclidean norm of each row, in float64, on the CPU."""
    return to_numpy(norm_k(x_k)).astype(np.float64)


def conjugate_gradients(
    product: Callable[[Array, np.ndarray], Array],
    grad_k: Array,
    diagonal_k: Array,
    scale_k: Array,
    enough_k: np.ndarray,
    most: int,
) -> tuple[Array, np.ndarray]:
    """Solve ``(B_k + diag(diagonal_k)) step_k = -grad_k`` for each of K positive definite matrices.

    Args:
        product: from vectors (m, d) and the places of their matrices, (m,), to B_k times each.
        grad_k: shape (K, d).
        diagonal_k: shape (K, d).
        scale_k: the preconditioner, a positive diagonal, shape (K, d).
        enough_k: the norm of the residual at which to stop, (K,).
        most: products for each, at most.

    Returns:
        The steps, (K, d), and the numbers of products, (K,).
    """
    xp = array_namespace(grad_k)
    step_k, number_k = xp.zeros_like(grad_k), np.zeros(len(grad_k), dtype=np.int64)
    places = np.arange(len(grad_k))
    residual_k = -grad_k
    x_k, direction_k = step_k, residual_k / scale_k
    fit_k = xp.sum(residual_k * direction_k, axis=-1)
    going_k = sizes(residual_k) > enough_k  # NaN is not
    for _ in range(most):
        if not going_k.all():
            step_k[places[~going_k]] = x_k[~going_k]
            places, enough_k = places[going_k], enough_k[going_k]
            x_k, residual_k, direction_k, fit_k, diagonal_k, scale_k = (
                a[going_k] for a in (x_k, residual_k, direction_k, fit_k, diagonal_k, scale_k)
            )
        if len(places) == 0:
            return step_k, number_k
        product_k = product(direction_k, places) + diagonal_k * direction_k
        number_k[places] += 1
        slope_k = xp.sum(product_k * direction_k, axis=-1)
        length_k = xp.where(slope_k > 0, fit_k / slope_k, 0 * fit_k)
        x_k = x_k + length_k[:, None] * direction_k
        residual_k = residual_k - length_k[:, None] * product_k
        scaled_k = residual_k / scale_k
        before_k, fit_k = fit_k, xp.sum(residual_k * scaled_k, axis=-1)
        direction_k = scaled_k + (fit_k / before_k)[:, None] * direction_k
        going_k = (sizes(residual_k) > enough_k) & to_numpy(length_k > 0)
    step_k[places] = x_k
    return step_k, number_k
