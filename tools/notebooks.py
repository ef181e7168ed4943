"""Run the English notebooks, store their outputs, and give the Chinese ones the same code cells.

What is stored depends on the code alone: run it twice, and the files are the same to the byte. The
numbers that the book states are compared with notebooks/claims.json, or with --claims written anew.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from nb.kernel import kernel_config  # noqa: E402
from nb.pool import SECONDS_PER_CELL, side_by_side  # noqa: E402

# What differs from one run or one machine to the next, and says nothing about the results.
VOLATILE_OF_CELL = ("execution", "ExecuteTime")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}


class Mismatch(Exception):
    """Two notebooks that are to have the same cells have not."""


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run all cells from top to bottom in a fresh kernel of this very Python."""
    # Only the environment's own kernel will do, not one of the same name in the home folder.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name=KERNEL["name"],
        resources={"metadata": {"path": str(folder)}},
        config=kernel_config(),
    ).execute()


def tidy(notebook: NotebookNode) -> None:
    """Drop what is volatile, and join the pieces in which a stream happened to arrive."""
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["language_info"] = dict(LANGUAGE)
    for cell in notebook.cells:
        for name in VOLATILE_OF_CELL:
            cell.metadata.pop(name, None)
        if cell.cell_type == "code":
            cell.outputs = join_streams(cell.outputs)


def join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring pieces of one stream."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == "stream" and last.get("name") == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def check_kinds(one: NotebookNode, other: NotebookNode, names: str) -> None:
    """Refuse two notebooks whose cells do not line up."""
    kinds = [[cell.cell_type for cell in notebook.cells] for notebook in (one, other)]
    for position, (left, right) in enumerate(zip(*kinds, strict=False), 1):
        if left != right:
            raise Mismatch(f"{names}: cell {position} is {left} in the one, {right} in the other")
    if len(kinds[0]) != len(kinds[1]):
        raise Mismatch(f"{names}: {len(kinds[0])} cells in the one, {len(kinds[1])} in the other")


def share_code(source: NotebookNode, twin: NotebookNode) -> None:
    """Give the twin the identities of all cells and the whole code cells; its prose stays."""
    for position, cell in enumerate(source.cells):
        if cell.cell_type == "code":
            twin.cells[position] = NotebookNode(cell)
        else:
            twin.cells[position].id = cell.id


def refresh(source: Path, twin: Path) -> None:
    """Run one notebook, and write it and its twin in the other language."""
    names = f"{source} and {twin}"
    if not twin.is_file():
        raise Mismatch(f"{names}: the second is missing; write it first, as a translation")
    notebook, translation = (nbformat.read(path, as_version=4) for path in (source, twin))
    check_kinds(notebook, translation, names)
    execute(notebook, source.parent)
    tidy(notebook)
    share_code(notebook, translation)
    tidy(translation)
    nbformat.write(notebook, source)
    nbformat.write(translation, twin)


def refresh_all(folder: Path) -> None:
    """Refresh all notebooks, side by side."""
    sources = sorted((folder / "en").glob("*.ipynb"))
    done = side_by_side(lambda source: refresh(source, folder / "zh" / source.name), sources)
    for source, _ in zip(sources, done, strict=True):
        print(f"{source.relative_to(folder)} is done", flush=True)


def write_claims(folder: Path) -> None:
    """Refresh all notebooks, and write what they claim to claims.json."""
    with tempfile.TemporaryDirectory() as temporary:
        record = Path(temporary) / "claims.jsonl"
        record.touch()
        os.environ["FL_ALGOS_CLAIMS_RECORD"] = str(record)
        refresh_all(folder)
        claims = gathered(record.read_text("utf-8"))
    text = json.dumps(claims, indent=1, sort_keys=True)
    (folder / "claims.json").write_text(text + "\n", "utf-8")


def gathered(lines: str) -> dict[str, dict[str, float]]:
    """The claims by their keys; twice the same key is refused unless it says the same."""
    claims: dict[str, dict[str, float]] = {}
    for line in lines.splitlines():
        ((key, entry),) = json.loads(line).items()
        if claims.setdefault(key, entry) != entry:
            raise Mismatch(f"claim {key!r} is made twice: {claims[key]} and {entry}")
    return claims


def main(arguments: Sequence[str] | None = None) -> int:
    """Refresh all notebooks of the book, with --claims the numbers that it states, too."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--claims", action="store_true", help="write claims.json anew")
    work = write_claims if parser.parse_args(arguments).claims else refresh_all
    try:
        work(ROOT / "notebooks")
    except Mismatch as mismatch:
        print(mismatch, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
