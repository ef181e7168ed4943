"""What users do with the package: scripts, problems and oracles of their own, other processes."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import fl_algos as fl
from fl_algos.draw import Draws


def script() -> float:
    """What a user writes; mypy reads this file, and with it how the package's types fit."""
    problem = fl.random_quadratics(K=4, d=3)
    fl.run(fl.FedAvg(0.1, R=2), problem, 3, participants=2)
    fl.run(fl.FedPD(1.0, p=0.5, oracle=fl.oracles.GD(0.1, 3)), problem, 3)
    fl.run(fl.Scaffnew(0.1, p=0.5), problem, 3, theta=np.zeros(3))
    fl.run(fl.FedOpt(0.1, gamma=1.0, second_moment=fl.Yogi(0.9), tau=1e-3), problem, 3)
    fl.run(fl.Scaffold(0.1, option=2), problem, 3, server=fl.Server(4))
    X, y = np.eye(3), [0, 1, 1]
    moved = fl.LogisticRegression([X, X], [y, y], l2=0.1).to(None, "float32")
    return float(fl.run(fl.GradientDescent(0.1), moved, 3).loss[-1])


def test_a_script() -> None:
    assert np.isfinite(script())


@pytest.mark.parametrize("kind", [fl.LeastSquares, fl.LogisticRegression])
def test_problems_go_to_other_processes(kind: Any) -> None:
    problem = kind([np.eye(2), np.ones((3, 2))], [[0, 1], [1, 0, 1]], l2=0.1)
    theta_k = np.ones((2, 2))
    assert (pickle.loads(pickle.dumps(problem)).grad(theta_k) == problem.grad(theta_k)).all()


def test_clients_in_a_tuple_are_clients() -> None:
    quadratics = fl.random_quadratics(K=4, d=2)
    logistic = fl.LogisticRegression([np.eye(2)] * 4, [[0, 1]] * 4, l2=0.1)
    for problem in (quadratics, logistic):
        expected = problem.grad(np.ones((2, 2)), np.array([0, 2]))
        assert (problem.grad(np.ones((2, 2)), (0, 2)) == expected).all()


def test_where_a_run_starts_is_copied() -> None:
    theta = np.zeros(3)
    history = fl.run(fl.FedPD(1.0, p=0.999), fl.random_quadratics(K=2, d=3), 0, theta=theta)
    theta[0] = 99
    assert history.theta[0] == 0


def test_parameters_of_torch_bring_no_graph_along() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    problem = fl.random_quadratics(K=2, d=3).to("cpu")
    problem = fl.Quadratic(problem.A_k.requires_grad_(), problem.b_k)
    theta = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    history = fl.run(fl.GradientDescent(0.1), problem, 3, theta=theta)
    assert not history.theta.requires_grad


class ByHand:
    """A problem of a user: f_k(theta) = |theta - k|^2/2."""

    K, d = 3, 2
    sizes = np.ones(3, dtype=int)
    weights = np.full(3, 1 / 3)
    theta_star = np.ones(2)
    centre_k = np.arange(3.0)[:, None]

    def asarray(self, x: Any) -> Any:
        return np.asarray(x, dtype=float)

    def value(self, theta_k: Any, clients: Any = None) -> Any:
        return ((theta_k - self.centre_k) ** 2).sum(axis=1) / 2

    def grad(self, theta_k: Any, clients: Any = None, batch: Any = None) -> Any:
        return theta_k - self.centre_k

    def prox(self, v_k: Any, s: float, clients: Any = None) -> Any:
        return (v_k + s * self.centre_k) / (1 + s)


def test_a_problem_of_ones_own() -> None:
    for algorithm in (fl.GradientDescent(0.5), fl.FedPD(1.0), fl.Scaffnew(0.5, p=0.5)):
        assert fl.run(algorithm, ByHand(), 100).distance[-1] < 1e-6


def test_what_a_user_watches_is_kept_for_each_record() -> None:
    problem = fl.random_quadratics(K=4, d=3)
    history = fl.run(fl.Scaffnew(0.5, p=0.3), problem, 20, stride=7, watch=lambda s: s.theta.copy())
    assert history.rounds.tolist() == [0, 7, 14, 20]
    distances = [np.linalg.norm(theta - problem.theta_star) for theta in history.watched]
    np.testing.assert_allclose(distances, history.distance)
    with pytest.raises(ValueError, match="watch = 3: a function is expected"):
        fl.run(fl.GradientDescent(0.1), problem, 1, watch=3)  # type: ignore[arg-type]


class OneColumn(ByHand):
    def grad(self, theta_k: Any, clients: Any = None, batch: Any = None) -> Any:
        return theta_k.sum(axis=1, keepdims=True)


class OneNumber(ByHand):
    def value(self, theta_k: Any, clients: Any = None) -> Any:
        return np.ones(1)


class Heavy(ByHand):
    weights = np.ones(3)


class FewWeights(ByHand):
    weights = np.full(2, 1 / 2)


class StarColumn(ByHand):
    theta_star = np.ones((2, 1))


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (OneColumn(), r"the problem's gradients has shape \(3, 1\): \(3, 2\) is expected"),
        (OneNumber(), r"the problem's values has shape \(1,\): \(3,\) is expected"),
        (Heavy(), "the sum of the problem's weights is 3.0: 1 is expected"),
        (FewWeights(), r"the problem's weights has shape \(2,\): \(3,\) is expected"),
        (StarColumn(), r"the problem's theta_star has shape \(2, 1\): \(2,\) is expected"),
    ],
)
def test_what_is_wrong_with_a_problem_of_ones_own_is_said(problem: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fl.run(fl.GradientDescent(0.1), problem, 1)


class Both(ByHand):
    def value_and_grad(self, theta_k: Any, clients: Any = None) -> Any:
        return self.value(theta_k), self.grad(theta_k)


class ByBoth(fl.GradientDescent):
    """An algorithm of a user that asks for values and gradients together."""

    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        _, g_k = problem.value_and_grad(state.theta_k)
        theta = state.theta - self.gamma * server.average(g_k)
        return type(state)(theta, server.broadcast(theta))


def test_gradients_that_come_with_values_are_counted() -> None:
    found, expected = (fl.run(a(0.1), Both(), 5) for a in (ByBoth, fl.GradientDescent))
    assert found.gradients.tolist() == expected.gradients.tolist()
    np.testing.assert_allclose(found.theta, expected.theta)


class Counter(NamedTuple):
    theta: Any
    steps: Any


class Counting:
    """An algorithm whose state has a number: NumPy makes one of an array without axes."""

    def init(self, theta: Any, K: int) -> Counter:
        return Counter(theta, np.zeros(()))

    def round(self, state: Counter, problem: Any, server: Any, draw: Any) -> Counter:
        return Counter(state.theta, state.steps + 1)


def test_a_number_in_a_state() -> None:
    assert fl.run(Counting(), ByHand(), 5).state.steps == 5


class Mine:
    """An algorithm of a user that is right; each of those below has one mistake."""

    def init(self, theta: Any, K: int) -> Any:
        return Counter(theta, 0 * theta)

    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        theta_k = server.broadcast(state.theta)
        return state._replace(theta=server.average(theta_k - 0.1 * problem.grad(theta_k)))


class NoState(Mine):
    def init(self, theta: Any, K: int) -> Any:
        self.theta = theta


class NoModel(Mine):
    def init(self, theta: Any, K: int) -> Any:
        return NoTheta(theta)


class NoTheta(NamedTuple):
    x: Any


class OfNumPy(Mine):
    def init(self, theta: Any, K: int) -> Any:
        return Counter(np.zeros(len(theta)), 0 * theta)


class PartlyOfNumPy(Mine):
    def init(self, theta: Any, K: int) -> Any:
        return Counter(theta, np.zeros(len(theta)))


class OneNumberLess(Mine):
    def init(self, theta: Any, K: int) -> Any:
        return Counter(theta[1:], theta)


class Forgets(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        super().round(state, problem, server, draw)


class ForgetsLater(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        return super().round(state, problem, server, draw) if draw.t < 3 else None


class ReturnsADict(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        return super().round(state, problem, server, draw)._asdict()


class ReturnsTheClass(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        return Counter


class ReturnsAnother(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        return NoTheta(state.theta)


class MovesOn(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        return state._replace(theta=np.ones((3, 2)))


MISTAKES = [
    (NoState(), "init of NoState has returned None: a NamedTuple with a field theta is expected"),
    (NoModel(), "init of NoModel has returned x: a NamedTuple with a field theta is expected"),
    (OneNumberLess(), r"init of OneNumberLess: theta has shape \(1,\): \(2,\) is expected"),
    (Forgets(), "round 1 of Forgets has returned None: a NamedTuple with theta, steps is expected"),
    (ForgetsLater(), "round 4 of ForgetsLater has returned None: a NamedTuple with theta, steps"),
    (ReturnsADict(), "round 1 of ReturnsADict has returned dict: a NamedTuple with theta, steps"),
    (ReturnsTheClass(), "round 1 of ReturnsTheClass has returned type: a NamedTuple with theta"),
    (ReturnsAnother(), "round 1 of ReturnsAnother has returned x: a NamedTuple with theta, steps"),
    (MovesOn(), r"round 1: theta has shape \(3, 2\): \(2,\) is expected"),
    (Mine.round, "algorithm = .*: an object with a method round is expected"),
]


@pytest.mark.parametrize(
    ("algorithm", "message"), MISTAKES, ids=[type(each).__name__ for each, _ in MISTAKES]
)
def test_what_is_wrong_with_an_algorithm_of_ones_own_is_said(algorithm: Any, message: str) -> None:
    fl.run(Mine(), ByHand(), 5)
    for stride in (1, 5):
        with pytest.raises(ValueError, match=message):
            fl.run(algorithm, ByHand(), 5, stride=stride)


def test_a_state_of_numpy_on_a_problem_of_torch_is_named() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    problem = fl.random_quadratics(K=2, d=3).to("cpu")
    fl.run(Mine(), problem, 2)
    with pytest.raises(ValueError, match="init of OfNumPy: theta has type NumPy array: torch tens"):
        fl.run(OfNumPy(), problem, 2)
    with pytest.raises(ValueError, match="steps is a NumPy array: a torch tensor is expected"):
        fl.run(PartlyOfNumPy(), problem, 2)

    def remembers(al: Any, theta_k: Any, oracle_k: Any, draw: Any) -> Any:
        return theta_k - 0.1 * al.grad(theta_k), np.zeros(2)

    with pytest.raises(ValueError, match="round 1: oracle_k is a NumPy array: a torch tensor is"):
        fl.run(fl.FedPD(1.0, oracle=remembers), problem, 2)


class ByItself(Mine):
    """Averages without the server, from round 2 on; in round 1 the model is another array only."""

    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        if draw.t == 0:
            return state._replace(theta=state.theta + 0)
        grad_k = problem.grad(server.broadcast(state.theta))
        return state._replace(theta=state.theta - 0.1 * grad_k[0])


class InPlace(Mine):
    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        state.theta[:] += 1
        return state


class AfterOne(Mine):
    """The server goes on by itself in rounds without communication: that is its own affair."""

    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> Any:
        if draw.t == 0:
            return super().round(state, problem, server, draw)
        return state._replace(theta=0.9 * state.theta)


@pytest.mark.parametrize("place", [None, "cpu"])
def test_a_model_that_changes_without_communication_is_a_warning(place: str | None) -> None:
    if place:
        pytest.importorskip("torch", reason="torch is not installed")
    problem = fl.Quadratic(np.ones((2, 1, 1)), np.ones((2, 1))).to(place)
    fl.run(AfterOne(), problem, 4)
    fl.run(fl.FedPD(1.0, p=0.9), problem, 4, seed=1)
    with pytest.warns(RuntimeWarning, match="ByItself has changed theta, but") as caught:
        fl.run(ByItself(), problem, 4)
    assert [str(each.message)[:8] for each in caught] == ["round 2:"]
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="round 1: InPlace has changed theta"):
        fl.run(InPlace(), problem, 1)


def test_a_problem_without_prox_is_named_and_what_does_without_it() -> None:
    class WithoutProx:
        def __getattr__(self, name: str) -> Any:
            if name == "prox":
                raise AttributeError(name)
            return getattr(ByHand(), name)

    message = "WithoutProx has no method prox, which the oracle exact needs: an oracle that takes"
    for algorithm in (fl.FedPD(1.0), fl.FedProx(1.0)):
        with pytest.raises(ValueError, match=message):
            fl.run(algorithm, WithoutProx(), 1)
    fl.run(fl.FedPD(1.0, oracle=fl.oracles.GD(0.1, 2)), WithoutProx(), 1)


def test_a_minimiser_that_is_not_wanted_is_not_computed() -> None:
    problem = fl.LogisticRegression([np.eye(2)] * 2, [[0, 1]] * 2, l2=0.1)
    problem.theta_star = None
    for each in (problem, problem.to(None, "float32")):
        assert np.isnan(fl.run(fl.GradientDescent(0.1), each, 2).distance).all()


def test_only_those_who_take_part_have_their_samples_put_in_order() -> None:
    sizes = (5, 3, 4)
    X, y = [np.ones((n, 1)) for n in sizes], [np.arange(n) % 2 for n in sizes]
    problem = fl.LogisticRegression(X, y, l2=0.1)
    few, everyone = (Draws(7, problem, batch_size=2) for _ in range(2))
    for r in range(4):
        found, expected = few.batch(1, r, np.array([2, 0])), everyone.batch(1, r)
        assert found is not None
        assert expected is not None
        assert (found.rows_k == expected.rows_k[[2, 0]]).all()
    orders = few._orders_of(1).of_pass
    assert {tuple(is_sorted) for _, is_sorted in orders.values()} == {(True, False, True)}
