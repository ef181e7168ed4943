"""A public name without documentation fails the build; so do stale results of notebooks."""

from __future__ import annotations

import pytest

import nb_cache
from mini import build
from nb_copy import copy_notebooks

PACKAGE = {
    "demo/__init__.py": "from demo.part import taken\n__all__ = ['taken']\n",
    "demo/part.py": "__all__ = ['Thing', 'taken']\nclass Thing:\n    '''A thing.'''\n"
    "def taken():\n    '''Taken over by the package.'''\ndef hidden():\n    '''Not public.'''\n",
    "demo/_private.py": "__all__ = ['secret']\nsecret = 1\n",
    "demo/_inner/__init__.py": "",
    "demo/_inner/part.py": "__all__ = ['secret']\nsecret = 1\n",
}
API = "API\n===\n\n.. automodule:: demo.part\n   :members: {}\n"


@pytest.fixture
def package(tmp_path):
    """A package of a public and some private modules."""
    for name, text in PACKAGE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def cover(package, page):
    """Build the page with the check on."""
    options = ["-D", "api_cover_package=demo"]
    return build(package, {"docs/en/index.rst": page}, options=options, pythonpath=package)


def test_all_documented(package):
    done = cover(package, API.format(""))
    assert (done.returncode, done.warnings) == (0, "")


def test_what_is_missing_is_named(package):
    done = cover(package, API.format("Thing"))
    assert done.returncode == 1
    assert "demo.taken is on no API page" in done.warnings
    assert "demo.part.taken is on no API page" in done.warnings
    assert done.warnings.count("is on no API page") == 2


def test_a_public_module_says_what_is_public(package):
    (package / "demo" / "empty.py").write_text("from demo.part import Thing\n")
    (package / "demo" / "open.py").write_text("def public(): ...\n")
    done = cover(package, API.format(""))
    assert done.returncode == 1
    assert "demo.open has no __all__" in done.warnings
    assert "demo.empty" not in done.warnings


def test_state_of_a_package(package, monkeypatch):
    monkeypatch.syspath_prepend(package)
    pins, absent = package / "pins.txt", package / "absent.json"
    pins.write_text("a==1")
    states = [nb_cache.state_of("demo", pins, absent)]
    assert nb_cache.state_of("demo", pins, absent) == states[0]
    for path in (pins, absent, package / "demo" / "_inner" / "part.py"):
        path.write_text("changed = 1")
        states.append(nb_cache.state_of("demo", pins, absent))
    assert len(set(states)) == len(states)


def test_folders_of_other_states_are_removed(tmp_path):
    for name in ("old", "new"):
        (tmp_path / "cache" / name).mkdir(parents=True)
    nb_cache.remove_others(tmp_path / "cache" / "new")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["new"]


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
