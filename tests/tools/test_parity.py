"""A difference of each kind between the two languages is found and both places are named."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parity import compare, differences, facts_of, main

ROOT = Path(__file__).resolve().parents[2]

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

With :math:`p` and :math:`1 - p`, where :math:`x \text{ is a
word}` and ``p = 0.5`` in the ``code``.

.. list-table:: Of :math:`s`

   * - :math:`\gamma`
"""

TRANSLATED = (
    PAGE.replace("Title\n=====", "标题\n====")
    .replace("Part\n----", "一节\n----")
    .replace("Words, :footcite:t:`first` and :footcite:t:`second`", "文字 :footcite:t:`second` 与")
    .replace("与, with :claim:`speed`", "与 :footcite:t:`first`，:claim:`speed`")
    .replace("if {this} holds", "若")
    .replace("Named", "名字")
    .replace("A remark", "注")
    .replace("With :math:`p` and :math:`1 - p`", "概率:math:`1 - p`与:math:`p`，``其他``")
    .replace("is a\nword", "是")
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


DESCRIPTION = r"""
call = 'FedPD(s=1.0, p=0.3)'

[en]
name = '``FedPD``'
theory = 'with :math:`s` small, ``p = 0`` and :claim:`speed`'

[en.convergence]
'With skipping' = '''
to :math:`x`
or :math:`y`'''

[zh]
name = '``FedPD``'
theory = '若``p = 0``且:math:`s` 小，则 :claim:`speed`'

[zh.convergence]
'跳步时' = '到 :math:`y`或:math:`x`'
"""

FORMULAS = r"""
costs \$5, `$x$` is code and `s=1` a value, $p$
and $1 - p$
$$z = 1$$
```
$y$
```
\begin{align}
u = v
\end{align}
"""


def notebook(prose: str) -> dict:
    code = {"cell_type": "code", "id": "b2", "execution_count": 1, "metadata": {"tags": ["t"]}}
    output = {"output_type": "stream", "name": "stdout", "text": ["2\n"]}
    cells = [
        {"cell_type": "markdown", "id": "a1", "metadata": {}, "source": [prose, FORMULAS]},
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
    (tmp_path / "docs" / "descriptions").mkdir()
    (tmp_path / "docs" / "descriptions" / "fedpd.toml").write_text(DESCRIPTION, "utf-8")
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
        ("`1 - p`", "`p`", "formula in section 2", 40),
        ("`x ", "`-x ", "formula in section 2", 40),
        ("p = 0.5", "p = 0.4", "literal in section 2", 41),
        ("`s`", "`1/s`", "formula in section 2", 43),
        (r"\gamma", "s", "formula in section 2", 45),
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
        ("print(1 + 1)", "print(2)", "code cell's source", 14),
        ("2\\n", "3\\n", "code cell's outputs", 14),
        ('"t"', '"u"', "code cell's metadata", 14),
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


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("$p$", "$1 - p$", "formula"),
        ("$1 - p$", "$p$", "formula"),
        ("$$z = 1$$", "$$z = 2$$", "formula"),
        ("$$z = 1$$", "$z = 1$", "formula"),
        ("u = v", "u = - v", "formula"),
        ("`s=1`", "`s=2`", "literal"),
    ],
)
def test_a_difference_of_formulas_in_cells_is_found(
    book: Path, old: str, new: str, kind: str
) -> None:
    path = book / "notebooks" / "zh" / "run.ipynb"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    assert all(f": {kind} in cell a1 " in each for each in differences(book))
    assert differences(book)


def test_the_formulas_of_a_cell_may_change_places(book: Path) -> None:
    path = book / "notebooks" / "zh" / "run.ipynb"
    swapped = path.read_text("utf-8").replace("$p$", "$?$").replace("$1 - p$", "$p$")
    path.write_text(swapped.replace("$?$", "$1 - p$"), "utf-8")
    assert differences(book) == []


def test_both_places_of_a_formula_are_named(book: Path) -> None:
    page = book / "docs" / "zh" / "page.rst"
    flipped = page.read_text("utf-8").replace("与:math:`p`", "与\n:math:`2 - p`")
    page.write_text(flipped, "utf-8")
    places = "docs/en/page.rst:40 and docs/zh/page.rst:41"
    assert differences(book) == [f"{places}: formula in section 2 'p' against '2 - p'"]


def test_a_formula_in_a_caption_counts(book: Path) -> None:
    block = book / "docs" / "zh" / "_algo_pcode" / "block.rst"
    text = block.read_text("utf-8")
    block.write_text(text.replace("{Block}", "{Block $x$}"), "utf-8")
    (found,) = differences(book)
    assert "formula in caption nothing against 'x'" in found


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "且:math:`s`",
            "",
            ":6 and docs/descriptions/fedpd.toml:1: formula of theory 's' against",
        ),
        (
            "若``p = 0``",
            "若``p = 1``",
            ":6 and docs/descriptions/fedpd.toml:15: literal of theory ",
        ),
        (
            ":claim:`speed`'\n\n[zh.",
            "'\n\n[zh.",
            ":6 and docs/descriptions/fedpd.toml:1: claim of",
        ),
        (
            "或:math:`x`",
            "",
            ":10 and docs/descriptions/fedpd.toml:18: formula of convergence 1 'x'",
        ),
        ("theory = '若", "theories = '若", ": text 'theory' against 'theories'"),
    ],
)
def test_a_difference_in_a_description_is_found(book: Path, old: str, new: str, fault: str) -> None:
    path = book / "docs" / "descriptions" / "fedpd.toml"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    found = "\n".join(differences(book))
    assert fault in found


REAL = ("docs/{}/algorithms/skipping.rst", "docs/{}/_exercises/primal_dual.rst")
REAL += ("notebooks/{}/fedpd_skip_probability.ipynb",)


def flips(text: str, pattern: str) -> Iterator[str]:
    """The text with one formula after the other changed: p becomes 1 - p and 1 - p becomes p."""
    for found in re.finditer(pattern, text, re.DOTALL):
        tex = found[1].removeprefix("1 - ") if found[1].startswith("1 - ") else f"1 - {found[1]}"
        yield text[: found.start(1)] + tex + text[found.end(1) :]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", REAL)
def test_every_planted_flip_on_a_real_page_is_found(
    tmp_path: Path, name: str, language: str
) -> None:
    """The page against itself, so that whatever else differs today does not count."""
    page = ROOT / name.format(language)
    original, text = facts_of(page), page.read_text("utf-8")
    copy = tmp_path / page.name
    planted = 0
    for changed in flips(text, r":math:`(.+?)`" if page.suffix == ".rst" else r"\$([^$\n]+)\$"):
        copy.write_text(changed, "utf-8")
        found = list(compare(["there", "here"], [original, facts_of(copy)]))
        assert found, changed
        planted += all(": formula in " in each for each in found)
    assert planted > 20


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
