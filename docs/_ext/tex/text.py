"""A formula as one would write it in a message: ``p/γ``, ``√κ``, ``⟨x, y⟩``, ``θ_k^(t+1)``."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TOKEN = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|\s+|.", re.DOTALL)
_SIGNS = {
    **{"cdot": " · ", "otimes": " ⊗ ", "times": " × ", "pm": " ± ", "nabla": "∇", "partial": "∂"},
    **{"le": " ≤ ", "leq": " ≤ ", "leqslant": " ≤ ", "ge": " ≥ ", "geq": " ≥ ", "ne": " ≠ "},
    **{"geqslant": " ≥ ", "approx": " ≈ ", "sim": " ~ ", "ll": " ≪ ", "gg": " ≫ ", "neq": " ≠ "},
    **{"in": " ∈ ", "subset": " ⊂ ", "subseteq": " ⊆ ", "cup": " ∪ ", "cap": " ∩ "},
    **{"to": " → ", "gets": " ← ", "mapsto": " ↦ ", "mid": " | ", "forall": "∀", "exists": "∃"},
    **{"sum": " ∑", "prod": " ∏", "int": " ∫", "infty": "∞", "top": "T", "ell": "ℓ", "prime": "'"},
    **{"dots": "…", "ldots": "…", "cdots": "…", "langle": "⟨", "lVert": "‖", "lvert": "|"},
    **{"quad": " ", "qquad": " ", "lambda": "λ", "Lambda": "Λ", "{": "{", "}": "}", "|": "‖"},
    **{"\\": " ", ",": " ", ";": " ", ":": " ", " ": " ", "%": "%", "&": "&", "#": "#", "_": "_"},
}
_CLOSING = {"rangle": "⟩", "rVert": "‖", "rvert": "|", "}": "}"}
_ACCENTS = {"widetilde": "\u0303", "tilde": "\u0303", "overline": "\u0304", "bar": "\u0304"}
_ACCENTS |= {"widehat": "\u0302", "hat": "\u0302", "dot": "\u0307"}
_FONTS = re.compile(r"math[a-z]+|text[a-z]*|operatorname\*?|boldsymbol|mbox")
_SILENT = re.compile(r"left|right|[bB]ig{1,2}[lrm]?|limits|nolimits|displaystyle|textstyle|!")
_POWERS = {"2": "²", "3": "³", "*": "*", "'": "'"}
# A letter or a number, with whatever stands below and above it, or what is in brackets already.
_SCRIPT = r"(?:[_^](?:\([^()]*\)|-?\w+)|[²³*'\u0302-\u0307])*"
_FACTOR = re.compile(rf"(?:√?(?:[^\W\d_]|∇|∞)|√?[\d.]+|√?\([^()]*\)|\w+\([^()]*\)){_SCRIPT}")
_NAME_BEFORE = re.compile(r"(?:arg|max|min|log|exp|sup|inf|lim|sin|cos) ?$")
_OPERATOR = re.compile(r"(?<=[^\s({\[_^])([-+=<>]) ")  # a command before it has taken its space
_NAMES = ("arg", "max", "min", "log", "exp", "sup", "inf", "lim", "col", "sign", "sin", "cos")


def formula_text(tex: str, macros: Mapping[str, str] | None = None) -> str:
    """The text of a formula, `macros` (name without backslash: body) put in."""
    for name, body in (macros or {}).items():
        group = f"{{{body}}}".replace("\\", r"\\")
        tex = re.sub(rf"\\{name}(?![A-Za-z])\s*", group, tex)
    tokens = _TOKEN.findall(tex)[::-1]
    text = ""
    while tokens:
        text += _sequence(tokens)
    return " ".join(_OPERATOR.sub(r" \1 ", text).split())


def _sequence(tokens: list[str]) -> str:
    """The text up to the end of a group, which is taken off, too."""
    text = ""
    while tokens:
        token = tokens.pop()
        name = token[1:].strip() or " " if token[0] == "\\" else ""
        if token == "}":
            break
        if token in "_^":
            text = text.rstrip() + _script(token, _argument(tokens))
        elif token in ")]" or name in _CLOSING:
            text = text.rstrip() + _CLOSING.get(name, token)
        elif token == "(" or name == "{":
            text = re.sub(r"([A-Za-z]{2}) $", r"\1", text) + token[-1]
            while tokens and tokens[-1].isspace():
                tokens.pop()
        elif name in {"frac", "dfrac", "tfrac"}:
            over, under = _argument(tokens), _argument(tokens)
            fraction = f"{_bracketed(over, _is_term)}/{_bracketed(under, _is_factor)}"
            if _NAME_BEFORE.search(text):
                text = f"{text.rstrip()}({fraction}) "
            else:
                text += f" {fraction} " if re.search(r"[\w)}\]]$", text) else f"{fraction} "
        else:
            word = _atom(token, name, tokens)
            gap = " " if text[-1:].isalnum() and word.startswith(_NAMES) else ""
            text += gap + word
    return text


def _atom(token: str, name: str, tokens: list[str]) -> str:
    """What a token stands for, with its argument if it has one."""
    if token == "{":
        return _sequence(tokens)
    if token in {"&", "~"} or token.isspace():
        return " "
    if not name:
        return token
    if name == "sqrt":
        return "√" + _bracketed(_argument(tokens), _is_factor)
    if name in _ACCENTS:
        return _argument(tokens) + _ACCENTS[name]
    if name in {"begin", "end", "hspace"}:
        _argument(tokens)
        return " "
    if _FONTS.fullmatch(name):
        word = _argument(tokens)
        return f"{word} " if name.startswith("operatorname") and tokens[-1:] != ["_"] else word
    if _SILENT.fullmatch(name):
        return ""
    return _SIGNS.get(name) or _greek(name) or f"{name} "


def _argument(tokens: list[str]) -> str:
    """The group, or the single token, that a command takes."""
    while tokens and tokens[-1].isspace():
        tokens.pop()
    if not tokens:
        return ""
    token = tokens.pop()
    return _atom(token, token[1:].strip() if token[0] == "\\" else "", tokens).strip()


def _script(sign: str, text: str) -> str:
    if sign == "^" and text in _POWERS:
        return _POWERS[text]
    is_simple = re.fullmatch(r"[^\W\d]|[A-Za-z]+|-?\d+|\([^()]*\)|[∞*+-]", text)
    return sign + (text if is_simple else f"({text})")


def _bracketed(text: str, is_whole: Callable[[str], bool]) -> str:
    return text if is_whole(text) else f"({text})"


def _is_factor(text: str) -> bool:
    return bool(_FACTOR.fullmatch(text))


def _is_term(text: str) -> bool:
    """Whether no sum, difference, fraction or relation stands outside of all brackets."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{⟨") - (character in ")]}⟩")
        if depth == 0 and at and character in "+-−/=<>≤≥±":
            return text[at - 1] in "^_"
    return True


def _greek(name: str) -> str:
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.removeprefix('var').upper()}")
    except KeyError:
        return ""
