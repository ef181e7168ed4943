"""TeX macros as a table {name: body}: taken out of a formula, and written for LaTeX."""

from __future__ import annotations

import re

_DEFINITION = re.compile(
    r"\\(?P<command>DeclareMathOperator\*?|newcommand|renewcommand|providecommand)\s*"
    r"(?:\{\s*\\(?P<braced>[A-Za-z]+)\s*\}|\\(?P<bare>[A-Za-z]+))\s*"
    r"(?:\[\d\]\s*)?(?=\{)"
)


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


def take_definitions(tex: str) -> tuple[dict[str, str], str]:
    r"""Split TeX into the macros it defines and the rest.

    Understood are ``\newcommand``, ``\renewcommand``, ``\providecommand`` and
    ``\DeclareMathOperator`` with and without star.
    """
    macros: dict[str, str] = {}
    while definition := _DEFINITION.search(tex):
        body, end = group(tex, definition.end())
        if definition["command"].startswith("DeclareMathOperator"):
            star = "*" if definition["command"].endswith("*") else ""
            body = rf"\operatorname{star}{{{body}}}"
        macros[definition["braced"] or definition["bare"]] = body
        tex = tex[: definition.start()] + tex[end:]
    return macros, tex.strip()


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
