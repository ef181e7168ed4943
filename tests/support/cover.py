"""Cover and lock: each line of a block that does something stands in the code, once, in order.

A comment ``# 7`` says that a statement carries out line 7; ``# 7 3fa1c2`` in a literal
transcription adds the fingerprint of the TeX that was transcribed.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tokenize
from itertools import groupby
from typing import NamedTuple

from pcode.lines import Line

TAG = re.compile(r"#\s*(\d+(?:,\s*\d+)*)(?:\s+([0-9a-f]{6}(?:,\s*[0-9a-f]{6})*))?\s*$")


HEADING = re.compile(r"[:：]}?$")
"""How a line of text ends that only heads the lines below it."""


class Tag(NamedTuple):
    """A comment that names pseudocode lines."""

    row: int
    numbers: list[int]
    fingerprints: list[str]


def fingerprint(tex: str) -> str:
    """Six hex digits that change with the TeX."""
    return hashlib.sha256(tex.encode()).hexdigest()[:6]


def fingerprint_of_line(line: Line) -> str:
    """That of a line of a block, its keyword and its comment included."""
    return fingerprint(" ".join((line.keyword, line.text, line.comment or "")))


def silent(line: Line, literal: bool) -> bool:
    """Whether a line needs no code."""
    text = re.sub(r"^\$\\hspace\{[^}]*\}\$", "", line.text).strip()
    if line.keyword.startswith("END") or not text:
        return True  # the end of a loop; a comment on a line of its own
    if line.keyword == "STATE" and "$" not in text and HEADING.search(text):
        return True
    loops = line.keyword == "FOR" and re.search(r"\$(t|k)\s*(=|\\in)", line.text)
    return bool(loops) and not literal  # rounds are run's, clients are the stack's


def tags(source: str) -> list[Tag]:
    """All tags of a module, by row."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and (match := TAG.match(token.string)):
            numbers = [int(number) for number in match[1].split(",")]
            fingerprints = [x.strip() for x in (match[2] or "").split(",") if x]
            found.append(Tag(token.start[0], numbers, fingerprints))
    return found


def uncovered(
    block: dict[int, Line], source: str, functions: set[str], literal: bool = False
) -> list[str]:
    """What is wrong with the tags of these functions; an empty list if nothing is."""
    found = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name in functions
    ]
    missing = functions - {node.name for node in found}
    errors = [f"there is no function {name}" for name in sorted(missing)]
    tagged = {tag.row: tag.numbers for tag in tags(source)}
    numbers: list[int] = []
    for function in found:
        rows = range(function.lineno, (function.end_lineno or 0) + 1)
        numbers += [number for row in rows for number in tagged.get(row, [])]
        errors += [
            f"row {node.lineno} carries out no line: {ast.unparse(node).splitlines()[0]}"
            for node in ast.walk(function)
            if isinstance(node, ast.stmt)
            and node is not function
            and not _moves_names_only(node)
            and not any(row in tagged for row in _head(node))
        ]
    expected = [number for number, line in block.items() if not silent(line, literal)]
    once = [number for number, _ in groupby(numbers)]
    if once != expected:
        errors.append(f"the lines {expected} are expected in this order, {once} are there")
    return errors


def unlocked(block: dict[int, Line], source: str) -> list[str]:
    """The literal lines whose TeX is not the one that their fingerprint was taken of."""
    errors = []
    for tag in tags(source):
        now = [fingerprint_of_line(block[number]) for number in tag.numbers]
        if now != tag.fingerprints:
            expected = f"# {', '.join(map(str, tag.numbers))} {', '.join(now)}"
            errors.append(f"row {tag.row}: read the line again, then write {expected}")
    return errors


def _head(node: ast.stmt) -> range:
    """The rows of a statement without those of its body."""
    body = getattr(node, "body", None)
    end = body[0].lineno - 1 if body else (node.end_lineno or node.lineno)
    return range(node.lineno, max(end, node.lineno) + 1)


def _moves_names_only(node: ast.stmt) -> bool:
    """A docstring, unpacking, an empty dict, return or yield of names, State(names)."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    allowed = (ast.Assign, ast.Return, ast.Expr, ast.Yield, ast.Name, ast.Attribute, ast.Tuple)
    return all(
        isinstance(part, (*allowed, ast.Load, ast.Store))
        or (isinstance(part, ast.Dict) and not part.keys)
        or (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id == "State"
        )
        for part in ast.walk(node)
    )
