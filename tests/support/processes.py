"""A federation over several processes: a server that sums over them, and runs in each of them."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fl_algos import Diverged, Server, run
from fl_algos.placement import Placement


class AllReduce(Server):
    """The server of the clients of several processes: what crosses is a sum over all of them."""

    least_senders = 0

    def __init__(self, federation: Placement) -> None:
        super().__init__(federation.here)
        self.federation, self.weights = federation, federation.weights_here

    def placement(self, problem: Any) -> Placement:
        assert self.federation.here == problem.K
        return self.federation

    def total(self, x: Any) -> Any:
        import torch.distributed

        summed = torch.from_numpy(np.array(x))
        torch.distributed.all_reduce(summed)
        return summed.numpy()[()]

    def _means(self, rows_k: Any, weights: Any) -> Any:
        weight = self.total(weights.sum())
        means = tuple(self.total(weights @ x_k) / weight for x_k in rows_k)
        return means if len(means) > 1 else means[0]


def shares(K: int, world: int) -> list[tuple[int, int]]:
    """The first client and the number of clients of each process, as equal as can be."""
    bounds = [rank * K // world for rank in range(world + 1)]
    return [(a, b - a) for a, b in itertools.pairwise(bounds)]


def in_processes(work: Callable[..., Any], world: int, *arguments: Any) -> list[Any]:
    """What ``work(rank, world, *arguments)`` returns in each of so many processes."""
    import torch.multiprocessing

    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(_process, (world, folder, work, arguments), nprocs=world)
        paths = [Path(folder, f"{rank}.pt") for rank in range(world)]
        return [torch.load(path, weights_only=False) for path in paths]


def _process(
    rank: int, world: int, folder: str, work: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    import torch.distributed

    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=Path(folder, "store").as_uri(), rank=rank, world_size=world
    )
    torch.save(work(rank, world, *arguments), Path(folder, f"{rank}.pt"))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def outcome(algorithm: Any, problem: Any, rounds: int, **options: Any) -> dict[str, Any]:
    """What a run comes to: its state, its records, and how it ended."""
    try:
        history, end = run(algorithm, problem, rounds, **options), "done"
    except Diverged as diverged:
        history, end = diverged.history, str(diverged)
    return {"state": history.state._asdict(), "records": history.records, "end": end}
