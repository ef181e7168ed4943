"""Notebooks run when the book is built: an error fails it, a changed package changes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import fl_algos
from support.mini import build, notebook, with_notebook


@pytest.fixture
def package(tmp_path):
    """A copy of the package that comes before the installed one."""
    shutil.copytree(Path(fl_algos.__file__).parent, tmp_path / "site" / "fl_algos")
    return tmp_path / "site" / "fl_algos"


def test_a_notebook_that_raises_fails_the_build(tmp_path):
    done = build(tmp_path, with_notebook(notebook("1 / 0")))
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.warnings


def test_a_changed_constant_changes_the_page(tmp_path, package):
    source = "import fl_algos.draw\nprint('coins:', fl_algos.draw.COINS_PER_BLOCK)"
    pages = []
    for constant in ("1024", "2048"):
        module = package / "draw.py"
        module.write_text(module.read_text().replace("BLOCK = 1024", f"BLOCK = {constant}"))
        done = build(tmp_path, with_notebook(notebook(source)), pythonpath=package.parent)
        assert (done.returncode, done.warnings) == (0, "")
        pages.append((done.out / "notebooks" / "page.html").read_text(encoding="utf-8"))
    assert "coins: 1024" in pages[0]
    assert "coins: 2048" in pages[1]


def test_an_unchanged_notebook_is_not_executed_again_and_chinese_reuses_english(tmp_path):
    log = tmp_path / "runs"
    source = f"with open({str(log)!r}, 'a') as file:\n    print('run', file=file)\nprint('done')"
    for language in ("en", "en", "zh"):
        done = build(tmp_path, with_notebook(notebook(source)), language)
        assert (done.returncode, done.warnings) == (0, "")
    assert "done" in (done.out / "notebooks" / "page.html").read_text(encoding="utf-8")
    assert log.read_text() == "run\n"


FIGURE = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"


def test_a_figure_without_alternative_text_is_a_warning(tmp_path):
    done = build(tmp_path, with_notebook(notebook(FIGURE)))
    assert done.returncode != 0
    assert "no text in metadata.alt for cell 'one' [nb_alt]" in done.warnings


def test_a_figure_has_its_alternative_text(tmp_path):
    done = build(tmp_path, with_notebook(notebook(FIGURE, alt={"one": "A line that rises."})))
    assert (done.returncode, done.warnings) == (0, "")
    assert 'alt="A line that rises."' in (done.out / "notebooks" / "page.html").read_text("utf-8")
