"""The task with Flower: a ServerApp and a ClientApp, simulated with Ray, one client per core.

`run_simulation` starts the simulation that the command `flwr run` starts too.
"""

from __future__ import annotations

import os

os.environ |= {"FLWR_TELEMETRY_ENABLED": "0", "RAY_USAGE_STATS_ENABLED": "0"}

import numpy as np
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation

from task import GAMMA, L2, Stopwatch, asked, report, samples


def local_step(theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A client's step, in NumPy: plain numbers keep float32."""
    slope = -y / (1 + np.exp(y * (X @ theta)))
    return theta - GAMMA * (slope @ X / len(y) + L2 * theta)


def main() -> None:
    """Run all rounds, all clients in each; Ray's processes make the samples once and keep them."""
    task = asked()
    stopwatch = Stopwatch.of(task)
    client_app, server_app = ClientApp(), ServerApp()

    @client_app.train()
    def train(message: Message, context: Context) -> Message:
        X_k, y_k = samples(task.K, task.n, task.d)
        k = int(context.node_config["partition-id"])
        (theta,) = message.content["arrays"].to_numpy_ndarrays()
        arrays = ArrayRecord([local_step(theta, X_k[k], y_k[k])])
        metrics = MetricRecord({"num-examples": task.n})
        return Message(RecordDict({"arrays": arrays, "metrics": metrics}), reply_to=message)

    def evaluate(server_round: int, arrays: ArrayRecord) -> None:
        if server_round > 0:
            stopwatch(*arrays.to_numpy_ndarrays())

    @server_app.main()
    def serve(grid: Grid, context: Context) -> None:
        strategy = FedAvg(fraction_evaluate=0.0, min_train_nodes=task.K, min_available_nodes=task.K)
        theta = ArrayRecord([np.zeros(task.d, np.float32)])
        strategy.start(grid, theta, num_rounds=task.all_rounds, evaluate_fn=evaluate)

    one_core = {"client_resources": {"num_cpus": 1}}
    run_simulation(server_app, client_app, num_supernodes=task.K, backend_config=one_core)
    report(task, stopwatch, "flwr", "ray")


if __name__ == "__main__":
    main()
