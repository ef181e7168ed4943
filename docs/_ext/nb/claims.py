"""Numbers in prose: ``:claim:`key``` from a notebook's run, ``:given:`12``` from a source.

A claim is printed with the digits that its tolerance justifies. A key that is not in claims.json
is a warning, and so is one of claims.json that no page prints; with -W they fail the build.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from fl_algos.claims import tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

log = logging.getLogger(__name__)


def claims_of(config: Config) -> dict[str, dict[str, float]]:
    """The stated numbers."""
    path = Path(config.claims_file)
    return _read(path, path.stat().st_mtime_ns) if path.exists() else {}


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> dict[str, dict[str, float]]:
    claims: dict[str, dict[str, float]] = json.loads(path.read_text("utf-8"))
    return claims


class Claim(SphinxRole):
    """``:claim:`key```."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Print the number."""
        claims = claims_of(self.config)
        self.env.note_dependency(self.config.claims_file)
        if self.text not in claims:
            where = self.get_location()
            log.warning("no claim %r in claims.json", self.text, location=where, type="claims")
            return [], []
        return [
            nodes.inline("", "", *printed(claims[self.text]), classes=["claim"], key=self.text)
        ], []


class Given(SphinxRole):
    """``:given:`12```: a number that a source or a definition gives."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Print it as it is."""
        return [nodes.inline("", self.text, classes=["given"])], []


def printed(entry: dict[str, float]) -> list[nodes.Node]:
    """The nodes of a number: 37.4, 0.0012, or 1.2 × 10 with an exponent."""
    mantissa, exponent = digits(entry["value"], tolerance(entry))
    if exponent is None:
        return [nodes.Text(mantissa)]
    power = str(exponent).replace("-", "\N{MINUS SIGN}")
    return [nodes.Text(f"{mantissa}\u00a0\u00d7\u00a010"), nodes.superscript("", power)]


def digits(value: float, tolerance: float) -> tuple[str, int | None]:
    """A number as text: the mantissa, and an exponent of ten or None where none is needed.

    The unit of the last digit is the smallest that is at least a quarter of the tolerance.
    """
    if value == 0 or tolerance >= 2 * abs(value):
        return "0", None
    if tolerance == 0:
        exact = repr(value) if value != int(value) else str(int(value))
        return exact.replace("-", "\N{MINUS SIGN}"), None
    last = math.ceil(math.log10(tolerance / 4))
    rounded = round(value, -last)
    if rounded == 0:
        return "0", None
    first = math.floor(math.log10(abs(rounded)))
    if -4 < first < 5 and last <= 3:
        return f"{rounded:.{max(0, -last)}f}".replace("-", "\N{MINUS SIGN}"), None
    mantissa = f"{rounded / 10.0**first:.{max(0, first - last)}f}"
    return mantissa.replace("-", "\N{MINUS SIGN}"), first


class Printed(EnvironmentCollector):
    """Which claims each page prints."""

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Note those of one page."""
        found = {
            node["key"] for node in doctree.findall(nodes.inline) if "claim" in node["classes"]
        }
        pages(app.env)[app.env.docname] = found

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Forget those of a page that is gone or read again."""
        pages(env).pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment
    ) -> None:
        """Take over what another process has read."""
        pages(env).update({name: pages(other)[name] for name in docnames if name in pages(other)})


def pages(env: BuildEnvironment) -> dict[str, set[str]]:
    """The keys by page."""
    found: dict[str, set[str]] = vars(env).setdefault("printed_claims", {})
    return found


def warn_of_unused(app: Sphinx, env: BuildEnvironment) -> None:
    """A number that is compared at every run and printed nowhere is a leftover."""
    unused = claims_of(app.config).keys() - set().union(*pages(env).values())
    for key in sorted(unused):
        log.warning("claim %r of claims.json is printed on no page", key, type="claims")
