"""The table of an algorithm in brief says what its description says, and who takes part."""

from __future__ import annotations

import re

import pytest

from support.mini import build

DESCRIPTION = """
call = '{}'

[en]
name = '``FedNew``'
sends = 'its model'
keeps = ':math:`c_k`'
hyperparameters = ':math:`\\gamma`'
theory = 'to the solution'

[zh]
name = '``FedNew``'
sends = '它的模型'
keeps = ':math:`c_k`'
hyperparameters = ':math:`\\gamma`'
theory = '收敛到解'

[zh.convergence]
'全体参与时' = '''
收敛到解，
且是线性的'''
'部分参与时' = '只收敛到一个邻域'
"""


def texts(tmp_path, language, call, name="fednew"):
    """The warnings, and the words of the table."""
    page = f"Page\n====\n\n.. quick-facts:: {name}\n"
    files = {f"docs/{language}/index.rst": page}
    files["docs/descriptions/fednew.toml"] = DESCRIPTION.format(call)
    done = build(tmp_path, files, language, "text")
    return done.warnings, (done.out / "index.txt").read_text(encoding="utf-8")


def test_in_english(tmp_path):
    warnings, text = texts(tmp_path, "en", "FedAvg(gamma=0.5)")
    assert warnings == ""
    assert '"FedNew" in brief' in text
    words = [*("sends", "its model", "keeps", "c_k", "takes part", "clients drawn in each round")]
    words += [*("Hyperparameters", r"\gamma", "Convergence", "to the solution")]
    assert re.search(".*".join(map(re.escape, words)), text, re.DOTALL)


def test_in_chinese(tmp_path):
    warnings, text = texts(tmp_path, "zh", "FedPD(s=1.0)")
    assert warnings == ""
    words = [*("概览", "它的模型", "所有子节点都参与", "全体参与时", "收敛到解，", "且是线性的")]
    words += [*("部分参与时", "只收敛到一个邻域")]
    assert re.search(".*".join(words), text, re.DOTALL)
    assert "收敛性" not in text


@pytest.mark.parametrize(
    ("call", "name", "message"),
    [
        ("FedAvg(gamma=0.5)", "fedold", "fedold.toml"),
        ("FedNew(gamma=0.5)", "fednew", "fl_algos exports no FedNew"),
        ("FedAvg", "fednew", "a call with keyword arguments is expected"),
    ],
)
def test_what_is_wrong_is_a_warning(tmp_path, call, name, message):
    warnings, _ = texts(tmp_path, "en", call, name)
    assert "index.rst:4: WARNING: quick-facts: " in warnings
    assert message in warnings
