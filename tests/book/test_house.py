"""The packages of docs/_ext: what conf.py names, who imports what, and the drawing of it."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import sys
from graphlib import TopologicalSorter

import pytest

import house
from support.mini import MACHINERY, ROOT

PACKAGES = house.packages()
OUTSIDE = [*(ROOT / "tools").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
OUTSIDE += [*(ROOT / "docs" / "figures").rglob("*.py"), ROOT / "docs" / "conf.py"]


def strangers(files, of=None):
    """What files import that its package does not offer to others; `of` is their own package."""
    return [
        f"{file.relative_to(ROOT)}: {package}.{module}"
        for file in files
        for package, module in house.imports(file, set(PACKAGES))
        if package != of and module not in house.public(PACKAGES[package])
    ]


def test_there_is_nothing_but_packages():
    assert len(PACKAGES) >= 6
    entries = {path.name for path in house.HOUSE.iterdir() if path.name != "__pycache__"}
    assert entries == set(PACKAGES)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_imports_only_what_others_offer(name):
    assert strangers(PACKAGES[name].rglob("*.py"), of=name) == []


def test_tools_and_shared_tests_import_only_what_packages_offer():
    own = {ROOT / "tests" / "book" / name for name in PACKAGES} | {ROOT / "tests" / "browser"}
    files = [file for file in OUTSIDE if own.isdisjoint(file.parents)]
    assert len(files) > 40
    assert strangers(files) == []


@pytest.mark.parametrize("name", PACKAGES)
def test_the_tests_of_a_package_look_at_no_other_s_inside(name):
    assert strangers((ROOT / "tests" / "book" / name).glob("*.py"), of=name) == []


def test_what_is_offered_is_there_and_taken():
    files = {name: [*folder.rglob("*.py")] for name, folder in PACKAGES.items()} | {"": OUTSIDE}
    taken = {
        (package, module)
        for name, group in files.items()
        for file in group
        for package, module in house.imports(file, set(PACKAGES))
        if package != name and package not in file.parts
    }
    for name, folder in PACKAGES.items():
        for module in house.public(folder):
            assert (folder / f"{module}.py").is_file(), f"{name}.{module}"
            assert (name, module) in taken, f"{name}.{module}"


def test_the_arrows_make_no_circle():
    arrows = house.arrows()
    graph = {name: {other for one, other in arrows if one == name} for name in PACKAGES}
    assert set(TopologicalSorter(graph).static_order()) == set(PACKAGES)


def test_the_house_is_drawn_as_it_is():
    page = house.PAGE.read_text(encoding="utf-8")
    assert house.drawn(page) == page, "run `python tools/house.py`"
    assert page.count("```mermaid") == 1


def test_a_new_arrow_changes_the_drawing(tmp_path):
    for name, text in {"one": '"""One."""\nPUBLIC = ("a",)\n', "two": '"""Two."""\n'}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)
    before = house.drawing(tmp_path)
    assert "| `one` | One. | `one.a` |" in before
    (tmp_path / "two" / "b.py").write_text("def f():\n    from one import a\n")
    assert house.drawing(tmp_path) == before.replace("LR\n", "LR\n  two --> one\n")


def test_every_package_has_one_setup_and_conf_names_it():
    text = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    listed = re.search(r"(?s)\nextensions = \[(.*?)\]", text)[1]
    assert set(PACKAGES) <= set(re.findall(r'"(\w+)"', listed))
    for name, folder in PACKAGES.items():
        files = [file.name for file in folder.glob("*.py") if "\ndef setup(" in file.read_text()]
        assert files == ["__init__.py"], name


def test_reading_the_configuration_changes_nothing(tmp_path, monkeypatch):
    for name in MACHINERY:
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    for name in ("build/cache/old", "notebooks/en", "docs/en"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notebooks" / "en" / "new.ipynb").write_text("{}")
    (tmp_path / "notebooks" / "claims.json").write_text("{}")
    before = sorted(tmp_path.rglob("*")), dict(os.environ)
    monkeypatch.setattr(sys, "path", list(sys.path))
    runpy.run_path(str(tmp_path / "docs" / "conf.py"), {"tags": set_of_tags()})
    assert (sorted(tmp_path.rglob("*")), dict(os.environ)) == before


def set_of_tags():
    """What Sphinx gives to a configuration."""
    from sphinx.util.tags import Tags

    return Tags()
