"""Drawings of the proximal chapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fl_algos as fl
from drawings.style import FAINT, INK, arrow, canvas, color, line, number_line
from figures.pair import OWN, PAIR, STAR, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from drawings.style import Say


def tether(say: Say) -> Figure:
    """A proximal step: the minimiser of a client's function plus a parabola around the start."""
    figure, axes = canvas(200)
    s, v = 1.0, 2.0
    to = float(PAIR.prox(np.full((2, 1), v), s)[0, 0])
    x = np.linspace(-0.6, 3.2, 101)
    own, held = values(x)[0], (x - v) ** 2 / (2 * s)
    number_line(axes, -0.6, 3.2, [OWN[0], to, v])
    axes.set_ylim(0, 3.4)
    axes.plot(x, own, **line("client_1"))
    axes.plot(x, held, color=FAINT.light, linestyle=(0, (1, 1.5)))
    axes.plot(x, own + held, color=color("fedprox"))
    low = float(values(np.array([to]))[0, 0] + (to - v) ** 2 / (2 * s))
    axes.plot([to, to], [0, low], color=color("fedprox"), linewidth=0.8)
    axes.plot(to, low, "o", color=color("fedprox"), markersize=5)
    arrow(axes, (v, 0.14), (to, 0.14), color=color("fedprox"))
    axes.text(2.5, 2.4, "$f_1$", color=color("client_1"))
    axes.text(2.75, 0.65, say("tether", "系绳"), color=FAINT.light, ha="center")
    axes.text(to, 2.3, say("their sum", "二者之和"), color=color("fedprox"), ha="center")
    return figure


def envelopes(say: Say) -> Figure:
    """The functions of the pair with their envelopes, and below them the means of both."""
    figure, (above, below) = canvas(330, rows=2)
    s = 1.0
    x = np.linspace(-0.75, 1.75, 101)
    x_k = np.stack([PAIR.prox(np.full((2, 1), each), s)[:, 0] for each in x], axis=1)
    there = np.stack([values(own)[k] for k, own in enumerate(x_k)])
    f_k, M_k = values(x), there + (x_k - x) ** 2 / (2 * s)
    rest = float(fl.run(fl.FedProx(mu=1 / s), PAIR, rounds=200).theta[0])
    number_line(above, -0.75, 1.75, list(OWN))
    number_line(below, -0.75, 1.75, [OWN[0], rest, STAR, OWN[1]])
    for label, side in zip(below.get_xticklabels()[1:3], ("right", "left"), strict=True):
        label.set_horizontalalignment(side)
    for axes in (above, below):
        axes.set_ylim(0, 1.5)
    for k, (f, M) in enumerate(zip(f_k, M_k, strict=True)):
        above.plot(x, f, **line(f"client_{k + 1}"))
        above.plot(x, M, color=color(f"client_{k + 1}"), linewidth=1)
    above.text(1.12, 1.15, "$f_1$", color=color("client_1"), ha="center")
    above.text(0.3, 1.15, "$f_2$", color=color("client_2"))
    above.text(1.8, 0.62, "$M_1$", color=color("client_1"), clip_on=False, ha="right")
    above.text(-0.6, 1.15, "$M_2$", color=color("client_2"))
    lines = ({"color": INK}, line("fedprox"))
    for at, means, look in zip((STAR, rest), (f_k, M_k), lines, strict=True):
        mean = means.mean(axis=0)
        low = float(np.interp(at, x, mean))
        below.plot(x, mean, **look)
        below.plot([at, at], [0, low], color=look["color"], linewidth=0.8)
        below.plot(at, low, "o", color=look["color"], markersize=5)
    below.text(-0.12, 1.2, say("mean of the $f_k$", "各 $f_k$ 的平均"))
    words = say("mean of the $M_k$", "各 $M_k$ 的平均")
    below.text(-0.74, 0.04, words, color=color("fedprox"))
    return figure
