"""The texts that the search looks through: of every page, by section and by object."""

from __future__ import annotations

import json
import re

import pytest

from support.mini import build

PAGE = r"""
Clients
=======

Each *client* solves :math:`\theta_k \in X`\ [#one]_ to 10\ :sup:`-3`, see :ref:`pairs`.

.. [#one] Found here.

.. math:: \mathrm{silent}

.. _pairs:

Pairs
-----

.. py:function:: demo.pair(x)

   Two of them.

.. code:: python

   import fl_algos
"""
INDEX = "Home\n====\n\nWelcome.\n\n.. toctree::\n\n   page\n   other\n"
FILES = {
    "docs/en/index.rst": INDEX,
    "docs/en/page.rst": PAGE,
    "docs/en/other.rst": "Other\n=====\n\nNothing.\n",
}


def loaded(out):
    """The scripts of the search that each page loads, with the checksums in their addresses."""
    return {
        name: re.findall(
            r'src="_static/(search\w*\.js)\?v=(\w+)"',
            (out / f"{name}.html").read_text(encoding="utf-8"),
        )
        for name in ("index", "search")
    }


def texts(out):
    script = (out / "_static" / "search_texts.js").read_text(encoding="utf-8")
    return json.loads(script.removeprefix("const searchTexts = ").removesuffix(";\n"))


@pytest.mark.parametrize("processes", ["1", "2"])
def test_sections_and_objects_are_places(tmp_path, processes):
    files = FILES | {f"docs/en/more{i}.rst": f":orphan:\n\nMore\n====\n\n{i}\n" for i in range(6)}
    done = build(tmp_path, files, options=("-j", processes))
    assert (done.returncode, done.warnings) == (0, "")
    found = texts(done.out)
    assert set(found) == {"index", "page", "other", *(f"more{i}" for i in range(6))}
    assert found["page"] == [
        ["clients", "Clients", "Each client solves θ_k ∈ X to 10^-3, see Pairs. Found here."],
        ["pairs", "Pairs", "import fl_algos"],
        ["demo.pair", "demo.pair", "demo.pair(x) Two of them."],
    ]
    assert found["index"] == [["home", "Home", "Welcome."]]
    assert "searchindex" not in (done.out / "index.html").read_text(encoding="utf-8")
    scripts = loaded(done.out)
    assert scripts["index"] == []
    assert [name for name, _ in scripts["search"]] == [
        "search_texts.js",
        "search_words.js",
        "search.js",
    ]


def test_a_page_that_is_not_written_again_keeps_its_text_and_one_that_is_gone_does_not(tmp_path):
    before = loaded(build(tmp_path, FILES).out)["search"]
    changed = {name: text for name, text in FILES.items() if "other" not in name}
    changed["docs/en/index.rst"] = INDEX.replace("   other\n", "").replace("Welcome", "Hello")
    for tree in ("en", "zh"):
        (tmp_path / "project with spaces" / "docs" / tree / "other.rst").unlink()
    done = build(tmp_path, changed)
    assert (done.returncode, done.warnings) == (0, "")
    found = texts(done.out)
    assert found["index"][0][2] == "Hello."
    assert found["page"][0][0] == "clients"
    assert "other" not in found
    after = loaded(done.out)["search"]
    assert after[0] != before[0]
    assert after[1:] == before[1:]
