"""Drawings of the primal-dual chapter."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import fl_algos as fl
from drawings.style import INK, arrow, canvas, color, line, number_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from drawings.style import Say
from figures.pair import PAIR, STAR, values


def price(say: Say) -> Figure:
    """What each client minimises around the solution, without prices and with the right ones."""
    figure, all_axes = canvas(300, rows=2)
    s, star_k = 1.0, np.full((2, 1), STAR)
    x = np.linspace(-0.3, 1.7, 101)
    for lambda_k, axes in zip((0 * star_k, -PAIR.grad(star_k)), all_axes, strict=True):
        to = PAIR.prox(star_k - s * lambda_k, s)[:, 0]
        number_line(axes, -0.3, 1.7, sorted({float(each) for each in to} | {STAR}))
        axes.set_ylim(-0.05, 1.3)
        axes.plot(STAR, 0, "o", color=INK, fillstyle="none", markersize=11, clip_on=False, zorder=5)
        for k in range(2):
            name = f"client_{k + 1}"
            charged = lambda_k[k] * (x - STAR) + (x - STAR) ** 2 / (2 * s)
            axes.plot(x, values(x)[k] + charged, **line(name))
            low = lambda_k[k, 0] * (to[k] - STAR) + (to[k] - STAR) ** 2 / (2 * s)
            low += values(to[k : k + 1])[k, 0]
            axes.plot([to[k], to[k]], [0, low], color=color(name), linewidth=0.8)
            axes.plot(to[k], low, "o", color=color(name), markersize=5)
        right = bool(lambda_k.any())
        words = (
            say("with the right prices", "价格合适")
            if right
            else say("the quadratic charge alone", "只有二次罚项")
        )
        axes.text(STAR, 1.1, words, ha="center")
        if not right:
            axes.text(-0.28, 0.2, say("client 1", "子节点 1"), color=color("client_1"))
            axes.text(1.32, 0.12, say("client 2", "子节点 2"), color=color("client_2"))
    return figure


def way(say: Say) -> Figure:
    """The server's model in the first rounds of FedPD."""
    figure, axes = canvas(120, margins=(14, 14, 24, 4))
    start = np.array([2.0])
    models = [
        float(fl.run(fl.FedPD(s=1.0), PAIR, rounds=t, theta=start).theta[0]) for t in range(5)
    ]
    number_line(axes, 0, 2.1, [models[1], models[2], STAR, 1, models[0]])
    axes.set_ylim(0, 1)
    axes.plot([STAR, STAR], [0, 0.95], color=INK, linewidth=0.8)
    for t, step in enumerate(pairwise(models)):
        height = 0.82 - 0.2 * t
        arrow(axes, (step[0], height), (step[1], height), color=color("fedpd"))
    axes.plot(models[0], 0.82, "o", color=color("fedpd"), markersize=5)
    axes.text(STAR + 0.03, 0.55, r"$\theta^*$", ha="left")
    axes.text(1.4, 0.87, say("round 1", "第 1 轮"), color=color("fedpd"), ha="center")
    return figure
