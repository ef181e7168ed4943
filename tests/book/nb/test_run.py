"""Notebooks run side by side, with one thread each, and Sphinx's own process is left as it was."""

from __future__ import annotations

import os

import pytest
import zmq

from nb.kernel import kernel_config
from nb.pool import THREADS, cores, side_by_side
from support.mini import build, notebook

# Each waits for the other one's line.
CELL = """\
import os, time
with open({log!r}, "a") as file:
    print("here", file=file)
end = time.monotonic() + 20
while (alone := open({log!r}).read().count("here") < 2) and time.monotonic() < end:
    time.sleep(0.05)
print("alone" if alone else "together", "on", os.environ.get("OMP_NUM_THREADS"))
# {name}
"""


INDEX = "Home\n====\n\n.. toctree::\n\n   notebooks/one\n   notebooks/two\n"


@pytest.mark.skipif(cores() < 2, reason="this process has one core: notebooks run in turn")
def test_two_notebooks_run_side_by_side_with_one_thread_each(tmp_path, monkeypatch):
    monkeypatch.delenv(THREADS, raising=False)
    pages = {name: CELL.format(log=str(tmp_path / "log"), name=name) for name in ("one", "two")}
    files = {"docs/en/index.rst": INDEX}
    for language in ("en", "zh"):
        files |= {f"notebooks/{language}/{name}.ipynb": notebook(pages[name]) for name in pages}
    done = build(tmp_path, files)
    assert (done.returncode, done.warnings) == (0, "")  # nor does a kernel say anything
    for name in pages:
        assert "together on 1" in (done.out / "notebooks" / f"{name}.html").read_text("utf-8")


@pytest.mark.parametrize("given", [None, "3"])
def test_the_number_of_threads_is_the_callers_or_one_for_a_while(monkeypatch, given):
    monkeypatch.delenv(THREADS, raising=False)
    if given:
        monkeypatch.setenv(THREADS, given)
    seen = list(side_by_side(lambda item: (item, os.environ[THREADS]), [1, 2]))
    assert seen == [(1, given or "1"), (2, given or "1")]
    assert os.environ.get(THREADS) == given


def test_the_cores_are_those_of_this_process_not_of_the_machine(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {5}, raising=False)
    assert cores() == 1
    monkeypatch.delattr(os, "sched_getaffinity")
    assert cores() == os.cpu_count()


@pytest.mark.parametrize(("has", "policy"), [(True, "auto"), (False, "disabled")])
def test_what_kernels_say_is_encrypted_wherever_it_can_be(monkeypatch, has, policy):
    monkeypatch.setattr(zmq, "has", lambda capability: has and capability == "curve")
    assert kernel_config().KernelManager.transport_encryption == policy
