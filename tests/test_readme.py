"""The README's program prints what the README says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def test_ten_lines():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    program, printed = re.search(
        r"```python\n(.*?)```\n\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    ).groups()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(program, {})
    assert output.getvalue() == printed
