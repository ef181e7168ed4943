"""Other frameworks are measured on one task, and a wrong model never gets a figure."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import measure
import task
import with_fl_algos
from task import BLOCKS, CHECKED, TOLERANCE, Stopwatch, Task

HERE = Path(measure.__file__).parent
EXPECTED = np.array([0.5, -0.25])


def told(theta, rounds=2, blocks=BLOCKS):
    """A stopwatch that was told of every round of so many blocks."""
    stopwatch = Stopwatch(EXPECTED, rounds)
    for _ in range(CHECKED + blocks * rounds):
        stopwatch(theta)
    return stopwatch


# --- the check


def test_the_expected_model_passes():
    almost = (EXPECTED + 0.5 * TOLERANCE).astype("float32")
    assert told(almost).rate() > 0


@pytest.mark.parametrize(
    ("theta", "message"),
    [
        (np.float32([0.5, -0.25 + 2 * TOLERANCE]), "theta is off by 2.0e-04 after 3 rounds"),
        (np.float32([0.5, np.nan]), "theta is off by nan"),
        (np.float32([0.0, 0.0]), "theta is off by"),
        (EXPECTED, "theta is float64"),
        (np.float32([[0.5, -0.25]]), r"shape \(1, 2\)"),
    ],
)
def test_a_wrong_model_is_refused(theta, message):
    with pytest.raises(ValueError, match=message):
        told(theta)


def test_a_model_about_zero_would_tell_nothing():
    with pytest.raises(ValueError, match="expected is about zero"):
        Stopwatch(np.array([1e-3, -1e-3]), 2)


def test_without_all_rounds_there_is_no_rate():
    theta = EXPECTED.astype("float32")
    with pytest.raises(ValueError, match="told of 7 rounds"):
        told(theta, blocks=BLOCKS - 1).rate()
    unchecked = Stopwatch(EXPECTED, 2)
    for _ in range(BLOCKS + 1):
        unchecked(-theta, CHECKED + 1)
    with pytest.raises(ValueError, match="told of"):
        unchecked.rate()


def test_the_best_block_counts():
    stopwatch = Stopwatch(EXPECTED, 4)
    stopwatch.times = [10.0, 12.0, 13.0, 15.0]
    assert stopwatch.rate() == 4.0


# --- the task


def run(capsys, monkeypatch, *sizes):
    monkeypatch.setattr(sys, "argv", ["with_fl_algos.py", *map(str, sizes)])
    with_fl_algos.main()
    return measure.last_line("some words\n" + capsys.readouterr().out)


def test_fl_algos_does_what_plain_numpy_does(capsys, monkeypatch):
    found = run(capsys, monkeypatch, 3, 20, 4, 5)
    assert found["rate"] > 0
    assert Task(found["K"], found["n"], found["d"], found["rounds"]) == (3, 20, 4, 5)


@pytest.mark.parametrize(("name", "value"), [("GAMMA", 0.49), ("L2", 0.0), ("CHECKED", 2)])
def test_another_algorithm_would_be_noticed(capsys, monkeypatch, name, value):
    monkeypatch.setattr(with_fl_algos, name, value)
    with pytest.raises(ValueError, match=r"off by|told of"):
        run(capsys, monkeypatch, 3, 20, 4, 5)


def test_the_samples_are_the_same_for_all_and_the_clients_differ():
    X_k, y_k = task.samples(3, 200, 4)
    again_k, _ = task.samples.__wrapped__(3, 200, 4)
    assert np.array_equal(X_k, again_k)
    assert {X_k.dtype.name, y_k.dtype.name} == {"float32"}
    assert set(np.unique(y_k)) == {-1.0, 1.0}
    models = [task.gradient_descent(X_k[[k]], y_k[[k]], 3) for k in range(3)]
    assert np.ptp(models, axis=0).max() > 100 * TOLERANCE


# --- the driver


def test_they_are_measured_in_turn_and_the_best_counts(monkeypatch):
    rates = {"fedjax": iter([7, 20, 40, 30, 10]), "fl_algos": iter([9, 50, 70, 80, 60])}
    done = []

    def measured(python, name, K, n, d, rounds):
        done.append((name, rounds))
        rate = next(rates[name])
        return {"version": "1.2", "with": "jax 3", "K": K, "n": n, "d": d, "rate": rate}

    monkeypatch.setattr(measure, "measure", measured)
    found = measure.compare("fedjax", "python", 2, 3, 4)
    assert done[:2] == [("fedjax", 1), ("fl_algos", 1)]
    turn = [("fedjax", measure.enough(7)), ("fl_algos", measure.enough(9))]
    assert done[2:] == turn * measure.TURNS
    assert found == {
        "framework": "fedjax",
        "version": "1.2",
        "with": "jax 3",
        **{"K": 2, "n": 3, "d": 4},
        "rounds per second": {"framework": 40, "fl_algos": 80},
    }


def test_a_block_has_a_round_at_least():
    assert measure.enough(0.01) == 1
    assert measure.enough(300.0) == 300 * measure.SECONDS


def test_a_framework_that_fails_is_named():
    with pytest.raises(SystemExit, match=r"(?s)flower: .*why\n.*flower has failed"):
        measure.call("flower", sys.executable, "-c", "import sys; sys.exit('why')")


@pytest.mark.parametrize("name", measure.FRAMEWORKS)
def test_a_framework_has_a_script_and_exact_pins_that_fit_the_book_s(name):
    assert (HERE / f"with_{name}.py").is_file()
    ours = dict(pins(measure.ROOT / "constraints.txt"))
    for path in HERE.glob(f"with_{name}*.txt"):
        theirs = pins(path)
        assert theirs
        assert [pin for pin in theirs if ours.get(pin[0], pin[1]) != pin[1]] == []


def pins(path):
    """Names and versions; a line that is no pin is an error."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [re.fullmatch(r"([\w.-]+)(?:\[\w+])?==([\w.]+)", line).groups() for line in lines]
