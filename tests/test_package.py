"""The package as it is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution

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
