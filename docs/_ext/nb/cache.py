"""Where the results of executed notebooks are kept: one folder for each state of what they run.

jupyter-cache looks only at a notebook's code. The name of the folder brings in the rest: the
package, the versions of what it needs, and the numbers that the notebooks are compared with.
"""

from __future__ import annotations

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def digest(files: Iterable[Path]) -> str:
    """A hash of the names and contents of files."""
    result = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        result.update(f"{path.name} {len(content)}\n".encode() + content)
    return result.hexdigest()[:16]


def state_of(package: str, *files: Path) -> str:
    """The digest of the installed package's Python files and of those of the files that exist."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is not installed")
    sources = Path(spec.submodule_search_locations[0]).rglob("*.py")
    return digest([*sources, *(path for path in files if path.exists())])


def remove_others(cache: Path) -> None:
    """Delete the folders of older states, which stand beside this one."""
    for folder in cache.parent.glob("*"):
        if folder.is_dir() and folder != cache:
            shutil.rmtree(folder)
