"""Where ProxSkip as written is stable, against the expectation summed up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos.theory import (
    proxskip_contraction,
    proxskip_is_stable,
    proxskip_rho,
    proxskip_rho_limit,
)


@given(p=st.floats(0, 0.99), R=st.integers(1, 20))
def test_stability_is_that_of_the_mean_square(p, R):
    """E (1 - p R N)^2 for N geometric, summed up."""
    N = np.arange(1, 20_000)
    expectation = ((1 - p) * p ** (N - 1) * (1 - p * R * N) ** 2).sum()
    rho = proxskip_rho(p, R)
    assert_allclose(expectation, 1 - 2 * rho + (1 + p) * rho**2, rtol=1e-6)
    assume(abs(rho / proxskip_rho_limit(p) - 1) > 1e-5)
    assume(p > 1e-9)
    assert proxskip_is_stable(p, R) == (expectation < 1)


NAN = float("nan")

CASES = [
    (lambda: proxskip_rho(1.0), "p = 1.0"),
    (lambda: proxskip_rho(0.5, R=0), "R = 0"),
    (lambda: proxskip_rho_limit(-0.1), "p = -0.1"),
    (lambda: proxskip_is_stable(NAN), "p = nan"),
    (lambda: proxskip_contraction(1.0, 0.51, 0.1), "p = 0.51: at most 1/2 = 0.5"),
    (lambda: proxskip_contraction(1.0, 0.0, 0.1), "p = 0.0"),
    (lambda: proxskip_contraction(20.0, 0.5, 0.1), "gamma = 20.0: at most 1/mu"),
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
