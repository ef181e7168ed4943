"""How drawings look: one colour and one line style for each algorithm, on light and dark pages.

The functions in ``docs/figures`` draw with what stands here, and with `INK` where no algorithm is
meant. The colours are those of light pages; in the page each becomes a CSS variable, so that the
dark switch changes it, and `INK` becomes the colour of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Say = Callable[[str, str], str]
"""Takes English and Chinese words, and gives those of the page's language."""


class Look(NamedTuple):
    """Colours on light and on dark pages, and the dashes of lines."""

    light: str
    dark: str
    dashes: Any


# Readable as text (a contrast of 4.5) on both pages. Readers who cannot tell two colours apart can
# tell their dashes.
LOOKS = {
    "gradient_descent": Look("#5b6470", "#aab4c0", (0, (1, 1.5))),
    "fedavg": Look("#b93c09", "#fb923c", "-"),
    "fedavgm": Look("#7a5a00", "#e0b93f", (0, (6, 1.5, 1, 1.5))),
    "fedopt": Look("#5f6b00", "#c3d04a", (0, (3, 1.5, 1, 1.5, 1, 1.5))),
    "fedprox": Look("#86368a", "#dd9be0", (0, (5, 1.5, 1.5, 1.5))),
    "scaffold": Look("#0b6e4f", "#4cc79a", (0, (4, 2))),
    "fedpd": Look("#0f6ab4", "#60b0f4", (0, (8, 2))),
    "scaffnew": Look("#b3145c", "#f784b3", (0, (2.5, 1.5))),
    "proxskip": Look("#8a2f2f", "#f0a3a3", (0, (8, 2, 2, 2))),
    "client_1": Look("#3d5a80", "#a3bfe0", (0, (5, 2))),
    "client_2": Look("#7a5236", "#dbb593", (0, (2, 1.5))),
}
INK = "#000000"
FAINT = Look("#70757c", "#9aa0a8", "-")
"""Of axes, and of help lines."""

WIDTH = 340
"""Of a drawing, in points; on a phone this is about the width of the page, so that letters keep
their size there."""
SETTINGS = {
    "axes.edgecolor": FAINT.light,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.size": 12,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "savefig.facecolor": "none",
    "text.color": INK,
    "xtick.color": FAINT.light,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT.light,
    "ytick.labelcolor": INK,
}


def canvas(height: float, rows: int = 1, *, margins: tuple[float, ...] = (12, 12, 24, 6)) -> Any:
    """A figure of `height` points, and its axes, one below the other.

    The `margins`, in points, are those on the left, on the right, below and above; of several axes
    each has as much below it.
    """
    left, right, below, above = margins
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    each = (height - rows * below - above) / rows
    axes = figure.subplots(
        rows,
        gridspec_kw={
            "left": left / WIDTH,
            "right": 1 - right / WIDTH,
            "bottom": below / height,
            "top": 1 - above / height,
            "hspace": below / each,
        },
    )
    return figure, axes


def line(name: str) -> dict[str, Any]:
    """The colour and the dashes of an algorithm or a client, as keywords of ``plot``."""
    return {"color": LOOKS[name].light, "linestyle": LOOKS[name].dashes}


def color(name: str) -> str:
    """The colour of an algorithm or a client."""
    return LOOKS[name].light


def number_line(axes: Axes, start: float, stop: float, ticks: list[float]) -> None:
    """Leave of the axes the lower one, from start to stop, with fractions at its ticks."""
    axes.set_xlim(start, stop)
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    axes.set_xticks(ticks, [fraction(x) for x in ticks])


def fraction(x: float, most: int = 64) -> str:
    """A number as a fraction with a small denominator, as it is written on a line."""
    return str(Fraction(x).limit_denominator(most)).replace("-", "\N{MINUS SIGN}")


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **options: Any) -> None:
    """An arrow in the coordinates of the axes; `options` are those of matplotlib's arrows."""
    shape = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0, "lw": 1.6}
    axes.annotate("", xy=end, xytext=start, arrowprops=shape | options, annotation_clip=False)


def style_sheet() -> str:
    """The colours as CSS variables, for light and for dark pages."""
    looks = LOOKS | {"faint": FAINT}
    return "".join(
        f"{selector} {{\n"
        + "".join(f"  {variable(name)}: {getattr(look, mode)};\n" for name, look in looks.items())
        + "}\n\n"
        for selector, mode in ((":root", "light"), ('html[data-theme="dark"]', "dark"))
    )


def variable(name: str) -> str:
    """The CSS variable of a colour."""
    return f"--drawing-{name.replace('_', '-')}"


def css_colors() -> dict[str, str]:
    """What takes the place of each colour in a page."""
    looks = LOOKS | {"faint": FAINT}
    colors = {look.light: f"var({variable(name)})" for name, look in looks.items()}
    return colors | {INK: "currentcolor"}
