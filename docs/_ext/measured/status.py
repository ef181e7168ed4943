"""The ``build-status`` directive: what the build that made these pages took, and ran on.

``.. build-status:: notebooks`` is a table of run times, ``versions`` one of packages, ``hardware``
one of the machine, without its name.
"""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import directives
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx import addnodes
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from measured.machine import processor
from measured.tables import table

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

KINDS = ("notebooks", "versions", "hardware")
PACKAGES = ["fl_algos", "numpy", "scipy", "array-api-compat", "scikit-learn", "matplotlib"]
PACKAGES += ["pandas", "torch", "sphinx", "myst-nb"]
Rows = list[list[str | list[nodes.Node]]]
log = logging.getLogger(__name__)


class build_status(nodes.General, nodes.Element):  # noqa: N801
    """Stands where the table comes once all notebooks have run."""


class BuildStatus(SphinxDirective):
    """``.. build-status:: KIND``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Leave a place for the table, or a warning where there is no such table."""
        try:
            kind = directives.choice(self.arguments[0], KINDS)
        except ValueError as error:
            where = self.get_location()
            log.warning("build-status: %s", error, location=where, type="build_status")
            return []
        self.env.metadata[self.env.docname]["build_status"] = "yes"
        return [build_status(kind=kind)]


class WriteTables(SphinxPostTransform):
    """Put the tables in their places, before references are resolved."""

    default_priority = 8

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        for place in list(self.document.findall(build_status)):
            if place["kind"] == "notebooks":
                header = [_("Notebook"), _("Run time"), _("Day of the run")]
                rows: Rows = notebooks(self.env)
            elif place["kind"] == "versions":
                header, rows = [_("Package"), _("Version")], versions()
            else:
                header, rows = [_("Part"), _("This build")], hardware()
            place.replace_self(table(header, rows, classes=["build-status"]))


def notebooks(env: BuildEnvironment) -> Rows:
    """Title, run time and day of each notebook, in the order of their names; the sum of times."""
    rows: Rows = []
    together = 0.0
    for name, data in sorted(NbMetadataCollector.get_doc_data(env).items()):
        run = data.get("exec_data")
        if run and run["runtime"] is not None:
            day = datetime.fromtimestamp(run["mtime"], UTC).date().isoformat()
            rows.append([link(env, name), f"{run['runtime']:.1f} s", day])
            together += run["runtime"]
    return [*rows, [_("Together"), f"{together:.1f} s", ""]]


def link(env: BuildEnvironment, name: str) -> list[nodes.Node]:
    """A paragraph that refers to a page, by its title."""
    reference = addnodes.pending_xref(
        refdomain="std", reftype="doc", reftarget=f"/{name}", refexplicit=True, refwarn=True
    )
    reference += nodes.inline("", env.titles[name].astext())
    return [nodes.paragraph("", "", reference)]


def versions() -> Rows:
    """Python and the packages that notebooks and book use, those that are installed."""
    rows: Rows = [["Python", platform.python_version()]]
    for package in PACKAGES:
        try:
            rows.append([package, version(package)])
        except PackageNotFoundError:  # torch, which the book does not need
            continue
    return rows


def hardware() -> Rows:
    """Processor, its cores, memory and system."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return [
        [_("Processor"), processor()],
        [_("Cores"), str(os.cpu_count())],
        [_("Memory"), f"{memory:.1f} GiB"],
        [_("System"), f"{platform.system()} ({platform.machine()})"],
    ]


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages with such tables, which change with every build."""
    return [name for name, metadata in env.metadata.items() if "build_status" in metadata]
