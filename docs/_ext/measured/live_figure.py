"""The ``live-figure`` directive: curves that a notebook has stored, chosen by sliders.

.. code-block:: rst

   .. live-figure:: fedpd
      :alt: What the still image shows.

      The caption.

The argument is the id of a cell of ``notebooks/live_figures.ipynb``. Among its stored outputs are
an image, which printed books and readers without JavaScript get, and the curves, as JSON: the
axes, the sliders with their values, and the series, whose curves are found by the positions of the
sliders that they depend on.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from bilingual.han import is_chinese
from measured.live_words import NAMES, VERDICTS, words
from tex.worker import render, require_node_modules

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.writers.html5 import HTML5Translator

NOTEBOOK = "notebooks/live_figures.ipynb"
MIME = "application/vnd.fl-algos.live-figure+json"
log = logging.getLogger(__name__)


class live_figure(nodes.General, nodes.Element):  # noqa: N801
    """What takes the place of the still image where scripts run."""


class LiveFigure(SphinxDirective):
    """``.. live-figure:: CELL`` with an alternative text and a caption."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required, "name": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Make a figure of the still image, what replaces it, and the caption."""
        cell, alt = self.arguments[0], self.options.get("alt", "")
        path = Path(self.env.srcdir, NOTEBOOK)
        self.env.note_dependency(str(path))
        try:
            image, data = stored(path, cell)
            check_names(data)
        except (OSError, ValueError) as error:
            return self.refused(error)
        if not alt or not self.content:
            return self.refused("an alternative text (:alt:) and a caption are needed")
        still = nodes.image(uri=self.keep(cell, image), alt=alt)
        live = live_figure(cell=cell, data=data)
        caption = nodes.caption("", "", *self.parse_inline(" ".join(self.content))[0])
        figure = nodes.figure("", still, live, caption, classes=["live-figure"])
        self.set_source_info(figure)
        live.source, live.line = figure.source, figure.line
        self.add_name(figure)
        return [figure]

    def refused(self, reason: object) -> list[nodes.Node]:
        """A warning, and no figure."""
        where, cell = self.get_location(), self.arguments[0]
        log.warning("live-figure: %s: %s", cell, reason, location=where, type="live_figure")
        return []

    def keep(self, cell: str, image: bytes) -> str:
        """Write the image where Sphinx finds it, as it does any image; its path from the page."""
        path = Path(self.env.doctreedir, "live-figures", f"{cell}.png")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(image)
        page = Path(self.env.doc2path(self.env.docname))
        return Path(os.path.relpath(path, page.parent)).as_posix()


def stored(path: Path, cell: str) -> tuple[bytes, dict[str, Any]]:
    """The last image and the curves among the outputs of a cell."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = next((each.get("outputs", []) for each in cells if each["id"] == cell), None)
    if outputs is None:
        raise ValueError(f"{NOTEBOOK} has no such cell")
    found: dict[str, Any] = {}
    for output in outputs:
        found |= output.get("data", {})
    for mime in ("image/png", MIME):
        if mime not in found:
            raise ValueError(f"no output of the type {mime} is stored in {NOTEBOOK}")
    return base64.b64decode("".join(found["image/png"])), found[MIME]


def check_names(data: dict[str, Any]) -> None:
    """Refuse what the figure can't say in words."""
    names = [each["name"] for each in (data["x"], data["y"], *data["sliders"], *data["series"])]
    verdicts = {curve["verdict"] for each in data["series"] for curve in each["curves"].values()}
    if missing := {*names} - {*NAMES} | verdicts - {*VERDICTS}:
        raise ValueError(f"live_words.py has no words for {', '.join(sorted(missing))}")


def visit_html(self: HTML5Translator, node: live_figure) -> None:
    """Write sliders, a place to draw, the verdicts and the data; the script unhides them."""
    data, config = node["data"], self.config
    name = {
        key: words_html(node, config, text) for key, text in words(NAMES, config.language).items()
    }
    key, colon = f"live-{node['cell']}", "：" if is_chinese(config.language) else ": "
    body = [f'<div class="live" id="{key}" hidden>']
    body += ['<div class="live-sliders">']
    body += [slider_html(key, each, name[each["name"]]) for each in data["sliders"]]
    body += ["</div>", f'<div class="live-y" id="{key}-y">{name[data["y"]["name"]]}</div>']
    body += [f'<div class="live-plot" role="img" aria-labelledby="{key}-y {key}-x"></div>']
    body += [f'<div class="live-x" id="{key}-x">{name[data["x"]["name"]]}</div>']
    body += ['<ul class="live-verdicts" aria-live="polite">']
    body += [
        f'<li><span class="live-key" aria-hidden="true"></span>{name[each["name"]]}{colon}'
        f'<span class="live-verdict"></span></li>'
        for each in data["series"]
    ]
    shipped = json.dumps(data | {"words": words(VERDICTS, config.language)}, ensure_ascii=False)
    shipped = shipped.replace("<", "\\u003c")  # nothing in it may end the element
    body += ["</ul>", f'<script type="application/json">{shipped}</script>', "</div>\n"]
    self.body.append("".join(body))
    raise nodes.SkipNode


def slider_html(figure: str, slider: dict[str, Any], label: str) -> str:
    """A labelled slider over the positions of its values, and the value where it stands."""
    key = f"{figure}-{slider['name']}"
    value = html.escape(slider["values"][slider["start"]])
    return (
        f'<div class="live-slider"><label for="{key}">{label}</label>'
        f'<output for="{key}" aria-live="off">{value}</output>'
        f'<input type="range" id="{key}" min="0" max="{len(slider["values"]) - 1}" step="1" '
        f'value="{slider["start"]}" aria-valuetext="{value}" autocomplete="off"></div>'
    )


def words_html(node: live_figure, config: Config, text: str) -> str:
    """Words as HTML, the TeX between dollars rendered."""
    parts = re.split(r"\$(.*?)\$", text)
    parts[::2] = map(html.escape, parts[::2])
    parts[1::2] = (render(node, config, kind="math", tex=t, display=False) for t in parts[1::2])
    return "".join(parts)


def skip(self: Any, node: live_figure) -> None:
    """Write nothing: the still image is there."""
    raise nodes.SkipNode


def copy_library(app: Sphinx) -> None:
    """Copy uPlot into the site."""
    if app.builder.format != "html":
        return
    modules = Path(app.config.tex_node_modules)
    require_node_modules(modules, "uplot")
    target = Path(app.outdir, "_static", "uplot")
    target.mkdir(parents=True, exist_ok=True)
    for name in ("uPlot.min.css", "uPlot.iife.min.js"):
        shutil.copy(modules / "uplot" / "dist" / name, target)


def add_scripts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Load the scripts on the pages that have a live figure."""
    if doctree is not None and any(doctree.findall(live_figure)):
        for name in ("uplot/uPlot.iife.min.js", "live_figure.js"):
            app.add_js_file(name, defer="defer")
