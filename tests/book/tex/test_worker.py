"""A package that is not installed is named where it is needed, and only there."""

from __future__ import annotations

import pytest
from sphinx.errors import ExtensionError

from tex.worker import require_node_modules


def test_only_what_is_asked_for_is_missed(tmp_path):
    (tmp_path / "katex").mkdir()
    require_node_modules(tmp_path, "katex")
    with pytest.raises(ExtensionError, match=r"^pseudocode not installed"):
        require_node_modules(tmp_path, "katex", "pseudocode")
