"""Chinese text has no spaces of its own, English text and formulas keep theirs."""

from __future__ import annotations

import re

import pytest

from support.mini import build

PAGE = """\
首页
====

.. _here:

第一行，
第二行接着 *强调* 与 :ref:`链接 <here>` 相连，见 ``代 码`` 与 Latin text
和 :math:`x` 之后。其中 ``a`` 是 ``b``，``c`` 是 *丙* 的。
"""


LINKS = """\
首页
====

见 :doc:`another` 与 :numref:`the-table` 等处，以及 :doc:`English <another>` 等。

.. _the-table:

.. list-table:: 一张表

   * - 甲

.. image:: picture.png
   :alt: 一幅图，
      第二行，L = 1 时
      第三行 a
      b

.. toctree::

   another
"""


def paragraph(tmp_path, language):
    done = build(tmp_path, {"docs/en/index.rst": PAGE}, language)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    text = re.search(r"<p[^>]*>(第一行.*?)</p>", html, re.DOTALL)[1]
    return re.sub(
        r"<[^>]*>", "", re.sub(r'(?s)<span class="math.*</span>(?= 之后)', "FORMULA", text)
    )


def test_the_chinese_book_closes_up(tmp_path):
    assert paragraph(tmp_path, "zh") == (
        "第一行，第二行接着强调与链接相连，见 代 码 与 Latin text\n"
        "和 FORMULA 之后。其中 a 是 b，c 是丙的。"
    )


def test_the_english_book_is_left_alone(tmp_path):
    assert "第一行，\n第二行接着 强调 与" in paragraph(tmp_path, "en")


@pytest.fixture
def book_with_links(tmp_path):
    files = {"docs/zh/index.rst": LINKS, "docs/zh/another.rst": "另一页\n======\n"}
    files |= {"docs/zh/picture.png": "", "docs/en/picture.png": ""}
    done = build(tmp_path, files, "zh")
    assert (done.returncode, done.warnings) == (0, "")
    return (done.out / "index.html").read_text(encoding="utf-8")


def test_links_whose_text_comes_from_elsewhere_close_up(book_with_links):
    text = re.search(r"<p[^>]*>(见.*?)</p>", book_with_links, re.DOTALL)[1]
    closed = "见另一页与表 1 等处，以及 English 等。"
    assert re.sub(r"<[^>]*>", "", text).replace("\N{NO-BREAK SPACE}", " ") == closed


def test_alternative_texts_close_up(book_with_links):
    alt = re.search(r'<img alt="([^"]*)"', book_with_links)[1]
    assert " ".join(alt.split()) == "一幅图，第二行，L = 1 时第三行 a b"
