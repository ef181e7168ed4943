"""What the algorithms with local steps on sampled clients have in common: cases and faults."""

from __future__ import annotations

from typing import Any, NamedTuple

from literal.clients import quadratics, regression
from literal.comparison import assert_same, batches, participants, start

CASES = [
    # the problem with its clients, batch size, participants, R
    (quadratics(4, 3, 1), None, 2, 3),
    (quadratics(1, 1, 2), None, 1, 1),
    (regression((7, 2, 5), 3, 3), 2, 2, (4, 1, 3)),
    (regression((4, 6, 3), 2, 4), 3, 3, 5),
]
ROUNDS = 20


class Work(NamedTuple):
    """What a transcription needs of a case."""

    problem: Any
    f: Any
    R: Any
    R_k: tuple[int, ...]
    theta: Any
    takes_part: list[list[int]]
    batches: Any


def assert_same_work(pairs, machinery, vectors=1, needed=None):
    """For each case compare what `pairs` makes of it: algorithms, problems and transcriptions."""
    for seed, ((problem, f), batch_size, number, R) in enumerate(CASES):
        R_k = R if isinstance(R, tuple) else (R,) * problem.K
        takes_part = participants(problem, seed, number, ROUNDS)
        samples = batches(problem, seed, batch_size, number)
        work = Work(problem, f, R, R_k, start(problem, seed), takes_part, samples)
        for algorithm, solved, transcribed in pairs(work):
            assert_same(
                algorithm,
                solved,
                seed,
                transcribed,
                takes_part,
                machinery,
                batch_size,
                number,
                vectors,
                needed,
            )


def faults(movers, broadcast, average):
    """Faults of the local steps; `movers` is their name, `average` the tag of its line."""
    return {
        "one local step too few": [
            ("local_steps(self.R, draw.numbers)", "[*local_steps(self.R, draw.numbers)][:-1]")
        ],
        "all clients take the most steps": [
            ("local_steps(self.R, draw.numbers)", "local_steps(int(np.max(self.R)), draw.numbers)"),
            ("from dataclasses", "import numpy as np\nfrom dataclasses"),
        ],
        "the same batch at each step": [(f"draw.batch(r, {movers})", f"draw.batch(0, {movers})")],
        "full gradients instead of batches": [(f", draw.batch(r, {movers}))", ")")],
        "gradient at the start of the round": [("problem.grad(x_k[", "problem.grad(theta_k[")],
        "gradient ascent": [(f"x_k[{movers}] - self.gamma", f"x_k[{movers}] + self.gamma")],
        "another client's data": [(f"S[{movers}], draw", f"(S[{movers}] + 1) % problem.K, draw")],
        "a broadcast to everyone": [
            (f"broadcast({broadcast}, clients=S)", f"broadcast({broadcast})"),
            ("        x_k = theta_k", "        theta_k = theta_k[: len(S)]\n        x_k = theta_k"),
        ],
        "everyone counts as a sender": [
            (f"  # {average}\n", f"  # {average}\n        server.ledger.sent_k += 1\n")
        ],
    }
