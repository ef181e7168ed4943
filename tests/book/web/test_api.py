"""A public name without documentation fails the build."""

from __future__ import annotations

import pytest

from support.mini import build

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
