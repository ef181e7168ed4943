"""Alternative texts of the figures in notebooks.

They stand in the metadata of the notebook, ``{"alt": {cell id: text}}``, and not of the cell: cell
metadata goes into the key of the execution cache, so that a translated text would run the notebook
once more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

log = logging.getLogger(__name__)


def describe_figures(app: Sphinx, doctree: nodes.document) -> None:
    """Give each figure that a cell has drawn its text, or a warning where there is none."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    notebook = json.loads(path.read_text(encoding="utf-8"))
    texts = notebook["metadata"].get("alt", {})
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code":
            continue
        name = notebook["cells"][cell["cell_index"]]["id"]
        for image in cell.findall(nodes.image):
            image["alt"] = texts.get(name, "")
            if not image["alt"]:
                log.warning(
                    "no text in metadata.alt for cell %r", name, location=cell, type="nb_alt"
                )
