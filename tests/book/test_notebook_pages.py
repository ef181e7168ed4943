"""Notebooks run when the book is built: an error fails it, a changed package changes it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import fl_algos
from mini import build

INDEX = "Home\n====\n\n.. toctree::\n\n   notebooks/page\n"


def notebook(source, alt=None):
    """A notebook of a title and one code cell, not executed."""
    cell = {"id": "one", "cell_type": "code", "metadata": {}, "source": source}
    cell |= {"execution_count": None, "outputs": []}
    title = {"id": "title", "cell_type": "markdown", "metadata": {}, "source": "# Page"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "alt": alt or {}}
    return json.dumps(
        {"cells": [title, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    )


def files(source, alt=None):
    page = notebook(source, alt)
    return {
        "docs/en/index.rst": INDEX,
        "notebooks/en/page.ipynb": page,
        "notebooks/zh/page.ipynb": page,
    }


@pytest.fixture
def package(tmp_path):
    """A copy of the package that comes before the installed one."""
    shutil.copytree(Path(fl_algos.__file__).parent, tmp_path / "site" / "fl_algos")
    return tmp_path / "site" / "fl_algos"


def test_a_notebook_that_raises_fails_the_build(tmp_path):
    done = build(tmp_path, files("1 / 0"))
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.warnings


def test_a_changed_constant_changes_the_page(tmp_path, package):
    source = "import fl_algos.draw\nprint('coins:', fl_algos.draw.COINS_PER_BLOCK)"
    pages = []
    for constant in ("1024", "2048"):
        module = package / "draw.py"
        module.write_text(module.read_text().replace("BLOCK = 1024", f"BLOCK = {constant}"))
        done = build(tmp_path, files(source), pythonpath=package.parent)
        assert (done.returncode, done.warnings) == (0, "")
        pages.append((done.out / "notebooks" / "page.html").read_text(encoding="utf-8"))
    assert "coins: 1024" in pages[0]
    assert "coins: 2048" in pages[1]


def test_an_unchanged_notebook_is_not_executed_again_and_chinese_reuses_english(tmp_path):
    log = tmp_path / "runs"
    source = f"with open({str(log)!r}, 'a') as file:\n    print('run', file=file)\nprint('done')"
    for language in ("en", "en", "zh"):
        done = build(tmp_path, files(source), language)
        assert (done.returncode, done.warnings) == (0, "")
    assert "done" in (done.out / "notebooks" / "page.html").read_text(encoding="utf-8")
    assert log.read_text() == "run\n"


FIGURE = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"


def test_a_figure_without_alternative_text_is_a_warning(tmp_path):
    done = build(tmp_path, files(FIGURE))
    assert done.returncode != 0
    assert "no text in metadata.alt for cell 'one'" in done.warnings


def test_a_figure_has_its_alternative_text(tmp_path):
    done = build(tmp_path, files(FIGURE, alt={"one": "A line that rises."}))
    assert (done.returncode, done.warnings) == (0, "")
    assert 'alt="A line that rises."' in (done.out / "notebooks" / "page.html").read_text("utf-8")
