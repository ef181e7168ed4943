"""Under the title of a notebook: a link to download it, and to run it elsewhere.

Colab and Binder fetch notebooks from the repository, so their links appear once its address is set.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import _
from sphinx.transforms import SphinxTransform

from bilingual.han import tree_of


def colab(repository: str, path: str) -> str | None:
    """The address that opens a file of a repository in Colab, which knows only GitHub."""
    parts = urlsplit(repository)
    if parts.netloc != "github.com":
        return None
    return f"https://colab.research.google.com/github{parts.path.rstrip('/')}/blob/HEAD/{path}"


def binder(repository: str, path: str) -> str:
    """The address that opens a file of a repository in Binder."""
    parts = urlsplit(repository.rstrip("/"))
    name = parts.path.strip("/")
    known = {"github.com": f"gh/{name}", "gitlab.com": f"gl/{quote(name, safe='')}"}
    source = known.get(parts.netloc, f"git/{quote(repository, safe='')}")
    return f"https://mybinder.org/v2/{source}/HEAD?urlpath=lab/tree/{quote(path)}"


class NotebookLinks(SphinxTransform):
    """Write the links into the page."""

    default_priority = 870

    def apply(self, **kwargs: Any) -> None:
        """Change the document in place."""
        source = Path(self.env.doc2path(self.env.docname))
        title = self.document.next_node(nodes.title)
        if source.suffix != ".ipynb" or title is None:
            return
        paragraph = nodes.paragraph(classes=["notebook-links"])
        download = addnodes.download_reference(reftarget=f"/{self.env.docname}.ipynb")
        download += nodes.Text(_("Download this notebook"))
        paragraph += download
        repository = self.config.nb_links_repository
        if repository:
            path = f"notebooks/{tree_of(self.config.language)}/{source.name}"
            self._add(paragraph, _("Open in Binder"), binder(repository, path))
            if address := colab(repository, path):
                self._add(paragraph, _("Open in Colab"), address)
                install = f'%pip install "fl_algos[data] @ git+{repository}"'
                paragraph += [
                    nodes.Text(f" {_('and run this first:')} "),
                    nodes.literal("", install),
                ]
        section = title.parent
        only = addnodes.only(expr="html")
        only += paragraph
        section.insert(section.index(title) + 1, only)

    def _add(self, paragraph: nodes.paragraph, words: str, address: str) -> None:
        paragraph += [nodes.Text(" · "), nodes.reference("", words, refuri=address, internal=False)]
