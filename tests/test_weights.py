"""A client of weight m is m clients of weight 1, and what else is true of weights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fl_algos as fl
from fl_algos import Scaled
from fl_algos.draw import Draws
from fl_algos.oracles import GD, VR
from literal.clients import quadratics
from support.algorithms import EACH
from support.small import PROBLEMS, scalar

COPIES = np.array([1, 3, 2, 5])
R = (2, 1, 4, 3)
OFTEN = np.repeat(np.arange(4), COPIES)


def weighted_and_copied(kind):
    """Clients of unequal weights, and as many clients of equal weights."""
    if kind == "quadratic":
        plain, _ = quadratics(4, 3, seed=2)
        weighted = fl.Quadratic(plain.A_k, plain.b_k, weights=COPIES)
        return weighted, fl.Quadratic(plain.A_k[OFTEN], plain.b_k[OFTEN])
    rng = np.random.default_rng(0)
    X, y = [rng.normal(size=(n, 3)) for n in (5, 2, 8, 4)], [np.arange(n) % 2 for n in (5, 2, 8, 4)]
    weighted = fl.LogisticRegression(X, y, l2=0.1, weights=COPIES)
    return weighted, fl.LogisticRegression([X[k] for k in OFTEN], [y[k] for k in OFTEN], l2=0.1)


ALGORITHMS = [
    *[lambda R, algorithm=algorithm: algorithm for algorithm in EACH],
    lambda R: fl.ProxSkip(0.2, 0.6, R=3, corrected=True),
    lambda R: fl.FedPD(1.0, 0.3, GD(0.2, 3)),
    lambda R: fl.FedPD(1.0, 0.3, VR(0.2, 3, 4)),
    lambda R: fl.FedAvg(0.3, R),
    lambda R: fl.FedAvgM(0.7, 0.3, 0.5, R),
    lambda R: fl.FedOpt(0.1, 0.3, fl.Adam(0.9), R=R),
    lambda R: fl.Scaffold(0.2, 0.9, R, option=1),
    lambda R: fl.Scaffold(0.2, 0.9, R, option=2),
]


@pytest.mark.parametrize("kind", ["quadratic", "logistic"])
@pytest.mark.parametrize("make", ALGORITHMS, ids=[str(make(1)) for make in ALGORITHMS])
def test_a_client_of_weight_m_is_m_clients(kind, make):
    """The implementations equal the transcriptions for equal weights, so by this for all."""
    weighted, copied = weighted_and_copied(kind)
    start = np.array([1.0, -2.0, 3.0])
    found = fl.run(make(R), weighted, 30, seed=1, theta=start)
    expected = fl.run(make(tuple(np.array(R)[OFTEN])), copied, 30, seed=1, theta=start)
    for name, x in found.state._asdict().items():
        if x is not None:
            rows = x[OFTEN] if name.endswith(("_k", "_k0")) else x
            assert_allclose(rows, getattr(expected.state, name), rtol=1e-11, atol=1e-11)
    for name in ("loss", "grad_norm2", "distance"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-11)
    assert found.communications.tolist() == expected.communications.tolist()


@pytest.mark.parametrize(
    "algorithm",
    [
        fl.GradientDescent(0.5),
        fl.ProxSkip(0.5, 0.5, corrected=True),
        fl.Scaffnew(0.5, 0.5),
        fl.FedPD(1.0),
        fl.Scaffold(0.2, R=R),
    ],
    ids=str,
)
def test_who_finds_the_solution_finds_that_of_the_weighted_mean(algorithm):
    problem, _ = weighted_and_copied("quadratic")
    history = fl.run(algorithm, problem, 2000)
    assert history.distance[-1] < 1e-10
    assert_allclose(history.theta, problem.theta_star, atol=1e-10)


def test_a_state_to_start_from_is_checked_with_the_weights():
    problem = scalar([1, 1], [0, 4], weights=[1, 3])
    state = fl.Scaffnew(0.1, 0.5).init(np.zeros(1), 2)._replace(c_k=np.array([[3.0], [-1.0]]))
    fl.run(fl.Scaffnew(0.1, 0.5), problem, 1, state=state)
    with pytest.raises(ValueError, match="the mean of c_k over the clients is not 0 but up to 1"):
        fl.run(fl.Scaffnew(0.1, 0.5), scalar([1, 1], [0, 4]), 1, state=state)
    scaffold = fl.Scaffold(0.1)
    state = scaffold.init(np.zeros(1), 2)._replace(c=np.ones(1), c_k=np.array([[0.0], [2.0]]))
    with pytest.raises(ValueError, match="the mean of c_k - c over"):
        fl.run(scaffold, problem, 1, state=state)


def test_scaffold_with_weights_samples_no_clients_but_the_scaled_functions_do():
    problem, _ = weighted_and_copied("quadratic")
    message = "weights of the problem: Scaffold with sampled clients needs the same for all"
    with pytest.raises(ValueError, match=message):
        fl.run(fl.Scaffold(0.1), problem, 1, participants=2)
    history = fl.run(fl.Scaffold(0.05, R=3), Scaled(problem), 6000, participants=2)
    assert_allclose(history.theta, problem.theta_star, atol=1e-9)


def test_sampling_is_biased_with_a_weighted_mean_and_not_with_scaled_functions():
    """In one round of gradient steps, over all draws of 2 of 4 clients."""
    problem, _ = weighted_and_copied("quadratic")
    theta, steps = np.array([1.0, -2.0, 3.0]), {}
    _, grad = problem.objective(theta)
    for each in (problem, Scaled(problem)):
        server = fl.Server(4, each.weights)
        pairs = [np.array([i, j]) for i in range(4) for j in range(i)]
        mean = np.mean(
            [server.average(each.grad(np.stack([theta] * 2), S), clients=S) for S in pairs], axis=0
        )
        steps[type(each)] = np.abs(mean - grad).max()
    assert steps[Scaled] < 1e-14
    assert steps[fl.Quadratic] > 1e-2


@pytest.mark.parametrize("kind", ["quadratic", "logistic"])
def test_scaled_functions_have_the_same_objective(kind):
    problem = weighted_and_copied(kind)[0]
    scaled, rng = Scaled(problem), np.random.default_rng(3)
    theta = rng.normal(size=3)
    theta_k = np.stack([theta] * 4)
    loss, grad = problem.objective(theta)
    assert_allclose(scaled.value(theta_k).mean(), loss, rtol=1e-13)
    assert_allclose(scaled.grad(theta_k).mean(axis=0), grad, rtol=1e-12)
    assert_allclose(scaled.theta_star, problem.theta_star)
    v_k, some = rng.normal(size=(4, 3)), np.array([3, 1])
    x_k = scaled.prox(v_k, 0.7)
    assert_allclose(scaled.grad(x_k) + (x_k - v_k) / 0.7, np.zeros((4, 3)), atol=1e-10)
    assert_allclose(scaled.prox(v_k[some], 0.7, some), x_k[some], atol=1e-10)
    batch = Draws(0, scaled, 2)[0].batch(0)
    shares = (4 * COPIES / COPIES.sum())[:, None]
    assert_allclose(scaled.grad(v_k, None, batch), shares * problem.grad(v_k, None, batch))


def test_the_condition_number_of_scaled_functions_is_within_its_bounds():
    problem, _ = weighted_and_copied("quadratic")
    scale = 4 * COPIES / COPIES.sum()
    exact = fl.Quadratic(scale[:, None, None] * problem.A_k, scale[:, None] * problem.b_k)
    scaled = Scaled(problem)
    assert scaled.mu <= exact.mu + 1e-12 <= exact.L <= scaled.L + 1e-12
    assert_allclose(scaled.L / scaled.mu, problem.L / problem.mu * 5)


def test_a_server_with_other_weights_than_the_problem_is_refused():
    problem = scalar([1, 1], [0, 4], weights=[1, 3])
    with pytest.raises(ValueError, match="server has other weights than the problem"):
        fl.run(fl.GradientDescent(0.5), problem, 1, server=fl.Server(2, [1, 1]))
    server = fl.Server(2)
    assert_allclose(fl.run(fl.GradientDescent(1.0), problem, 1, server=server).theta, [3.0])
    plain = scalar([1, 1], [0, 4])  # the same server, on a problem with other weights
    assert_allclose(fl.run(fl.GradientDescent(1.0), plain, 1, server=server).theta, [2.0])


def test_nothing_but_prox_is_missing_where_the_problem_has_none():
    class NoProx(fl.Quadratic):
        def __getattribute__(self, name):
            if name == "prox":
                raise AttributeError(name)
            return super().__getattribute__(name)

    plain = PROBLEMS["quadratic"]
    scaled = Scaled(NoProx(plain.A_k, plain.b_k, weights=np.arange(1.0, 7)))
    with pytest.raises(ValueError, match="Scaled has no method prox, which the oracle exact needs"):
        fl.run(fl.FedPD(1.0), scaled, 1)
    assert fl.run(fl.Scaffnew(0.1, 0.5), scaled, 2000).distance[-1] < 1e-3
