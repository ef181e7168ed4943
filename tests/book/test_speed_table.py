"""The page on speed shows what was measured, and every case of it."""

from __future__ import annotations

import json

import pytest

import bench
import measure
from speed_table import CHINESE, ENGLISH, TIMES, VIEWS, digits
from support.mini import build

RESULTS = json.loads(bench.RESULTS.read_text("utf-8"))


def test_every_case_is_measured():
    found = {(r["K"], r["n"], r["d"], r["loss"], r["dtype"]) for r in RESULTS["gradients"]}
    losses = ("logistic", "squares")
    assert found == {(*c, loss, t) for c in bench.CASES for loss in losses for t in bench.DTYPES}
    assert len(RESULTS["growth"]) == len(bench.BASE) * len(bench.FACTORS)
    assert {"processor", "cores", "Python", "numpy", "numba", "torch"} <= set(RESULTS["machine"])


def test_every_framework_is_measured():
    peers = json.loads(measure.RESULTS.read_text("utf-8"))["peers"]
    found = [(row["framework"], row["K"], row["n"], row["d"]) for row in peers["figures"]]
    names = measure.FRAMEWORKS.values()
    assert found == [(name, *case) for name in names for case in measure.CASES]
    assert {"processor", "cores", "Python", "numpy", "numba"} <= set(peers["machine"])


def test_the_figures_are_shares_of_the_limit_and_ratios():
    names = ("limit", "loop", "stacked", "torch", "blocks", "fused")
    seconds = dict(zip(names, (0.004, 0.04, 0.02, 0.016, 0.008, 0.005), strict=True))
    row = {"K": 1000, "n": 50, "d": 2, "loss": "squares", "dtype": "float32", "seconds": seconds}
    _, found = VIEWS["gradients"]({"gradients": [row]}, ENGLISH)
    assert found[0].split() == ["1000", "×", "50", "×", "2"]
    assert found[1:] == [
        "squares",
        "32",
        "250",
        "0.10",
        "0.20",
        "0.25",
        "0.50",
        "0.80",
        "3.20",
    ]
    assert [digits(x) for x in (0.1234, 12.34, 1234.5)] == ["0.12", "12.3", "1234"]


def test_a_gpu_has_a_table_and_none_a_sentence():
    row = {"K": 2, "n": 3, "d": 4, "dtype": "float64", "seconds": {"limit": 0.5, "torch": 1.0}}
    _, found = VIEWS["gpu"]({"gpu": {"name": "Some", "gradients": [row]}}, ENGLISH)
    assert found == [f"Some: 2{TIMES}3{TIMES}4", "64", "2.00", "0.50"]
    assert VIEWS["gpu"]({"gpu": None}, CHINESE) == CHINESE["no gpu"]


@pytest.mark.parametrize(("words", "unit"), [(ENGLISH, ", rounds/s"), (CHINESE, "（轮/秒）")])
def test_other_frameworks_have_their_rate_and_how_many_times_it_is_ours(words, unit):
    row = {"framework": "Some", "version": "1.2", "with": "jax 3", "K": 2, "n": 3, "d": 4}
    row["rounds per second"] = {"framework": 0.25, "fl_algos": 500.0}
    heads, found = VIEWS["peers"]({"peers": {"figures": [row]}}, words)
    assert found == ["Some 1.2 + jax 3", f"2{TIMES}3{TIMES}4", "0.25", "500", "2000"]
    assert heads[2:] == [words["framework"] + unit, "fl_algos" + unit, words["over framework"]]


def test_chinese_units_and_punctuation():
    row = {"K": 2, "n": 3, "d": 4, "dtype": "float64", "seconds": {"limit": 0.5, "torch": 1.0}}
    _, found = VIEWS["gpu"]({"gpu": {"name": "Some", "gradients": [row]}}, CHINESE)
    assert found[0] == f"Some：2{TIMES}3{TIMES}4"
    heads, *_ = VIEWS["growth"]({"growth": []}, CHINESE)
    assert all(head.endswith("（微秒）") for head in heads[1:-1])
    machine = VIEWS["machine"]({"machine": {"cores": 2, "numpy": "2.0"}}, CHINESE)
    assert machine == "核数：2；numpy：2.0。"
    assert VIEWS["peers_machine"]({"peers": {"machine": {"cores": 2}}}, CHINESE) == "核数：2。"


def test_ratios_are_written_out_in_chinese():
    """In English a ratio is "a : b"; in Chinese such a head reads as a label and its value."""
    views = {"gradients": [], "rounds": [], "start": {}, "peers": {"figures": []}}
    for view in views:
        (heads,) = VIEWS[view](views, CHINESE)
        assert not [head for head in heads if ":" in head]
        assert sum(head.endswith("之比") for head in heads) == 1


def test_both_languages_have_a_word_for_everything():
    assert set(CHINESE) == set(ENGLISH)


def pages(view):
    page = f"Speed\n=====\n\n.. speed-table:: {view}\n"
    return {
        "docs/bench.json": bench.RESULTS.read_text("utf-8"),
        "docs/peers.json": measure.RESULTS.read_text("utf-8"),
        "docs/en/index.rst": page,
        "docs/zh/index.rst": page,
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_has_the_tables(tmp_path, language):
    files = pages("machine")
    for view in VIEWS:
        for tree in ("en", "zh"):
            files[f"docs/{tree}/index.rst"] += f"\n.. speed-table:: {view}\n"
    result = build(tmp_path, files, language)
    assert result.returncode == 0, result.warnings
    html = (result.out / "index.html").read_text("utf-8")
    assert RESULTS["machine"]["processor"] in html
    words = ENGLISH if language == "en" else CHINESE
    assert all(words[name] in html for name in ("gain", "over framework"))


def test_an_unknown_table_is_an_error(tmp_path):
    result = build(tmp_path, pages("speed"))
    assert result.returncode != 0
    assert '"speed" unknown; choose from "machine", "gradients"' in result.warnings
    assert "[speed_table]" in result.warnings
