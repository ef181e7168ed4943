"""The package as it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution, files
from pathlib import Path

import pytest

import fl_algos


def test_import_needs_nothing_heavy():
    program = (
        "import sys, fl_algos, fl_algos.data; heavy = {'torch', 'sklearn', 'matplotlib', 'pandas',"
        "'scipy', 'numba', 'IPython'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_distribution():
    assert fl_algos.__version__ == distribution("fl_algos").version


def test_the_package_comes_from_where_it_was_installed() -> None:
    origin = distribution("fl_algos").read_text("direct_url.json") or "{}"
    if json.loads(origin).get("dir_info", {}).get("editable"):
        pytest.skip("fl_algos is installed for editing: it is meant to come from the checkout")
    assert Path(fl_algos.__file__).is_relative_to(sysconfig.get_path("purelib"))


def test_the_installed_package_has_its_type_marker_and_nothing_beside_it() -> None:
    installed = files("fl_algos") or []
    tops = {path.parts[0] for path in installed if ".dist-info" not in path.parts[0]}
    if "fl_algos" not in tops:
        pytest.skip("fl_algos is installed for editing: there is no wheel to look into")
    assert tops == {"fl_algos"}
    assert "fl_algos/py.typed" in {path.as_posix() for path in installed}
