"""Drawings of the overview."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import fl_algos as fl
from drawings.style import INK, arrow, canvas, color, line, number_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from drawings.style import Say
from figures.pair import OWN, PAIR, STAR, values


def pair(say: Say) -> Figure:
    """The functions of the two clients, and their mean."""
    figure, axes = canvas(190)
    x = np.linspace(-0.75, 1.75, 101)
    f_k = values(x)
    number_line(axes, -0.75, 1.75, [OWN[0], STAR, OWN[1]])
    axes.set_ylim(0, 1.5)
    for k, f in enumerate(f_k):
        axes.plot(x, f, **line(f"client_{k + 1}"))
    axes.plot(x, f_k.mean(axis=0), color=INK)
    low = float(values(np.array([STAR])).mean())
    axes.plot([STAR, STAR], [0, low], color=INK, linewidth=0.8)
    axes.plot(STAR, low, "o", color=INK, markersize=5)
    axes.text(-0.62, 0.3, "$f_1$", color=color("client_1"), ha="right")
    axes.text(1.62, 0.42, "$f_2$", color=color("client_2"))
    axes.text(-0.42, 1.33, say("mean $f$", "平均 $f$"), ha="right")
    axes.text(STAR, 0.36, r"$\theta^*$", ha="center")
    return figure


def drift(say: Say) -> Figure:
    """Where FedAvg rests with one and with two local steps: the walks from there."""
    gamma = 0.5
    figure, all_axes = canvas(230, rows=2, margins=(14, 14, 24, 4))
    for R, axes in zip((1, 2), all_axes, strict=True):
        rest = float(fl.run(fl.FedAvg(gamma=gamma, R=R), PAIR, rounds=100).theta[0])
        walks = [np.full((2, 1), rest)]
        for _ in range(R):
            walks.append(walks[-1] - gamma * PAIR.grad(walks[-1]))
        number_line(axes, -0.2, 1.4, sorted({OWN[0], rest, STAR, OWN[1]}))
        axes.set_ylim(0, 1)
        axes.plot([rest, rest], [0, 0.84], color=color("fedavg"), linewidth=0.8)
        axes.plot(rest, 0, "o", color=color("fedavg"), clip_on=False, zorder=5)
        axes.plot(STAR, 0, "o", color=INK, fillstyle="none", markersize=11, clip_on=False)
        axes.text(rest, 0.9, f"$R = {R}$", color=color("fedavg"), ha="center")
        for k, height in enumerate((0.62, 0.34)):
            name, side = f"client_{k + 1}", ("right", "left")[k]
            for r, step in enumerate(pairwise(walks)):
                points = [(float(x_k[k, 0]), height - 0.12 * r) for x_k in step]
                arrow(axes, *points, color=color(name))
            words = say(f"client {k + 1}", f"子节点 {k + 1}")
            axes.text(rest + (-0.06, 0.06)[k], height + 0.06, words, color=color(name), ha=side)
    return figure


def underneath(say: Say) -> Figure:
    """A strongly convex function, with the parabola that touches it and stays below."""
    figure, axes = canvas(150, margins=(12, 12, 8, 6))
    x = np.linspace(-1.6, 2, 121)
    mu, at = 0.5, -0.4

    def f(x: np.ndarray) -> np.ndarray:
        return np.log(np.cosh(1.6 * x)) + mu * x**2 / 2

    slope = 1.6 * np.tanh(1.6 * at) + mu * at
    axes.plot(x, f(x), color=INK)
    axes.plot(
        x, f(at) + slope * (x - at) + mu * (x - at) ** 2 / 2, color=INK, linestyle=(0, (4, 2))
    )
    axes.plot(at, f(at), "o", color=INK, markersize=5)
    axes.set_ylim(-1.1, 3)
    axes.set_axis_off()
    axes.text(1.1, 2.1, "$f$", ha="right")
    words = say(r"parabola of curvature $\mu$", r"曲率为 $\mu$ 的抛物线")
    axes.text(0.1, -0.95, words, ha="right")
    return figure
