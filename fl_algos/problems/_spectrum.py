"""Extreme eigenvalues of the clients' X_k'X_k/n_k: L never too small, mu never too large.

The smaller Gram matrix G of a client, of X_k or its transpose, has no more numbers than its
samples. The largest eigenvalue is estimated from below (Lanczos' values lie inside the spectrum)
and then proved: if lambda I - G has a Cholesky factorisation, no eigenvalue is over lambda, up to
the rounding of the factorisation, which is at most about g eps times the largest, g being the order
of G, and is added. Where the proof fails, all eigenvalues are computed. To compute them all in any
case would be simpler; but for matrices of middle size LAPACK takes tens of times longer than that
where its threads compete with others for the cores.
"""

from __future__ import annotations

import numpy as np

from fl_algos._arrays import to_numpy
from fl_algos.problems._samples import Samples

EXACT = 1000
"""The largest order of a Gram matrix; beyond it there are bounds."""
PLAIN = 32
"""Up to this order all singular values are computed; the width of a panel."""
NUMBERS = 2**18
"""In the samples of the clients that are dealt with together, about; at least one client."""
LANCZOS_STEPS = 400
CHECK = 20
"""Steps between two looks at whether the estimates still grow."""
MARGIN = 4.0
EPS = float(np.finfo(np.float64).eps)


def extremes(samples: Samples, smallest: bool) -> tuple[np.ndarray, np.ndarray]:
    """At most the smallest and at least the largest eigenvalue of X_k'X_k/n_k, each (K,).

    Up to rounding they are these eigenvalues where min(n_k, d) <= 1000. Beyond that the smaller is
    0, and the larger the sum of the largest eigenvalues over groups of 1000 samples (or features):
    the matrix, or its transpose's, is the sum of theirs. Without `smallest` the smaller is 0.
    """
    low_k, high_k = np.zeros(len(samples.sizes)), np.zeros(len(samples.sizes))
    layout = samples.layout
    for chunk in layout.chunks(None, max(int(layout.rooms.max()), NUMBERS // samples.x.shape[1])):
        x_k = to_numpy(chunk.of(samples.x)).astype(np.float64, copy=False)
        n_k = samples.sizes[chunk.where]
        order = min(int(n_k.max()), x_k.shape[2])
        if order > EXACT:
            high_k[chunk.where] = _bound(x_k) / n_k
        elif order <= PLAIN:
            low_k[chunk.where], high_k[chunk.where] = (a / n_k for a in _plain(x_k, n_k))
        else:
            low_k[chunk.where], high_k[chunk.where] = (
                a / n_k for a in _proved(_gram(x_k), smallest and order == x_k.shape[2])
            )
            low_k[chunk.where] *= n_k >= x_k.shape[2]
    return low_k, high_k


def _plain(x_k: np.ndarray, n_k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of X_k'X_k, by singular values."""
    squares_k: np.ndarray = np.linalg.svd(x_k, compute_uv=False) ** 2
    return squares_k.min(axis=1) * (n_k >= x_k.shape[2]), squares_k.max(axis=1)


def _gram(x_k: np.ndarray) -> np.ndarray:
    """The smaller one."""
    gram_k: np.ndarray = x_k.mT @ x_k if x_k.shape[2] <= x_k.shape[1] else x_k @ x_k.mT
    return gram_k


def _proved(gram_k: np.ndarray, smallest: bool) -> tuple[np.ndarray, np.ndarray]:
    """At most the smallest eigenvalue (0 if it is not looked for), at least the largest."""
    identity = np.eye(gram_k.shape[1])
    margin = MARGIN * len(identity) * EPS
    high_k = _largest(gram_k) * (1 + margin)
    proved_k = _are_positive((high_k * (1 - margin / 2))[:, None, None] * identity - gram_k)
    for j in np.flatnonzero(~proved_k):
        high_k[j] = np.linalg.eigvalsh(gram_k[j])[-1] * (1 + margin)
    if not smallest:
        return np.zeros_like(high_k), high_k
    margin_k = margin * high_k
    low_k = _smallest(gram_k) - margin_k
    positive_k = low_k > 0
    proved_k = _are_positive(gram_k - (low_k + margin_k / 2)[:, None, None] * identity)
    for j in np.flatnonzero(positive_k & ~proved_k):
        low_k[j] = np.linalg.eigvalsh(gram_k[j])[0] - margin_k[j]
    return np.maximum(low_k, 0), high_k


def _smallest(gram_k: np.ndarray) -> np.ndarray:
    """About the smallest eigenvalue of each; 0 where rounding has left nothing of it."""
    try:
        inverse_k = np.linalg.inv(gram_k)
    except np.linalg.LinAlgError:
        if len(gram_k) == 1:
            return np.zeros(1)
        return np.concatenate([_smallest(gram[None]) for gram in gram_k])
    largest_k = _largest((inverse_k + inverse_k.mT) / 2)
    return np.where(largest_k > 0, 1 / np.where(largest_k > 0, largest_k, 1), 0)


def _are_positive(matrix_k: np.ndarray) -> np.ndarray:
    """Whether each of the symmetric matrices (m, g, g) has a Cholesky factorisation, by panels.

    LAPACK's own for more than a panel has its threads wait for each other.
    """
    rest_k = matrix_k
    while rest_k.shape[1] > 0:
        try:
            factor_k = np.linalg.cholesky(rest_k[:, :PLAIN, :PLAIN])
        except np.linalg.LinAlgError:
            if len(matrix_k) == 1:
                return np.zeros(1, dtype=bool)
            return np.concatenate([_are_positive(matrix[None]) for matrix in matrix_k])
        below_k = rest_k[:, PLAIN:, :PLAIN] @ np.linalg.inv(factor_k).mT
        rest_k = rest_k[:, PLAIN:, PLAIN:] - below_k @ below_k.mT
    return np.ones(len(matrix_k), dtype=bool)


def _largest(gram_k: np.ndarray) -> np.ndarray:
    """The largest eigenvalue of each positive semidefinite matrix, by Lanczos' method, from below.

    What rounding does to it are further copies of eigenvalues that are there.
    """
    m, order, _ = gram_k.shape
    alpha_k, beta_k = np.zeros((m, LANCZOS_STEPS)), np.zeros((m, LANCZOS_STEPS))
    start = np.random.default_rng(0).normal(size=order)
    v_k = np.broadcast_to(start / np.linalg.norm(start), (m, order))
    before_k, beta = np.zeros((m, order)), np.zeros(m)
    largest_k = np.zeros(m)
    for j in range(LANCZOS_STEPS):
        w_k = np.einsum("kij,kj->ki", gram_k, v_k)  # without BLAS, whose threads would compete
        w_k -= beta[:, None] * before_k
        alpha_k[:, j] = (w_k * v_k).sum(axis=1)
        w_k -= alpha_k[:, j, None] * v_k
        beta = np.linalg.norm(w_k, axis=1)
        beta[beta <= EPS * np.abs(alpha_k).max(axis=1)] = 0  # the end of the Krylov space
        beta_k[:, j] = beta
        before_k, v_k = v_k, w_k * np.where(beta > 0, 1 / np.where(beta > 0, beta, 1), 0)[:, None]
        if (j + 1) % CHECK == 0:
            last_k, largest_k = largest_k, _ritz(alpha_k[:, : j + 1], beta_k[:, :j])
            if (largest_k - last_k <= order * EPS * largest_k).all():
                break
    return largest_k


def _ritz(alpha_k: np.ndarray, beta_k: np.ndarray) -> np.ndarray:
    """The largest eigenvalue of each tridiagonal matrix."""
    from scipy.linalg import eigvalsh_tridiagonal

    last = alpha_k.shape[1] - 1
    return np.array(
        [
            eigvalsh_tridiagonal(alpha, beta, select="i", select_range=(last, last))[0]
            for alpha, beta in zip(alpha_k, beta_k, strict=True)
        ]
    )


def _bound(x_k: np.ndarray) -> np.ndarray:
    """At least the largest eigenvalue of X_k'X_k, which is the sum of those of groups of rows."""
    x_k = x_k if x_k.shape[1] <= x_k.shape[2] else x_k.mT
    total_k = np.zeros(len(x_k))
    for first in range(0, x_k.shape[1], EXACT):
        total_k += _proved(_gram(x_k[:, first : first + EXACT]), smallest=False)[1]
    return total_k
