"""The task with pfl-research: its simulation of FederatedAveraging, in PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from pfl.aggregate.simulate import SimulatedBackend
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.callback.base import TrainingProcessCallback
from pfl.data.federated_dataset import FederatedDataset
from pfl.data.pytorch import PyTorchTensorDataset
from pfl.data.sampling import get_user_sampler
from pfl.hyperparam.base import NNTrainHyperParams
from pfl.metrics import Metrics, Weighted
from pfl.model.pytorch import PyTorchModel

from task import GAMMA, L2, Stopwatch, asked, report, samples

torch.set_num_threads(1)  # more are slower: a client's products are small


class LogisticRegression(torch.nn.Module):
    """The penalty is the optimizer's."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.theta = torch.nn.Parameter(torch.zeros(d))

    def loss(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """The mean loss."""
        return torch.nn.functional.soft_margin_loss(x @ self.theta, y)

    @torch.no_grad()
    def metrics(self, x: torch.Tensor, y: torch.Tensor) -> dict[str, Weighted]:
        """What pfl asks for where it evaluates."""
        return {"loss": Weighted(self.loss(x, y).item() * len(y), len(y))}


class EveryRound(TrainingProcessCallback):
    """Tell the stopwatch."""

    def __init__(self, stopwatch: Stopwatch) -> None:
        self.stopwatch = stopwatch

    def after_central_iteration(
        self, aggregate_metrics: Metrics, model: PyTorchModel, *, central_iteration: int
    ) -> tuple[bool, Metrics]:
        """Go on, with no metrics of its own."""
        self.stopwatch(model.pytorch_model.theta.detach())
        return False, Metrics()


def local_optimizer(parameters: Any, lr: float) -> torch.optim.Optimizer:
    """A client's."""
    return torch.optim.SGD(parameters, lr=lr, weight_decay=L2)


def main() -> None:
    """Run all rounds, all clients in each, and evaluate as seldom as pfl allows."""
    task = asked()
    samples_k = [map(torch.from_numpy, pair) for pair in zip(*samples(*task[:3]), strict=True)]
    users = [PyTorchTensorDataset(list(each), user_id=str(k)) for k, each in enumerate(samples_k)]
    sampler = get_user_sampler("minimize_reuse", list(range(task.K)))
    data = FederatedDataset(users.__getitem__, sampler)
    module = LogisticRegression(task.d)
    central_optimizer = torch.optim.SGD(module.parameters(), lr=1.0)
    stopwatch = Stopwatch.of(task)
    FederatedAveraging().run(
        NNAlgorithmParams(
            central_num_iterations=task.all_rounds,
            evaluation_frequency=10**9,
            train_cohort_size=task.K,
            val_cohort_size=0,
        ),
        SimulatedBackend(training_data=data, val_data=data),
        PyTorchModel(module, local_optimizer, central_optimizer),
        NNTrainHyperParams(local_num_epochs=1, local_learning_rate=GAMMA, local_batch_size=None),
        callbacks=[EveryRound(stopwatch)],
        send_metrics_to_platform=False,
    )
    report(task, stopwatch, "pfl", "torch")


if __name__ == "__main__":
    main()
