"""Draw the packages of docs/_ext into CONTRIBUTING.md, from their docstrings and their imports."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOUSE = ROOT / "docs" / "_ext"
PAGE = ROOT / "CONTRIBUTING.md"
PLACE = re.compile(r"(<!-- python tools/house\.py -->\n).*?(<!-- end -->)", re.DOTALL)


def packages(house: Path = HOUSE) -> dict[str, Path]:
    """The packages by name, with their folders."""
    return {init.parent.name: init.parent for init in sorted(house.glob("*/__init__.py"))}


def imports(file: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """What a file imports from packages with these names: package and module, "" for no module."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and "." not in node.module:
            found = [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found = [node.module]
        else:
            continue
        for package, _, module in (name.partition(".") for name in found):
            if package in names:
                yield package, module.partition(".")[0]


def arrows(house: Path = HOUSE) -> list[tuple[str, str]]:
    """The pairs of packages of which the first one imports from the second."""
    folders = packages(house)
    found = {
        (name, other)
        for name, folder in folders.items()
        for file in folder.rglob("*.py")
        for other, _ in imports(file, set(folders))
    }
    return sorted((name, other) for name, other in found if name != other)


def public(folder: Path) -> list[str]:
    """The modules of a package that others may import, as its PUBLIC names them."""
    tree = ast.parse((folder / "__init__.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC":
            return list(ast.literal_eval(node.value))
    return []


def summary(folder: Path) -> str:
    """The first line of a package's docstring."""
    tree = ast.parse((folder / "__init__.py").read_text("utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def drawing(house: Path = HOUSE) -> str:
    """The packages as a table, and the arrows between them as a diagram."""
    rows = ["| package | what it does | others may import |", "|---|---|---|"]
    for name, folder in packages(house).items():
        modules = ", ".join(f"`{name}.{module}`" for module in public(folder))
        rows.append(f"| `{name}` | {summary(folder)} | {modules} |")
    lines = [f"  {name} --> {other}" for name, other in arrows(house)]
    return "\n".join([*rows, "", "```mermaid", "graph LR", *lines, "```", ""])


def drawn(page: str, house: Path = HOUSE) -> str:
    """The page with the drawing in its place."""
    return PLACE.sub(lambda place: f"{place[1]}\n{drawing(house)}\n{place[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text("utf-8")), "utf-8")
