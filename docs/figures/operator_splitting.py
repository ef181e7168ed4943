"""Drawings of the chapter on operator splitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from drawings.style import FAINT, INK, arrow, canvas, color, fraction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from drawings.style import Say
from figures.pair import PAIR


def mirrors(say: Say) -> Figure:
    """Two reflections and half of the way, in the plane of both clients' points."""
    figure, axes = canvas(330, margins=(44, 8, 34, 8))
    ticks = [0, 0.5, 1.25, 1.5, 2]
    axes.set(xlim=(-0.15, 2.2), ylim=(-0.15, 2.2), aspect="equal")
    axes.set_xticks(ticks, [fraction(x) for x in ticks])
    axes.set_yticks([0, 0.5, 1, 2], ["0", "1/2", "1", "2"])
    axes.set_xlabel("$w_1$")
    axes.set_ylabel("$w_2$", rotation=0, labelpad=10)
    axes.plot([-0.15, 2.2], [-0.15, 2.2], color=FAINT.light, linewidth=1)
    axes.text(1.05, 1.32, say("consensus set", "共识集"), color=FAINT.light, ha="right")
    w, visited = np.array([[2.0], [2.0]]), []
    for _ in range(7):
        once = 2 * PAIR.prox(w, 1.0) - w
        twice = 2 * once.mean() - once
        visited.append((w, once, twice))
        w = (w + twice) / 2
    (start, once, twice), half = visited[0], visited[1][0]
    points = [tuple(float(x) for x in each[:, 0]) for each in (start, once, twice, half)]
    arrow(axes, points[0], points[1], color=INK, linestyle=(0, (4, 2)), lw=1.2)
    arrow(axes, points[1], points[2], color=INK, linestyle=(0, (4, 2)), lw=1.2)
    axes.plot(*zip(points[0], points[2], strict=True), color=FAINT.light, linewidth=0.8)
    path = np.array([each[0][:, 0] for each in visited])
    axes.plot(*path.T, "o-", color=color("fedpd"), markersize=5, linewidth=1.2)
    axes.plot(1.5, 0, "o", color=INK, fillstyle="none", markersize=11, clip_on=False)
    axes.text(1.95, 2.05, "$w$", color=color("fedpd"), ha="right")
    axes.text(-0.1, 0.98, say("first reflection", "第一次反射"), ha="left")
    axes.text(0.56, -0.1, say("second", "第二次"), ha="left")
    axes.text(1.32, 0.92, say("half of the way", "一半的路"), color=color("fedpd"), ha="left")
    return figure
