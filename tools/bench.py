"""Measure how fast gradients, rounds and start-up are; write the tables of the book's page.

Every figure is the least time of several calls, the alternatives called in turn, so that a machine
that is busy with something else harms all of them alike. The limit is one read of the samples:
the time that summing them takes with all cores, in the same turns.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import fl_algos as fl
from fl_algos.problems import _kernels

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "docs" / "_ext"), str(ROOT / "tools")]

import speed_tables  # noqa: E402
from bench_costs import PROXIMAL_CASES, PROXIMAL_STEPS, normal  # noqa: E402
from measured.machine import processor  # noqa: E402 (the status page names it too)

RESULTS = speed_tables.FOLDER / "bench.json"
FORMER = "d876f338cc47bf9fa5d473ed6f5c0fa7598a10f4"  # before rounds cost what takes part
CASES = ((20, 500, 300), (1000, 50, 100), (100, 1000, 500))
GPU_CASES = ((1000, 1000, 500), (10_000, 64, 256))
DTYPES = ("float32", "float64")
BASE = {"K": 100, "n": 100, "d": 100}
FACTORS = (0.1, 1, 10)
SECONDS = 8.0  # for all alternatives of a case together
TURN = 0.1  # seconds of calls: a system needs some of them to give each thread a core of its own
REST = 0.03  # seconds: the threads of the libraries wait for more work at full speed for a while
P = 0.5


def main() -> None:
    """Measure, and write the results."""
    results = {
        "machine": machine(),
        "gradients": [
            gradients(loss, *case, dtype)
            for case in CASES
            for loss in ("logistic", "squares")
            for dtype in DTYPES
        ],
        "passes": [passes(*case, factor) for case in PROXIMAL_CASES for factor in PROXIMAL_STEPS],
        "growth": [growth(name, factor) for name in BASE for factor in FACTORS],
        "rounds": [
            rounds(name, number)
            for name in ("ProxSkip", "FedPD-GD")
            for number in (100, 1000, 10_000)
        ],
        "costs": {"former": former_costs(), "present": costs(ROOT)},
        "start": {module: start(module) for module in ("numpy", "fl_algos")},
        "gpu": gpu(),
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    speed_tables.write()


def machine() -> dict[str, Any]:
    """What the figures hold for: the processor, not whose it is."""
    from fl_algos.problems import _fused

    found = {"processor": processor(), "cores": _fused.THREADS, "system": platform.system()}
    found["load"] = round(os.getloadavg()[0], 1)
    found["Python"] = platform.python_version()
    for package in ("numpy", "numba", "torch"):
        found[package] = importlib.metadata.version(package).partition("+")[0]
    return found


def least(alternatives: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least seconds of each, called in turn."""
    for function in alternatives.values():
        function()
    seconds = dict.fromkeys(alternatives, float("inf"))
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for name, function in alternatives.items():
            time.sleep(REST)
            end_of_turn = time.perf_counter() + TURN
            while (begin := time.perf_counter()) < end_of_turn:
                function()
                seconds[name] = min(seconds[name], time.perf_counter() - begin)
    return seconds


# --- gradients -----------------------------------------------------------------------------------


def federation(loss: str, K: int, n: int, d: int, dtype: str) -> Any:
    """Random samples for K clients."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((K, n, d), dtype=dtype)
    if loss == "logistic":
        return fl.LogisticRegression(list(X), list(rng.integers(0, 2, (K, n))), l2=0.1)
    return fl.LeastSquares(list(X), list(rng.standard_normal((K, n))), l2=0.1)


@contextmanager
def kernel(name: str) -> Iterator[None]:
    """Force a kernel of the package for a while."""
    before, _kernels.KERNEL = _kernels.KERNEL, name
    try:
        yield
    finally:
        _kernels.KERNEL = before


def by(name: str, problem: Any, theta_k: Any) -> Callable[[], object]:
    """The problem's gradient with one of the package's kernels."""

    def gradient() -> object:
        with kernel(name):
            return problem.grad(theta_k)

    return gradient


def gradients(loss: str, K: int, n: int, d: int, dtype: str) -> dict[str, Any]:
    """One gradient at all clients: three plain ways, the package's two kernels, and the limit."""
    import torch

    problem = federation(loss, K, n, d, dtype)
    x_k, y_k, _ = problem._samples._stack
    theta_k = problem.asarray(np.random.default_rng(1).standard_normal((K, d)) / d**0.5)
    tensors = [torch.from_numpy(x) for x in (x_k, y_k, theta_k)]
    alternatives = {
        "limit": lambda: read(x_k),
        "loop": lambda: loop(loss, x_k, y_k, theta_k),
        "stacked": lambda: stacked(np, loss, x_k, y_k, theta_k),
        "torch": lambda: stacked(torch, loss, *tensors),
        "blocks": by("numpy", problem, theta_k),
        "fused": by("numba", problem, theta_k),
    }
    return {
        "loss": loss,
        "K": K,
        "n": n,
        "d": d,
        "dtype": dtype,
        "seconds": least(alternatives),
    }


def slope(xp: Any, loss: str, z: Any, y: Any) -> Any:
    """The derivative of the loss of a prediction, over the number of samples."""
    n = y.shape[-1]
    return (xp.tanh(z / 2) - y) / (2 * n) if loss == "logistic" else (z - y) / n


def loop(loss: str, x_k: Any, y_k: Any, theta_k: Any) -> Any:
    """Client after client."""
    grad_k = 0.1 * theta_k
    for k in range(len(x_k)):
        grad_k[k] += slope(np, loss, x_k[k] @ theta_k[k], y_k[k]) @ x_k[k]
    return grad_k


def stacked(xp: Any, loss: str, x_k: Any, y_k: Any, theta_k: Any) -> Any:
    """All clients at once, in two products."""
    z_k = (x_k @ theta_k[..., None])[..., 0]
    return (slope(xp, loss, z_k, y_k)[:, None, :] @ x_k)[:, 0, :] + 0.1 * theta_k


def read(x_k: np.ndarray) -> None:
    """Read all samples once, on as many threads as the compiled kernel has."""
    from fl_algos.problems import _fused

    flat, total = x_k.reshape(-1), compiled_sum()
    _kernels.in_parallel(lambda first, last: total(flat[first:last]), flat.size, _fused.THREADS)


@cache
def compiled_sum() -> Callable[..., float]:
    """A sum that keeps up with the memory, which NumPy's does not."""
    from numba import njit

    def total(x: Any) -> Any:
        result = x.dtype.type(0)
        for i in range(x.size):
            result += x[i]
        return result

    return njit(nogil=True, fastmath=True)(total)


def passes(K: int, n: int, d: int, factor: float) -> dict[str, Any]:
    """Passes over the samples that a proximal point takes, the mean over the clients."""
    problem, rng = normal(K, n, d, 0.01)
    v_k, s = 0.1 * rng.standard_normal((K, d)), factor / (problem.L * problem.mu) ** 0.5
    with kernel("numba"):
        x_k, passes_k = problem._prox(v_k, s)
        near_k = x_k + 1e-4 * np.linalg.norm(x_k - v_k, axis=1, keepdims=True) / d**0.5
        warm_k = problem._prox(v_k, s, start_k=near_k)[1]
        rest_k = problem.grad(x_k) + (x_k - v_k) / s
    return {
        **{"K": K, "n": n, "d": d, "factor": factor},
        "cold": float(passes_k.mean()),
        "warm": float(warm_k.mean()),
        "gradient": float(np.linalg.norm(rest_k, axis=1).max()),
    }


def growth(name: str, factor: float) -> dict[str, Any]:
    """The same where one of K, n and d is smaller or larger, in float64."""
    sizes = {**BASE, name: int(BASE[name] * factor)}
    problem = federation("logistic", **sizes, dtype="float64")
    theta_k = np.zeros((sizes["K"], sizes["d"]))
    x_k, y_k, _ = problem._samples._stack
    alternatives = {
        "stacked": lambda: stacked(np, "logistic", x_k, y_k, theta_k),
        "blocks": by("numpy", problem, theta_k),
        "fused": by("numba", problem, theta_k),
    }
    return {"varies": name, **sizes, "seconds": least(alternatives)}


# --- rounds --------------------------------------------------------------------------------------


def proxskip_by_hand(grad: Any, K: int, d: int, coins: np.ndarray, gamma: float) -> Any:
    """ProxSkip as one would write it for a single purpose."""
    theta_k, c_k = np.zeros((K, d)), np.zeros((K, d))
    for coin in coins:
        half_k = theta_k - gamma * (grad(theta_k) - c_k)
        if coin < 1 - P:
            theta_k = np.broadcast_to(half_k.mean(axis=0), (K, d))
            c_k = c_k + (1 - P) / gamma * (theta_k - half_k)
        else:
            theta_k = half_k
    return theta_k


def fedpd_by_hand(grad: Any, K: int, d: int, coins: np.ndarray, s: float, eta: float) -> Any:
    """FedPD with one gradient step, as one would write it for a single purpose."""
    theta_k = theta_k0 = lambda_k = np.zeros((K, d))
    for coin in coins:
        theta_k = theta_k - eta * (grad(theta_k) + lambda_k + (theta_k - theta_k0) / s)
        lambda_k = lambda_k + (theta_k - theta_k0) / s
        half_k = theta_k + s * lambda_k
        theta_k0 = np.broadcast_to(half_k.mean(axis=0), (K, d)) if coin < 1 - P else half_k
    return theta_k0


def rounds(name: str, number: int) -> dict[str, Any]:
    """A run of so many rounds on quadratics with K = d = 10, and the same by hand."""
    problem = fl.random_quadratics(K=10, d=10)
    A_k, b_k, coins = problem.A_k, problem.b_k, np.random.default_rng(0).random(number)

    def grad(theta_k: Any) -> Any:
        return (A_k @ theta_k[..., None])[..., 0] - b_k

    if name == "ProxSkip":
        algorithm = fl.ProxSkip(0.5, P, corrected=True)
        by_hand = partial(proxskip_by_hand, grad, 10, 10, coins, 0.5)
    else:
        algorithm = fl.FedPD(1.0, P, fl.oracles.GD(0.3, 1))
        by_hand = partial(fedpd_by_hand, grad, 10, 10, coins, 1.0, 0.3)
    alternatives = {
        "by hand": by_hand,
        "run": lambda: fl.run(algorithm, problem, number, stride=number),
        "with metrics": lambda: fl.run(algorithm, problem, number),
    }
    return {"algorithm": name, "rounds": number, "seconds": least(alternatives)}


def costs(package: Path) -> dict[str, Any]:
    """What `bench_costs.py` finds with the package of a folder."""
    command = [sys.executable, "-P", ROOT / "tools" / "bench_costs.py"]
    surroundings = os.environ | {"PYTHONPATH": str(package), "FL_ALGOS_KERNEL": "numba"}
    return dict(json.loads(subprocess.check_output(command, env=surroundings)))


def former_costs() -> dict[str, Any]:
    """The same with the package as it was."""
    archive = ["git", "-C", ROOT, "archive", FORMER, "fl_algos"]
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(subprocess.check_output(archive))) as package:
            package.extractall(folder, filter="data")
        return costs(Path(folder))


def start(module: str) -> float:
    """The least seconds that a new Python works to import a module."""
    code = f"import time; s = time.process_time(); import {module}; print(time.process_time() - s)"
    command = [sys.executable, "-P", "-c", code]
    return min(float(subprocess.check_output(command)) for _ in range(10))


# --- a GPU ---------------------------------------------------------------------------------------


def gpu() -> dict[str, Any] | None:
    """Gradients against a copy of the samples, on the first GPU that torch finds; None without."""
    import torch

    if not torch.cuda.is_available():
        return None
    cases = [gpu_case(*case, dtype) for case in GPU_CASES for dtype in DTYPES]
    return {"name": torch.cuda.get_device_name(), "gradients": cases}


def gpu_case(K: int, n: int, d: int, dtype: str) -> dict[str, Any]:
    """A copy reads and writes all samples: half its time is the limit of one read."""
    import torch

    problem = federation("logistic", K, n, d, dtype).to("cuda")
    theta_k = torch.zeros((K, d), dtype=getattr(torch, dtype), device="cuda")
    x_k = problem._samples.x
    copy = torch.empty_like(x_k)
    seconds = {
        "limit": on_device(lambda: copy.copy_(x_k)) / 2,
        "torch": on_device(lambda: problem.grad(theta_k)),
    }
    return {"K": K, "n": n, "d": d, "dtype": dtype, "seconds": seconds}


def on_device(function: Callable[[], object], turns: int = 20) -> float:
    """The least seconds by the device's own events."""
    import torch

    function()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(turns + 1)]
    events[0].record()
    for event in events[1:]:
        function()
        event.record()
    torch.cuda.synchronize()
    return min(begin.elapsed_time(end) for begin, end in pairwise(events)) / 1000


if __name__ == "__main__":
    main()
