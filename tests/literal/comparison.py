"""An implementation held against a transcription: every state, and at the end the ledger."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_allclose

from fl_algos import Server, draw


class Machinery(NamedTuple):
    """The parts that implementations share; a faulty one can be put in their place."""

    draws: Any = draw.Draws
    servers: Any = Server


SOUND = Machinery()


def coins(problem, seed, rounds):
    """The federation's coins, for a transcription to compare with probabilities."""
    draws = draw.Draws(seed, problem)
    return [draws.coin(t) for t in range(rounds)]


def batches(problem, seed, batch_size):
    """From round, local step and client to the numbers of the samples (None: all)."""
    draws = draw.Draws(seed, problem, batch_size)

    def batch(t, r, k):
        if batch_size is None:
            return None
        drawn = draws.batch(t, r)
        return drawn.rows_k[k][drawn.weights_k[k] > 0]

    return batch


def start(problem, seed):
    """Somewhere to start from, not at the minimiser."""
    return np.random.default_rng([seed, 1]).normal(size=problem.d)


def assert_same(algorithm, problem, seed, transcribed, communicates, machinery, batch_size=None):
    """Compare round by round what a transcription yields, in the order of the state's fields.

    `communicates` says for each round whether there is a communication: all clients send d numbers
    to the server, and hear d numbers from it.
    """
    K, d = problem.K, problem.d
    server = machinery.servers(K)
    draws = machinery.draws(seed, problem, batch_size)
    state = algorithm.init(start(problem, seed), K)
    for t, expected in enumerate(transcribed):
        state = algorithm.round(state, problem, server, draws[t])
        for found, rows in zip(state, expected, strict=False):
            stacked = np.stack([*rows.values()]) if isinstance(rows, dict) else rows
            assert_allclose(found, stacked, rtol=1e-12, atol=1e-12)
        times = sum(communicates[: t + 1])
        ledger = server.ledger
        assert ledger.communications == times
        assert ledger.floats_up == ledger.floats_down == times * K * d
        assert ledger.bytes_up == ledger.bytes_down == 8 * times * K * d
        assert ledger.sent_k.tolist() == [times] * K
    assert t + 1 == len(communicates)
