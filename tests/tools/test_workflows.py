"""What GitHub would run is what everybody runs, on all Pythons and systems that are promised."""

from __future__ import annotations

import re
import tomllib
from itertools import chain

import pytest

from project import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text("utf-8"))
JOBS = WORKFLOW["jobs"]


def commands(job: str) -> list[str]:
    """What a job runs."""
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def test_the_two_commands_are_run() -> None:
    assert commands("test")[-1] == "make test PYTHON=python"
    assert commands("pages") == ["make book PYTHON=python"]


def test_each_python_and_system_is_tried() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    matrix = JOBS["test"]["strategy"]["matrix"]
    pythons = [f"3.{minor}" for minor in range(11, 14)]
    assert declared["requires-python"] == f">={pythons[0]},<3.14"
    assert matrix["python"] == pythons
    assert {system.partition("-")[0] for system in matrix["os"]} == {"ubuntu", "macos"}


def test_pages_come_after_the_tests_and_only_from_the_main_branch() -> None:
    assert JOBS["pages"]["needs"] == "test"
    assert JOBS["pages"]["if"] == "github.event_name == 'push'"
    assert WORKFLOW[True]["push"]["branches"] == ["main"]  # YAML takes `on` for true


def test_actions_are_named_by_their_commit_and_may_no_more_than_they_need() -> None:
    for step in chain(*(job["steps"] for job in JOBS.values())):
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"])
    assert WORKFLOW["permissions"] == {}
    assert JOBS["test"]["permissions"] == {"contents": "read"}
