"""What an algorithm, an oracle, a problem, a server and a round's randomness have to offer.

Arrays are NumPy arrays or torch tensors. K is the number of clients, d the dimension of the model.
A name that ends in ``_k`` is stacked over clients, row k belonging to client k.
"""

from __future__ import annotations

from typing import Any, Protocol

from fl_algos._arrays import Array
from fl_algos.placement import Placement

__all__ = [
    "Algorithm",
    "Draw",
    "Oracle",
    "Problem",
    "ProximalProblem",
    "Server",
    "State",
]


class State(Protocol):
    """A NamedTuple: everything of an algorithm that lives from one round to the next."""

    @property
    def _fields(self) -> tuple[str, ...]: ...

    @property
    def theta(self) -> Array:
        """The server's model, shape (d,)."""

    def _asdict(self) -> dict[str, Any]: ...


class Problem(Protocol):
    """The clients' functions; the objective is their mean, f = (1/K) sum f_k, unless weighted.

    `clients` are numbers in 0, ..., K - 1, a vector of integers; a mask is refused.

    A problem may also have ``objective(theta)``, f and its gradient at theta (d,) in one pass over
    the samples, a number and (d,): then the metrics of a run cost no more than that. And it may
    have ``theta_0``, shape (d,), where runs start: where it has none, they start from zeros.

    In a federation over several processes each has a problem of its own clients, numbered from 0,
    with weights that are those of the federation up to a factor.
    """

    K: int
    d: int

    @property
    def sizes(self) -> Array:
        """Number of samples of each client, shape (K,), integers."""

    @property
    def weights(self) -> Array:
        """The clients' weights in the objective, shape (K,), with the sum 1."""

    @property
    def theta_star(self) -> Array | None:
        """The minimiser of the mean of the f_k, shape (d,), or None where it is not known.

        An ArithmeticError says that it could not be computed.
        """

    def asarray(self, x: Array) -> Array:
        """x with the type and on the device of the problem's data."""

    def value(self, theta_k: Array, clients: Array | None = None) -> Array:
        """f_k(theta_k) for each of the clients (all if None), shape (K,)."""

    def grad(self, theta_k: Array, clients: Array | None = None, batch: Any = None) -> Array:
        """The gradient of f_k at theta_k for each of the clients (all if None), shape (K, d).

        With a :class:`~fl_algos.draw.Batch` its estimate from these samples, one row of the batch
        for each of the clients.
        """


class ProximalProblem(Problem, Protocol):
    """A problem that can solve local problems exactly, as FedPD and FedProx do by default.

    Its `prox` may also take ``start_k``, shape (K, d): where a search for the solution may begin.
    """

    def prox(self, v_k: Array, s: float, clients: Array | None = None) -> Array:
        """``argmin_x f_k(x) + |x - v_k|^2 / (2 s)`` for each of the clients, shape (K, d)."""


class Server(Protocol):
    """The only place where anything crosses between clients.

    Rounds call `average` and `broadcast`, the rest is for :func:`~fl_algos.simulate.run`. Clients
    are named by their rows in this process.
    """

    ledger: Any
    """What has been sent from and to the clients in this process, a
    :class:`~fl_algos.server.Ledger`."""

    def average(
        self,
        *rows_k: Array,
        clients: Array | None = None,
        weights: Array | None = None,
        implied: int = 0,
    ) -> Any:
        """The mean over clients of each argument, (K, d) -> (d,): one communication.

        Without `weights` it is weighted as the objective is. The last `implied` arguments the
        server could work out by itself.
        """

    def broadcast(self, *thetas: Array, clients: Array | None = None) -> Any:
        """Each argument sent to every client, (d,) -> (K, d)."""

    def placement(self, problem: Any) -> Placement:
        """The federation, and which of its clients this problem has."""

    def total(self, x: Any) -> Any:
        """The sum over all processes of an array or a number that each of them has."""

    def mean(self, *rows_k: Array) -> Any:
        """What `average` returns for all clients; nothing is sent, nothing counted."""


class Draw(Protocol):
    """All randomness of one round."""

    @property
    def t(self) -> int:
        """The number of the round, from 0."""

    @property
    def clients(self) -> Array:
        """Who takes part, of the clients in this process: their rows, in order."""

    @property
    def numbers(self) -> Array:
        """The same clients' numbers in the federation: in one process those are their rows."""

    @property
    def share(self) -> float:
        """The share of the federation's clients that take part."""

    def with_probability(self, probability: float) -> bool:
        """One coin for the whole federation: True with the given probability."""

    def batch(self, r: int, movers: Any = slice(None)) -> Any:
        """The samples for local step r, a :class:`~fl_algos.draw.Batch`; None for all of them."""

    def uniform(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1), the same wherever the round is computed."""

    def uniform_k(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1), of this shape for each client that takes part."""


class Oracle(Protocol):
    """A local solver of the augmented Lagrangian, for all clients at once.

    An oracle may also have an attribute ``takes_batches = True``, if it looks at ``draw.batch``,
    and ``needs = ("prox",)``, if the problem has to have this method.
    """

    def __call__(self, al: Any, theta_k: Array, oracle_k: Any, draw: Draw) -> tuple[Array, Any]:
        """From theta_k (K, d) and the oracle's own memory to the new theta_k and memory."""


class Algorithm(Protocol):
    """A frozen dataclass of hyperparameters with a pure function per round.

    An algorithm may also have the class variables ``samples_clients = True``, if its block lets
    some clients take part in a round, ``takes_batches = True``, if its local steps look at
    ``draw.batch``, and ``uses_weights = True``, if its mean over sampled clients makes sense with
    weights, although it is biased: :func:`~fl_algos.simulate.run` refuses each of these to all
    others. It may have ``check(state, server)``, which raises a ValueError for a state that a run
    can't start from, and ``needs``, names of methods that a problem has to have.
    """

    def init(self, theta: Array, K: int) -> State:
        """The state before round 0, all clients starting from theta (d,)."""

    def round(self, state: Any, problem: Any, server: Any, draw: Any) -> State:
        """The state after one more round."""
