"""Equations of other pages are stored where a page refers to them."""

from __future__ import annotations

import re

from support.mini import build

HOME = """\
Home
====

See :eq:`far`, again :eq:`far`, and :eq:`near`.

.. math:: a = 1
   :label: near

.. toctree::

   other
"""

OTHER = """\
Other
=====

.. math::
   :label: far

   \\prox_s = 2
"""


def test_those_of_other_pages_once(tmp_path):
    files = {"docs/en/index.rst": HOME, "docs/en/other.rst": OTHER}
    done = build(tmp_path, files)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    stored = re.findall(r'<template id="preview-([^"]*)">(.*?)</template>', html)
    assert [name for name, _ in stored] == ["equation-far"]
    assert r"\prox_s = 2</annotation>" in stored[0][1]
    other = (done.out / "other.html").read_text(encoding="utf-8")
    assert "<template" not in other
