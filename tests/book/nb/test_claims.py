"""``:claim:`` prints a stated number with the digits that its tolerance justifies."""

from __future__ import annotations

import json
import re

import pytest

from nb.claims import digits
from support.mini import build

CLAIMS = {"communications": {"value": 412.0, "rtol": 0.05, "atol": 0.0}}
CLAIMS["plateau"] = {"value": 1.234e-7, "rtol": 0.05, "atol": 0.0}
INDEX = (
    "Title\n=====\n\nIt took :claim:`communications` of :given:`1300`, up to :claim:`plateau`.\n"
)


@pytest.mark.parametrize(
    ("value", "tolerance", "expected"),
    [
        (412.0, 20.6, ("410", None)),
        (412.0, 4.12, ("410", None)),
        (412.0, 1.0, ("412", None)),
        (412.0, 0.0, ("412", None)),
        (0.59852, 6e-4, ("0.599", None)),
        (0.5, 0.0, ("0.5", None)),
        (0.1, 0.0, ("0.1", None)),
        (-1.8853, 0.02, ("\N{MINUS SIGN}1.89", None)),
        (1.234e-7, 6e-9, ("1.2", -7)),
        (9.97e-7, 5e-8, ("1.0", -6)),
        (1.234e6, 1e4, ("1.23", 6)),
        (0.0, 1e-9, ("0", None)),
        (1e-12, 1e-10, ("0", None)),
        (0.3, 0.5, ("0", None)),
        (-0.3, 0.5, ("0", None)),
    ],
)
def test_digits(value, tolerance, expected):
    assert digits(value, tolerance) == expected


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_numbers_are_printed(tmp_path, language):
    files = {f"docs/{language}/index.rst": INDEX, "notebooks/claims.json": json.dumps(CLAIMS)}
    result = build(tmp_path, files, language)
    assert result.returncode == 0, result.warnings
    text = re.sub(r"<[^>]+>", "", (result.out / "index.html").read_text(encoding="utf-8"))
    text = " ".join(text.replace("\u00a0", " ").split())
    assert "It took 410 of 1300, up to 1.2 × 10\N{MINUS SIGN}7." in text


def test_a_key_that_is_not_there_fails(tmp_path):
    files = {"docs/en/index.rst": INDEX, "notebooks/claims.json": "{}"}
    result = build(tmp_path, files)
    assert result.returncode != 0
    assert "no claim 'communications' in claims.json [claims]" in result.warnings


def test_a_number_that_no_page_prints_fails(tmp_path):
    claims = CLAIMS | {"left over": CLAIMS["plateau"]}
    files = {"docs/en/index.rst": INDEX, "notebooks/claims.json": json.dumps(claims)}
    result = build(tmp_path, files)
    assert result.returncode != 0
    assert "claim 'left over' of claims.json is printed on no page [claims]" in result.warnings
    assert "communications" not in result.warnings


def test_a_page_follows_the_file(tmp_path):
    files = {"docs/en/index.rst": INDEX, "notebooks/claims.json": json.dumps(CLAIMS)}
    assert build(tmp_path, files).returncode == 0
    CHANGED = CLAIMS | {"communications": {"value": 99.0, "rtol": 0.0, "atol": 0.0}}
    result = build(tmp_path, files | {"notebooks/claims.json": json.dumps(CHANGED)})
    assert result.returncode == 0, result.warnings
    assert ">99<" in (result.out / "index.html").read_text(encoding="utf-8")
