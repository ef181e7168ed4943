"""The ``build-status`` directive: what the build that made these pages took, and ran on.

``.. build-status:: notebooks`` is a table of run times, ``versions`` one of packages, ``hardware``
one of the machine, without its name.
"""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx import addnodes
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

KINDS = ("notebooks", "versions", "hardware")
PACKAGES = ("fl_algos", "numpy", "scipy", "array-api-compat", "scikit-learn", "matplotlib")
PACKAGES += ("pandas", "torch", "sphinx", "myst-nb")


class build_status(nodes.General, nodes.Element):  # noqa: N801
    """Stands where the table comes once all notebooks have run."""


class BuildStatus(SphinxDirective):
    """``.. build-status:: KIND``."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {}

    def run(self) -> list[nodes.Node]:
        """Leave a place for the table."""
        kind = directives.choice(self.arguments[0], KINDS)
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
                rows: Iterable[list[str | nodes.Node]] = notebooks(self.env)
            elif place["kind"] == "versions":
                header, rows = [_("Package"), _("Version")], versions()
            else:
                header, rows = [_("Part"), _("This build")], hardware()
            place.replace_self(table(header, rows))


def notebooks(env: BuildEnvironment) -> list[list[str | nodes.Node]]:
    """Title, run time and day of each notebook, in the order of their names."""
    rows: list[list[str | nodes.Node]] = []
    for name, data in sorted(NbMetadataCollector.get_doc_data(env).items()):
        run = data.get("exec_data")
        if run and run["runtime"] is not None:
            day = datetime.fromtimestamp(run["mtime"], UTC).date().isoformat()
            rows.append([link(env, name), f"{run['runtime']:.1f} s", day])
    return rows


def link(env: BuildEnvironment, name: str) -> nodes.Node:
    """A reference to a page, by its title."""
    reference = addnodes.pending_xref(
        refdomain="std", reftype="doc", reftarget=f"/{name}", refexplicit=True, refwarn=True
    )
    reference += nodes.inline("", env.titles[name].astext())
    return reference


def versions() -> list[list[str | nodes.Node]]:
    """Python and the packages that notebooks and book use, those that are installed."""
    rows: list[list[str | nodes.Node]] = [["Python", platform.python_version()]]
    for package in PACKAGES:
        try:
            rows.append([package, version(package)])
        except PackageNotFoundError:  # torch, which the book does not need
            continue
    return rows


def hardware() -> list[list[str | nodes.Node]]:
    """Processor, its cores, memory and system."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return [
        [_("Processor"), processor()],
        [_("Cores"), str(os.cpu_count())],
        [_("Memory"), f"{memory:.1f} GiB"],
        [_("System"), f"{platform.system()} ({platform.machine()})"],
    ]


def processor() -> str:
    """The name of the processor, as far as the system tells."""
    table = Path("/proc/cpuinfo")
    if table.exists():
        lines = [line.partition(":") for line in table.read_text(encoding="utf-8").splitlines()]
        names = [value.strip() for key, _, value in lines if key.strip() == "model name"]
    else:
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        names = [subprocess.run(command, capture_output=True, text=True).stdout.strip()]
    return next(filter(None, names), platform.machine())


def table(header: list[str], rows: Iterable[list[str | nodes.Node]]) -> nodes.table:
    """A table; a cell is text or a node."""
    group = nodes.tgroup(cols=len(header))
    group += [nodes.colspec(colwidth=1) for _ in header]
    group += nodes.thead("", _row(header))
    group += nodes.tbody("", *map(_row, rows))
    return nodes.table("", group, classes=["colwidths-auto", "build-status"])


def _row(cells: Iterable[str | nodes.Node]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        paragraph = nodes.paragraph()
        paragraph += nodes.Text(cell) if isinstance(cell, str) else cell
        row += nodes.entry("", paragraph)
    return row


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages with such tables, which change with every build."""
    return [name for name, metadata in env.metadata.items() if "build_status" in metadata]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and what fills it."""
    app.add_node(build_status)
    app.add_directive("build-status", BuildStatus)
    app.add_post_transform(WriteTables)
    app.connect("env-updated", pages_to_write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
