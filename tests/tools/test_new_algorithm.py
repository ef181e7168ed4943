"""A begun algorithm is whole in its parts, and the tests name what is still to be written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from new_algorithm import Refused, names, written

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("docs", "fl_algos", "tests", "tools", "pyproject.toml", "Makefile")
CHECKED = ("tests/test_algorithms.py", "tests/test_pseudocode.py")
PARTS = {
    *("docs/en/_algo_pcode/fednew.rst", "docs/zh/_algo_pcode/fednew.rst"),
    *("docs/en/algorithms/fednew.rst", "docs/zh/algorithms/fednew.rst"),
    *("docs/descriptions/fednew.toml", "fl_algos/algorithms/fednew.py", "tests/literal/fednew.py"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the project, without what make has made."""
    ignored = shutil.ignore_patterns("__pycache__", "*.ipynb", "*.json", "*.png", "browser")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def verdicts(tree: Path, which: str) -> dict[str, set[str]]:
    """The tests of an algorithm's parts in a copy: those that pass, and those that don't."""
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-k", which, *CHECKED]
    environment = {**os.environ, "PYTHONPATH": str(tree)}  # its package, not the installed one
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    found: dict[str, set[str]] = {"PASSED": set(), "FAILED": set(), "ERROR": set()}
    for verdict, test in re.findall(
        r"(?m)^(PASSED|FAILED|ERROR) \S+?::(.+?)(?: - .*)?$", done.stdout
    ):
        found[verdict].add(test)
    assert found["PASSED"] | found["FAILED"], done.stdout + done.stderr
    return found


def test_a_stub_fails_by_its_name_and_alone(tree: Path) -> None:
    assert {
        path.relative_to(tree).as_posix() for path in written(tree, "fednew", "FedNew")
    } == PARTS
    exported = tree / "fl_algos" / "__init__.py"
    line = "from fl_algos.algorithms.fednew import FedNew\n"
    text = exported.read_text("utf-8").replace("__all__ = [", f'{line}\n__all__ = [\n    "FedNew",')
    exported.write_text(text, "utf-8")
    found = verdicts(tree, "fednew or gradient_descent")
    assert not found["ERROR"]
    assert all("fednew" in test for test in found["FAILED"])
    assert {test.partition("[")[0] for test in found["FAILED"]} == {
        "test_nothing_is_left_to_write",
        "test_the_algorithm_runs",
        "test_the_description_says_what_a_client_keeps",
        "test_cover",
        "test_cover_of_the_literal_transcription",
        "test_lock",
        "test_equal",
        "test_there_are_teeth",
    }
    passed = {test for test in found["PASSED"] if "gradient_descent" in test}
    assert {test.partition("[")[0] for test in passed} >= {"test_teeth", "test_equal", "test_lock"}


LOST = {
    "fedprox": ("tests/literal/fedprox.py", {"test_there_are_teeth", "test_equal", "test_lock"}),
    "scaffold": ("docs/en/_algo_pcode/scaffold.rst", {"test_cover", "test_lock"}),
    "scaffnew": ("docs/zh/_algo_pcode/scaffnew.rst", {"test_cover"}),
    "fedpd": ("docs/descriptions/fedpd.toml", {"test_the_algorithm_runs"}),
    "fedbare": (None, {"test_the_class_is_exported", "test_cover", "test_equal", "test_lock"}),
}
"""Algorithms that lack a file, or all but the module, and tests that notice it."""


def test_what_lacks_a_part_fails_alone(tree: Path) -> None:
    shutil.copy(tree / "fl_algos/algorithms/fedprox.py", tree / "fl_algos/algorithms/fedbare.py")
    for lost, _ in LOST.values():
        if lost:
            (tree / lost).unlink()
    found = verdicts(tree, f"({' or '.join([*LOST, 'proxskip'])}) and not test_teeth")
    assert not found["ERROR"]
    for name, (_, noticed) in LOST.items():
        failed = {test.partition("[")[0] for test in found["FAILED"] if name in test}
        assert failed >= {"test_every_part_is_there", *noticed}
    assert all(any(name in test for name in LOST) for test in found["FAILED"])
    assert any("proxskip" in test for test in found["PASSED"])


def test_names() -> None:
    assert names("FedNew") == ("fednew", "FedNew")
    assert names("fednew") == ("fednew", "Fednew")
    for given in ("", "fed new", "../fednew", "1st"):
        with pytest.raises(Refused, match=r"NAME is "):
            names(given)


def test_nothing_is_overwritten(tree: Path) -> None:
    there = tree / "docs" / "zh" / "_algo_pcode" / "fednew.rst"
    there.write_text("mine")
    with pytest.raises(Refused, match=r"docs/zh/_algo_pcode/fednew\.rst is there already"):
        written(tree, "fednew", "FedNew")
    assert there.read_text() == "mine"
    assert not (tree / "fl_algos" / "algorithms" / "fednew.py").exists()
