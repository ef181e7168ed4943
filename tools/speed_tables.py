"""Write the tables of the page on speed from what `make bench` and `make peers` have measured.

A table is a file of comma-separated values without words of a language: the page has the heads.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "speed"
TIMES = "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}"
PLAIN = ("loop", "stacked", "torch")
PACKAGE = ("blocks", "fused")
Results = dict[str, Any]
Row = list[str]


def write() -> None:
    """Write all tables anew."""
    bench, peers = (
        json.loads((FOLDER / f"{name}.json").read_text()) for name in ("bench", "peers")
    )
    for name, rows in tables(bench, peers["peers"]).items():
        with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def measured(name: str) -> Results:
    """What `make bench` or `make peers` has measured."""
    return dict(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))


def tables(bench: Results, peers: Results) -> dict[str, list[Row]]:
    """The rows of each table."""
    former, present = bench["costs"]["former"], bench["costs"]["present"]
    return {
        "machine": [facts(bench["machine"])],
        "gradients": list(map(gradient, bench["gradients"])),
        "growth": list(map(growth, bench["growth"])),
        "rounds": list(map(rounds, bench["rounds"])),
        "proximal": list(proximal(bench["passes"], former["proximal"], present["proximal"])),
        "participation": list(participation(former["participation"], present["participation"])),
        "records": list(records(former["records"], present["records"])),
        "unequal": list(unequal(former["unequal"], present["unequal"])),
        "start": list(start(bench["start"])),
        "peers_machine": [facts(peers["machine"])],
        "peers": list(map(peer, peers["figures"])),
    }


def digits(x: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def case(row: Results) -> str:
    """The sizes of a case."""
    return TIMES.join(str(row[name]) for name in "Knd")


def megabytes(bytes_: float) -> str:
    """The number of megabytes."""
    return digits(bytes_ / 1e6)


def facts(found: Results) -> Row:
    """What the figures hold for: processor, cores, system, load, Python, NumPy, numba, torch."""
    names = ("processor", "cores", "system", "load", "Python", "numpy", "numba", "torch")
    return [str(found[name]) for name in names]


def gradient(row: Results) -> Row:
    """The limit, the share of it that each alternative reaches, and what the compiled one gains."""
    seconds = row["seconds"]
    limit, compiled = seconds["limit"], seconds["fused"]
    shares = [digits(limit / seconds[name]) for name in (*PLAIN, *PACKAGE)]
    gain = digits(min(seconds[name] for name in PLAIN) / compiled)
    bits = row["dtype"].removeprefix("float")
    return [case(row), row["loss"], bits, digits(1 / limit), *shares, gain]


def growth(row: Results) -> Row:
    """Microseconds, and for the compiled kernel nanoseconds for each number of the samples."""
    seconds, numbers = row["seconds"], row["K"] * row["n"] * row["d"]
    times = [digits(seconds[name] * 1e6) for name in ("stacked", *PACKAGE)]
    return [case(row), *times, digits(seconds["fused"] / numbers * 1e9)]


def rounds(row: Results) -> Row:
    """Microseconds for a round: by hand, by `run`, the ratio of these, with metrics."""
    hand, run, metrics = (
        row["seconds"][name] / row["rounds"] * 1e6 for name in ("by hand", "run", "with metrics")
    )
    figures = [digits(x) for x in (hand, run, run / hand, metrics)]
    return [row["algorithm"], str(row["rounds"]), *figures]


def proximal(passes: list[Results], *calls: list[Results]) -> Iterator[Row]:
    """Passes from a cold and a warm start; the time in gradients, formerly and now."""
    for row, *times in zip(passes, *calls, strict=True):
        steps = [digits(row[name]) for name in ("cold", "warm")]
        yield [case(row), f"{row['factor']:g}", *steps, *(digits(each["calls"]) for each in times)]


def participation(*versions: list[Results]) -> Iterator[Row]:
    """Microseconds and kilobytes of a round, each formerly and now."""
    for old, new in zip(*versions, strict=True):
        times = [digits(each["seconds"] * 1e6) for each in (old, new)]
        memory = [digits(each["bytes"] / 1e3) for each in (old, new)]
        yield [str(old["K"]), str(old["batch_size"] or "–"), *times, *memory]


def records(*versions: list[Results]) -> Iterator[Row]:
    """Megabytes of the samples, and of a run with two records, formerly and now."""
    for old, new in zip(*versions, strict=True):
        yield [case(old), *map(megabytes, (old["samples"], old["bytes"], new["bytes"]))]


def unequal(*versions: list[Results]) -> Iterator[Row]:
    """Megabytes, and the time against that of equal clients, each formerly and now."""
    for old, new in zip(*versions, strict=True):
        memory = [megabytes(each["bytes"]) for each in (old, new)]
        times = [digits(each["skewed"] / each["equal"]) for each in (old, new)]
        yield [old["task"], *memory, *times]


def start(seconds: dict[str, float]) -> Iterator[Row]:
    """Milliseconds for an import, and how many times those of NumPy."""
    for module, each in seconds.items():
        yield [module, digits(each * 1e3), digits(each / seconds["numpy"])]


def peer(row: Results) -> Row:
    """Rounds per second with another framework and with the package, and how many times as many."""
    theirs, ours = (row["rounds per second"][each] for each in ("framework", "fl_algos"))
    name = f"{row['framework']} {row['version']} + {row['with']}"
    return [name, case(row), *map(digits, (theirs, ours, ours / theirs))]


if __name__ == "__main__":
    write()
