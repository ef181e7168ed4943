"""Damped Newton steps for generalised self-concordant functions, all clients at once."""

from __future__ import annotations

from collections.abc import Callable

from fl_algos._arrays import Array, array_namespace, norm_k

MOST_STEPS = 10_000
PATIENCE = 20


def minimise_k(
    derivatives: Callable[[Array], tuple[Array, Array]], x_k: Array, M_k: Array
) -> Array:
    """The minimiser of each of K strictly convex functions h_k.

    The step is log(1 + d)/d times Newton's with d = M_k |Newton's step|: without a line search it
    converges from everywhere, at last quadratically, for functions with
    |h'''(x)[u, u, v]| <= M_k |v| h''(x)[u, u]; logistic losses are such, with M_k the largest norm
    of a sample, and adding a quadratic keeps it so.

    Args:
        derivatives: from points (K, d) to the gradients (K, d) and Hessians (K, d, d) there.
        x_k: where to start, shape (K, d).
        M_k: constants of the condition above, shape (K,).

    Returns:
        The minimisers, shape (K, d), or what rounding allows: a client has arrived too when its
        gradient has not become smaller for a while. From points that are not finite, NaN.

    Raises:
        ArithmeticError: no convergence.

    Source:
        Sun and Tran-Dinh, Generalized self-concordant functions, Math. Program. 178 (2019),
        Theorem 2 with nu = 2.
    """
    xp = array_namespace(x_k)
    # Newton's error is squared by each step, so after one that is this small nothing is left to do.
    small = float(xp.finfo(x_k.dtype).eps) ** (2 / 3)
    least_k = xp.full_like(M_k, xp.inf)
    waited_k = xp.zeros_like(M_k)
    for _ in range(MOST_STEPS):
        grad_k, hessian_k = derivatives(x_k)
        slope_k = norm_k(grad_k)
        waited_k = xp.where(slope_k < least_k, 0, waited_k + 1)
        least_k = xp.minimum(least_k, slope_k)
        step_k = xp.linalg.solve(hessian_k, grad_k[..., None])[..., 0]
        length_k = norm_k(step_k)
        x_k = x_k - _damping(M_k * length_k)[:, None] * step_k
        under_way_k = (length_k > small * (1 + norm_k(x_k))) & (waited_k < PATIENCE)
        if not bool(xp.any(under_way_k)):
            return x_k
    raise ArithmeticError(f"Newton's method has not converged in {MOST_STEPS} steps")


def _damping(d: Array) -> Array:
    """log(1 + d)/d, and 1 at 0."""
    xp = array_namespace(d)
    tiny = d < 1e-12
    return xp.where(tiny, 1.0, xp.log1p(d) / xp.where(tiny, 1.0, d))
