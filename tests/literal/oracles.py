"""The oracles of one client: minimise f_k(x) + <lambda, x - theta0> + |x - theta0|^2 / (2 s).

Each is made from its hyperparameters and from the samples of its batches, a function of round, step
and client.
"""

from __future__ import annotations

import numpy as np


def exact(batches):
    def oracle(f, s, theta0, theta, lam, t, k):
        return f.prox(theta0 - s * lam, s)

    return oracle


def gd(eta, Q, tolerance=0.0):
    def with_batches(batches):
        def oracle(f, s, theta0, theta, lam, t, k):
            for _ in range(Q):
                slope = f.grad(theta) + lam + (theta - theta0) / s
                if np.linalg.norm(slope) <= tolerance:
                    break
                theta = theta - eta * slope
            return theta

        return oracle

    return with_batches


def sgd(eta, Q):
    def with_batches(batches):
        def oracle(f, s, theta0, theta, lam, t, k):
            for q in range(Q):
                slope = f.grad(theta, batches(t, q, k)) + lam + (theta - theta0) / s
                theta = theta - eta * slope
            return theta

        return oracle

    return with_batches


def vr(gamma, Q, I):  # noqa: E741
    def with_batches(batches):
        memory = {}

        def oracle(f, s, theta0, theta, lam, t, k):
            if t % I == 0:
                memory[k] = f.grad(theta)
            for q in range(Q):
                before = theta
                # the minimiser of <g + lambda, x> + |x - theta0|^2/(2 s) + |x - before|^2/(2 gamma)
                theta = (theta0 / s + before / gamma - memory[k] - lam) / (1 / s + 1 / gamma)
                batch = batches(t, q, k)
                memory[k] = memory[k] + f.grad(theta, batch) - f.grad(before, batch)
            return theta

        return oracle

    return with_batches
