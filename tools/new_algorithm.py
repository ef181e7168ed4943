"""Begin an algorithm: write its block pair, module, transcription, description and chapter.

What lies in tools/stubs is copied to the same place in the project, with the algorithm's name.
Wherever something is to be filled in, a stub says TODO.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUBS = ROOT / "tools" / "stubs"
NEXT = """
Fill in what says TODO, and besides
  - import {cls} in fl_algos/__init__.py, and name it in __all__ there;
  - name algorithms/{name} in the toctree of docs/en/index.rst and of docs/zh/index.rst,
    or move the two chapters' text into others, and remove them.
CONTRIBUTING.md says how, and shows it for FedAvgM. What is left to do fails by its name:
  pytest tests/test_algorithms.py tests/test_pseudocode.py -k {name}
"""


class Refused(Exception):
    """The name won't do."""


def names(given: str) -> tuple[str, str]:
    """The module and the class: ``FedNew`` and ``fednew`` are names of a file fednew.py."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", given):
        raise Refused(f"NAME is {given!r}: letters and digits are expected, as in NAME=FedNew")
    return given.lower(), given if given != given.lower() else given.capitalize()


def written(root: Path, name: str, cls: str) -> list[Path]:
    """Write the stubs, unless one of the files is there."""
    stubs = sorted(STUBS.rglob("NAME.*"))
    targets = [root / path.relative_to(STUBS).with_stem(name) for path in stubs]
    for target in targets:
        if target.exists():
            raise Refused(f"{target.relative_to(root)} is there already")
    for stub, target in zip(stubs, targets, strict=True):
        text = stub.read_text("utf-8")
        target.write_text(text.replace("CLASS", cls).replace("NAME", name), "utf-8")
    return targets


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the stubs, and say what is to be done."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name")
    try:
        name, cls = names(parser.parse_args(arguments).name)
        targets = written(ROOT, name, cls)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    print("Written:", *(f"  {target.relative_to(ROOT)}" for target in targets), sep="\n")
    print(NEXT.format(name=name, cls=cls), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
