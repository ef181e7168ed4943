"""A difference of each kind between the two languages is found and both places are named."""

import json
from pathlib import Path

import pytest

from parity import differences, main

PAGE = r"""
.. _chapter:

Title
=====

Words, :footcite:t:`first` and :footcite:t:`second`, with :claim:`speed`.

.. math::
   :label: one

   x & = y \\ & \text{if {this} holds}

.. math:: z = 1

Part
----

>>> 1 + 1
2

.. code-block:: python

   a = 1

   b = 2

.. include:: ../_algo_pcode/block.rst

.. beside:: block
   :lines: 1-2

.. toctree::

   Named <other>
   another

.. note:: A remark

.. algorithm-table::

   :FedPD(s=1.0, p=0.3): a remark
"""

TRANSLATED = (
    PAGE.replace("Title\n=====", "标题\n====")
    .replace("Part\n----", "一节\n----")
    .replace("Words, :footcite:t:`first` and :footcite:t:`second`", "文字 :footcite:t:`second` 与")
    .replace("与, with :claim:`speed`", "与 :footcite:t:`first`，:claim:`speed`")
    .replace("if {this} holds", "若")
    .replace("Named", "名字")
    .replace("A remark", "注")
)

BLOCK = r"""
.. pcode::
   :linenos:

   \begin{algorithm}
   \caption{Block}
   \begin{algorithmic}
   \REQUIRE step $s > 0,$ start $x$
   \FOR{each round $t = 0, 1$}
       \STATE $x \gets y \text{ where it holds}$ \COMMENT{now $s$}
       \STATE send $x$
   \ENDFOR
   \end{algorithmic}
   \end{algorithm}
"""

TRANSLATED_BLOCK = (
    BLOCK.replace("step $s > 0,$ start", "步长 $s > 0$，初值")
    .replace("each round", "每一轮")
    .replace("where it holds", "若成立")
    .replace("now", "此时")
    .replace("send", "发送")
)


def notebook(prose: str) -> dict:
    code = {"cell_type": "code", "id": "b2", "execution_count": 1, "metadata": {"tags": ["t"]}}
    output = {"output_type": "stream", "name": "stdout", "text": ["2\n"]}
    cells = [
        {"cell_type": "markdown", "id": "a1", "metadata": {}, "source": [prose]},
        {**code, "source": ["print(1 + 1)"], "outputs": [output]},
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A small book whose languages agree."""
    pages = {"en": (PAGE, BLOCK, "Words"), "zh": (TRANSLATED, TRANSLATED_BLOCK, "文字")}
    for language, (page, block, prose) in pages.items():
        docs, notebooks = (tmp_path / name / language for name in ("docs", "notebooks"))
        (docs / "_algo_pcode").mkdir(parents=True)
        notebooks.mkdir(parents=True)
        (docs / "page.rst").write_text(page, "utf-8")
        (docs / "_algo_pcode" / "block.rst").write_text(block, "utf-8")
        (notebooks / "run.ipynb").write_text(json.dumps(notebook(prose), indent=1), "utf-8")
    return tmp_path


def test_languages_that_agree_have_no_difference(book: Path) -> None:
    assert differences(book) == []


@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        (".. _chapter:", ".. _chapters:", "label", 2),
        (".. _chapter:", "", "label", 2),
        ("----", "~~~~\n\n\u4e00\u5c0f\u8282\n^^^^", "heading", 16),
        ("`first`", "`third`", "citation", 7),
        ("`speed`", "`pace`", "claim", 7),
        ("x & = y", "x & = - y", "equation", 9),
        (":label: one", ":label: two", "equation", 9),
        ("z = 1", "z = 2", "equation", 14),
        (">>> 1 + 1", ">>> 1 + 2", "doctest", 19),
        ("   b = 2", "   b = 3", "code block", 22),
        ("block.rst", "blocks.rst", "directive", 28),
        (".. beside:: block", ".. beside:: blocks", "directive", 30),
        (":lines: 1-2", ":lines: 1-3", "directive", 30),
        ("<other>", "<others>", "directive", 33),
        (".. note::", ".. tip::", "directive", 38),
        ("s=1.0, p=0.3", "s=1.0, p=0.5", "directive", 40),
    ],
)
def test_a_difference_of_pages_is_found(
    book: Path, old: str, new: str, kind: str, line: int
) -> None:
    page = book / "docs" / "zh" / "page.rst"
    text = page.read_text("utf-8")
    assert old in text
    page.write_text(text.replace(old, new), "utf-8")
    found = differences(book)
    assert found[0].startswith(f"docs/en/page.rst:{line} and docs/zh/page.rst:")
    assert all(f": {kind} " in each for each in found)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("$s > 0$", "$s < 0$", 8),
        ("$t = 0, 1$", "$t = 1, 2$", 9),
        (r"$x \gets y", r"$x \gets - y", 10),
        ("$s$", "$t$", 10),
        (r"\STATE 发送", r"\RETURN 发送", 11),
        (r"       \STATE 发送 $x$" + "\n", "", 11),
    ],
)
def test_a_difference_of_pseudocode_is_found(book: Path, old: str, new: str, line: int) -> None:
    block = book / "docs" / "zh" / "_algo_pcode" / "block.rst"
    text = block.read_text("utf-8")
    assert old in text
    block.write_text(text.replace(old, new), "utf-8")
    found = differences(book)[0]
    place = "_algo_pcode/block.rst"
    assert found.startswith(f"docs/en/{place}:{line} and docs/zh/{place}:{line}: pseudocode line ")


@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        ("print(1 + 1)", "print(2)", "code cell's source", 13),
        ("2\\n", "3\\n", "code cell's outputs", 13),
        ('"t"', '"u"', "code cell's metadata", 13),
        ('"a1"', '"a2"', "cell", 5),
        ('"markdown"', '"raw"', "cell", 5),
    ],
)
def test_a_difference_of_notebooks_is_found(
    book: Path, old: str, new: str, kind: str, line: int
) -> None:
    path = book / "notebooks" / "zh" / "run.ipynb"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    (found,) = differences(book)
    place = f"notebooks/en/run.ipynb:{line} and notebooks/zh/run.ipynb:"
    assert found.startswith(place)
    assert f": {kind} " in found


def test_cells_in_another_order_are_found(book: Path) -> None:
    path = book / "notebooks" / "zh" / "run.ipynb"
    content = json.loads(path.read_text("utf-8"))
    content["cells"].reverse()
    path.write_text(json.dumps(content), "utf-8")
    assert any(": cell " in found for found in differences(book))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "name", ["docs/{}/page.rst", "docs/{}/_algo_pcode/block.rst", "notebooks/{}/run.ipynb"]
)
def test_a_missing_twin_is_found(book: Path, language: str, name: str) -> None:
    (book / name.format(language)).unlink()
    there, gone = (
        name.format(each) for each in (("zh", "en") if language == "en" else ("en", "zh"))
    )
    assert differences(book) == [f"{there}:1 has no twin: {gone}:1 is missing"]


def test_the_copies_of_notebooks_among_the_pages_do_not_count(book: Path) -> None:
    copy = book / "docs" / "en" / "notebooks" / "run.ipynb"
    copy.parent.mkdir()
    copy.write_text("{}")
    assert differences(book) == []


def test_a_difference_of_outlines_is_found_under_overlined_titles_too(book: Path) -> None:
    for language, below in (("en", "===="), ("zh", "----")):
        page = book / "docs" / language / "page.rst"
        page.write_text(f"====\nBook\n====\n\nPart\n{below}\n", "utf-8")
    assert differences(book) == []
    page.write_text("====\nBook\n====\n\nPart\n====\n\nPart\n----\n", "utf-8")
    assert len(differences(book)) == 1


def test_the_languages_of_this_book_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0, capsys.readouterr().out
