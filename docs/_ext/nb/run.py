"""Run the notebooks that have to be run side by side, before the pages are read.

Sphinx reads page after page, and myst-nb would run one notebook after the other. What fails here is
left to myst-nb, which runs it once more and reports it where its page is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution

from nb.kernel import kernel_config
from nb.pool import side_by_side

if TYPE_CHECKING:
    from jupyter_cache.executors.utils import ExecutionResult
    from sphinx.application import Sphinx


def run_notebooks(app: Sphinx) -> None:
    """Run those of the book whose results are not in the cache."""
    if app.config.nb_execution_mode != "cache":
        return
    cache = get_cache(app.config.nb_execution_cache_path)
    todo = {}
    for path in sorted((Path(app.srcdir) / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            todo[path] = notebook

    def run(path: Path) -> ExecutionResult:
        return single_nb_execution(
            todo[path],
            cwd=str(path.parent),
            timeout=app.config.nb_execution_timeout,
            allow_errors=False,
            config=kernel_config(),
        )

    for path, result in zip(todo, side_by_side(run, todo), strict=True):
        if result.err is None:
            bundle = CacheBundleIn(todo[path], str(path), data={"execution_seconds": result.time})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
