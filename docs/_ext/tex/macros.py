"""The book's TeX macros, a table {name: body}, for KaTeX and for LaTeX; a group of TeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def group(tex: str, start: int) -> tuple[str, int]:
    """The content of the {group} that opens at `start`, and the position after it."""
    depth = 0
    at = start
    while at < len(tex):
        if tex[at] == "\\":
            at += 1
        elif tex[at] == "{":
            depth += 1
        elif tex[at] == "}":
            depth -= 1
            if depth == 0:
                return tex[start + 1 : at], at + 1
        at += 1
    raise ValueError(f"a brace is not closed: {tex[start : start + 40]!r}")


def for_katex(macros: dict[str, str]) -> dict[str, str]:
    """The table as KaTeX wants it: names with their backslash."""
    return {f"\\{name}": body for name, body in macros.items()}


def for_latex(macros: dict[str, str]) -> str:
    """The table as LaTeX definitions, which overwrite what was defined before."""
    lines = []
    for name, body in macros.items():
        arguments = max((int(digit) for digit in re.findall(r"#(\d)", body)), default=0)
        count = f"[{arguments}]" if arguments else ""
        lines.append(
            rf"\providecommand{{\{name}}}{{}}\renewcommand{{\{name}}}{count}{{{body}}}" + "\n"
        )
    return "".join(lines)


def define_for_latex(app: Sphinx, config: Config) -> None:
    """Add them to the preamble."""
    config.latex_elements["preamble"] += for_latex(config.tex_macros)
