"""What the checks of the book's sources read in common: lines that are no prose, descriptions."""

import re
from collections.abc import Iterator
from typing import Any

DIRECTIVE = re.compile(r"( *)\.\. (?:\|[^|]+\| )?([\w:-]+)::(?: +(.*?))? *$")
"""Its indentation, name and argument."""
OPTION = re.compile(r" *:([\w-]+):(?: +(.*?))? *$")
"""Its name and value."""
PROSE_OPTIONS = {"alt", "caption", "header", "keywords", "description", "title"}
"""The names of options whose values are prose."""


def texts(words: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a description in one language, by key; those of a table in order."""
    for key, value in words.items():
        if isinstance(value, str):
            yield key, value
        else:
            for number, (condition, text) in enumerate(value.items(), 1):
                yield f"condition {number}", condition
                yield f"{key} {number}", text
