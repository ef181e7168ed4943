"""Bad input is a ValueError that names the argument, its value and what is allowed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

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
    Scaffnew,
    Scaffold,
    Server,
    epochs,
    random_quadratics,
    run,
)
from fl_algos.data import split_by_label, split_dirichlet, split_iid
from fl_algos.draw import Draws
from fl_algos.oracles import GD, SGD, VR

NAN, INF = float("nan"), float("inf")
PROBLEM = random_quadratics(K=2, d=2)
EYE = np.eye(2)[None]
X, Y = np.ones((3, 2)), [0, 1, 1]


def logistic(X=(X, X), y=(Y, Y), l2=0.1, **penalty):
    return LogisticRegression(list(X), list(y), l2, **penalty)


CASES = [
    (lambda: FedPD(s=0.0), "s = 0.0: a finite number > 0"),
    (lambda: FedPD(s=NAN), "s = nan"),
    (lambda: FedPD(s=INF), "s = inf"),
    (lambda: FedPD(s="1"), "s = '1'"),
    (lambda: FedPD(s=1.0, p=1.0), r"p = 1.0: a probability in \[0, 1\)"),
    (lambda: FedPD(s=1.0, p=-0.1), "p = -0.1"),
    (lambda: FedPD(s=1.0, p=NAN), "p = nan"),
    (lambda: FedPD(s=1.0, p=None), "p = None"),
    (lambda: GradientDescent(gamma=-1.0), "gamma = -1.0"),
    (lambda: GD(eta=0.0, Q=1), "eta = 0.0"),
    (lambda: GD(eta=1.0, Q=0), "Q = 0: an integer >= 1"),
    (lambda: GD(eta=1.0, Q=1.5), "Q = 1.5"),
    (lambda: GD(eta=1.0, Q=1, tolerance=-1.0), "tolerance = -1.0"),
    (lambda: FedAvg(gamma=0.0), "gamma = 0.0"),
    (lambda: FedAvg(gamma=1.0, R=0), "R = 0"),
    (lambda: FedAvg(gamma=1.0, R=[1, 0]), r"R\[1\] = 0"),
    (lambda: FedAvgM(eta=1.0, gamma=1.0, beta=1.0), r"beta = 1.0: a number in \[0, 1\)"),
    (lambda: FedOpt(1.0, 1.0, "adam"), "second_moment = 'adam': a function"),
    (lambda: FedOpt(1.0, 1.0, Adam), "second_moment = .*: a function"),
    (lambda: FedOpt(1.0, 1.0, Adam(), tau=0.0), "tau = 0.0"),
    (lambda: FedOpt(1.0, 1.0, Adam(), tau=-1.0), "tau = -1.0"),
    (lambda: Adam(beta2=1.0), "beta2 = 1.0"),
    (lambda: FedProx(mu=-1.0), "mu = -1.0"),
    (lambda: Scaffold(gamma=1.0, option=3), "option = 3: 1 or 2"),
    (lambda: epochs(0, PROBLEM), "E = 0"),
    (lambda: Draws(0, PROBLEM, participants=3), "participants = 3: at most K = 2"),
    (
        lambda: Quadratic(EYE, np.ones((1, 2)), weights=[0.0]),
        r"weights\[0\] = 0.0: a finite number > 0",
    ),
    (lambda: Quadratic(EYE, np.ones((1, 2)), weights=[1, 2]), "a number for each of 1 clients"),
    (lambda: logistic(weights=[1.0, NAN]), r"weights\[1\] = nan"),
    (lambda: logistic(weights=[1 + 2j, 1]), "weights = .*: a number for each"),
    (lambda: logistic(weights=["a", "b"]), "weights = .*: a number for each"),
    (lambda: Scaffold(gamma=1.0, option=True), "option = True"),
    (lambda: Scaffold(gamma=1.0, option=np.array([1, 2])), "option = array"),
    (lambda: SGD(eta=-1.0, Q=1), "eta = -1.0"),
    (lambda: VR(gamma=0.0, Q=1, I=1), "gamma = 0.0"),
    (lambda: VR(gamma=1.0, Q=1, I=0), "I = 0"),
    (lambda: ProxSkip(gamma=0.0, p=0.5), "gamma = 0.0"),
    (lambda: ProxSkip(gamma=1.0, p=1.0), r"p = 1.0: a probability in \[0, 1\)"),
    (lambda: ProxSkip(gamma=1.0, p=0.5, R=0), "R = 0"),
    (lambda: Scaffnew(gamma=INF, p=0.5), "gamma = inf"),
    (lambda: Scaffnew(gamma=1.0, p=0.0), r"p = 0.0: a probability in \(0, 1\]"),
    (lambda: Scaffnew(gamma=1.0, p=1.1), "p = 1.1"),
    (lambda: Draws(0, PROBLEM, batch_size=0), "batch_size = 0"),
    (lambda: logistic(beta=-1.0), "beta = -1.0"),
    (lambda: logistic(alpha=0.0), "alpha = 0.0"),
    (lambda: Server(0), "K = 0: an integer >= 1"),
    (lambda: Draws(-1, PROBLEM), "seed = -1"),
    (lambda: Draws(2**64, PROBLEM), "seed = 18446744073709551616"),
    (lambda: Quadratic(np.ones((0, 2, 2)), np.ones((0, 2))), r"A_k has shape \(0, 2, 2\)"),
    (lambda: Quadratic(np.ones((1, 2, 3)), np.ones((1, 2))), r"A_k has shape \(1, 2, 3\)"),
    (lambda: Quadratic(EYE, np.ones((2, 2))), r"b_k has shape \(2, 2\): \(1, 2\)"),
    (lambda: Quadratic(EYE.astype(int), np.ones((1, 2))), "A_k has dtype int64"),
    (lambda: Quadratic(EYE, np.ones((1, 2), dtype=int)), "b_k has dtype int64"),
    (lambda: Quadratic(EYE, np.ones((1, 2), np.float32)), "b_k has dtype float32: float64"),
    (lambda: Quadratic(NAN * EYE, np.ones((1, 2))), r"A_k\[0, 0, 0\] = nan: not finite"),
    (lambda: Quadratic(np.triu(EYE + 1), np.ones((1, 2))), "A_k: symmetric"),
    (lambda: PROBLEM.prox(np.ones((2, 2)), -1.0), "s = -1.0"),
    (lambda: PROBLEM.grad(np.ones(2)), r"theta_k has shape \(2,\): \(2, 2\)"),
    (lambda: random_quadratics(K=0, d=2), "K = 0"),
    (lambda: random_quadratics(K=2, d=0), "d = 0"),
    (lambda: random_quadratics(K=2, d=2, L=-1.0), "L = -1.0"),
    (lambda: random_quadratics(K=2, d=2, mu=0.0), "mu = 0.0"),
    (lambda: random_quadratics(K=2, d=2, L=1.0, mu=2.0), "mu = 2.0: at most L = 1.0"),
    (lambda: random_quadratics(K=2, d=2, hessian_angle=-1.0), "hessian_angle = -1.0"),
    (lambda: random_quadratics(K=2, d=2, linear_spread=NAN), "linear_spread = nan"),
    (lambda: logistic(X=(), y=()), "X has no client: K >= 1"),
    (lambda: logistic(y=(Y,)), "y has 1 clients: 2 are expected"),
    (lambda: logistic(X=(X, np.ones((0, 2))), y=(Y, [])), r"X\[1\] is empty"),
    (lambda: logistic(X=(X, np.ones((3, 5)))), r"X\[1\] has shape \(3, 5\): \(3, 2\)"),
    (lambda: logistic(X=(X, np.ones(3))), r"X\[1\] has shape \(3,\): \(n_k, d\)"),
    (lambda: logistic(X=(X, INF * X)), r"X\[1\]\[0, 0\] = inf: not finite"),
    (lambda: logistic(X=(X, X.astype(int))), r"X\[1\] has dtype int64"),
    (lambda: logistic(X=(X, X.astype(np.float32))), r"X\[1\] has dtype float32"),
    (lambda: logistic(y=(Y, [0, 1])), r"y\[1\] has shape \(2,\): \(3,\)"),
    (lambda: logistic(y=(Y, [0, 1, 2])), r"y has the labels \[0.0, 1.0, 2.0\]"),
    (lambda: logistic(y=(Y, [0, 1, -1])), r"y has the labels \[-1.0, 0.0, 1.0\]"),
    (lambda: logistic(y=(Y, [0, 1, NAN])), r"y\[1\]\[2\] is NaN: a label is expected"),
    (lambda: logistic(l2=-1.0), "l2 = -1.0"),
    (lambda: split_iid(n=3, K=0), "K = 0"),
    (lambda: split_iid(n=3, K=4), "K = 4: at most the number of samples, 3"),
    (lambda: split_by_label([0, 1], K=3), "K = 3"),
    (lambda: split_dirichlet([0, 1], K=2, alpha=0.0), "alpha = 0.0"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=-1), "rounds = -1"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1.0), "rounds = 1.0"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1, stride=0), "stride = 0"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1, tolerance=-1), "tolerance = -1"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1, seed=0.5), "seed = 0.5"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1, theta=np.ones(3)), r"theta has shape \(3,\)"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1, theta=np.array([1, 2])), "theta has dtype int64"),
    (lambda: run(FedPD(1.0), PROBLEM, rounds=1, theta=np.array([1.0, NAN])), r"theta\[1\] = nan"),
    (
        lambda: run(FedPD(1.0), PROBLEM, 1, theta=np.ones(2), state=FedPD(1.0).init(np.ones(2), 2)),
        "theta and state are both given",
    ),
]


STATE = FedPD(1.0).init(np.zeros(2), 2)
CASES += [
    (lambda: FedPD(s=True), "s = True: a finite number > 0"),
    (lambda: FedPD(s=10**400), "s = 1000"),
    (lambda: FedPD(s=Fraction(1, 10**400)), "s = Fraction"),
    (lambda: FedPD(s=np.ones(2)), r"s = array\("),
    (lambda: FedPD(s=1.0, oracle=None), "oracle = None: a function is expected"),
    (lambda: FedPD(s=1.0, oracle=GD), "oracle = <class .*GD'>: a function is expected"),
    (lambda: GD(eta=1.0, Q=True), "Q = True: an integer >= 1"),
    (lambda: Server(True), "K = True"),
    (lambda: Quadratic([[[1.0]]], np.ones((1, 1))), "A_k is a list: a NumPy array or a torch"),
    (lambda: Quadratic(EYE, [[1.0, 1.0]]), "b_k is a list"),
    (lambda: Quadratic(EYE.astype(np.float16), np.ones((1, 2))), "A_k has dtype float16"),
    (lambda: Quadratic(EYE.astype(complex), np.ones((1, 2))), "A_k has dtype complex128"),
    (lambda: logistic(X=([[1.0, 2.0]], X)), r"X\[0\] is a list"),
    (lambda: logistic(y=(Y, [[0, 1, 1]])), r"y\[1\] has shape \(1, 3\)"),
    (lambda: logistic(y=(Y, ["0", "1", "1"])), r"y\[1\] has dtype <U1: numbers"),
    (lambda: PROBLEM.grad([[1.0, 1.0]] * 2), "theta_k is a list"),
    (lambda: PROBLEM.prox(np.ones((3, 2)), 1.0), r"v_k has shape \(3, 2\)"),
    (lambda: logistic().prox(np.ones((3, 2)), 1.0), r"v_k has shape \(3, 2\)"),
    (lambda: PROBLEM.grad(np.ones((1, 2)), np.array([2])), "clients = .*: numbers in 0, ..., 1"),
    (lambda: PROBLEM.grad(np.ones((1, 2)), np.array([-1])), "clients = .*: numbers in 0, ..., 1"),
    (lambda: PROBLEM.grad(np.ones((1, 2)), np.array([True, False])), "clients = .*integers"),
    (lambda: PROBLEM.to(dtype="float16"), "dtype = 'float16': 'float32', 'float64' or None"),
    (lambda: logistic().to(dtype="f4"), "dtype = 'f4'"),
    (lambda: split_iid(n=3.0, K=1), "n = 3.0"),
    (lambda: split_iid(n=3, K=1, seed=-1), "seed = -1"),
    (lambda: split_dirichlet([0, 1], K=1, alpha=1.0, seed=0.5), "seed = 0.5"),
    (lambda: split_by_label([[0, 1]], K=1), r"y has shape \(1, 2\): a vector of labels"),
    (lambda: split_by_label([[0, 1], [2]], K=1), "y is ragged"),
    (lambda: split_by_label([0, NAN], K=1), r"y\[1\] is NaN"),
    (lambda: split_dirichlet([0, NAN], K=1, alpha=1.0), r"y\[1\] is NaN"),
    (lambda: run(FedPD(1.0), PROBLEM, 1, theta=[1.0, 2.0]), "theta is a list"),
    (lambda: run(FedPD(1.0), PROBLEM, 1, start=-1), "start = -1"),
    (lambda: run(FedPD(1.0), PROBLEM, 1, start=2), "start = 2: a state or theta to go on from"),
    (lambda: run(FedPD, PROBLEM, 1), "algorithm = <class .*FedPD'>: an object with a method round"),
    (lambda: run(PROBLEM, FedPD(1.0), 1), "algorithm = <.*Quadratic.*>: an object with a method"),
    (lambda: run(FedPD(1.0), [PROBLEM], 1), r"problem = \[.*\]: an object with a method grad"),
    (lambda: run(FedPD(1.0), PROBLEM, 1, server=4), "server = 4: an object with a method average"),
    (lambda: FedAvg(gamma=1.0, R=np.array(0)), r"R = array\(0\): an integer >= 1"),
    (lambda: ProxSkip(0.1, 0.5, corrected="False"), "corrected = 'False': True or False"),
    (lambda: logistic(X=(np.ma.masked_less(X, 2), X)), r"X\[0\] is a masked array"),
    (lambda: run(FedPD(1.0), PROBLEM, 1, server=Server(3)), "server has K = 3: 2 is expected"),
    (
        lambda: run(Scaffnew(1.0, 0.5), PROBLEM, 1, state=STATE),
        "state has theta, theta_k, .*: a NamedTuple with thet",
    ),
    (
        lambda: run(FedPD(1.0), PROBLEM, 1, state=np.ones(2)),
        "state has ndarray: a NamedTuple with theta, ",
    ),
    (
        lambda: run(FedPD(1.0), PROBLEM, 1, state=FedPD(1.0).init(np.zeros(3), 2)),
        r"state: theta has shape \(3,\): \(2,\) is expected",
    ),
    (
        lambda: run(FedPD(1.0), PROBLEM.to(None, "float32"), 1, state=STATE),
        "state: theta has dtype float64: float32 is expected",
    ),
    (
        lambda: run(FedPD(1.0), PROBLEM, 1, state=STATE._replace(lambda_k=[1.0])),
        "state: lambda_k is a list",
    ),
]


@pytest.mark.parametrize(("call", "message"), CASES, ids=[str(m) for _, m in CASES])
def test_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def torch_cases(torch):
    tensor = torch.ones((1, 2, 2), dtype=torch.float64)
    on_torch = PROBLEM.to("cpu")
    return [
        (lambda: Quadratic(tensor, np.ones((1, 2))), "b_k has type NumPy array: torch tensor"),
        (lambda: Quadratic(EYE, tensor[0, :1]), "b_k has type torch tensor: NumPy array"),
        (lambda: Quadratic(tensor.bfloat16(), tensor[0, :1]), "A_k has dtype bfloat16"),
        (lambda: Quadratic(tensor.half(), tensor[0, :1]), "A_k has dtype float16"),
        (lambda: logistic(X=(X, torch.ones((3, 2)))), r"X\[1\] has type torch tensor: NumPy array"),
        (lambda: PROBLEM.grad(torch.ones((2, 2))), "theta_k has type torch tensor: NumPy array"),
        (lambda: on_torch.grad(np.ones((2, 2))), "theta_k has type NumPy array: torch tensor"),
        (lambda: run(FedPD(1.0), on_torch, 1, state=STATE), "state: theta has type NumPy array"),
        (lambda: PROBLEM.to("foo"), "device = 'foo': None or a device that torch finds"),
        (lambda: logistic().to("cuda:99"), "device = 'cuda:99': None or a device that torch finds"),
    ]


def test_value_error_with_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for call, message in torch_cases(torch):
        with pytest.raises(ValueError, match=message):
            call()
