"""Books of a few pages are built by one process, and know nothing of one another."""

from __future__ import annotations

from support.mini import build

PAGE = "Page\n====\n\n"


def test_nothing_of_a_build_is_left_for_the_next(tmp_path):
    faulty = {"docs/en/index.rst": f"{PAGE}.. no-such-directive::\n"}
    sound = {"docs/en/index.rst": PAGE}
    for name, files, status in (("one", faulty, 1), ("two", sound, 0), ("three", faulty, 1)):
        (tmp_path / name).mkdir()
        done = build(tmp_path / name, files, builder="text")
        assert done.returncode == status
        assert ("no-such-directive" in done.warnings) == bool(status)


def test_a_build_that_breaks_off_says_why(tmp_path):
    done = build(tmp_path, {"docs/en/index.rst": PAGE}, builder="no-such-builder")
    assert done.returncode == 2
    assert "no-such-builder" in done.warnings
