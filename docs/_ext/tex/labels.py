"""An equation's label may move from one page to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def forget(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Forget all pages that are about to be read before any of them is.

    Sphinx forgets each when its turn comes: a label that has moved to a page that is read earlier
    would be a duplicate of itself.
    """
    for name in names:
        env.clear_doc(name)
