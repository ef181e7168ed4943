"""The pins are what pip resolves, on all platforms, without addresses and suffixes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lock
from lock import changes, needed_elsewhere, pinned


def package(name: str, version: str, *requires: str) -> dict[str, Any]:
    """A package in a report of pip."""
    return {
        "download_info": {"url": f"https://index.invalid/{name}.whl"},
        "metadata": {"name": name, "version": version, "requires_dist": [*requires]},
    }


INSTALLED = [
    package("numpy", "2.5.0"),
    package("torch", "2.14.0+cpu", "nvidia-nccl-cu13; platform_system == 'Linux'", "triton>=3"),
    package("nvidia-cublas", "13.0"),
    package("triton", "3.1"),
    package(
        "IPython",
        "9.0",
        "appnope>=0.1.3; sys_platform == 'darwin'",
        "colorama; sys_platform == 'win32'",
        "tomli>=2; python_version < '3.11'",
        "newer>=1; python_version >= '3.13'",
        "black; extra == 'black'",
        "NumPy>=2; sys_platform == 'darwin'",
        "decorator",
    ),
]


def test_what_other_platforms_and_pythons_need_is_added() -> None:
    assert needed_elsewhere(INSTALLED) == ["appnope>=0.1.3", "newer>=1"]


def test_pins_have_no_suffix_and_nothing_of_cuda() -> None:
    assert pinned(INSTALLED) == ["IPython==9.0", "numpy==2.5.0", "torch==2.14.0"]


def test_changes() -> None:
    before = ["ipython==9.0", "numpy==2.4", "old_one==1"]
    assert [*changes(before, [*pinned(INSTALLED)])] == [
        "numpy: 2.4 -> 2.5.0",
        "old-one: 1 -> gone",
        "torch: not there -> 2.14.0",
    ]
    assert [*changes(before, before)] == []


def test_the_file_keeps_its_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def resolved(wanted: list[str], *options: str) -> list[dict[str, Any]]:
        asked.append(([*wanted], options))
        return [package("appnope", "0.1.4")] if options else INSTALLED

    (tmp_path / "constraints.txt").write_text("# Exact.\n# Why.\nnumpy==2.4\n")
    pyproject = lock.ROOT / "pyproject.toml"
    (tmp_path / "pyproject.toml").write_text(pyproject.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(lock, "ROOT", tmp_path)
    monkeypatch.setattr(lock, "resolved", resolved)
    monkeypatch.setattr(lock.sys, "version_info", (3, 11, 0))
    assert lock.main() == 0
    pins = ["appnope==0.1.4", "IPython==9.0", "numpy==2.5.0", "torch==2.14.0"]
    written = (tmp_path / "constraints.txt").read_text()
    assert written == "\n".join(["# Exact.", "# Why.", *pins]) + "\n"
    assert "numpy: 2.4 -> 2.5.0" in capsys.readouterr().out
    (first, _), (others, options) = asked
    assert {"build", "torch>=2.6", "sphinx>=9.0"} <= {*first}
    assert (others, options) == (["appnope>=0.1.3", "newer>=1"], ("--no-deps",))


def test_versions_are_resolved_on_the_lowest_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock.sys, "version_info", (3, 12, 0))
    assert lock.main() == 1
    assert "make lock PYTHON=python3.11" in capsys.readouterr().out
