"""The ``licences`` directive: what the site brings along of others, and under which licences.

All of it is read from what is installed: the metadata and the licence files of the packages, and
what KaTeX's fonts say of themselves.
"""

from __future__ import annotations

import json
from importlib.metadata import Distribution, distribution
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

from fontTools.ttLib import TTFont
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bilingual.han import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils import nodes

PACKAGES = ["pydata-sphinx-theme", "sphinx-book-theme", "sphinx", "sphinx-design", "myst-nb"]
PACKAGES += ["pygments"]
"""The Python packages of which files, or parts of files, are in the site."""
LICENCE = 13
"""The number of a font's licence among its names."""
WORDS = {
    "en": ("Licence", "Text of {}"),
    "zh": ("许可证", "{} 的全文"),
}
log = logging.getLogger(__name__)


class Part(NamedTuple):
    """Something that the site ships."""

    name: str
    version: str
    licence: str
    """Its name, as the package has it."""
    texts: dict[str, str]
    """What the licence says, by the name of a file."""


class Licences(SphinxDirective):
    """``.. licences::``, a section for each part."""

    def run(self) -> list[nodes.Node]:
        """Make the sections, or a warning where a package is missing."""
        manifest = self.env.srcdir.parent / "_node" / "package.json"
        try:
            parts = [*python_parts(), *node_parts(manifest, Path(self.config.tex_node_modules))]
        except (OSError, ImportError) as error:
            where = self.get_location()
            log.warning("licences: %s", error, location=where, type="licences")
            return []
        words = WORDS[tree_of(self.config.language)]
        text = "\n".join(section for part in parts for section in as_rst(part, *words))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def python_parts() -> Iterator[Part]:
    """The Python packages, with all files of theirs that are called licences."""
    for name in PACKAGES:
        found = distribution(name)
        files = [file for file in found.files or () if "LICENSE" in file.name]
        texts = {file.name: file.read_text(encoding="utf-8") for file in files}
        yield Part(name, found.version, licence_of(found), texts)


def licence_of(found: Distribution) -> str:
    """The name of a package's licence, by the expression or else by the classifier."""
    [expression] = found.metadata.get_all("License-Expression") or [""]
    classifiers = found.metadata.get_all("Classifier") or []
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")]
    return expression or ", ".join(names)


def node_parts(manifest: Path, modules: Path) -> Iterator[Part]:
    """The npm packages that pages are made with, and the fonts among their files."""
    for name in json.loads(manifest.read_text(encoding="utf-8"))["dependencies"]:
        folder = modules / name
        package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("LICENSE*")}
        if fonts := sorted(folder.glob("dist/fonts/*.ttf")):
            texts["fonts"] = "\n\n".join(dict.fromkeys(map(licence_in, fonts)))
        yield Part(name, package["version"], package["license"], texts)


def licence_in(font: Path) -> str:
    """What a font says of its licence."""
    with TTFont(font, lazy=True) as opened:
        return opened["name"].getDebugName(LICENCE) or ""


def as_rst(part: Part, licence: str, text_of: str) -> Iterator[str]:
    """The section of a part."""
    title = f"{part.name} {part.version}"
    yield f"{title}\n{'-' * len(title)}\n\n{licence}: {part.licence}\n"
    for name, text in part.texts.items():
        body = indent(text.replace("\f", "").expandtabs(), " " * 6)
        yield f".. dropdown:: {text_of.format(name)}\n\n   .. code-block:: none\n\n{body}\n"
