"""Citations in a Chinese sentence: Zhang 等, Hu 与 Huang, and not ``et al.`` and ``and``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.referencing.foot import FootReferenceStyle

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

NAME = "foot_han"


def _chinese_list() -> PersonStyle:
    return PersonStyle(sep="、", sep2=" 与 ", last_sep=" 与 ", other=" 等")


@dataclass
class ChineseFootStyle(FootReferenceStyle):
    """References by footnotes, with Chinese between the names."""

    person: PersonStyle = field(default_factory=_chinese_list)


def choose(app: Sphinx, config: Config) -> None:
    """Take this style."""
    register_plugin("sphinxcontrib.bibtex.style.referencing", NAME, ChineseFootStyle)
    config.bibtex_foot_reference_style = NAME
