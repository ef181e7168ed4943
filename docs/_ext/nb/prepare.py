"""What has to stand before pages are read: copies of the notebooks, their claims, their results."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bilingual.han import is_chinese
from nb import cache, copies, pool

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def prepare(app: Sphinx, config: Config) -> None:
    """Bring the copies up to date, and choose where results are kept."""
    root = Path(app.confdir).parent
    copies.copy_notebooks(root)
    claims = Path(config.claims_file)
    if claims.is_file():
        os.environ["FL_ALGOS_CLAIMS"] = str(claims)  # the notebooks run on copies, elsewhere
    state = cache.state_of("fl_algos", root / "constraints.txt", claims)
    results = root / "build" / "cache" / state
    if not is_chinese(config.language):  # that book comes second, and uses what this one has run
        cache.remove_others(results)
    config.nb_execution_cache_path = str(results)
    config.nb_execution_timeout = pool.SECONDS_PER_CELL
