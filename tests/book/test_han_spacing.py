"""Chinese text has no spaces of its own, English text and formulas keep theirs."""

from __future__ import annotations

import re

from mini import build

PAGE = """\
首页
====

.. _here:

第一行，
第二行接着 *强调* 与 :ref:`链接 <here>` 相连，见 ``代 码`` 与 Latin text
和 :math:`x` 之后。其中 ``a`` 是 ``b``，``c`` 是 *丙* 的。
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
