"""Build a book of a few pages with the real configuration and extensions."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from support.pages import unavailable
from support.sphinx_server import sphinx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
NODE_MODULES = ROOT / "build" / "node" / "node_modules"
MACHINERY = (
    "docs/conf.py",
    "docs/macros.json",
    "docs/_ext",
    "docs/_node",
    "CITATION.cff",
    "pyproject.toml",
    "constraints.txt",
)


class Result(NamedTuple):
    """What sphinx-build did."""

    returncode: int
    warnings: str
    out: Path


def need_node_modules() -> None:
    """Skip a test that renders TeX where KaTeX is not installed; on CI it must be."""
    if not NODE_MODULES.is_dir():
        unavailable("KaTeX and pseudocode.js are not installed: run `make book`")


def notebook(source: str, alt: Mapping[str, str] | None = None, outputs: Sequence = ()) -> str:
    """A notebook of a title and the code cell ``one``; unless it has outputs, not executed."""
    cell = {"id": "one", "cell_type": "code", "metadata": {}, "source": source}
    cell |= {"execution_count": 1 if outputs else None, "outputs": list(outputs)}
    title = {"id": "title", "cell_type": "markdown", "metadata": {}, "source": "# Page"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "alt": alt or {}}
    return json.dumps(
        {"cells": [title, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    )


def with_notebook(page: str) -> dict[str, str]:
    """A home page and, in both languages, a notebook."""
    return {
        "docs/en/index.rst": "Home\n====\n\n.. toctree::\n\n   notebooks/page\n",
        "notebooks/en/page.ipynb": page,
        "notebooks/zh/page.ipynb": page,
    }


def build(
    tmp_path: Path,
    files: Mapping[str, str],
    language: str = "en",
    builder: str = "html",
    *,
    twins: bool = True,
    options: Sequence[str] = (),
    pythonpath: Path | None = None,
) -> Result:
    """Build one language from the files (path in the project: text), warnings being errors.

    With `twins` pages that only one tree has are copied to the other one. The check that all of
    the API is documented is off, unless the `options` of sphinx-build name a package. Modules in
    `pythonpath` can be imported.
    """
    if builder == "html":
        need_node_modules()
    root = tmp_path / "project with spaces"
    _write_project(root, files, twins=twins)
    out = root / "build" / "site" / language
    arguments = ["-W", "-n", "--keep-going", "-q", "-b", builder]
    arguments += ["-c", str(root / "docs"), "-D", "api_package=", *options]
    arguments += ["-t", "zh"] if language == "zh" else []
    environment = dict(os.environ)
    if pythonpath:
        inherited = environment.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(pythonpath), inherited]))
    arguments += [str(root / "docs" / language), str(out)]
    status, errors = sphinx(arguments, tmp_path, environment)
    # What a kernel sometimes says at its end: that the socket is closed.
    pattern = r"(?m)^ERROR:tornado.*\nTraceback.*\n(?: .*\n)*\S.*\n"
    return Result(status, re.sub(pattern, "", errors), out)


def _write_project(root: Path, files: Mapping[str, str], *, twins: bool) -> None:
    for name in MACHINERY:
        source, target = ROOT / name, root / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (root / "build").mkdir(exist_ok=True)
    if NODE_MODULES.is_dir() and not (root / "build" / "node").exists():
        (root / "build" / "node").symlink_to(NODE_MODULES.parent, target_is_directory=True)
    files = {"references.bib": "", **files}
    for name, text in files.items():
        _write(root / name, text)
    if twins:
        for here, there in (("docs/en/", "docs/zh/"), ("docs/zh/", "docs/en/")):
            for name, text in files.items():
                twin = name.replace(here, there, 1)
                if twin not in files:
                    _write(root / twin, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A second build reads only what has changed.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
