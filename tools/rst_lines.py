"""Lines of reStructuredText that the checks of the book's sources tell from prose."""

import re

DIRECTIVE = re.compile(r"( *)\.\. (?:\|[^|]+\| )?([\w:-]+)::(?: +(.*?))? *$")
"""Its indentation, name and argument."""
OPTION = re.compile(r" *:([\w-]+):(?: +(.*?))? *$")
"""Its name and value."""
CALL = re.compile(r" *:(\w+\(.*?\)):(?: |$)")
"""The start of a row of an algorithm-table, and in it the call."""
PROSE_OPTIONS = {"alt", "caption", "header", "keywords", "description", "title"}
"""The names of options whose values are prose."""
