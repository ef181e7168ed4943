"""The oracles of one client: minimise f_k(x) + <lambda, x - theta0> + |x - theta0|^2 / (2 s)."""

from __future__ import annotations

import numpy as np


def exact(f, s, theta0, theta, lam):
    return f.prox(theta0 - s * lam, s)


def gd(eta, Q, tolerance=0.0):
    def oracle(f, s, theta0, theta, lam):
        for _ in range(Q):
            slope = f.grad(theta) + lam + (theta - theta0) / s
            if np.linalg.norm(slope) <= tolerance:
                break
            theta = theta - eta * slope
        return theta

    return oracle
