"""Sphinx reads copies of the notebooks, which are written only when they have changed."""

from __future__ import annotations

from nb.copies import copy_notebooks


def test_notebooks_are_copied_when_they_changed(tmp_path):
    source = tmp_path / "notebooks" / "zh" / "one.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text("1")
    copies = tmp_path / "docs" / "zh" / "notebooks"
    copies.mkdir(parents=True)
    (copies / "stale.ipynb").write_text("0")
    (copies / "index.rst").write_text("kept")
    copy_notebooks(tmp_path)
    assert sorted(path.name for path in copies.iterdir()) == ["index.rst", "one.ipynb"]
    before = (copies / "one.ipynb").stat().st_mtime_ns
    copy_notebooks(tmp_path)
    assert (copies / "one.ipynb").stat().st_mtime_ns == before
    source.write_text("2")
    copy_notebooks(tmp_path)
    assert (copies / "one.ipynb").read_text() == "2"
