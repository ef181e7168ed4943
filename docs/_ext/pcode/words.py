"""The keywords that pseudocode.js prints, in the languages of the book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bilingual.han import is_chinese

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

CHINESE = {
    "Require:": "输入：",
    "Ensure:": "输出：",
    "Input:": "输入：",
    "Output:": "输出：",
    "for": "对",
    "for all": "对所有",
    "while": "当",
    "do": "执行",
    "end for": "结束循环",
    "end while": "结束循环",
    "repeat": "重复",
    "until": "直到",
    "if": "若",
    "then": "则",
    "else": "否则",
    "else if": "否则若",
    "end if": "结束条件",
    "upon": "一旦",
    "end upon": "结束",
    "function": "函数",
    "end function": "结束函数",
    "procedure": "过程",
    "end procedure": "结束过程",
    "return": "返回",
    "print": "打印",
    "break": "跳出循环",
    "continue": "继续循环",
    "and": "且",
    "or": "或",
    "not": "非",
    "true": "真",
    "false": "假",
    "to": "至",
    "downto": "降至",
}


def words(language: str) -> dict[str, str]:
    """English keyword: keyword in the language; empty for English itself."""
    return CHINESE if is_chinese(language) else {}


def for_latex(language: str) -> str:
    r"""The LaTeX packages for blocks, and the definitions that make them print these words."""
    translate = words(language)
    definitions = [r"\usepackage{algorithm}", r"\usepackage{algorithmic}"]
    if is_chinese(language):
        definitions.append(r"\floatname{algorithm}{算法}")
    for english in (
        "Require:", "Ensure:", "if", "then", "else", "else if", "end if", "for", "for all", "do",
        "end for", "while", "end while", "repeat", "until", "print", "return",
    ):  # fmt: skip
        name = english.lower().rstrip(":").replace("else if", "elsif").replace(" ", "")
        word = translate.get(english, english)
        definitions.append(rf"\renewcommand{{\algorithmic{name}}}{{\textbf{{{word}}}}}")
    for english in ("Input:", "Output:"):
        word = translate.get(english, english)
        name = english.rstrip(":").upper()
        definitions.append(rf"\newcommand{{\{name}}}{{\item[\textbf{{{word}}}]}}")
    return "\n".join(definitions) + "\n"


def choose(app: Sphinx, config: Config) -> None:
    """Set the words of a block's number, and those of LaTeX."""
    number = "算法 %s" if is_chinese(config.language) else "Algorithm %s"
    config.numfig_format.setdefault("pcode", number)
    config.latex_elements["preamble"] += for_latex(config.language)
