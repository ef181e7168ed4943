"""The task with fl_algos: `run`, as a reader of the book would call it."""

from __future__ import annotations

import fl_algos as fl
from task import BLOCKS, CHECKED, GAMMA, L2, Stopwatch, asked, report, samples


def main() -> None:
    """Run the rounds of the check, and then each block, going on from the last."""
    task = asked()
    X_k, y_k = samples(task.K, task.n, task.d)
    problem = fl.LogisticRegression(list(X_k), list(y_k), l2=L2)
    algorithm = fl.GradientDescent(GAMMA)
    stopwatch = Stopwatch.of(task)
    history = fl.run(algorithm, problem, CHECKED, stride=CHECKED)
    stopwatch(history.theta, CHECKED)
    for _ in range(BLOCKS):
        history = fl.run(algorithm, problem, task.rounds, stride=task.rounds, state=history.state)
        stopwatch(history.theta, task.rounds)
    report(task, stopwatch, "fl_algos", "numpy")


if __name__ == "__main__":
    main()
