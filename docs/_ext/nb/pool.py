"""Notebooks run side by side: as many as this process has cores, with one thread each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
THREADS = "OMP_NUM_THREADS"
SECONDS_PER_CELL = 600
"""How long a cell may run; a machine may be busy."""


def cores() -> int:
    """Those that this process may use, where the system tells."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """What starts in here has one thread, unless the caller's shell says another number.

    The threads of several kernels would wait for one another.
    """
    if THREADS in os.environ:
        yield
        return
    os.environ[THREADS] = "1"
    try:
        yield
    finally:
        del os.environ[THREADS]


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results of the work, in the order of the items."""
    with one_thread_each(), ThreadPoolExecutor(max_workers=cores()) as pool:
        yield from pool.map(work, items)
