"""Chinese in LaTeX: the fonts that Linux has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def choose(app: Sphinx, config: Config) -> None:
    """Add them to the preamble."""
    config.latex_elements["preamble"] += (
        "\\usepackage{xeCJK}\n"
        "\\setCJKmainfont{Noto Serif CJK SC}\n"
        "\\setCJKsansfont{Noto Sans CJK SC}\n"
        "\\setCJKmonofont{Noto Sans Mono CJK SC}\n"
    )
