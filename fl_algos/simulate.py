"""run(): rounds, metrics, stopping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fl_algos import _checks, _metrics
from fl_algos._arrays import Array, copy_of
from fl_algos._counted import Counted
from fl_algos._states import Rounds, States
from fl_algos.draw import Draws
from fl_algos.history import METRICS, History, Record
from fl_algos.placement import Placement
from fl_algos.protocols import Algorithm, Oracle, Problem
from fl_algos.server import Server

__all__ = ["Diverged", "Interrupted", "run"]


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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has ended a run, or a KeyboardInterrupt from elsewhere, such as its `watch`.

    ``run(..., state=interrupted.history.state, start=interrupted.t)`` goes on where it was; a
    `server` of one's own has counted what it did of the round that was broken off, too.

    Attributes:
        t: the number of whole rounds done.
        history: what had been recorded before, and the state after these rounds.
    """

    def __init__(self, t: int, history: History) -> None:
        super().__init__(f"after {t} rounds")
        self.t = t
        self.history = history

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.t, self.history)


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
    metrics: Sequence[str] = METRICS,
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
            problem's type and device; if None the problem's ``theta_0`` if it has one, else zeros.
        state: the state to start from instead, e.g. that of an earlier history.
        start: number of the first round. ``run(..., state=earlier.state, start=20)`` goes on after
            20 rounds with the coins and batches of a single run; with 0 they would be the same
            again. What has been sent and computed is counted from 0.
        server: the server with its ledger, e.g. to read it afterwards; a new one if None. A used
            one goes on counting from where it is. It says which clients of the federation the
            problem has; a number of local steps for each client, and `participants`, are those of
            the federation.
        batch_size: samples that a client looks at in a local step, at most; all of them if None.
            It is refused to algorithms and oracles whose blocks take no minibatches.
        participants: clients that take part in a round, drawn anew in each; all of them if None.
            It is refused to algorithms whose blocks sample no clients.
        tolerance: stop at the first record in which ``|grad f|`` at the server's model is at
            most this.
        stride: rounds between two records, tolerance checks and checks that all is finite; the
            first and the last round are always recorded. 1 if None, but a hundredth of the rounds
            where the number of samples of all clients, times d, is over a million.
        metrics: which of ``loss``, ``grad_norm2`` and ``distance`` to record, () for none: the
            first two cost a pass over all samples for each record, the third one theta* once. What
            is left out is NaN in the history.
        watch: a function of the state, called for each record, such as an accuracy on test data;
            what it returns is kept in ``history.watched``.

    Returns:
        The history, from round `start` on.

    Raises:
        ValueError: an argument is not allowed, the algorithm has returned what is no state, or a
            round changed the shape, type, dtype or device of the state's arrays.
        Diverged: something is not finite; the error names the round and the quantity, and keeps
            the history.
        Interrupted: Ctrl-C was pressed; it is a KeyboardInterrupt that keeps the history.

    Warns:
        RuntimeWarning: the server's model has changed before anything was averaged, so that what
            the algorithm sends is not counted; or the minimiser could not be computed.

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
    _checks.instance("algorithm", algorithm, "init")
    _checks.instance("problem", problem, "grad")
    rounds = _checks.count("rounds", rounds, least=0)
    start = _checks.count("start", start, least=0)
    tolerance = _checks.non_negative("tolerance", tolerance)
    server = Server(problem.K) if server is None else server
    _checks.instance("server", server, "average")
    _metrics.require_weights(problem)
    placement = server.placement(problem)
    stride = _default_stride(placement, problem.d, rounds) if stride is None else stride
    stride = _checks.count("stride", stride)
    wanted = _checks.some_of("metrics", metrics, METRICS)
    if tolerance > 0 and "grad_norm2" not in wanted:
        raise ValueError(f"metrics = {metrics!r}: a tolerance needs grad_norm2 among them")
    draws = Draws(seed, problem, batch_size, participants, placement)
    _check_scope(algorithm, problem, draws)
    counted = Counted(problem, placement)
    state, states = _start(algorithm, problem, theta, state, start, server)
    watchful = Rounds(states, state, server)
    measure = _metrics.Metrics(wanted, problem, server, placement)
    records: list[Record] = []
    watched: list[Any] = []
    done = start, state  # in one, so that at any moment the rounds are those of the state

    try:
        # Without a terminal (a notebook, CI) no bar: stored outputs would never be the same.
        with np.errstate(all="ignore"), tqdm(total=rounds, delay=2, disable=None) as bar:
            for t in range(start, start + rounds + 1):
                last = t == start + rounds
                if (t - start) % stride == 0 or last:
                    states.require_kinds(f"round {t}: ", state)
                    figures, finite = measure(state)
                    record = _metrics.record(t, figures, counted, server)
                    name = None if finite else measure.not_finite(state, figures)
                    if name is not None:
                        raise Diverged(t, name, History(records, state.theta, state, watched))
                    seen = watch(state)
                    records.append(record)
                    watched.append(seen)
                    if tolerance > 0 and record.grad_norm2 <= tolerance**2:
                        break
                if not last:
                    state = algorithm.round(state, counted, server, draws[t])
                    watchful.look_at(t + 1, state)
                    done = t + 1, state
                    bar.update()
        return History(records, state.theta, state, watched)
    except KeyboardInterrupt as interrupt:
        t, state = done  # the round that was broken off is not among them
        history = History(records[: len(watched)], state.theta, state, watched)
        raise Interrupted(t, history).with_traceback(interrupt.__traceback__) from None


def _check_scope(algorithm: Algorithm, problem: Problem, draws: Draws) -> None:
    """Refuse what the algorithm's block does not provide for."""
    name = type(algorithm).__name__
    K, sizes = draws.placement.K, draws.placement.sizes
    is_sampled = draws.participants < K
    if is_sampled and not getattr(algorithm, "samples_clients", False):
        raise ValueError(
            f"participants = {draws.participants}: all clients take part in {name}, "
            "it does not set samples_clients"
        )
    size, takes_batches = draws.batch_size, getattr(algorithm, "takes_batches", False)
    if size is not None and size < np.max(sizes) and not takes_batches:
        raise ValueError(
            f"batch_size = {size}: a step of {_who(algorithm)} looks at all samples, "
            "it does not set takes_batches"
        )
    R = getattr(algorithm, "R", 1)
    if isinstance(R, tuple) and len(R) != K:
        raise ValueError(f"R has {len(R)} entries: one for each of {K} clients is expected")
    if is_sampled and not getattr(algorithm, "uses_weights", False):
        _checks.equal_weights(f"{name} with sampled clients", draws.placement)
    for method in getattr(algorithm, "needs", ()):
        if not hasattr(problem, method):
            raise ValueError(
                f"{type(problem).__name__} has no method {method}, which {_who(algorithm)} needs: "
                "an oracle that takes steps is expected, GD, SGD or VR"
            )


def _who(algorithm: Algorithm) -> str:
    """The algorithm, or its oracle where it has one."""
    oracle = getattr(algorithm, "oracle", None)
    return type(algorithm).__name__ if oracle is None else f"the oracle {_name_of(oracle)}"


def _name_of(oracle: Oracle) -> str:
    return getattr(oracle, "__name__", type(oracle).__name__)


def _default_stride(placement: Placement, d: int, rounds: int) -> int:
    small = int(np.sum(placement.sizes)) * d <= 1_000_000
    return 1 if small else max(1, rounds // 100)


def _start(
    algorithm: Algorithm,
    problem: Problem,
    theta: Array | None,
    state: Any,
    start: int,
    server: Server,
) -> tuple[Any, States]:
    """The state to start from, and what it has in common with those to come."""
    if state is not None and theta is not None:
        raise ValueError("theta and state are both given: one of them is expected")
    if theta is None and state is None and start > 0:
        raise ValueError(f"start = {start}: a state or theta to go on from is expected")
    if theta is None:
        theta = getattr(problem, "theta_0", None)
        theta = np.zeros(problem.d) if theta is None else theta
    _checks.real("theta", theta)
    _checks.shape("theta", theta, (problem.d,))
    theta = copy_of(problem.asarray(theta))
    initial = algorithm.init(theta, problem.K)
    states = States(type(algorithm).__name__, initial, theta)
    if state is None:
        return initial, states
    states.require_fields("state has", state)
    states.require_kinds("state: ", state)
    if hasattr(algorithm, "check"):
        algorithm.check(state, server)
    return state, states
