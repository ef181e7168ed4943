"""Drawings of the skipping chapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fl_algos as fl
from drawings.style import INK, arrow, canvas, color, fraction, line, number_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from drawings.style import Say
from figures.pair import PAIR, STAR


def learning(say: Say) -> Figure:
    """The models before each communication, and the control variates after it."""
    figure, (above, below) = canvas(270, rows=2, margins=(40, 14, 34, 6))
    gamma, p, rounds = 0.25, 0.5, 6
    theta_k, c_k = np.full((2, 1), STAR), np.zeros((2, 1))
    models, controls = [], [c_k[:, 0]]
    for _ in range(rounds):
        half_k = theta_k
        for _ in range(2):
            half_k = half_k - gamma * (PAIR.grad(half_k) - c_k)
        theta_k = np.full((2, 1), half_k.mean())
        c_k = c_k + p / gamma * (theta_k - half_k)
        models.append(half_k[:, 0])
        controls.append(c_k[:, 0])
    t = np.arange(1, rounds + 1)
    for axes in (above, below):
        axes.set_xlim(-0.2, rounds + 0.4)
        axes.set_xticks(range(rounds + 1))
    shown = [float(models[0][0]), STAR, float(models[0][1])]
    above.set_yticks(shown, [fraction(x) for x in shown])
    above.set_ylim(0.35, 1.05)
    right = [float(x) for x in PAIR.grad(np.full((2, 1), STAR))[:, 0]]
    below.set_yticks([right[1], 0, right[0]], [fraction(x) for x in (right[1], 0, right[0])])
    below.set_ylim(-1, 1)
    for k in range(2):
        name = f"client_{k + 1}"
        above.plot(t, np.array(models)[:, k], **line(name), marker="o", markersize=4)
        below.plot([0, *t], np.array(controls)[:, k], **line(name), marker="o", markersize=4)
    above.plot(t, np.array(models).mean(axis=1), color=color("scaffnew"))
    above.text(1.6, 0.95, say("client 2", "子节点 2"), color=color("client_2"))
    above.text(1.6, 0.44, say("client 1", "子节点 1"), color=color("client_1"))
    above.text(4.2, 0.8, say("mean", "平均"), color=color("scaffnew"))
    below.text(2.2, 0.4, "$c_1$", color=color("client_1"))
    below.text(2.2, -0.55, "$c_2$", color=color("client_2"))
    below.set_xlabel(say("communications", "通信次数"))
    return figure


def silence(say: Say) -> Figure:
    """One silent round at the solution, and the communication after it, for both methods."""
    figure, (above, below) = canvas(250, rows=2, margins=(14, 14, 24, 4))
    star, s = np.array([STAR]), 1.0
    pull = PAIR.grad(np.full((2, 1), STAR))
    fedpd = fl.FedPD(s=s).init(star, 2)._replace(lambda_k=-pull)
    fedpd = fl.run(fl.FedPD(s=s, p=1 - 1e-12), PAIR, 1, state=fedpd).state
    fedpd = fl.run(fl.FedPD(s=s), PAIR, 1, state=fedpd).state
    sent = (fedpd.theta_k + s * fedpd.lambda_k)[:, 0]
    scaffnew = fl.Scaffnew(0.25, p=1.0).init(star, 2)._replace(c_k=pull)
    scaffnew = fl.run(fl.Scaffnew(0.25, p=1e-12), PAIR, 1, state=scaffnew).state
    scaffnew = fl.run(fl.Scaffnew(0.25, p=1.0), PAIR, 1, state=scaffnew).state
    number_line(above, -0.15, 1.3, sorted({*map(float, sent), float(fedpd.theta[0]), STAR}))
    number_line(below, -0.15, 1.3, [STAR])
    for axes, name, state in ((above, "fedpd", fedpd), (below, "scaffnew", scaffnew)):
        axes.set_ylim(0, 1)
        rest = float(state.theta[0])
        axes.plot(STAR, 0, "o", color=INK, fillstyle="none", markersize=11, clip_on=False)
        axes.plot(rest, 0, "o", color=color(name), clip_on=False, zorder=5)
        axes.plot([rest, rest], [0, 0.84], color=color(name), linewidth=0.8)
        words = say("the next mean", "下一个平均")
        axes.text(rest, 0.9, words, color=color(name), ha="center")
    for k, height in enumerate((0.6, 0.3)):
        name = f"client_{k + 1}"
        x, end = float(fedpd.theta_k[k, 0]), float(sent[k])
        arrow(above, (STAR, height), (x, height), color=color(name))
        arrow(above, (x, height), (end, height), color=color(name), linestyle=(0, (3, 1.5)))
        side = ("right", "left")[k]
        words = say(f"client {k + 1}", f"子节点 {k + 1}")
        above.text(STAR + (-0.2, 0.05)[k], height + 0.07, words, color=color(name), ha=side)
        below.plot(STAR, height, "o", color=color(name), markersize=6)
        words = say(f"client {k + 1} stays", f"子节点 {k + 1} 不动")
        below.text(STAR + 0.05, height, words, color=color(name), ha="left", va="center")
    above.text(-0.13, 0.9, "FedPD", color=color("fedpd"))
    below.text(-0.13, 0.9, "Scaffnew", color=color("scaffnew"))
    return figure
