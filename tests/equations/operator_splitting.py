"""The equations of the chapter on operator splitting."""

from __future__ import annotations

import numpy as np

from equations import primal_dual
from equations.primal_dual import ROUND, a_round, without_skipping
from equations.quadratics import CLIENTS, K, argmin, federation, mean, norm2, same, vectors
from equations.skipping import projection
from equations.states import states
from fl_algos import Quadratic
from fl_algos.algorithms import fedpd
from fl_algos.problems import quadratic
from fl_algos.theory import fedpd as theory
from fl_algos.theory import fedsplit

s = primal_dual.s
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


@states("reflections", "4544b9", fedpd, *FAULTS)
def reflections(fedpd):
    problem, f = federation()
    before, after = a_round(fedpd, problem)

    def refl_f(w):
        return 2 * prox_F(f, w) - w

    def refl_P(w):
        return 2 * projection(w) - w

    same(w(after), 1 / 2 * (w(before) + refl_P(refl_f(w(before)))))


def delta_of(L, mu):
    """As in equation reflection-contraction."""
    return max(abs(s * L - 1) / (s * L + 1), abs(1 - s * mu) / (1 + s * mu))


@states(
    "reflection-contraction",
    "2bf872",
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


PROX = [
    [("[..., 0] - x_k / s)", "[..., 0] + x_k / s)")],
    [("right_k = b_k + v_k / s", "right_k = b_k - v_k / s")],
]


@states("between-two-curvatures", "1aaaac", quadratic, *PROX)
def between_two_curvatures(quadratic):
    """With u and v the differences of x and of w - x, for two points w."""
    problem, f = federation()
    L, mu = problem.L, problem.mu
    problem = quadratic.Quadratic(problem.A_k, problem.b_k)
    w = vectors(1), vectors(2)
    for step in (0.2 / L, 1 / np.sqrt(L * mu), 5 / mu):
        alpha, beta = step * mu, step * L
        x = [problem.prox(each, step) for each in w]
        u, v = x[0] - x[1], (w[0] - x[0]) - (w[1] - x[1])
        for k in CLIENTS:
            same(v[k], step * (f[k].grad(x[0][k]) - f[k].grad(x[1][k])))
        assert (alpha + beta) * np.sum(u * v) >= norm2(v) + alpha * beta * norm2(u) - 1e-12
    # All curvatures are one of the two: there is equality.
    ends = quadratic.Quadratic(np.tile(np.diag([mu, L, L]), (K, 1, 1)), np.zeros((K, 3)))
    x = [ends.prox(each, 1.0) for each in w]
    u, v = x[0] - x[1], (w[0] - x[0]) - (w[1] - x[1])
    same((mu + L) * np.sum(u * v), norm2(v) + mu * L * norm2(u))


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


def error_map(fedpd, problem, s):
    """The matrix of a round on the error of w = theta - s lambda, all clients stacked."""
    linear = Quadratic(problem.A_k, 0 * problem.b_k)
    columns = []
    for w in np.eye(K * problem.d).reshape(-1, K, problem.d):
        before = fedpd.FedPD(s=s).init(0 * w[0], K)._replace(lambda_k=-w / s)
        after = without_skipping(fedpd, linear, s, before)
        columns.append((after.theta - s * after.lambda_k).ravel())
    return np.array(columns).T


def convex_problems():
    """Convex quadratics, with mu_f and a step size: some at random, flat ones, a shared Hessian."""
    random, _ = federation()
    lines = np.array([[1.0, 0.1, 0.0], [1.0, -0.1, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    flat = Quadratic(lines[:, :, None] * lines[:, None, :], vectors(1))
    shared = Quadratic(np.tile(random.A_k[:1], (K, 1, 1)), vectors(1))
    for problem in (random, flat, shared):
        mu_f = np.linalg.eigvalsh(problem.A_k.mean(axis=0))[0]
        for s in (0.3 / problem.L, 3 / problem.L, 1 / np.sqrt(problem.L * mu_f), 3 / mu_f):
            yield problem, mu_f, s


@states(
    "fedpd-quadratic-rate",
    "c855f8",
    theory,
    [("return max(1 / (1 + s * mu)", "return max(1 / (1 + 2 * s * mu)")],
    [("(s * L - 1) / (s * L + 1)", "(s * L - 1) / (s * L + 2)")],
    [("math.sqrt(max(0.0, (s * L", "(max(0.0, (s * L")],
)
def fedpd_quadratic_rate(theory):
    for problem, mu_f, s in convex_problems():
        L = problem.L
        turning = np.sqrt(max(0, (s * L - 1) / (s * L + 1)))
        bound = max(1 / (1 + s * mu_f), 1 / 2 * (1 + turning))
        same(theory.fedpd_quadratic_rate(s, L, mu_f), bound)
        rho = np.abs(np.linalg.eigvals(error_map(fedpd, problem, s))).max()
        assert rho <= bound + 1e-12
        if (problem.A_k == problem.A_k[0]).all() and s * L < 1:  # there is equality
            same(rho, 1 / (1 + s * mu_f))


def eigenvectors(fedpd, problem, s):
    """Each eigenvalue zeta of a round, with u and v, real ones as real numbers."""
    values, columns = np.linalg.eig(error_map(fedpd, problem, s))
    for zeta, column in zip(values, columns.T, strict=True):
        w = column.reshape(K, problem.d)
        if zeta.imag == 0:
            zeta, w = zeta.real, w.real
        u = np.tile(mean(w), (K, 1))
        yield zeta, u, w - u


def J(problem, s, w):
    """(I + s A_k)^-1 of each client's vector, by values of a function."""

    def shrunk(w):
        return np.array(
            [
                argmin(lambda x, k=k: s / 2 * x @ problem.A_k[k] @ x + 1 / 2 * norm2(x - w[k]))
                for k in CLIENTS
            ]
        )

    return shrunk(w.real) + 1j * shrunk(w.imag)


@states("algorithms/operator_splitting, d52edf", "d52edf", fedpd, *ROUND)
def eigenvector_of_a_round(fedpd):
    turning = 0
    for problem, _, s in convex_problems():
        L = problem.L
        for zeta, u, v in eigenvectors(fedpd, problem, s):
            same(J(problem, s, u + v), zeta * u + (1 - zeta) * v)
            if abs(zeta.imag) > 1e-6:  # no real double one that rounding has split
                turning += 1
                same(norm2(abs(u)), norm2(abs(v)))
                assert abs(zeta - 1 / 2) ** 2 <= 1 / 4 * (s * L - 1) / (s * L + 1) + 1e-12
            else:
                assert -1e-6 <= zeta.real <= 1 + 1e-6
    assert turning > 5


@states("algorithms/operator_splitting, 6d8723", "6d8723", fedpd, *ROUND)
def real_eigenvalue_of_a_round(fedpd):
    real = 0
    for problem, mu_f, s in convex_problems():
        for zeta, u, v in eigenvectors(fedpd, problem, s):
            if not isinstance(zeta, complex):
                real += 1
                x, y = zeta * u - (1 - zeta) * v, zeta * u + (1 - zeta) * v
                left = zeta * (1 - zeta) * (norm2(u) - norm2(v))
                same(left, sum(s * x[k] @ problem.A_k[k] @ y[k] for k in CLIENTS))
                least = s * mu_f * zeta**2 * norm2(u)
                assert left >= least - s * problem.L * (1 - zeta) ** 2 * norm2(v) - 1e-12
    assert real > 20


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
