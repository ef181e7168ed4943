"""Measure other frameworks and fl_algos in turn; write the tables of the book's page.

Each framework has a virtual environment of its own in build/peers, with what its with_NAME.txt
pins. A measurement is a run of its with_NAME.py there, or of with_fl_algos.py here, on a task.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import speed_tables  # noqa: E402
from bench import machine  # noqa: E402

RESULTS = speed_tables.FOLDER / "peers.json"
FRAMEWORKS = {
    "fedjax": "fedjax",
    "pfl": "pfl-research",
    "fedlab": "FedLab",
    "flower": "Flower",
}
CASES = ((20, 500, 300), (1000, 50, 100))
SECONDS = 2.0  # that a block of rounds should take
TURNS = 4


def main() -> None:
    """Install, measure, and write the results."""
    if " " in str(ROOT):
        sys.exit(f"Flower's Ray does not start from a folder with a space in its name: {ROOT}")
    pythons = {name: install(name) for name in FRAMEWORKS}
    found = machine()
    figures = [compare(name, pythons[name], *case) for name in FRAMEWORKS for case in CASES]
    results = {"peers": {"machine": found, "figures": figures}}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    speed_tables.write()


def install(name: str) -> Path:
    """The Python of a new virtual environment with the framework in it."""
    print(f"Installing {FRAMEWORKS[name]}", flush=True)
    venv = ROOT / "build" / "peers" / name
    python = venv / "bin" / "python"
    call(name, sys.executable, "-m", "venv", "--clear", venv)
    pip = (python, "-m", "pip", "install", "--quiet", "--no-input")
    call(name, *pip, "-r", HERE / f"with_{name}.txt")
    alone = HERE / f"with_{name}_alone.txt"
    if alone.exists():
        call(name, *pip, "--no-deps", "-r", alone)
    return python


def call(name: str, *command: object) -> str:
    """What a command prints. One that fails ends the work, in its framework's name."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{name}: {' '.join(words)}\n{done.stdout}{done.stderr}\n{name} has failed")
    return done.stdout


def compare(name: str, python: object, K: int, n: int, d: int) -> dict[str, Any]:
    """The best rates of a framework and of fl_algos on a task, measured in turn."""
    measurements = {
        name: lambda rounds: measure(python, name, K, n, d, rounds),
        "fl_algos": lambda rounds: measure(sys.executable, "fl_algos", K, n, d, rounds),
    }
    rounds = {each: enough(run(1)["rate"]) for each, run in measurements.items()}
    reports: dict[str, list[dict[str, Any]]] = {each: [] for each in measurements}
    for _ in range(TURNS):
        for each, run in measurements.items():
            reports[each].append(run(rounds[each]))
    rates = {each: max(one["rate"] for one in some) for each, some in reports.items()}
    print(f"{FRAMEWORKS[name]}, {K} x {n} x {d}: {rates}", flush=True)
    return {
        "framework": FRAMEWORKS[name],
        **{key: reports[name][0][key] for key in ("version", "with", "K", "n", "d")},
        "rounds per second": {"framework": rates[name], "fl_algos": rates["fl_algos"]},
    }


def enough(rate: float) -> int:
    """Rounds for a block, where so many are done in a second."""
    return max(1, round(rate * SECONDS))


def measure(python: object, name: str, K: int, n: int, d: int, rounds: int) -> dict[str, Any]:
    """The report of a run on a task."""
    return last_line(call(name, python, HERE / f"with_{name}.py", K, n, d, rounds))


def last_line(printed: str) -> dict[str, Any]:
    """The report, after all else that a framework prints."""
    return json.loads(printed.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
