"""The numbers that the book states: each comes from a notebook and is compared at every run.

They are kept in ``notebooks/claims.json``. ``make claims`` runs the notebooks and writes it anew.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

from fl_algos import _checks

__all__ = ["ClaimFailed", "claim", "tolerance"]

PLACES = ("claims.json", "../claims.json")
"""Where the file lies, seen from the folder of a notebook."""


class ClaimFailed(AssertionError):
    """A run gives another number than the book states."""


def claim(key: str, value: float, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Compare a number with the one that the book states under this key.

    The role ``claim`` prints the stated number in the book, with as many digits as the
    tolerance justifies. The file is the one that the environment variable FL_ALGOS_CLAIMS names,
    or ``claims.json`` beside the notebook or in the folder above. Where there is none, as with a
    notebook that was downloaded alone, nothing is compared.

    Args:
        key: its name, e.g. "proxskip-communications-kappa-1e4".
        value: what the run gave, a finite number.
        rtol: tolerance as a share of the stated number, >= 0.
        atol: absolute tolerance, >= 0. With both 0 the number has to be the same.

    Raises:
        ClaimFailed: the number is not the stated one, or the tolerance is another.
        FileNotFoundError: there is no file of the name in FL_ALGOS_CLAIMS.
        KeyError: the book states no number under this key.
        ValueError: value is not a finite number, or a tolerance is negative.

    >>> claim("an-example", 12.0, rtol=0.1)
    """
    number = _checks.finite("value", value)
    entry = {
        "value": number,
        "rtol": _checks.non_negative("rtol", rtol),
        "atol": _checks.non_negative("atol", atol),
    }
    if record := os.environ.get("FL_ALGOS_CLAIMS_RECORD"):
        with Path(record).open("a", encoding="utf-8") as file:
            file.write(json.dumps({key: entry}) + "\n")
    elif (stated := _stated()) is not None:
        if key not in stated:
            raise KeyError(f"{key!r} is not in claims.json: run `make claims`")
        _compare(key, entry, stated[key])


def _stated() -> dict[str, dict[str, float]] | None:
    named = os.environ.get("FL_ALGOS_CLAIMS")
    if named and not Path(named).is_file():
        raise FileNotFoundError(f"FL_ALGOS_CLAIMS = {named!r}: there is no such file")
    for path in map(Path, (named,) if named else PLACES):
        if path.is_file():
            claims: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8"))
            return claims
    return None


def _compare(key: str, found: dict[str, float], stated: dict[str, float]) -> None:
    if (found["rtol"], found["atol"]) != (stated["rtol"], stated["atol"]):
        raise ClaimFailed(f"{key}: the tolerance has changed: run `make claims`")
    if not math.isclose(found["value"], stated["value"], rel_tol=0, abs_tol=tolerance(stated)):
        raise ClaimFailed(f"{key}: the book states {stated['value']}, the run {found['value']}")


def tolerance(entry: dict[str, float]) -> float:
    """By how much a run may differ from the number of an entry of claims.json.

    Args:
        entry: with the keys "value", "rtol" and "atol".
    """
    return entry["rtol"] * abs(entry["value"]) + entry["atol"]
