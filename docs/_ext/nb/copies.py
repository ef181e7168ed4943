"""Notebooks live in notebooks/<language>; the books read copies in docs/<language>/notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def copy_notebooks(root: Path) -> None:
    """Bring the copies up to date; what is the same already keeps its time stamp."""
    for language in ("en", "zh"):
        target = root / "docs" / language / "notebooks"
        sources = {path.name: path for path in (root / "notebooks" / language).glob("*.ipynb")}
        for copy in target.glob("*.ipynb"):
            if copy.name not in sources:
                copy.unlink()
        for name, source in sources.items():
            content = source.read_bytes()
            copy = target / name
            if not copy.exists() or copy.read_bytes() != content:
                target.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
