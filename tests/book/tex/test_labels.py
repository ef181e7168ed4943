"""A label of an equation may move to another page of a book that is not built anew."""

from __future__ import annotations

from support.mini import build

HOME = "Home\n====\n\nSee :eq:`moves`.\n\n.. toctree::\n\n   one\n   two\n"
EQUATION = "\n.. math:: a = 1\n   :label: moves\n"
ONE, TWO = "One\n===\n", "Two\n===\n"


def test_it_is_no_duplicate_of_itself(tmp_path):
    files = {"docs/en/index.rst": HOME, "docs/en/one.rst": ONE, "docs/en/two.rst": TWO + EQUATION}
    done = build(tmp_path, files)
    assert (done.returncode, done.warnings) == (0, "")
    done = build(tmp_path, files | {"docs/en/one.rst": ONE + EQUATION, "docs/en/two.rst": TWO})
    assert (done.returncode, done.warnings) == (0, "")
    assert 'id="equation-moves"' in (done.out / "one.html").read_text(encoding="utf-8")
