"""No number of the book's prose is typed, and the tool that says so finds those that are."""

from __future__ import annotations

import pytest

import typed_numbers as tool


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It took 37 communications, not 1,300 or 0.43.", ["37", "1300", "0.43"]),
        ("停滞在 37 次通信之后。", ["37"]),
        ("An error of 1.2e-7, or .43 of it", ["1.2e-7", ".43"]),
        ("Ten clients, 5 steps, 100 rounds, 0.5 and 1000", []),
        ("As :footcite:t:`zhang2020fedpd` wrote in 2021, and in 1998.", []),
        ("In line 17, and lines 16, 17 or 18; 第 17 行，第 16、17 或 18 行", []),
        ("With :math:`K = 25` and ``rounds=250``: :claim:`some-key-12` of :given:`36`", []),
        ("In a notebook $K = 25$, $$x = 12$$, `n = 569` and [a link](page-12.html)", []),
        ("Python 3.11 and E12, SHA256", ["3.11"]),
    ],
)
def test_numbers_of_two_significant_digits_are_found(text, numbers):
    assert tool.typed_numbers(text) == numbers


def test_only_prose_is_looked_at():
    page = """
A title with 11
===============

.. _label-12:

Prose with 13,
over two lines: 14.

.. math::
   :label: fifteen

   x = 15

   y = 16

.. a comment: 17
   18

.. note:: A remark with 19

   and 20 or 21.

.. figure:: page.png
   :alt: A picture of 23 lines
      and 24 points
   :width: 250

   A caption of 25 words.

:Field: of 31 words

>>> 32 + 33
65

- 34 in a list
"""
    found = [
        number for _, text in tool.paragraphs_of_page(page) for number in tool.typed_numbers(text)
    ]
    assert found == ["11", "13", "14", "19", "21", "23", "24", "25", "31", "34"]


def test_descriptions_are_prose_but_for_their_calls(tmp_path):
    path = tmp_path / "fednew.toml"
    words = "theory = 'linear in {} rounds'\n[{}.convergence]\n'if 13 of {}' = '{}, :math:`16`'\n"
    english = "[en]\n" + words.format(11, "en", 14, 15)
    path.write_text("call = 'FedNew(gamma=0.25)'\n" + english + "[zh]\nname = '21'\n")
    found = [(place, tool.typed_numbers(text)) for place, text in tool.paragraphs(path)]
    assert [(place.rpartition(", ")[2], *numbers) for place, numbers in found] == [
        *[("en.theory", "11"), ("en.condition 1", "13", "14"), ("en.convergence 1", "15")],
        ("zh.name", "21"),
    ]


def test_the_book_has_none(capsys):
    assert tool.main() == 0, capsys.readouterr().out
