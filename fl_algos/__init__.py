"""Federated optimization, each algorithm exactly as its pseudocode is written.

>>> import fl_algos as fl
>>> problem = fl.random_quadratics(K=4, d=3, L=1.0, mu=0.1, seed=0)
>>> history = fl.run(fl.FedPD(s=1.0), problem, rounds=200)
>>> bool(history.distance[-1] < 1e-8)
True
"""

from fl_algos import data, oracles, theory
from fl_algos.algorithms.fedavg import FedAvg
from fl_algos.algorithms.fedavgm import FedAvgM
from fl_algos.algorithms.fedopt import Adam, FedAdagrad, FedAdam, FedOpt, FedYogi, Yogi, adagrad
from fl_algos.algorithms.fedpd import FedPD
from fl_algos.algorithms.fedprox import FedProx
from fl_algos.algorithms.gradient_descent import GradientDescent
from fl_algos.algorithms.proxskip import ProxSkip, UnstableProxSkip
from fl_algos.algorithms.scaffnew import Scaffnew
from fl_algos.algorithms.scaffold import Scaffold
from fl_algos.history import History
from fl_algos.local import epochs
from fl_algos.problems.least_squares import LeastSquares
from fl_algos.problems.logistic import LogisticRegression
from fl_algos.problems.quadratic import Quadratic, random_quadratics
from fl_algos.problems.scaled import Scaled
from fl_algos.server import Server
from fl_algos.simulate import Diverged, Interrupted, run

__version__ = "0.1.0"

__all__ = [
    "Adam",
    "Diverged",
    "FedAdagrad",
    "FedAdam",
    "FedAvg",
    "FedAvgM",
    "FedOpt",
    "FedPD",
    "FedProx",
    "FedYogi",
    "GradientDescent",
    "History",
    "Interrupted",
    "LeastSquares",
    "LogisticRegression",
    "ProxSkip",
    "Quadratic",
    "Scaffnew",
    "Scaffold",
    "Scaled",
    "Server",
    "UnstableProxSkip",
    "Yogi",
    "adagrad",
    "data",
    "epochs",
    "oracles",
    "random_quadratics",
    "run",
    "theory",
]
