"""The pseudocode dialect of pseudocode.js, taken apart: its lines, numbered as they are printed."""

from __future__ import annotations

import re
from typing import NamedTuple

from tex.macros import group

CONDITIONS = frozenset({"FOR", "FORALL", "WHILE", "IF", "ELIF", "UNTIL", "UPON"})
"""Keywords that take their text in braces."""
OPENERS = frozenset(
    {"FOR", "FORALL", "WHILE", "IF", "ELIF", "ELSE", "REPEAT", "UPON", "FUNCTION", "PROCEDURE"}
)
"""Keywords after which a block begins."""
CLOSERS = frozenset(
    {"ENDFOR", "ENDWHILE", "ENDIF", "ENDUPON", "ENDFUNCTION", "ENDPROCEDURE"}
    | {"ELIF", "ELSE", "UNTIL"}
)
"""Keywords before which a block ends."""
HEADINGS = frozenset({"REQUIRE", "ENSURE", "INPUT", "OUTPUT"})
"""Keywords of lines that have no number."""
STATEMENTS = frozenset({"STATE", "PRINT", "RETURN", "BREAK", "CONTINUE"})

_KEYWORDS = OPENERS | CLOSERS | HEADINGS | STATEMENTS
_KEYWORD = re.compile(rf"\\({'|'.join(sorted(_KEYWORDS))})(?![A-Za-z])")
_REMARK = re.compile(r"(?<!\\)%[^\n]*")
_BODY = re.compile(r"\\begin\{algorithmic\}(?:\[\d*\])?(.*?)\\end\{algorithmic\}", re.DOTALL)


class Line(NamedTuple):
    """One line of a block."""

    number: int
    """As printed; 0 for a line without a number (REQUIRE, ENSURE, INPUT, OUTPUT)."""
    keyword: str
    """STATE, FOR, ..., without the backslash."""
    text: str
    """The TeX after the keyword; of a condition what stands in its braces."""
    comment: str
    """The TeX inside COMMENT, empty if there is none."""


def statements(tex: str) -> list[Line]:
    """All lines of a block, those without a number too."""
    bodies = _BODY.findall(_REMARK.sub("", tex))
    if len(bodies) != 1:
        raise ValueError(f"a block needs one algorithmic environment, this has {len(bodies)}")
    body = bodies[0]
    keywords = list(_KEYWORD.finditer(body))
    ends = [keyword.start() for keyword in keywords[1:]] + [len(body)]
    result = []
    number = 0
    for match, end in zip(keywords, ends, strict=True):
        keyword = match[1]
        numbered = keyword not in HEADINGS
        number += numbered
        text, comment = _split_comments(body[match.end() : end])
        if keyword in CONDITIONS and text.startswith("{"):
            text, _ = group(text, 0)
        result.append(Line(number if numbered else 0, keyword, text.strip(), comment))
    return result


def lines(tex: str) -> dict[int, Line]:
    """The numbered lines of a block, by the number that pseudocode.js prints."""
    return {line.number: line for line in statements(tex) if line.number}


def caption(tex: str) -> str:
    """The TeX of the caption, empty if there is none."""
    found = re.search(r"\\caption\s*(?=\{)", tex)
    return group(tex, found.end())[0] if found else ""


def plain(tex: str) -> str:
    """The words of a piece of TeX: commands and braces gone, of formulas only the simplest left."""
    tex = re.sub(r"\\(begin|end)\{[a-z]+\}", " ", _REMARK.sub("", tex))
    tex = re.sub(r"\$([^$\\{}^_]*)\$", r"\1", tex)
    tex = re.sub(r"\$(?:\\.|[^\\$])*\$", " ", tex)
    tex = re.sub(r"(?<!\\)[{}]", "", re.sub(r"\\[A-Za-z]+", " ", tex))
    return " ".join(re.sub(r"\\(.)", r"\1", tex).split())


def _split_comments(tex: str) -> tuple[str, str]:
    """What follows a keyword, whitespace normalised: the text, and what COMMENT adds."""
    comments = []
    while found := re.search(r"\\COMMENT\s*(?=\{)", tex):
        comment, end = group(tex, found.end())
        comments.append(comment)
        tex = tex[: found.start()] + " " + tex[end:]
    return " ".join(tex.split()), " ".join(" ".join(comments).split())
