r"""The ``drawing`` directive: figures that are drawn when the book is built.

.. code-block:: rst

   .. drawing:: overview.drift
      :alt: What the drawing shows.

      The caption.

The argument names a function in ``docs/figures/overview.py``. It takes `say`, which chooses between
English and Chinese words, and returns a matplotlib figure, made with what stands in
`drawings.style`. Pages have it as SVG among their elements, printed books as PDF, others its
alternative text.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from drawings.style import style_sheet
from drawings.svg import draw, draw_pdf

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.writers.html5 import HTML5Translator

LIMIT = 60_000
"""Bytes that a drawing may have in the page."""
log = logging.getLogger(__name__)


class drawing(nodes.General, nodes.Element):  # noqa: N801
    """A drawing: its `name`, its `svg` and its `alt`."""


class Drawing(SphinxDirective):
    """``.. drawing:: CHAPTER.FUNCTION`` with an alternative text and a caption."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required, "name": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Draw, and make a figure of it."""
        name, alt = self.arguments[0], " ".join(self.options.get("alt", "").split())
        if not alt or not self.content:
            return self.refused("an alternative text (:alt:) and a caption are needed")
        try:
            svg = draw(function(self.config, name), name, alt)
        except Exception as error:  # whatever the function does wrong
            return self.refused(f"{type(error).__name__}: {error}")
        if (size := len(svg.encode())) > LIMIT:
            return self.refused(f"{size} bytes are more than {LIMIT}")
        node = drawing(name=name, svg=svg, alt=alt)
        caption = nodes.caption("", "", *self.parse_inline(" ".join(self.content))[0])
        figure = nodes.figure("", node, caption)
        self.set_source_info(figure)
        self.set_source_info(node)
        self.add_name(figure)
        return [figure]

    def refused(self, reason: str) -> list[nodes.Node]:
        """A warning, and no figure."""
        where, name = self.get_location(), self.arguments[0]
        log.warning("drawing: %s: %s", name, reason, location=where, type="drawing")
        return []


class ForOtherBuilders(SphinxPostTransform):
    """Put an image in the place of drawings for LaTeX, and their text for all but HTML."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Change the document in place."""
        if self.app.builder.format == "html":
            return
        for node in list(self.document.findall(drawing)):
            if self.app.builder.format == "latex":
                node.replace_self(self.image(node))
            else:
                node.replace_self(nodes.paragraph(node["alt"], node["alt"]))

    def image(self, node: drawing) -> nodes.image:
        """The drawing as an image beside the doctrees, which Sphinx copies as any other one."""
        path = Path(self.env.doctreedir, "drawings", f"{node['name'].replace('.', '-')}.pdf")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(draw_pdf(function(self.config, node["name"])))
        uri = Path(os.path.relpath(path, self.env.srcdir)).as_posix()
        self.env.images.add_file(self.env.docname, uri)
        return nodes.image(uri=uri, alt=node["alt"], candidates={"application/pdf": uri})


def function(config: Config, name: str) -> Callable[[], Figure]:
    """What draws `name`, in the language of the book."""
    chapter, _, what = name.partition(".")
    folder = Path(config.drawings_folder)
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    module = importlib.import_module(f"{folder.name}.{chapter}")
    chinese = config.language.startswith("zh")
    return partial(getattr(module, what), lambda *words: words[chinese])


def visit_html(self: HTML5Translator, node: drawing) -> None:
    """Write the drawing."""
    self.body.append(node["svg"])
    raise nodes.SkipNode


def note_state(app: Sphinx, config: Config) -> None:
    """Have pages read again when what draws has changed, or what it draws."""
    package = importlib.util.find_spec("fl_algos")
    folders = [Path(__file__).parent, Path(config.drawings_folder)]
    folders += map(Path, getattr(package, "submodule_search_locations", None) or ())
    state = hashlib.sha256()
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        state.update(path.read_bytes())
    config.drawings_state = state.hexdigest()


def write_style(app: Sphinx) -> None:
    """Write the styles before pages are written, for Sphinx adds checksums to links."""
    if app.builder.format == "html":
        target = Path(app.outdir, "_static", "drawings.css")
        target.parent.mkdir(parents=True, exist_ok=True)
        fixed = Path(__file__).with_name("drawings.css").read_text(encoding="utf-8")
        target.write_text(style_sheet() + fixed, encoding="utf-8")


def add_style(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Load the styles on the pages that have a drawing."""
    if doctree is not None and any(doctree.findall(drawing)):
        app.add_css_file("drawings.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, its writers and the events."""
    app.add_config_value("drawings_folder", "", "env", types=[str])
    app.add_config_value("drawings_state", "", "env", types=[str])
    app.add_node(drawing, html=(visit_html, None))
    app.add_directive("drawing", Drawing)
    app.add_post_transform(ForOtherBuilders)
    app.connect("config-inited", note_state)
    app.connect("builder-inited", write_style)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
