"""The page on speed shows what was measured, every case of it, with a head for each column."""

from __future__ import annotations

import csv
import re

import pytest

import bench
import bench_costs
import measure
import speed_tables
from support.mini import ROOT

BENCH, PEERS = speed_tables.measured("bench"), speed_tables.measured("peers")["peers"]
TABLES = speed_tables.tables(BENCH, PEERS)


@pytest.mark.parametrize("name", TABLES)
def test_the_files_are_those_of_what_was_measured(name):
    with (speed_tables.FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == TABLES[name]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_shows_each_with_a_head_for_each_column(language):
    page = (ROOT / "docs" / language / "speed.rst").read_text("utf-8")
    shown = re.findall(r":file: \.\./speed/(\w+)\.csv\n   :header: (.*)\n", page)
    assert {name for name, _ in shown} == set(TABLES)
    for name, head in shown:
        (heads,) = csv.reader([head], skipinitialspace=True)
        assert {len(row) for row in TABLES[name]} == {len(heads)}, name


def test_every_case_is_measured():
    found = {(r["K"], r["n"], r["d"], r["loss"], r["dtype"]) for r in BENCH["gradients"]}
    losses = ("logistic", "squares")
    assert found == {(*c, loss, t) for c in bench.CASES for loss in losses for t in bench.DTYPES}
    assert len(BENCH["growth"]) == len(bench.BASE) * len(bench.FACTORS)
    for version in BENCH["costs"].values():
        found = {(r["K"], r["n"], r["d"], r["factor"]) for r in version["proximal"]}
        cases, steps = bench_costs.PROXIMAL_CASES, bench_costs.PROXIMAL_STEPS
        assert found == {(*case, step) for case in cases for step in steps}
        assert {row["K"] for row in version["participation"]} == set(bench_costs.FEDERATIONS)


def test_every_framework_is_measured():
    found = [(row["framework"], row["K"], row["n"], row["d"]) for row in PEERS["figures"]]
    names = measure.FRAMEWORKS.values()
    assert found == [(name, *case) for name in names for case in measure.CASES]


def test_proximal_points_are_solved_and_keep_to_their_passes():
    for row in BENCH["passes"]:
        assert row["gradient"] <= 1e-12
        assert row["factor"] != 1 or row["cold"] <= 60


def test_there_was_no_gpu():
    """The page says so; a machine with one asks for a table."""
    assert BENCH["gpu"] is None


def test_the_figures_are_shares_of_the_limit_and_ratios():
    names = ("limit", "loop", "stacked", "torch", "blocks", "fused")
    seconds = dict(zip(names, (0.004, 0.04, 0.02, 0.016, 0.008, 0.005), strict=True))
    row = {"K": 1000, "n": 50, "d": 2, "loss": "squares", "dtype": "float32", "seconds": seconds}
    size, *found = speed_tables.gradient(row)
    assert size.split() == ["1000", "×", "50", "×", "2"]
    assert found == ["squares", "32", "250", "0.10", "0.20", "0.25", "0.50", "0.80", "3.20"]
    assert [speed_tables.digits(x) for x in (0.1234, 12.34, 1234.5)] == ["0.12", "12.3", "1234"]


def test_former_and_present_stand_side_by_side():
    old = [{"task": "L", "bytes": 7e9, "skewed": 3.0, "equal": 0.03}]
    new = [{"task": "L", "bytes": 9e6, "skewed": 0.02, "equal": 0.04}]
    assert list(speed_tables.unequal(old, new)) == [["L", "7000", "9.00", "100", "0.50"]]
