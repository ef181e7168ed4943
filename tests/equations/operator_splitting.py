"""The equations of the chapter on operator splitting."""

from __future__ import annotations

import numpy as np

from equations.primal_dual import a_round, s
from equations.quadratics import CLIENTS, K, argmin, federation, norm2, same, vectors
from equations.skipping import projection
from equations.states import states
from fl_algos import Quadratic
from fl_algos.algorithms import fedpd
from fl_algos.problems import quadratic
from fl_algos.theory import fedsplit

DUAL = "lambda_k + (theta_k - theta_k0) / self.s"
HALF = "half_k = theta_k + self.s * lambda_k"
FAULTS = [
    [(DUAL, DUAL.replace("+", "-"))],
    [(HALF, "half_k = theta_k")],
    [("self.s, theta_k0, lambda_k)", "self.s, theta_k0, 0 * lambda_k)")],
]


def w(state):
    """theta - s lambda_k, all clients stacked."""
    return state.theta - s * state.lambda_k


def prox_F(f, w):
    """The proximal operator of Ks times the mean of the f_k, in all K d coordinates at once."""

    def F(Theta):
        return 1 / K * sum(f[k](Theta[k]) for k in CLIENTS)

    return argmin(lambda Theta: K * s * F(Theta) + 1 / 2 * norm2(Theta - w), w.shape)


@states("douglas-rachford-step", "d9b839", fedpd, *FAULTS)
def douglas_rachford_step(fedpd):
    problem, f = federation()
    before, after = a_round(fedpd, problem)
    x = prox_F(f, w(before))
    same(after.theta_k, x)
    same(w(after), w(before) + projection(2 * x - w(before)) - x)


@states("douglas-rachford", "d4e5c3", fedpd, *FAULTS)
def douglas_rachford(fedpd):
    problem, f = federation()
    before, after = a_round(fedpd, problem)
    w_k = w(before)
    x = [argmin(lambda x, k=k: f[k](x) + 1 / (2 * s) * norm2(x - w_k[k])) for k in CLIENTS]
    for k in CLIENTS:
        same(after.theta_k[k], x[k])
        same(w(after)[k], w_k[k] + 1 / K * sum(2 * x[j] - w_k[j] for j in CLIENTS) - x[k])


@states("reflections", "5456ef", fedpd, *FAULTS)
def reflections(fedpd):
    problem, f = federation()
    before, after = a_round(fedpd, problem)

    def R_f(w):
        return 2 * prox_F(f, w) - w

    def R_P(w):
        return 2 * projection(w) - w

    same(w(after), 1 / 2 * (w(before) + R_P(R_f(w(before)))))


def delta_of(L, mu):
    """As in equation reflection-contraction."""
    return max(abs(s * L - 1) / (s * L + 1), abs(1 - s * mu) / (1 + s * mu))


@states(
    "reflection-contraction",
    "b0044f",
    fedsplit,
    [("abs(s * L - 1) / (s * L + 1)", "abs(s * L - 1) / (s * L + 2)")],
    [("(1 + s * mu)", "(2 + s * mu)")],
)
def reflection_contraction(fedsplit):
    problem, f = federation()
    for L, mu in ((problem.L, problem.mu), (10.0, 1.4), (1.5, 0.1), (10.0, 0.1)):
        delta = delta_of(L, mu)
        same(fedsplit.fedsplit_contraction(s, L, mu), delta)
    x, y = vectors(1), vectors(2)
    delta = delta_of(problem.L, problem.mu)
    moved = (2 * prox_F(f, x) - x) - (2 * prox_F(f, y) - y)
    assert norm2(moved) <= delta**2 * norm2(x - y)
    for curvature in (0.1, 10.0):  # there is equality
        ball = Quadratic(np.tile(curvature * np.eye(3), (K, 1, 1)), np.zeros((K, 3)))
        moved = (2 * ball.prox(x, s) - x) - (2 * ball.prox(y, s) - y)
        same(norm2(moved), delta_of(curvature, curvature) ** 2 * norm2(x - y))


@states(
    "algorithms/operator_splitting, 530b9a",
    "530b9a",
    fedsplit,
    [("abs(1 - s * mu)", "abs(1 - s * mu) / 2")],
)
def reflection_proof(fedsplit):
    """With u and v the differences of x and of s grad f_k(x)."""
    problem, f = federation()
    L, mu = problem.L, problem.mu
    u = vectors(1)
    v_of_s = np.array([f[k].grad(u[k]) - f[k].grad(0 * u[k]) for k in CLIENTS])
    for step in (0.2 / L, 0.9 / np.sqrt(L * mu), 1.1 / np.sqrt(L * mu), 5 / mu):
        alpha, beta, v = step * mu, step * L, step * v_of_s
        product = np.sum(u * v)
        middle = (alpha + beta) * product + (1 - alpha * beta) * norm2(u)
        last = (alpha + 1 / alpha if alpha * beta <= 1 else beta + 1 / beta) * product
        assert norm2(u) + norm2(v) <= middle * (1 + 1e-12)
        assert middle <= last * (1 + 1e-12)
        delta = fedsplit.fedsplit_contraction(step, L, mu)
        same(last, 2 * (1 + delta**2) / (1 - delta**2) * product)


def davis_yin(quadratic, L_q):
    """Differences between two points w, of all that a step makes of them, and the shares of L_q.

    F is the sum of the s f_k, whose proximal operator is the package's, g the indicator function
    of the consensus set, q a quadratic function of all K d coordinates.
    """
    problem, f = federation()
    problem = quadratic.Quadratic(problem.A_k, problem.b_k)
    root = np.random.default_rng(3).normal(size=(6, K * 3))
    Q = root.T @ root
    Q *= L_q / np.linalg.eigvalsh(Q)[-1]
    points = []
    for w in (vectors(1), vectors(2)):
        x = problem.prox(w, s)
        same(x, prox_F(f, w))
        gradient_q = (Q @ x.ravel()).reshape(x.shape)
        y = projection(2 * x - w - gradient_q)
        points.append([w, w + y - x, x, y, w - x, 2 * x - w - gradient_q - y, gradient_q])
    return [one - other for one, other in zip(*points, strict=True)]


PROX = [
    [("[..., 0] - x_k / s)", "[..., 0] + x_k / s)")],
    [("right_k = b_k + v_k / s", "right_k = b_k - v_k / s")],
]


@states("_exercises/operator_splitting, e4d9f5", "e4d9f5", quadratic, *PROX)
def davis_yin_contracts(quadratic):
    for L_q in (0.1, 1.9, 3.0):
        w, after, *_ = davis_yin(quadratic, L_q)
        e = w - after
        assert norm2(after) <= norm2(w) - (1 - L_q / 2) * norm2(e)
    # F = g = 0, q the norm squared: there is equality at L_q = 2.
    still = quadratic.Quadratic(np.zeros((K, 3, 3)), np.zeros((K, 3)))
    w, L_q = vectors(1), 2.0
    x = still.prox(w, s)
    after = w + (2 * x - w - L_q * x) - x
    same(norm2(after), norm2(w) - (1 - L_q / 2) * norm2(w - after))


@states("_exercises/operator_splitting, a9ece0", "a9ece0", quadratic, *PROX)
def davis_yin_proof(quadratic):
    for L_q in (0.5, 3.0):
        w, after, x, y, a, b, grad_q = davis_yin(quadratic, L_q)
        e = w - after
        same(e, x - y)
        same(e, a + b + grad_q)
        assert min(np.sum(x * a), np.sum(y * b)) >= -1e-12
        assert np.sum(x * grad_q) >= 1 / L_q * norm2(grad_q)
        middle = np.sum(e * (a + b)) + 1 / L_q * norm2(grad_q)
        assert np.sum(w * e) >= middle - 1e-12
        same(middle, norm2(e) - np.sum(e * grad_q) + 1 / L_q * norm2(grad_q))
        assert middle >= (1 - L_q / 4) * norm2(e) - 1e-12
