r"""Compare the two languages of the book: what has to be the same in both, and is not.

The prose differs, of course. The same in both have to be: the files; labels, headings' levels,
displayed equations, citations, claims, code, and what directives take in; the mathematics of the
pseudocode, line by line; the notebooks' code and outputs. So have the formulas in sentences and
the code that states a value, ``p = 0.3``: in a section of a page, in a cell of a notebook and in a
text of a description each stands as often as in the twin. Their order may differ, and a word
inside `\text{...}`.
"""

import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from pcode.lines import caption, statements  # noqa: E402 (it lies beside the extension that prints it)
from rst_lines import DIRECTIVE, OPTION, PROSE_OPTIONS, texts  # noqa: E402
from tex.macros import group  # noqa: E402

LANGUAGES = ("en", "zh")

LABEL = re.compile(r"\.\. _([^:`]+):\s*$")
ROLE = re.compile(r":(foot(?:full)?cite[\w:]*|cite[\w:]*|claim|given):`([^`]+)`")
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,} *$")
TARGET = re.compile(r".*<([^>]+)>$")
WORDS = re.compile(r"\\(?:text|textrm|textnormal|mbox)\s*(?=\{)")
MATH = re.compile(r"(?<!\\)\$(.*?)(?<!\\)\$", re.DOTALL)
ROLE_OR_LITERAL = re.compile(r":math:`(?P<tex>[^`]+)`|``(?P<code>[^`]+)``")
# In a notebook's text: code, in which a dollar is a dollar, and formulas.
CODE_OR_MATH = re.compile(
    r"""
    ^(```+|~~~+).*?^\1
    | (?<!`)(`+)(?!`)(?P<code>.+?)(?<!`)\2(?!`)
    | (?<!\\)(?P<mark>\$\$?)(?P<tex>.+?)(?<!\\)(?P=mark)
    | (?P<environment>\\begin\{(\w+\*?)\}.+?\\end\{\7\})
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
VALUE = re.compile(r"[=<>(\d]")

CODE = {"code", "code-block", "sourcecode", "doctest", "testcode", "testoutput", "testsetup"}
# Directives whose arguments are prose.
TITLED = {"admonition", "attention", "caution", "centered", "danger", "epigraph", "error", "hint"}
TITLED |= {"important", "note", "rubric", "seealso", "sidebar", "tip", "topic", "warning", "index"}
TITLED |= {"card", "csv-table", "dropdown", "grid-item-card", "list-table", "tab-item", "table"}


class Fact(NamedTuple):
    """Something on a line of a file that its twin must have too."""

    value: str
    line: int


class Stretch(NamedTuple):
    """Facts that the twin has not, and the line where they stand or would be looked for."""

    facts: list[Fact]
    line: int


Facts = dict[str, list[Fact]]


# --- pages ---------------------------------------------------------------------------------------


def page_facts(text: str) -> Facts:
    """Collect the facts of a page by their kind, each kind in the order of the page."""
    lines = text.splitlines()
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
    for match in ROLE_OR_LITERAL.finditer("\n".join(lines)):
        number = match.string.count("\n", 0, match.start()) + 1
        section = sum(fact.line <= number for fact in facts["heading"])
        if match["tex"]:
            facts[f"formula in section {section}"].append(Fact(formula(match["tex"]), number))
        elif VALUE.search(match["code"]):
            code = " ".join(match["code"].split())
            facts[f"literal in section {section}"].append(Fact(code, number))
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
    facts = page_facts(text)
    facts["formula in caption"] = [Fact(formula(each), 1) for each in MATH.findall(caption(text))]
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
    """Collect the cells: their kinds, identities, formulas, code and outputs."""
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
        elif cell["cell_type"] == "markdown":
            for kind, value in markdown(canonical(cell["source"])):
                facts[f"{kind} in cell {cell.get('id')}"].append(Fact(value, line))
    return facts


def markdown(text: str) -> Iterator[tuple[str, str]]:
    """Give the formulas of a markdown cell, what is displayed with its marks, and the literals."""
    for match in CODE_OR_MATH.finditer(text):
        if match["mark"]:
            mark = match["mark"].removeprefix("$")
            yield "formula", f"{mark}{formula(match['tex'])}{mark}"
        elif match["environment"]:
            yield "formula", formula(match["environment"])
        elif match["code"] and VALUE.search(match["code"]):
            yield "literal", " ".join(match["code"].split())


def canonical(value: Any) -> str:
    """Write JSON so that equal means equal; text may be stored whole or line by line."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "".join(value)
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


# --- descriptions --------------------------------------------------------------------------------


def description_facts(text: str, language: str) -> Facts:
    """Collect what a description says in one language, text by text."""
    facts: Facts = defaultdict(list)
    start = text.index(f"[{language}]")
    for key, words in texts(tomllib.loads(text)[language]):
        first = words.strip().splitlines()[0]
        line = text.count("\n", 0, text.find(first, start)) + 1
        facts["text"].append(Fact(key, line))
        for kind, found in page_facts(words).items():
            facts[f"{kind.partition(' in ')[0]} of {key}"] += [
                Fact(fact.value, line + fact.line - 1) for fact in found
            ]
    return facts


# --- comparison ----------------------------------------------------------------------------------


def differences(root: Path) -> list[str]:
    """List what differs between the two languages below `root`; each message names both places."""
    found: list[str] = []
    for path in sorted((root / "docs" / "descriptions").glob("*.toml")):
        text, place = path.read_text("utf-8"), path.relative_to(root).as_posix()
        found += compare([place] * 2, [description_facts(text, each) for each in LANGUAGES])
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
    return page_facts(path.read_text("utf-8"))


def compare(places: list[str], facts: list[Facts]) -> Iterator[str]:
    """Compare the facts of two files, kind by kind: report each stretch where they differ.

    The parts of files with different outlines cannot be told which is whose twin.
    """
    outlines = [values(each.get("heading", []) + each.get("cell", [])) for each in facts]
    for kind in sorted(facts[0].keys() | facts[1].keys()):
        if outlines[0] != outlines[1] and " in " in kind:
            continue
        left, right = (each.get(kind, []) for each in facts)
        # Another language may well need another order.
        free = kind.startswith(("formula", "literal", "citation", "claim", "given"))
        for here, there in (unbalanced if free else stretches)(left, right):
            where = f"{places[0]}:{here.line} and {places[1]}:{there.line}"
            yield f"{where}: {kind} {shown(here)} against {shown(there)}"


def stretches(left: list[Fact], right: list[Fact]) -> Iterator[tuple[Stretch, Stretch]]:
    """Give the stretches where two lists of facts differ."""
    matcher = SequenceMatcher(None, values(left), values(right), autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield (
                Stretch(left[i1:i2], line_at(left, i1)),
                Stretch(right[j1:j2], line_at(right, j1)),
            )


def unbalanced(left: list[Fact], right: list[Fact]) -> Iterator[tuple[Stretch, Stretch]]:
    """Give what stands in one list more often than in the other, whatever the order."""
    counts = [Counter(values(facts)) for facts in (left, right)]
    surplus = [counts[0] - counts[1], counts[1] - counts[0]]
    pairs = list(stretches(left, right))
    kept = [
        [fact for pair in pairs for fact in pair[side].facts if takes(surplus[side], fact)]
        for side in (0, 1)
    ]
    if kept[0] or kept[1]:
        lines = [facts[0].line if facts else pairs[0][side].line for side, facts in enumerate(kept)]
        yield Stretch(kept[0], lines[0]), Stretch(kept[1], lines[1])


def takes(surplus: Counter[str], fact: Fact) -> bool:
    """Take a fact out of a surplus, if it is in there."""
    found = surplus[fact.value] > 0
    surplus[fact.value] -= found
    return found


def values(facts: Iterable[Fact]) -> list[str]:
    """Give the facts without their lines."""
    return [fact.value for fact in facts]


def line_at(facts: list[Fact], index: int) -> int:
    """Give the line of a fact, or of the last one, where its twin would be looked for."""
    return facts[min(index, len(facts) - 1)].line if facts else 1


def shown(stretch: Stretch, limit: int = 300) -> str:
    """Write facts for a person to compare."""
    places = [f" (line {fact.line})" * (fact.line != stretch.line) for fact in stretch.facts]
    shown = [f"'{fact.value}'{place}" for fact, place in zip(stretch.facts, places, strict=True)]
    text = ", ".join(shown) or "nothing"
    return text if len(text) <= limit else f"{text[:limit]}…"


def main() -> int:
    """Print the differences of this book."""
    found = differences(ROOT)
    print("\n".join(found or ["The two languages agree."]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
