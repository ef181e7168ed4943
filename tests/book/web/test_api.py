"""The API page lists modules by itself; a public name without documentation fails the build."""

from __future__ import annotations

import re

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
API = "API\n===\n\n.. api-modules:: demo\n"
PART = "API\n===\n\n.. automodule:: demo.part\n   :exclude-members: taken\n"


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
    options = ["-D", "api_package=demo"]
    return build(package, {"docs/en/index.rst": page}, options=options, pythonpath=package)


def test_all_documented(package):
    done = cover(package, API)
    assert (done.returncode, done.warnings) == (0, "")


def test_modules_are_listed_by_name_with_what_they_inherit_from_hidden_ones(package):
    (package / "demo" / "_base.py").write_text(
        'class Base:\n    def run(self):\n        """It runs."""\n'
    )
    (package / "demo" / "above.py").write_text(
        'from demo._base import Base\n__all__ = ["Own"]\nclass Own(Base):\n    """It is."""\n'
    )
    done = cover(package, API)
    assert (done.returncode, done.warnings) == (0, "")
    page = (done.out / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'\bid="(?:module-)?(demo[^"]*)"', page) == [
        *("demo", "demo.above", "demo.above.Own", "demo.above.Own.run"),
        *("demo.part", "demo.part.Thing", "demo.part.taken"),
    ]


def test_what_is_missing_is_named(package):
    done = cover(package, PART)
    assert done.returncode == 1
    assert "demo.taken is on no API page" in done.warnings
    assert "demo.part.taken is on no API page" in done.warnings
    assert done.warnings.count("is on no API page") == 2


def test_a_public_module_says_what_is_public(package):
    (package / "demo" / "empty.py").write_text("from demo.part import Thing\n")
    (package / "demo" / "open.py").write_text("def public(): ...\n")
    done = cover(package, API)
    assert done.returncode == 1
    assert "demo.open has no __all__" in done.warnings
    assert "demo.empty" not in done.warnings
