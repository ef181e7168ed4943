"""The task with FedLab: its standalone pipeline, each client's samples ready as one batch."""

from __future__ import annotations

import torch
from fedlab.contrib.algorithm.basic_client import SGDSerialClientTrainer
from fedlab.contrib.algorithm.basic_server import SyncServerHandler
from fedlab.contrib.dataset.basic_dataset import FedDataset
from fedlab.core.standalone import StandalonePipeline

from task import GAMMA, L2, Stopwatch, Task, asked, report, samples

torch.set_num_threads(1)  # more are slower: a client's products are small


class LogisticRegression(torch.nn.Module):
    """The penalty is the optimizer's."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.theta = torch.nn.Parameter(torch.zeros(d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The predictions."""
        return x @ self.theta


class Clients(FedDataset):
    """All samples, as tensors."""

    def __init__(self, task: Task) -> None:
        samples_k = zip(*samples(task.K, task.n, task.d), strict=True)
        self.batch_k = [tuple(map(torch.from_numpy, pair)) for pair in samples_k]

    def get_dataloader(self, k: int, batch_size: int) -> list[tuple[torch.Tensor, ...]]:
        """The one batch of a client: a DataLoader would put it together anew in each round."""
        return [self.batch_k[k]]


class Trainer(SGDSerialClientTrainer):
    """With the loss and the penalty of logistic regression."""

    def setup_optim(self, epochs: int, batch_size: int, lr: float) -> None:
        """Replace what FedLab sets up for a classifier."""
        super().setup_optim(epochs, batch_size, lr)
        self.optimizer = torch.optim.SGD(self._model.parameters(), lr, weight_decay=L2)
        self.criterion = torch.nn.SoftMarginLoss()


class Pipeline(StandalonePipeline):
    """Where FedLab's pipeline evaluates, after every round, it tells the stopwatch."""

    def __init__(self, handler: SyncServerHandler, trainer: Trainer, task: Task) -> None:
        super().__init__(handler, trainer)
        self.stopwatch = Stopwatch.of(task)

    def evaluate(self) -> None:
        """Tell the stopwatch."""
        self.stopwatch(self.handler.model_parameters)


def main() -> None:
    """Run all rounds, all clients in each."""
    task = asked()
    trainer = Trainer(LogisticRegression(task.d), num_clients=task.K)
    trainer.setup_dataset(Clients(task))
    trainer.setup_optim(epochs=1, batch_size=task.n, lr=GAMMA)
    handler = SyncServerHandler(LogisticRegression(task.d), task.all_rounds, sample_ratio=1.0)
    pipeline = Pipeline(handler, trainer, task)
    pipeline.main()
    report(task, pipeline.stopwatch, "fedlab", "torch")


if __name__ == "__main__":
    main()
