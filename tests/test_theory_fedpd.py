"""Step sizes, skip probabilities and bounds of FedPD, against numbers worked out in another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos.theory import (
    PAPER_C5,
    fedpd_contraction,
    fedpd_step_limit,
    fedpd_step_size,
    fedsplit_best_step,
    fedsplit_contraction,
    plateau_factor,
    skip_probability,
    skip_probability_as_written,
    skip_probability_table_iii,
    theorem_3_bound,
)
from support.cases import SCALES, for_any

S = fedpd_step_size(1.0)
BOUNDARY = (1 - 2 * S) / (1 + S)
BELOW_1 = math.nextafter(1, 0)
FORMS = {skip_probability_as_written: S, skip_probability_table_iii: S**2}

ratio = st.floats(-12, 12).map(lambda power: 10.0**power)
share = st.floats(0.001, 0.999)


def log_C3(Ls):
    return math.log((1 + 2 * Ls) / (1 - Ls))


def test_the_constants_at_L_1():
    assert pytest.approx(0.1545, abs=5e-5) == S
    assert fedpd_step_limit(1.0) == 2 * S
    assert fedpd_step_size(4.0) == pytest.approx(S / 4)
    assert pytest.approx(0.5985, abs=5e-5) == BOUNDARY
    assert log_C3(S) == pytest.approx(0.437, abs=5e-4)


class TestSkipProbability:
    """The three forms, for eps/G^2 at L = 1 where nothing else is said."""

    @pytest.mark.parametrize(
        ("form", "small_up_to", "large_from"),
        [(skip_probability_as_written, 1.99, 945), (skip_probability_table_iii, 0.308, 146)],
    )
    def test_its_gap(self, form, small_up_to, large_from):
        assert form(0.99 * small_up_to, 1.0, S, 1.0).branch == "small p"
        assert form(1.01 * large_from, 1.0, S, 1.0).branch == "large p"
        for eps in np.geomspace(1.01 * small_up_to, 0.99 * large_from, 20):
            p, branch, capped = form(eps, 1.0, S, 1.0)
            assert math.isnan(p)
            assert (branch, capped) == ("neither", "")

    @pytest.mark.parametrize(("form", "unit"), FORMS.items())
    @for_any(eps=ratio)
    def test_each_case_only_in_its_range(self, form, unit, eps):
        p, branch, capped = form(eps, 1.0, S, 1.0)
        assert capped == ""
        if branch == "small p":
            assert 0 <= p < BOUNDARY
            assert 36 * unit * p**2 == pytest.approx(eps)
        elif branch == "large p":
            assert BOUNDARY < p < 1
            assert 42 * unit * math.exp(2 / (1 - p)) == pytest.approx(eps)
        else:
            assert 36 * unit * BOUNDARY**2 <= eps * (1 + 1e-12)
            assert eps <= 42 * unit * math.exp(2 / (1 - BOUNDARY)) * (1 + 1e-12)

    @pytest.mark.parametrize("form", [*FORMS, skip_probability])
    def test_without_heterogeneity_the_largest_number_below_1(self, form):
        for G in (0.0, 0):
            p, branch, capped = form(0.1, G, S, 1.0)
            assert p == BELOW_1
            assert branch == ("bisection" if form is skip_probability else "large p")
            assert "p = 1 is not admissible" in capped
        assert form(1e-300, 1e-3, S, 1.0).capped == ""

    @pytest.mark.parametrize("form", [*FORMS, skip_probability])
    @for_any(eps=ratio, G=SCALES, share=share)
    def test_it_depends_on_eps_over_G_squared(self, form, eps, G, share):
        s = share * fedpd_step_limit(1.0)
        found, expected = form(eps * G**2, G, s, 1.0), form(eps, 1.0, s, 1.0)
        assume(found.branch == expected.branch)  # rounding at an end of a range
        assert_allclose(found.p, expected.p, rtol=1e-9)

    @for_any(
        eps=st.floats(min_value=5e-324, max_value=1.7e308),
        G=st.floats(min_value=0, max_value=1.7e308),
        share=share,
    )
    def test_no_numbers_are_too_small_or_too_large(self, eps, G, share):
        s = share * fedpd_step_limit(1.0)
        for form in (*FORMS, skip_probability):
            p, branch, _ = form(eps, G, s, 1.0)
            assert (branch == "neither" and math.isnan(p)) or 0 <= p < 1

    @for_any(eps=ratio, share=share, L=SCALES, C5=st.sampled_from([1.0, 10.0, PAPER_C5]))
    def test_bisection_finds_the_last_p(self, eps, share, L, C5):
        s = share * fedpd_step_limit(L)
        p, branch, capped = skip_probability(eps, 1.0, s, L, C5)
        assert (branch, capped) == ("bisection", "")
        assert C5 * plateau_factor(p, s, L) <= eps / 3 * (1 + 1e-9)
        assert C5 * plateau_factor(p + 1e-9 * (1 - p), s, L) > eps / 3 * (1 - 1e-9)

    @for_any(eps=st.floats(1e-9, 0.3))
    def test_bisection_agrees_with_the_small_case_of_table_iii(self, eps):
        expected = skip_probability_table_iii(eps, 1.0, S, 1.0).p
        assert_allclose(skip_probability(eps, 1.0, S, 1.0).p, expected, rtol=1e-12)

    @for_any(eps=st.floats(150, 1e12))
    def test_bisection_keeps_log_C3_where_table_iii_drops_it(self, eps):
        dropped = 1 - skip_probability_table_iii(eps, 1.0, S, 1.0).p
        kept = 1 - skip_probability(eps, 1.0, S, 1.0).p
        assert_allclose(kept / dropped, log_C3(S), rtol=1e-9)

    def test_bisection_stays_below_the_jump(self):
        low, high = 36 * S**2 * BOUNDARY**2, 42 * S**2 * math.exp(2 / (1 - BOUNDARY) * log_C3(S))
        for eps in np.geomspace(1.001 * low, 0.999 * high, 5):
            p = skip_probability(eps, 1.0, S, 1.0).p
            assert p < BOUNDARY
            assert p == pytest.approx(BOUNDARY)


@for_any(p=st.floats(0, 0.99), share=share)
def test_the_plateau_factor_at_L_1(p, share):
    s = share * fedpd_step_limit(1.0)
    boundary = (1 - 2 * s) / (1 + s)
    assume(abs(p - boundary) > 1e-12)
    small = 12 * s**2 * p**2
    large = 14 * s**2 * ((1 + 2 * s) / (1 - s)) ** (2 / (1 - p))
    assert_allclose(plateau_factor(p, s, 1.0), small if p < boundary else large, rtol=1e-9)


@for_any(p=st.floats(0, 0.99), share=share, L=SCALES)
def test_the_plateau_factor_has_no_unit(p, share, L):
    s = share * fedpd_step_limit(1.0)
    assume(abs(p - (1 - 2 * s) / (1 + s)) > 1e-9)
    assert_allclose(plateau_factor(p, s / L, L), plateau_factor(p, s, 1.0), rtol=1e-9)


probability = st.one_of(st.floats(0, BELOW_1), st.floats(0, 16).map(lambda x: 1 - 10.0**-x))


@for_any(one=probability, other=probability, share=share)
def test_the_plateau_factor_does_not_decrease(one, other, share):
    s = share * fedpd_step_limit(1.0)
    assume(max(one, other) < 1)
    low, high = (plateau_factor(p, s, 1.0) for p in sorted((one, other)))
    assert low <= high


def test_the_plateau_factor_jumps_up_at_the_boundary():
    before = plateau_factor(BOUNDARY - 1e-12, S, 1.0)
    after = plateau_factor(BOUNDARY + 1e-12, S, 1.0)
    assert before == pytest.approx(12 * S**2 * BOUNDARY**2)
    assert after > 20 * before


def test_the_right_side_of_theorem_3():
    assert theorem_3_bound(gap=0.0, rounds=1, p=0.5, G=0.0) == 0.0
    assert theorem_3_bound(gap=2.0, rounds=1199, p=0.0, G=7.0) == pytest.approx(2.0)
    by_skipping = 9588 * 12 * S**2 * 0.25 * 49
    assert theorem_3_bound(0.0, 10, p=0.5, G=7.0) == pytest.approx(by_skipping)
    assert theorem_3_bound(0.0, 1, p=BELOW_1, G=0.0) == 0.0
    assert theorem_3_bound(0.0, 1, p=BELOW_1, G=1e-9) == math.inf


@for_any(kappa=st.floats(1, 1e6), L=SCALES)
def test_the_best_step_of_fedsplit(kappa, L):
    mu = L / kappa
    best = fedsplit_contraction(fedsplit_best_step(L, mu), L, mu)
    assert_allclose(best, (kappa**0.5 - 1) / (kappa**0.5 + 1), rtol=1e-9, atol=1e-15)
    for factor in (0.5, 0.99, 1.01, 2.0):
        s = factor * fedsplit_best_step(L, mu)
        assert fedsplit_contraction(s, L, mu) >= best
        assert fedpd_contraction(s, L, mu) == (1 + fedsplit_contraction(s, L, mu)) / 2


NAN, INF = float("nan"), float("inf")

CASES = [
    (lambda: fedpd_step_size(0.0), "L = 0.0: a finite number > 0"),
    (lambda: fedpd_step_size(NAN), "L = nan"),
    (lambda: fedpd_step_limit(-1.0), "L = -1.0"),
    (lambda: plateau_factor(1.0, S, 1.0), r"p = 1.0: a probability in \[0, 1\)"),
    (lambda: plateau_factor(NAN, S, 1.0), "p = nan"),
    (lambda: plateau_factor(0.5, 2 * S, 1.0), r"s = 0.309.*less than .* = 0.309 is .* L = 1.0"),
    (lambda: plateau_factor(0.5, S, 2.1), "s = 0.154"),
    (lambda: plateau_factor(0.5, 0.0, 1.0), "s = 0.0"),
    (lambda: skip_probability(0.1, 1.0, S, 1.0, C5=0.0), "C5 = 0.0"),
    (lambda: theorem_3_bound(-1.0, 1, 0.5, 1.0), "gap = -1.0"),
    (lambda: theorem_3_bound(1.0, 0, 0.5, 1.0), "rounds = 0: an integer >= 1"),
    (lambda: theorem_3_bound(1.0, 1, -0.5, 1.0), "p = -0.5"),
    (lambda: theorem_3_bound(1.0, 1, 0.5, INF), "G = inf"),
    (lambda: fedpd_contraction(0.0, 1.0, 0.1), "s = 0.0"),
    (lambda: fedsplit_contraction(INF, 1.0, 0.1), "s = inf"),
    (lambda: fedsplit_contraction(1.0, 1.0, 1.1), "mu = 1.1: at most L = 1.0"),
    (lambda: fedsplit_best_step(1.0, 0.0), "mu = 0.0"),
]
for _form in (*FORMS, skip_probability):
    CASES += [
        (lambda form=_form: form(0.0, 1.0, S, 1.0), "eps = 0.0: a finite number > 0"),
        (lambda form=_form: form(INF, 1.0, S, 1.0), "eps = inf"),
        (lambda form=_form: form(0.1, -1.0, S, 1.0), "G = -1.0: a finite number >= 0"),
        (lambda form=_form: form(0.1, INF, S, 1.0), "G = inf"),
        (lambda form=_form: form(0.1, NAN, S, 1.0), "G = nan"),
        (lambda form=_form: form(0.1, 1.0, 0.31, 1.0), "s = 0.31: less than"),
        (lambda form=_form: form(0.1, 1.0, -S, 1.0), "s = -0.15"),
        (lambda form=_form: form(0.1, 1.0, S, 0.0), "L = 0.0"),
        (lambda form=_form: form("1", 1.0, S, 1.0), "eps = '1'"),
    ]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()
