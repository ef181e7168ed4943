"""Real data that needs no download, and ways to split samples among clients.

A split is a list of K arrays of sample numbers, one for each client; each sample is in exactly one,
and no client is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fl_algos import _checks

__all__ = ["Dataset", "breast_cancer", "digits", "split_by_label", "split_dirichlet", "split_iid"]


class Dataset(NamedTuple):
    """Samples with labels."""

    X: np.ndarray
    """The samples, shape (n, d), float64."""
    y: np.ndarray
    """Their labels, shape (n,), integers."""


def digits() -> Dataset:
    """The 1797 handwritten digits of scikit-learn (the extra ``data``): 8 x 8 pixels, ten classes.

    Pixels are divided by their largest value, so that they lie in [0, 1]; d = 64.

    Source:
        E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
        Repository (1998), its test part.

    >>> X, y = digits()
    >>> X.shape, X.min(), X.max(), y[:5]
    ((1797, 64), np.float64(0.0), np.float64(1.0), array([0, 1, 2, 3, 4]))
    """
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return Dataset(X / X.max(), y)


def breast_cancer() -> Dataset:
    """The 569 tumours of scikit-learn (the extra ``data``), malignant 0 or benign 1; d = 30.

    Each feature is shifted and scaled to mean 0 and variance 1.

    Source:
        W. Wolberg, O. Mangasarian, N. Street and W. Street, Breast Cancer Wisconsin (Diagnostic),
        UCI Machine Learning Repository (1993).

    >>> X, y = breast_cancer()
    >>> X.shape, int(y.sum())
    ((569, 30), 357)
    """
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return Dataset((X - X.mean(axis=0)) / X.std(axis=0), y)


def split_iid(n: int, K: int, seed: int = 0) -> list[np.ndarray]:
    """n samples dealt out at random to K clients whose sizes differ by at most one.

    Raises:
        ValueError: n is not a positive integer, K not in 1, ..., n, or the seed a negative number.

    >>> [len(client) for client in split_iid(n=10, K=4)]
    [3, 3, 2, 2]
    """
    n = _checks.count("n", n)
    _check_clients(K, n)
    seed = _checks.count("seed", seed, least=0)
    order = np.random.default_rng(seed).permutation(n)
    return [np.sort(client) for client in np.array_split(order, K)]


def split_by_label(y: Sequence[int] | np.ndarray, K: int) -> list[np.ndarray]:
    """Samples sorted by label, then cut into K pieces whose sizes differ by at most one.

    With K equal to the number of labels, each client has little more than one of them.

    Args:
        y: labels, shape (n,).
        K: number of clients, in 1, ..., n.

    Raises:
        ValueError: y is not a vector, a label is NaN, or K is not in 1, ..., n.

    >>> split_by_label([1, 0, 1, 0], K=2)
    [array([1, 3]), array([0, 2])]
    """
    y = _checks.labels("y", y)
    _check_clients(K, len(y))
    return [np.sort(client) for client in np.array_split(np.argsort(y, kind="stable"), K)]


def split_dirichlet(
    y: Sequence[int] | np.ndarray, K: int, alpha: float, seed: int = 0
) -> list[np.ndarray]:
    """Each label's samples dealt out to K clients in proportions drawn from Dirichlet(alpha).

    Small alpha: few labels and very unequal sizes; large alpha: nearly iid. A client left without
    any sample is given one of the client that has most, so that the split is always valid.

    Args:
        y: labels, shape (n,).
        K: number of clients, in 1, ..., n.
        alpha: concentration, > 0.
        seed: of the proportions and of the order of the samples.

    Raises:
        ValueError: y is not a vector, a label is NaN, K is not in 1, ..., n, alpha is not positive,
            or the seed a negative number.

    Source:
        Yurochkin et al., Bayesian Nonparametric Federated Learning of Neural Networks, ICML 2019.
        Hsu, Qi and Brown, Measuring the Effects of Non-Identical Data Distribution for Federated
        Visual Classification, arXiv:1909.06335 (2019), draw each client's proportions of the labels
        instead, and compare values of alpha.

    >>> y = np.arange(100) % 10
    >>> clients = split_dirichlet(y, K=50, alpha=0.01)
    >>> min(map(len, clients)), len(np.unique(np.concatenate(clients)))
    (1, 100)
    """
    y = _checks.labels("y", y)
    _check_clients(K, len(y))
    alpha = _checks.positive("alpha", alpha)
    seed = _checks.count("seed", seed, least=0)
    rng = np.random.default_rng(seed)
    owner = np.empty(len(y), dtype=np.intp)
    for label in np.unique(y):
        samples = rng.permutation(np.flatnonzero(y == label))
        shares = _proportions(rng, K, alpha)
        ends = np.rint(np.cumsum(shares) * len(samples)).astype(np.intp)
        owner[samples] = np.searchsorted(ends[:-1], np.arange(len(samples)), side="right")
    sizes = np.bincount(owner, minlength=K)
    for k in np.flatnonzero(sizes == 0):
        richest = int(sizes.argmax())
        owner[np.flatnonzero(owner == richest)[0]] = k
        sizes[richest], sizes[k] = sizes[richest] - 1, 1
    return [np.flatnonzero(owner == k) for k in range(K)]


def _proportions(rng: np.random.Generator, K: int, alpha: float) -> np.ndarray:
    shares = rng.dirichlet(np.full(K, alpha))
    if np.isfinite(shares).all() and shares.sum() > 0.5:
        return shares
    # The sum of the gamma variates is beyond the floats. For huge alpha the limit is even shares,
    # for tiny alpha one client has all.
    if alpha > 1:
        return np.full(K, 1 / K)
    shares = np.zeros(K)
    shares[rng.integers(K)] = 1.0
    return shares


def _check_clients(K: int, n: int) -> None:
    _checks.count("K", K)
    if n < K:
        raise ValueError(f"K = {K}: at most the number of samples, {n}, is expected")
