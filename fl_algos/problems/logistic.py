"""Logistic regression with an L2 or a non-convex penalty, on clients of any sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fl_algos import _checks
from fl_algos._arrays import Array
from fl_algos.problems import _spectrum
from fl_algos.problems._linear_model import LinearModel
from fl_algos.problems._loss import LOGISTIC
from fl_algos.problems._penalty import Penalty
from fl_algos.problems._samples import check_samples, stack_samples, targets

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
        super().__init__(stack_samples(LOGISTIC, X, _signs(targets(X, y))), penalty, weights)

    @cached_property
    def L(self) -> float:
        """The bound ``max_k |X_k|^2 / (4 n_k) + l2 + 2 alpha beta``, sharp at theta = 0.

        Where min(n_k, d) is over 1000, an upper bound of ``|X_k|^2`` instead: the sum of those of
        groups of at most 1000 samples, or features.
        """
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
        """The spectral norms ``|X_k|/sqrt(n_k)``, or upper bounds of them, shape (K,)."""
        norm_k: np.ndarray = np.sqrt(_spectrum.extremes(self._samples, smallest=False)[1])
        return norm_k

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
        data. To do without it, and save its time, set it to None.

        Raises:
            ArithmeticError: the gradient's norm could not be brought down that far.
        """
        if self.mu <= 0:
            return None
        theta, norm = self._minimiser()
        most = 1e-12 * max(1.0, self._samples.longest())
        if not norm <= most:
            raise ArithmeticError(
                f"the gradient's norm at theta_star is {norm}, over {most}: scaled features help"
            )
        return self.asarray(theta)

    def _known(self) -> dict[str, float]:
        return {name: value for name, value in vars(self).items() if name == "L"} | {"mu": self.mu}


def _signs(labels_k: list[np.ndarray]) -> list[np.ndarray]:
    """The labels as -1.0 and 1.0."""
    labels = set(np.unique(np.concatenate(labels_k)).tolist())
    if labels <= {0.0, 1.0}:
        return [2 * label - 1 for label in labels_k]
    if labels <= {-1.0, 1.0}:
        return labels_k
    raise ValueError(f"y has the labels {sorted(labels)}: {{0, 1}} or {{-1, 1}} are expected")
