"""Run Sphinx again and again without importing it again: each build is a fork of one process.

Run as a script, this is that process. It reads a line of JSON for each build, and answers with the
exit status. What a build has imported of the environment the next ones find imported, but for
fl_algos, in whose place a build may have a copy; nothing else is left of it.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECONDS = 300
"""What a build may take."""
ENVIRONMENT = tuple({os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix)})


def sphinx(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> tuple[int, str]:
    """The exit status of ``python -m sphinx``, run in a folder, and what went to stderr."""
    request = {"arguments": [*arguments], "folder": str(folder), "environment": {**environment}}
    server = _server()
    assert server.stdin
    assert server.stdout
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline()), (folder / "stderr").read_text("utf-8")


@cache
def _server() -> subprocess.Popen[str]:
    """The process; it ends when this one does, as its input ends."""
    alone = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP")}  # a fork has one
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-P", __file__], text=True, env={**os.environ, **alone}, **pipes
    )


def serve() -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            build(**request)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
        with suppress(FileNotFoundError):  # the build was killed
            for name in Path(request["folder"], "modules").read_text("utf-8").split():
                with suppress(ImportError):
                    import_module(name)
        logging.basicConfig(force=True, level="WARNING", handlers=[logging.NullHandler()])


def build(arguments: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
    """Build a book, note what was imported for it, and end."""
    status = 70
    try:
        signal.alarm(SECONDS)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        nothing = os.open(os.devnull, os.O_RDWR)
        errors = os.open("stderr", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for number, opened in enumerate((nothing, nothing, errors)):
            os.dup2(opened, number)
        sys.stderr.reconfigure(encoding="utf-8")
        from sphinx.cmd.build import main

        status = main(arguments)
        files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        found = [name for name, file in files.items() if file and file.startswith(ENVIRONMENT)]
        kept = [name for name in found if name.partition(".")[0] != "fl_algos"]
        Path("modules").write_text("\n".join(kept), "utf-8")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
