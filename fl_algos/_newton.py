"""Newton's method for strictly convex functions, all clients at once."""

from __future__ import annotations

from collections.abc import Callable

from fl_algos._arrays import Array, array_namespace, norm_k

MOST_STEPS = 1000
MOST_HALVINGS = 50
PATIENCE = 20


def minimise_k(
    gradient: Callable[[Array], Array], hessian: Callable[[Array], Array], x_k: Array
) -> Array:
    """The minimiser of each of K strictly convex functions h_k.

    Newton's step is halved while it goes beyond the minimum of h_k along the way, so that it gains
    at least half of what the best step would: from everywhere it converges, at last quadratically.

    Args:
        gradient: from points (K, d) to the gradients there, (K, d).
        hessian: to the Hessians, (K, d, d).
        x_k: where to start, shape (K, d).

    Returns:
        The minimisers, shape (K, d), or what rounding allows: a client has arrived too when its
        gradient has not become smaller for a while. From points that are not finite, NaN.

    Raises:
        ArithmeticError: no convergence.
    """
    xp = array_namespace(x_k)
    # Newton's error is squared by each step, so after one that is this small nothing is left to do.
    small = float(xp.finfo(x_k.dtype).eps) ** (2 / 3)
    grad_k = gradient(x_k)
    least_k = norm_k(grad_k)
    waited_k = xp.zeros_like(least_k)
    for _ in range(MOST_STEPS):
        step_k = -xp.linalg.solve(hessian(x_k), grad_k[..., None])[..., 0]
        last_k = ~(norm_k(step_k) > small * (1 + norm_k(x_k)))  # NaN is the last one too
        enough_k = xp.where(last_k, xp.inf, least_k / 2)
        x_k, grad_k = _along(step_k, gradient, x_k, enough_k)
        slope_k = norm_k(grad_k)
        waited_k = xp.where(slope_k < least_k, 0, waited_k + 1)
        least_k = xp.minimum(least_k, slope_k)
        if bool(xp.all(last_k | (waited_k >= PATIENCE))):
            return x_k
    raise ArithmeticError(f"Newton's method has not converged in {MOST_STEPS} steps")


def _along(
    step_k: Array, gradient: Callable[[Array], Array], x_k: Array, enough_k: Array
) -> tuple[Array, Array]:
    """Where the step leads, and the gradients there.

    It is halved until h_k still falls there, or the gradient's norm is at most enough_k (K,).
    """
    xp = array_namespace(x_k)
    share_k = xp.ones_like(enough_k)
    for _ in range(MOST_HALVINGS):
        there_k = x_k + share_k[:, None] * step_k
        grad_k = gradient(there_k)
        beyond_k = (xp.sum(grad_k * step_k, axis=-1) > 0) & (norm_k(grad_k) > enough_k)
        if not bool(xp.any(beyond_k)):
            break
        share_k = xp.where(beyond_k, share_k / 2, share_k)
    return there_k, grad_k
