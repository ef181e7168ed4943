"""FedAvg, FedOpt, FedProx, SCAFFOLD: the right values, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import (
    Adam,
    FedAvg,
    FedAvgM,
    FedOpt,
    FedPD,
    FedProx,
    GradientDescent,
    LogisticRegression,
    ProxSkip,
    Quadratic,
    Scaffold,
    Server,
    Yogi,
    adagrad,
    epochs,
    random_quadratics,
    run,
)
from fl_algos.draw import Draws
from fl_algos.oracles import GD, SGD
from literal.clients import quadratics, regression
from support.algorithms import EACH
from support.small import column, scalar


def after_a_round(algorithm, problem, theta, **options):
    return run(algorithm, problem, rounds=1, theta=np.array([theta]), **options).state


class TestRoundsByHand:
    """Two clients, from theta = 2, where both gradients are 2; gamma = 1/4, R = 2."""

    # the local models after the two steps, and their mean
    X_K = (1.125, 4 / 3 + (2 - 4 / 3) / 16)
    MEAN = sum(X_K) / 2

    def test_fedavg(self, two_clients):
        assert_allclose(after_a_round(FedAvg(0.25, R=2), two_clients, 2.0).theta, [self.MEAN])

    def test_fedavgm(self, two_clients):
        state = after_a_round(FedAvgM(eta=0.5, gamma=0.25, beta=0.9, R=2), two_clients, 2.0)
        assert_allclose(state.m, [self.MEAN - 2])
        assert_allclose(state.theta, [2 + 0.5 * (self.MEAN - 2)])

    @pytest.mark.parametrize(
        ("rule", "v"),
        [
            (adagrad, lambda v, delta: v + delta**2),
            (Adam(0.9), lambda v, delta: 0.9 * v + 0.1 * delta**2),
            (Yogi(0.9), lambda v, delta: v + 0.1 * delta**2),  # delta^2 > v
        ],
    )
    def test_fedopt(self, two_clients, rule, v):
        state = after_a_round(FedOpt(0.5, 0.25, rule, beta1=0.8, tau=0.1, R=2), two_clients, 2.0)
        delta = self.MEAN - 2
        expected_v = v(0.01, delta)
        assert_allclose(state.v, [expected_v])
        assert_allclose(state.theta, [2 + 0.5 * 0.2 * delta / (expected_v**0.5 + 0.1)])

    def test_fedprox(self, two_clients):
        """mu = 1: the proximal points of 2 are 1 and 3/2."""
        assert_allclose(after_a_round(FedProx(mu=1.0), two_clients, 2.0).theta, [1.25])

    @pytest.mark.parametrize("option", [1, 2])
    def test_scaffold(self, two_clients, option):
        state = after_a_round(Scaffold(0.25, eta=0.5, R=2, option=option), two_clients, 2.0)
        c_k = (2.0, 2.0) if option == 1 else tuple((2 - x) / 0.5 for x in self.X_K)
        assert_allclose(state.c_k, column(*c_k))
        assert_allclose(state.c, [sum(c_k) / 2])
        assert_allclose(state.theta, [2 + 0.5 * (self.MEAN - 2)])


def test_the_mean_by_samples_and_uniformly():
    """Models 0 and 4 of clients with 1 and 3 samples: 3 by samples, 2 uniformly."""
    own = {"A": [1, 1], "b": [0, 4]}  # one step of size 1 leads each client to its minimiser
    assert_allclose(after_a_round(FedAvg(1.0), scalar(**own, weights=[1, 3]), 9.0).theta, [3.0])
    assert_allclose(after_a_round(FedAvg(1.0), scalar(**own), 9.0).theta, [2.0])


def test_weights_move_theta_star_and_the_metrics_with_them():
    problem = scalar([1, 1], [0, 4], weights=[1, 3])
    assert_allclose(problem.theta_star, [3.0])
    history = run(FedAvg(0.5), problem, rounds=60)
    assert history.distance[-1] < 1e-12
    assert history.grad_norm2[-1] < 1e-24
    X, y = [np.eye(2)[:1], np.ones((3, 2))], [[1], [0, 0, 1]]
    by_samples = LogisticRegression(X, y, l2=0.1, weights=[1, 3])
    pooled = LogisticRegression([np.vstack(X)], [np.concatenate(y)], l2=0.1)
    assert_allclose(by_samples.theta_star, pooled.theta_star, atol=1e-12)
    assert run(FedAvg(0.5), by_samples, rounds=2000).distance[-1] < 1e-10


@pytest.mark.parametrize("algorithm", [FedPD(1.0), ProxSkip(0.1, 0.2), GradientDescent(0.1)])
def test_algorithms_of_all_clients_refuse_to_sample(algorithm):
    with pytest.raises(ValueError, match="participants = 2: all clients take part in"):
        run(algorithm, random_quadratics(K=4, d=2), rounds=1, participants=2)
    run(algorithm, random_quadratics(K=4, d=2), rounds=1, participants=4)


def test_the_first_step_of_fedadam():
    """beta1 = .9, beta2 = .99, delta = 1, tau ~ 0, eta = 1: 0.1/sqrt(0.01) = 1, uncorrected."""
    problem = scalar([1], [1])  # a step of size 1 from 0 leads to 1
    algorithm = FedOpt(1.0, 1.0, Adam(0.99), beta1=0.9, tau=1e-12)
    assert_allclose(after_a_round(algorithm, problem, 0.0).theta, [1.0])


def test_adam_comes_to_rest_only_for_a_small_step_over_tau():
    """One step, full gradients: at rest the step is eta gamma L/tau = 0.1, or 50."""
    problem = random_quadratics(K=6, d=3)
    calm = run(FedOpt(0.02, 0.5, Adam(), beta1=0.0, tau=0.1), problem, rounds=3000)
    restless = run(FedOpt(0.1, 0.5, Adam(), beta1=0.0, tau=1e-3), problem, rounds=3000)
    assert calm.distance[-1] < 1e-8
    assert restless.distance[-100:].min() > 1e-3


@pytest.mark.parametrize("beta", [0.0, 0.9])
def test_momentum_on_the_server_comes_to_rest_up_to_twice_one_plus_beta(beta):
    """eta lambda < 2 (1 + beta), on one direction: lambda = 1 - (1 - gamma)^R."""
    gamma, R = 0.2, 3
    problem, moved = scalar([1, 1], [0, 2]), 1 - (1 - gamma) ** R
    for part in (0.95, 1.05):
        algorithm = FedAvgM(part * 2 * (1 + beta) / moved, gamma, beta, R)
        history = run(algorithm, problem, rounds=600, theta=np.array([1.1]))
        assert (history.distance[-1] < 1e-6) == (part < 1)


@pytest.mark.parametrize(
    "algorithms",
    [
        [FedAvg(gamma, R=20) for gamma in (0.3, 0.1, 0.01, 0.001)],
        [FedProx(mu) for mu in (0.01, 1.0, 10.0, 100.0)],
    ],
)
def test_a_floor_tends_to_zero_but_not_steadily(algorithms):
    """Curvatures 1, 2, 3, minimisers 1, -2, 1: it first rises with 1/gamma and with mu."""
    problem = scalar([1, 2, 3], [1, -4, 3])
    floors = [run(each, problem, 1000, stride=1000).distance[-1] for each in algorithms]
    assert floors[0] < floors[1] > floors[2] > floors[3]
    assert floors[3] < 0.004


def test_the_proximal_gradient_of_fedprox():
    """x - x0 = (3, 4) and mu = 1: the proximal term's gradient is (3, 4), its value 25/2."""
    problem = Quadratic(np.zeros((1, 2, 2)), np.zeros((1, 2)))
    seen = {}

    def spy(al, theta_k, oracle_k, draw):
        x_k = theta_k + np.array([3.0, 4.0])
        seen.update(grad=al.grad(x_k), value=al.value(x_k))
        return theta_k, oracle_k

    run(FedProx(mu=1.0, oracle=spy), problem, rounds=1, theta=np.array([7.0, -2.0]))
    assert_allclose(seen["grad"], [[3.0, 4.0]])
    assert_allclose(seen["value"], [12.5])


@pytest.mark.parametrize("option", [1, 2])
def test_the_servers_control_variate_is_the_mean_of_the_clients(option):
    problem, algorithm = random_quadratics(K=7, d=3), Scaffold(0.3, 0.7, R=3, option=option)
    for participants in (7, 3, 1):
        state = run(algorithm, problem, rounds=0).state
        for t in range(20):
            state = run(
                algorithm, problem, 1, state=state, start=t, participants=participants
            ).state
            assert_allclose(state.c, state.c_k.mean(axis=0), atol=1e-13)
    assert np.abs(state.c_k.sum(axis=0)).max() > 0.1


def test_option_two_with_three_epochs_of_four_batches():
    """c_k+ = c_k - c + (x - y)/(12 gamma): here all start at 0, so (x - y)/(12 gamma)."""
    problem = regression((12, 12), 3, seed=0)[0]
    R = epochs(3, problem, batch_size=3)
    assert R == (12, 12)
    algorithm = Scaffold(gamma=0.1, R=R)
    state = run(algorithm, problem, rounds=1, batch_size=3).state
    local = run(FedAvg(gamma=0.1, R=R), problem, rounds=1, batch_size=3)
    assert_allclose(state.theta, local.theta)
    assert_allclose(state.c, -local.theta / (12 * 0.1))


def test_ten_samples_in_batches_of_three_for_two_epochs_are_eight_steps():
    problem = regression((10, 3, 1), 2, seed=0)[0]
    assert epochs(2, problem, batch_size=3) == (8, 2, 2)
    assert epochs(2, problem) == (2, 2, 2)
    history = run(FedAvg(0.1, R=epochs(2, problem, 3)), problem, rounds=5, batch_size=3)
    assert history.gradients[-1] == 5 * 2 * (10 + 3 + 1)  # each sample once a pass


def test_only_those_who_take_part_compute_and_count():
    problem, server = random_quadratics(K=10, d=4), Server(10)
    history = run(Scaffold(0.1, R=3), problem, rounds=50, participants=4, server=server, seed=3)
    assert history.gradients[-1] == 50 * 4 * 3
    assert history.floats_up[-1] == history.floats_down[-1] == 50 * 4 * 2 * 4
    draws = Draws(3, problem, participants=4)
    expected = np.bincount(np.concatenate([draws[t].clients for t in range(50)]), minlength=10)
    assert server.ledger.sent_k.tolist() == expected.tolist()
    assert 4 <= expected.min() < expected.max() <= 40


def test_sampling_is_without_replacement_uniform_and_reproducible():
    problem = random_quadratics(K=6, d=2)
    draws = Draws(1, problem, participants=2)
    drawn = [tuple(draws[t].clients) for t in range(3000)]
    assert all(a < b for a, b in drawn)
    counts = np.bincount(np.ravel(drawn), minlength=6)
    assert np.abs(counts - 1000).max() < 4 * (3000 * 2 / 9) ** 0.5
    assert drawn[:50] == [tuple(Draws(1, problem, participants=2)[t].clients) for t in range(50)]
    assert drawn[:50] != [tuple(Draws(2, problem, participants=2)[t].clients) for t in range(50)]


def test_a_clients_control_variate_follows_the_client():
    problem, algorithm = random_quadratics(K=5, d=2), Scaffold(0.3, R=2)
    draws = Draws(0, problem, participants=2)
    state = run(algorithm, problem, rounds=0).state
    for t in range(12):
        before = state.c_k
        state = run(algorithm, problem, 1, state=state, start=t, participants=2).state
        changed = np.flatnonzero((state.c_k != before).any(axis=1))
        assert set(changed) <= set(draws[t].clients)
        assert len(changed) == 2


def fixed_point(problem, pull_k):
    """The theta at which sum pull_k (theta - own minimiser of k) = 0."""
    own_k = np.linalg.solve(problem.A_k, problem.b_k[..., None])
    return np.linalg.solve(pull_k.sum(axis=0), (pull_k @ own_k)[..., 0].sum(axis=0))


def test_the_biased_fixed_point_of_fedavg():
    problem, gamma, R = random_quadratics(K=6, d=4, linear_spread=2.0), 0.7, 5
    step_k = np.eye(4) - gamma * problem.A_k
    expected = fixed_point(problem, np.eye(4) - np.linalg.matrix_power(step_k, R))
    history = run(FedAvg(gamma, R), problem, rounds=800)
    assert_allclose(history.theta, expected, atol=1e-10)
    assert history.distance[-1] > 0.05


def test_the_biased_fixed_point_of_fedprox():
    problem, mu = random_quadratics(K=6, d=4, linear_spread=2.0), 0.5
    resolvent_k = np.linalg.inv(np.eye(4) + problem.A_k / mu)
    expected = fixed_point(problem, np.eye(4) - resolvent_k)
    history = run(FedProx(mu), problem, rounds=800)
    assert_allclose(history.theta, expected, atol=1e-10)
    assert history.distance[-1] > 0.05
    by_steps = run(FedProx(mu, GD(0.6, Q=500, tolerance=1e-13)), problem, rounds=800)
    assert_allclose(by_steps.theta, expected, atol=1e-9)


@pytest.mark.parametrize("option", [1, 2])
def test_scaffold_has_no_bias(option):
    problem = random_quadratics(K=6, d=4, linear_spread=2.0)
    for participants in (6, 2):
        algorithm = Scaffold(0.3, R=5, option=option)
        history = run(algorithm, problem, 1500, participants=participants, tolerance=1e-12)
        assert history.distance[-1] < 1e-10


@pytest.mark.parametrize("R", [1, 4])
def test_scaffold_two_is_corrected_proxskip_without_skipping_on_the_same_batches(R):
    problem = regression((7, 20, 5), 3, seed=0)[0]
    gamma = 0.5 / problem.L
    scaffold = run(Scaffold(gamma, R=R), problem, 40, batch_size=2)
    proxskip = run(ProxSkip(gamma, 0.0, R, corrected=True), problem, 40, batch_size=2)
    assert_allclose(scaffold.theta, proxskip.theta, atol=1e-12)
    assert_allclose(scaffold.state.c_k - scaffold.state.c, proxskip.state.c_k, atol=1e-12)


def test_fedsgd_is_gradient_descent_and_averaging_alone_changes_nothing():
    problem = random_quadratics(K=6, d=4)
    descent = run(GradientDescent(0.6), problem, rounds=30)
    for algorithm in (FedAvg(0.6), FedAvgM(1.0, 0.6, beta=0.0)):
        assert_allclose(run(algorithm, problem, rounds=30).theta, descent.theta, atol=1e-12)


def test_steps_for_each_client_need_all_clients():
    for R in ([1, 2], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match=r"R has . entries: one for each of 3 clients"):
            run(FedAvg(0.1, R=R), random_quadratics(K=3, d=2), rounds=1, participants=1)


def test_unequal_steps_move_fedavg_even_for_small_steps_but_not_scaffold():
    """As gamma tends to 0, FedAvg solves sum R_k grad f_k = 0."""
    problem, R = random_quadratics(3, 2, hessian_angle=0.0), (1, 2, 8)
    weighted = Quadratic(problem.A_k, problem.b_k, weights=R)
    history = run(FedAvg(0.001, R), problem, rounds=20_000, stride=1000)
    assert np.linalg.norm(history.theta - weighted.theta_star) < 0.02
    assert history.distance[-1] > 1
    assert run(Scaffold(0.1, R=R), problem, rounds=3000, participants=2).distance[-1] < 1e-10


@pytest.mark.parametrize("target", [("cpu", None), (None, "float32"), ("cpu", "float32")])
@pytest.mark.parametrize("kind", ["quadratic", "logistic"])
def test_weights_go_along_to_torch_and_float32(kind, target):
    if target[0] is not None:
        pytest.importorskip("torch", reason="torch is not installed")
    X, y = [np.eye(2)[:1], np.ones((3, 2)), np.eye(2)], [[1], [0, 0, 1], [0, 1]]
    if kind == "quadratic":
        plain = random_quadratics(3, 2)
        problem = Quadratic(plain.A_k, plain.b_k, weights=[1, 2, 5])
    else:
        problem = LogisticRegression(X, y, l2=0.1, weights=[1, 2, 5])
    moved = problem.to(*target)
    assert_allclose(moved.weights, np.array([1, 2, 5]) / 8)
    expected, found = (run(FedAvg(0.3, R=2), p, rounds=3) for p in (problem, moved))
    assert_allclose(found.loss, expected.loss, rtol=1e-5)
    assert_allclose(found.distance, expected.distance, rtol=1e-4)
    own = problem.value(np.broadcast_to(expected.theta, (3, 2)))
    assert_allclose(expected.loss[-1], (own * [1, 2, 5]).sum() / 8)


def test_a_state_of_scaffold_whose_c_is_not_the_mean_is_refused():
    problem, algorithm = random_quadratics(K=4, d=2), Scaffold(0.1)
    state = run(algorithm, problem, rounds=5).state
    assert run(algorithm, problem, rounds=5, state=state).distance[-1] > 0
    with pytest.raises(ValueError, match="the mean of c_k - c over the clients is not 0"):
        run(algorithm, problem, rounds=1, state=state._replace(c=state.c + 1))


@pytest.mark.parametrize(
    "algorithm",
    [
        *[algorithm for algorithm in EACH if getattr(algorithm, "samples_clients", False)],
        FedAvg(0.3, R=(2, 1, 3)),
        FedOpt(0.1, 0.3, Yogi(0.9), R=2),
        FedProx(0.5, SGD(0.3, Q=2)),
        Scaffold(0.3, R=(2, 1, 3)),
        Scaffold(0.3, R=2, option=1),
    ],
)
def test_numpy_and_torch_give_the_same_trajectory(algorithm):
    pytest.importorskip("torch", reason="torch is not installed")
    problem = regression((7, 20, 5), 3, seed=0)[0]
    options = {"rounds": 40, "participants": 2}
    options |= {"batch_size": 3} if algorithm.takes_batches else {}
    expected = run(algorithm, problem, **options)
    found = run(algorithm, problem.to("cpu"), **options)
    for mine, theirs in zip(found.state, expected.state, strict=True):
        assert_allclose(mine, theirs, rtol=0, atol=1e-10)


def test_float32_stays_float32():
    problem = quadratics(3, 2, 0)[0].to(None, "float32")
    for algorithm in (FedAvg(0.3, R=2), FedOpt(0.1, 0.3, Adam()), Scaffold(0.3, R=[1, 2, 1])):
        state = run(algorithm, problem, rounds=5, participants=2).state
        assert {x.dtype for x in state} == {np.dtype("float32")}
