"""An implementation held against a transcription: the state and the ledger after each round."""

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


def batches(problem, seed, batch_size, number=None):
    """From round, local step and place among those who take part to the samples (None: all)."""
    draws = draw.Draws(seed, problem, batch_size, number)

    def batch(t, r, k):
        if batch_size is None:
            return None
        drawn = draws[t].batch(r)
        return drawn.rows_k[k][drawn.weights_k[k] > 0]

    return batch


def participants(problem, seed, number, rounds):
    """Who takes part in each round."""
    draws = draw.Draws(seed, problem, participants=number)
    return [draws[t].clients.tolist() for t in range(rounds)]


def start(problem, seed):
    """Somewhere to start from, not at the minimiser."""
    return np.random.default_rng([seed, 1]).normal(size=problem.d)


def assert_same(
    algorithm,
    problem,
    seed,
    transcribed,
    senders,
    machinery,
    batch_size=None,
    participants=None,
    vectors=1,
    needed=None,
):
    """Compare round by round what a transcription yields, in the order of the state's fields.

    `senders` are for each round the clients that send to the server and hear from it, `vectors` how
    many vectors of d numbers each of them sends, and hears, `needed` how many it has to send (None:
    all).
    """
    needed = vectors if needed is None else needed
    K, d = problem.K, problem.d
    server = machinery.servers(K)
    draws = machinery.draws(seed, problem, batch_size, participants)
    state = algorithm.init(start(problem, seed), K)
    sent_k = np.zeros(K, dtype=int)
    for t, expected in enumerate(transcribed):
        state = algorithm.round(state, problem, server, draws[t])
        for found, rows in zip(state, expected, strict=False):
            stacked = np.stack([*rows.values()]) if isinstance(rows, dict) else rows
            assert_allclose(found, stacked, rtol=1e-12, atol=1e-12)
        sent_k[list(senders[t])] += 1
        ledger = server.ledger
        assert ledger.communications == sum(map(bool, senders[: t + 1]))
        assert ledger.floats_up == ledger.floats_down == vectors * sent_k.sum() * d
        assert ledger.needed_up == needed * sent_k.sum() * d
        assert ledger.bytes_up == ledger.bytes_down == 8 * ledger.floats_up
        assert ledger.sent_k.tolist() == sent_k.tolist()
    assert t + 1 == len(senders)
