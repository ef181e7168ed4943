r"""Compare the two languages of the book: what has to be the same in both, and is not.

The prose differs, of course. The same in both have to be: the files; labels, headings' levels,
displayed equations, citations, claims, code, and what directives take in; the mathematics of the
pseudocode, line by line; the notebooks' code and outputs. A word inside `\text{...}` may differ.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from pcode_lines import statements  # noqa: E402 (it lies beside the extension that prints it)
from rst_lines import CALL, DIRECTIVE, OPTION, PROSE_OPTIONS  # noqa: E402
from tex_macros import group  # noqa: E402

LANGUAGES = ("en", "zh")

LABEL = re.compile(r"\.\. _([^:`]+):\s*$")
ROLE = re.compile(r":(foot(?:full)?cite[\w:]*|cite[\w:]*|claim|given):`([^`]+)`")
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,} *$")
TARGET = re.compile(r".*<([^>]+)>$")
WORDS = re.compile(r"\\(?:text|textrm|textnormal|mbox)\s*(?=\{)")
MATH = re.compile(r"(?<!\\)\$(.*?)(?<!\\)\$", re.DOTALL)

CODE = {"code", "code-block", "sourcecode", "doctest", "testcode", "testoutput", "testsetup"}
# Directives whose arguments are prose.
TITLED = {"admonition", "attention", "caution", "centered", "danger", "epigraph", "error", "hint"}
TITLED |= {"important", "note", "rubric", "seealso", "sidebar", "tip", "topic", "warning", "index"}
TITLED |= {"card", "csv-table", "dropdown", "grid-item-card", "list-table", "tab-item", "table"}


class Fact(NamedTuple):
    """Something on a line of a file that its twin must have too."""

    value: str
    line: int


Facts = dict[str, list[Fact]]


# --- pages ---------------------------------------------------------------------------------------


def page_facts(path: Path) -> Facts:
    """Collect the facts of a page by their kind, each kind in the order of the page."""
    lines = path.read_text("utf-8").splitlines()
    facts: Facts = defaultdict(list)
    facts["heading"] = list(headings(lines))
    for number, line in enumerate(lines, 1):
        if found := LABEL.match(line.strip()):
            facts["label"].append(Fact(found[1], number))
        if found := DIRECTIVE.match(line):
            add_directive(facts, found, number, lines[number:])
        for role, target in ROLE.findall(line):
            facts["citation" if "cite" in role else role].append(Fact(target, number))
        if line.lstrip().startswith((">>> ", "... ")):
            facts["doctest"].append(Fact(line.strip(), number))
    for kind in ("citation", "claim", "given"):  # another language may well need another order
        facts[kind].sort()
    return facts


def headings(lines: list[str]) -> Iterator[Fact]:
    """Give the level of each heading: styles of adornment count in the order of their use."""
    styles: list[tuple[str, bool]] = []
    for number in range(1, len(lines)):
        title, below = lines[number - 1], ADORNMENT.match(lines[number])
        above = lines[number - 2] if number > 1 else ""
        is_title = title.strip() and not ADORNMENT.match(title)
        overlined = bool(ADORNMENT.match(above)) and above.strip() == lines[number].strip()
        alone = not above.strip() and not title.startswith(" ")
        if below and is_title and (overlined or alone):
            style = (below[1], overlined)
            if style not in styles:
                styles.append(style)
            yield Fact(f"of level {styles.index(style) + 1}", number)


def add_directive(facts: Facts, found: re.Match[str], number: int, rest: list[str]) -> None:
    """Add what a directive says, apart from prose."""
    indent, name, argument = len(found[1]), found[2], found[3] or ""
    options, body = split_body(indented(rest, indent))
    if name == "math":
        tex = " ".join([argument, *body])
        value = f"{options.get('label', 'without label')}: {formula(tex)}"
        facts["equation"].append(Fact(value, number))
        return
    parts = ["" if is_prose(name) else argument]
    parts += [f":{key}: {value}" for key, value in options.items() if key not in PROSE_OPTIONS]
    if name in CODE:
        parts += body
    elif name == "toctree":
        parts += [TARGET.sub(r"\1", entry.strip()) for entry in body if entry.strip()]
    elif name == "algorithm-table":
        parts += [found[1] for line in body if (found := CALL.match(line))]
    kind = "code block" if name in CODE else "directive"
    facts[kind].append(Fact("\n".join([f".. {name}:: {parts[0]}".rstrip(), *parts[1:]]), number))


def is_prose(name: str) -> bool:
    """Tell whether a directive's argument is prose."""
    return name in TITLED or name.startswith(("prf:", "version"))


def indented(lines: list[str], indent: int) -> list[str]:
    """Take the lines at the start that stand deeper than `indent`."""
    body = []
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        body.append(line)
    return body


def split_body(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Split a directive's options from its content, dedented, without blank lines at its ends."""
    options = {}
    rest = list(lines)
    while rest and (found := OPTION.match(rest[0])):
        options[found[1]] = found[2] or ""
        del rest[0]
    text = "\n".join(rest).strip("\n").rstrip()
    margin = min((len(x) - len(x.lstrip()) for x in text.split("\n") if x.strip()), default=0)
    return options, [line[margin:].rstrip() for line in text.split("\n")] if text else []


def formula(tex: str) -> str:
    """Normalise a formula: words inside it are blanked, whitespace counts for nothing."""
    while found := WORDS.search(tex):
        _, end = group(tex, found.end())
        tex = f"{tex[: found.start()]}⟨words⟩{tex[end:]}"
    return " ".join(tex.split())


# --- pseudocode ----------------------------------------------------------------------------------


def pseudocode_facts(path: Path) -> Facts:
    """Collect the keyword and the mathematics of each line; those of comments count too."""
    text = path.read_text("utf-8")
    facts = page_facts(path)
    position = 0
    for statement in statements(text):
        found = re.compile(rf"\\{statement.keyword}(?![A-Za-z])").search(text, position)
        position = found.end() if found else position
        found_math = MATH.findall(f"{statement.text} {statement.comment}")
        math = [formula(each).rstrip(",:") for each in found_math]  # Chinese has stops of its own
        value = f"{statement.number or ''} {statement.keyword} {' | '.join(math)}"
        facts["pseudocode line"].append(Fact(value.strip(), text.count("\n", 0, position) + 1))
    return facts


# --- notebooks -----------------------------------------------------------------------------------


def notebook_facts(path: Path) -> Facts:
    """Collect the cells: their kinds, identities, code and outputs."""
    text = path.read_text("utf-8")
    facts: Facts = defaultdict(list)
    position = 0
    for cell in json.loads(text)["cells"]:
        found = re.compile(rf'"id": *"{re.escape(cell.get("id", ""))}"').search(text, position)
        position = found.end() if found else position
        line = text.count("\n", 0, position) + 1
        facts["cell"].append(Fact(f"{cell['cell_type']} {cell.get('id')}", line))
        if cell["cell_type"] == "code":
            for kind in ("source", "outputs", "metadata"):
                facts[f"code cell's {kind}"].append(Fact(canonical(cell[kind]), line))
    return facts


def canonical(value: Any) -> str:
    """Write JSON so that equal means equal; text may be stored whole or line by line."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "".join(value)
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


# --- comparison ----------------------------------------------------------------------------------


def differences(root: Path) -> list[str]:
    """List what differs between the two languages below `root`; each message names both places."""
    found = []
    for folder in ("docs", "notebooks"):
        trees = [book_files(root / folder / language) for language in LANGUAGES]
        for name in sorted(trees[0] | trees[1]):
            paths = [root / folder / language / name for language in LANGUAGES]
            places = [path.relative_to(root).as_posix() for path in paths]
            if all(path.is_file() for path in paths):
                found += compare(places, [facts_of(path) for path in paths])
            else:
                there, missing = places if paths[0].is_file() else places[::-1]
                found.append(f"{there}:1 has no twin: {missing}:1 is missing")
    return found


def book_files(tree: Path) -> set[str]:
    """Name the pages and notebooks of a tree; copies of notebooks among the pages do not count."""
    files = (path.relative_to(tree) for path in tree.rglob("*") if path.is_file())
    kept = {".ipynb"} if tree.parent.name == "notebooks" else {".rst", ".md", ".txt"}
    return {
        path.as_posix()
        for path in files
        if path.suffix in kept and ".ipynb_checkpoints" not in path.parts
    }


def facts_of(path: Path) -> Facts:
    """Collect the facts of a file."""
    if path.suffix == ".ipynb":
        return notebook_facts(path)
    if path.parent.name == "_algo_pcode":
        return pseudocode_facts(path)
    return page_facts(path)


def compare(places: list[str], facts: list[Facts]) -> Iterator[str]:
    """Compare the facts of two files, kind by kind."""
    for kind in sorted(facts[0].keys() | facts[1].keys()):
        left, right = (each.get(kind, []) for each in facts)
        yield from compare_kind(kind, places, left, right)


def compare_kind(
    kind: str, places: list[str], left: list[Fact], right: list[Fact]
) -> Iterator[str]:
    """Compare two lists of facts: report each stretch where they differ."""
    matcher = SequenceMatcher(None, values(left), values(right), autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            here = f"{places[0]}:{line_at(left, i1)}"
            there = f"{places[1]}:{line_at(right, j1)}"
            yield f"{here} and {there}: {kind} {shown(left[i1:i2])} against {shown(right[j1:j2])}"


def values(facts: Iterable[Fact]) -> list[str]:
    """Give the facts without their lines."""
    return [fact.value for fact in facts]


def line_at(facts: list[Fact], index: int) -> int:
    """Give the line of a fact, or of the last one, where its twin would be looked for."""
    return facts[min(index, len(facts) - 1)].line if facts else 1


def shown(facts: list[Fact], limit: int = 300) -> str:
    """Write facts for a person to compare."""
    text = ", ".join(f"'{fact.value}'" for fact in facts) or "nothing"
    return text if len(text) <= limit else f"{text[:limit]}…"


def main() -> int:
    """Print the differences of this book."""
    found = differences(ROOT)
    print("\n".join(found or ["The two languages agree."]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
