"""run(): rounds, metrics, stopping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fl_algos import _checks, _metrics
from fl_algos._arrays import Array, Kind, copy_of, kind_of
from fl_algos._counted import Counted
from fl_algos.draw import Draws
from fl_algos.history import History, Record
from fl_algos.protocols import Algorithm, Problem
from fl_algos.server import Server

__all__ = ["Diverged", "run"]


class Diverged(ArithmeticError):
    """A quantity of the state or a metric is not finite.

    Attributes:
        t: the number of rounds done.
        quantity: its name.
        history: what had been recorded before.
    """

    def __init__(self, t: int, quantity: str, history: History) -> None:
        super().__init__(f"after {t} rounds {quantity} is not finite")
        self.t = t
        self.quantity = quantity
        self.history = history

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.t, self.quantity, self.history)


def run(
    algorithm: Algorithm,
    problem: Problem,
    rounds: int,
    *,
    seed: int = 0,
    theta: Array | None = None,
    state: Any = None,
    start: int = 0,
    server: Server | None = None,
    batch_size: int | None = None,
    participants: int | None = None,
    tolerance: float = 0.0,
    stride: int | None = None,
    watch: Callable[[Any], Any] | None = None,
) -> History:
    """Run an algorithm on a problem.

    What is not finite ends a run by itself, so NumPy's warnings of it are off meanwhile.

    Args:
        algorithm: e.g. :class:`~fl_algos.algorithms.fedpd.FedPD`.
        problem: e.g. :class:`~fl_algos.problems.logistic.LogisticRegression`.
        rounds: number of rounds, at most, >= 0.
        seed: of all randomness, an integer in [0, 2**64).
        theta: the model to start from, shape (d,), an array of float32 or float64, moved to the
            problem's type and device; zeros if None.
        state: the state to start from instead, e.g. that of an earlier history.
        start: number of the first round. ``run(..., state=earlier.state, start=20)`` goes on after
            20 rounds with the coins and batches of a single run; with 0 they would be the same
            again. What has been sent and computed is counted from 0.
        server: the server with its ledger, e.g. to read it afterwards; a new one if None. A used
            one goes on counting from where it is.
        batch_size: samples that a client looks at in a local step, at most, in those algorithms and
            oracles whose blocks take minibatches; all of them if None.
        participants: clients that take part in a round, drawn anew in each, in those algorithms
            whose blocks sample clients; all of them if None.
        tolerance: stop at the first record in which ``|grad f|`` at the server's model is at
            most this.
        stride: rounds between two records, tolerance checks and checks that all is finite; the
            first and the last round are always recorded. 1 if None, but a hundredth of the rounds
            where the number of samples of all clients, times d, is over a million.
        watch: a function of the state, called for each record, such as an accuracy on test data;
            what it returns is kept in ``history.watched``.

    Returns:
        The history, from round `start` on.

    Raises:
        ValueError: an argument is not allowed, or a round changed the shape, type, dtype or device
            of the state's arrays.
        Diverged: something is not finite; the error names the round and the quantity, and keeps
            the history.

    >>> from fl_algos import GradientDescent, random_quadratics
    >>> problem = random_quadratics(K=4, d=3, L=1.0)
    >>> history = run(GradientDescent(gamma=1.0), problem, rounds=1000, tolerance=1e-6)
    >>> history.grad_norm2[-2] > 1e-12 >= history.grad_norm2[-1]
    np.True_
    >>> run(GradientDescent(gamma=3.0), problem, rounds=10_000)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fl_algos.simulate.Diverged: after ... rounds loss is not finite
    """
    from tqdm import tqdm  # only here: to import it takes a fifth of the time of the package

    watch = (lambda state: None) if watch is None else _checks.function("watch", watch)
    _checks.instance("algorithm", algorithm, "round")
    _checks.instance("problem", problem, "grad")
    rounds = _checks.count("rounds", rounds, least=0)
    start = _checks.count("start", start, least=0)
    tolerance = _checks.non_negative("tolerance", tolerance)
    stride = _default_stride(problem, rounds) if stride is None else stride
    stride = _checks.count("stride", stride)
    server = Server(problem.K) if server is None else server
    _checks.instance("server", server, "average")
    if server.ledger.K != problem.K:
        raise ValueError(f"server has K = {server.ledger.K}: {problem.K} is expected")
    _check_scope(algorithm, problem, participants)
    draws = Draws(seed, problem, batch_size, participants)
    problem = Counted(problem)
    state, kinds = _start(algorithm, problem, theta, state, start)
    metrics = _metrics.Metrics(problem)
    records: list[Record] = []
    watched: list[Any] = []

    # Without a terminal (a notebook, CI) there is no bar: stored outputs would never be the same.
    with np.errstate(all="ignore"), tqdm(total=rounds, delay=2, disable=None) as bar:
        for t in range(start, start + rounds + 1):
            last = t == start + rounds
            if (t - start) % stride == 0 or last:
                _require_kinds(f"round {t}: ", state, kinds)
                figures, finite = metrics(state)
                record = _metrics.record(t, figures, problem, server)
                if not finite and (name := _metrics.not_finite(state, record)) is not None:
                    raise Diverged(t, name, History(records, state.theta, state, watched))
                records.append(record)
                watched.append(watch(state))
                if tolerance > 0 and record.grad_norm2 <= tolerance**2:
                    break
            if not last:
                state = algorithm.round(state, problem, server, draws[t])
                bar.update()
    return History(records, state.theta, state, watched)


def _check_scope(algorithm: Algorithm, problem: Problem, participants: int | None) -> None:
    """Refuse what the algorithm's block does not provide for."""
    name = type(algorithm).__name__
    if participants not in (None, problem.K) and not getattr(algorithm, "samples_clients", False):
        raise ValueError(
            f"participants = {participants}: all clients take part in {name}, "
            "it does not set samples_clients"
        )
    R = getattr(algorithm, "R", 1)
    if isinstance(R, tuple) and len(R) != problem.K:
        raise ValueError(f"R has {len(R)} entries: one for each of {problem.K} clients is expected")
    if not getattr(algorithm, "uses_weights", False):
        _checks.equal_weights(name, problem)


def _default_stride(problem: Problem, rounds: int) -> int:
    small = int(problem.sizes.sum()) * problem.d <= 1_000_000
    return 1 if small else max(1, rounds // 100)


def _start(
    algorithm: Algorithm, problem: Problem, theta: Array | None, state: Any, start: int
) -> tuple[Any, dict[str, Kind]]:
    """The state to start from, and the kinds that its arrays have and keep."""
    if state is not None and theta is not None:
        raise ValueError("theta and state are both given: one of them is expected")
    if theta is None and state is None and start > 0:
        raise ValueError(f"start = {start}: a state or theta to go on from is expected")
    if theta is None:
        theta = np.zeros(problem.d)
    _checks.real("theta", theta)
    _checks.shape("theta", theta, (problem.d,))
    initial = algorithm.init(copy_of(problem.asarray(theta)), problem.K)
    kinds = {name: kind_of(x) for name, x in _metrics.arrays(initial).items()}
    if state is None:
        return initial, kinds
    fields = getattr(state, "_fields", None)
    if fields != initial._fields:
        found = type(state).__name__ if fields is None else ", ".join(fields)
        raise ValueError(f"state has {found}: {', '.join(initial._fields)} is expected")
    _require_kinds("state: ", state, kinds)
    if hasattr(algorithm, "check"):
        algorithm.check(state)
    return state, kinds


def _require_kinds(where: str, state: Any, kinds: dict[str, Kind]) -> None:
    """A user's oracle that returns another shape would be broadcast to a wrong number."""
    for name, expected in kinds.items():
        _checks.kind(where + name, getattr(state, name), expected)
