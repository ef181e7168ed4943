"""Step sizes, skip probabilities and bounds of FedPD, against numbers worked out in another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from fl_algos.theory import (
    PAPER_C5,
    fedpd_contraction,
    fedpd_gradient_bound,
    fedpd_quadratic_rate,
    fedpd_step_limit,
    fedpd_step_size,
    fedsplit_best_step,
    fedsplit_contraction,
    plateau_factor,
    skip_probability,
    skip_probability_as_written,
    skip_probability_table_iii,
)
from support.cases import SCALES

S = fedpd_step_size(1.0)
BOUNDARY = (1 - 2 * S) / (1 + S)
BELOW_1 = math.nextafter(1, 0)
LIMIT = 2 * S  # of s in Theorem 3, at L = 1
FORMS = {skip_probability_as_written: S, skip_probability_table_iii: S**2}


def by_remark_5(eps, G, s, L):
    return skip_probability(eps, G, s, L, K=10, C5=PAPER_C5)


ALL_FORMS = [*FORMS, by_remark_5]

ratio = st.floats(-12, 12).map(lambda power: 10.0**power)
share = st.floats(0.001, 0.999)


def remark_5(p, eta, N, L=1.0):
    """C(p)/C5 as the paper prints it."""
    C3 = (p * (1 + L * eta) + L * eta) / (1 - L * eta)
    numerator = (1 + L * eta) ** 2 * (2 * L * eta + p * (3 + L * eta)) ** 2
    quotient = numerator / (N * (1 - 2 * L * eta - p * (1 + L * eta)) ** 2)
    return eta**2 * (1 - p) * (N - 1) * (1 - C3 ** (1 / (1 - p))) ** 2 * p**2 * quotient


def test_the_constants_at_L_1():
    assert pytest.approx(0.1545, abs=5e-5) == S
    assert fedpd_step_size(4.0) == pytest.approx(S / 4)
    assert pytest.approx(0.5985, abs=5e-5) == BOUNDARY
    C6 = 3 * ((1 + S) / S) ** 2
    C7 = 2 * C6 / ((1 + 8 * S) / 2)
    assert pytest.approx(8 * 4 * C7) == PAPER_C5
    assert round(PAPER_C5) == 9588


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
    @given(eps=ratio)
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

    @pytest.mark.parametrize("form", ALL_FORMS)
    def test_without_heterogeneity_the_largest_number_below_1(self, form):
        for G in (0.0, 0):
            p, branch, capped = form(0.1, G, S, 1.0)
            assert p == BELOW_1
            assert branch == ("bisection" if form is by_remark_5 else "large p")
            assert "p = 1 is not admissible" in capped
        assert form(1e-300, 1e-3, S, 1.0).capped == ""

    @pytest.mark.parametrize("form", ALL_FORMS)
    @given(eps=ratio, G=SCALES, share=share)
    def test_it_depends_on_eps_over_G_squared(self, form, eps, G, share):
        s = share * LIMIT
        found, expected = form(eps * G**2, G, s, 1.0), form(eps, 1.0, s, 1.0)
        assume(found.branch == expected.branch)  # rounding at an end of a range
        assert_allclose(found.p, expected.p, rtol=1e-9)

    @given(
        eps=st.floats(min_value=5e-324, max_value=1.7e308),
        G=st.floats(min_value=0, max_value=1.7e308),
        share=share,
    )
    def test_no_numbers_are_too_small_or_too_large(self, eps, G, share):
        s = share * LIMIT
        for form in ALL_FORMS:
            p, branch, _ = form(eps, G, s, 1.0)
            assert (branch == "neither" and math.isnan(p)) or 0 <= p < 1

    @given(
        eps=ratio,
        share=share,
        L=SCALES,
        K=st.integers(2, 1000),
        C5=st.sampled_from([1.0, 10.0, PAPER_C5]),
    )
    def test_bisection_finds_the_last_p(self, eps, share, L, K, C5):
        s = share * LIMIT / L
        p, branch, capped = skip_probability(eps, 1.0, s, L, K=K, C5=C5)
        assert (branch, capped) == ("bisection", "")
        assert C5 * plateau_factor(p, s, L, K) <= eps / 3 * (1 + 1e-9)
        assert C5 * plateau_factor(p + 1e-9 * (1 - p), s, L, K) > eps / 3 * (1 - 1e-9)

    def test_with_one_client_every_p_will_do(self):
        p, branch, capped = skip_probability(1e-9, 1.0, S, 1.0, K=1, C5=1.0)
        assert (p, branch) == (BELOW_1, "bisection")
        assert "p = 1 is not admissible" in capped

    def test_the_constant_has_no_default(self):
        with pytest.raises(TypeError, match="C5"):
            skip_probability(0.1, 1.0, S, 1.0, K=10)


@given(p=st.floats(0, 0.99), share=share, K=st.integers(1, 1000))
def test_the_plateau_factor_at_L_1(p, share, K):
    s = share * LIMIT
    assume(abs(p - (1 - 2 * s) / (1 + s)) > 1e-5)  # where the printed form is 0/0
    assert_allclose(plateau_factor(p, s, 1.0, K), remark_5(p, s, K), rtol=1e-9, atol=1e-300)


@given(share=share)
def test_the_plateau_factor_between_the_two_cases(share):
    """The sum of the powers of C3 has 1/(1 - p) terms there, and all of them are 1."""
    s = share * LIMIT
    p = (1 - 2 * s) / (1 + s)
    expected = 0.5 * (s * p * (1 + s) * (2 * s + p * (3 + s)) / (1 - s)) ** 2 / (1 - p)
    assert_allclose(plateau_factor(p, s, 1.0, 2), expected, rtol=1e-9)


@given(p=st.floats(0, 0.99), share=share, L=SCALES)
def test_the_plateau_factor_has_no_unit(p, share, L):
    s = share * LIMIT
    found, expected = plateau_factor(p, s / L, L, 3), plateau_factor(p, s, 1.0, 3)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


probability = st.one_of(st.floats(0, BELOW_1), st.floats(0, 16).map(lambda x: 1 - 10.0**-x))


@given(one=probability, other=probability, share=share)
def test_the_plateau_factor_does_not_decrease(one, other, share):
    s = share * LIMIT
    assume(max(one, other) < 1)
    low, high = (plateau_factor(p, s, 1.0, 3) for p in sorted((one, other)))
    assert low <= high * (1 + 1e-12)


def test_the_cases_of_table_iii_are_no_approximations():
    """What erratum E3 says of 12 s^2 p^2, at both ends of its range, for many clients."""
    for p, quotient in ((1e-6, 1 / 67), (BOUNDARY, 1.87)):
        found = plateau_factor(p, S, 1.0, 10**9) / (12 * S**2 * p**2)
        assert found == pytest.approx(quotient, rel=0.01)


@given(kappa=st.floats(1, 1e6), L=SCALES)
def test_the_best_step_of_fedsplit(kappa, L):
    mu = L / kappa
    best = fedsplit_contraction(fedsplit_best_step(L, mu), L, mu)
    assert_allclose(best, (kappa**0.5 - 1) / (kappa**0.5 + 1), rtol=1e-9, atol=1e-15)
    for factor in (0.5, 0.99, 1.01, 2.0):
        s = factor * fedsplit_best_step(L, mu)
        assert fedsplit_contraction(s, L, mu) >= best
        assert fedpd_contraction(s, L, mu) == (1 + fedsplit_contraction(s, L, mu)) / 2


def spectral_radii(A_k, s):
    """Of a round without skipping, for a stack of problems A_k (problems, K, d, d)."""
    problems, K, d = A_k.shape[:3]
    J_k = np.linalg.inv(np.eye(d) + s * A_k)
    to_the_mean = np.moveaxis(2 * J_k - np.eye(d), 1, 2).reshape(problems, 1, d, K * d) / K
    rows = np.broadcast_to(to_the_mean, (problems, K, d, K * d)).copy()
    for k in range(K):
        rows[:, k, :, k * d : (k + 1) * d] += np.eye(d) - J_k[:, k]
    return np.abs(np.linalg.eigvals(rows.reshape(problems, K * d, K * d))).max(axis=1)


def random_hessians(seed, K, d, least, problems=400):
    """Stacks of matrices with eigenvalues in [least, 1], some at the ends, their mean definite."""
    rng = np.random.default_rng(seed)
    Q_k = np.linalg.qr(rng.normal(size=(problems, K, d, d)))[0]
    ends = rng.choice([least, 1.0], size=(problems, K, d))
    between = rng.uniform(least, 1.0, size=(problems, K, d))
    eigenvalues = np.where(rng.random((problems, 1, 1)) < 0.5, ends, between)
    A_k = (Q_k * eigenvalues[..., None, :]) @ Q_k.swapaxes(-1, -2)
    mu = np.linalg.eigvalsh(A_k.mean(axis=1))[:, 0]
    return A_k[mu > 1e-4], mu[mu > 1e-4]


SIZES = pytest.mark.parametrize(("K", "d"), [(2, 1), (2, 2), (3, 2), (2, 3), (5, 1), (4, 3)])


@SIZES
@pytest.mark.parametrize("sL", [0.1, 1.0, 2.0, 10.0, 100.0])
def test_no_convex_quadratics_are_slower_than_the_bound(K, d, sL):
    A_k, mu = random_hessians(K + 10 * d, K, d, least=0.0)
    assert len(mu) > 100
    bounds = np.array([fedpd_quadratic_rate(sL, 1.0, each) for each in mu])
    assert (spectral_radii(A_k, sL) <= bounds + 1e-9).all()


def test_no_smaller_bound_would_do():
    """A shared Hessian attains the first part; two clients have sqrt(1 - sqrt(mu/L))."""
    shared = np.full((1, 3, 1, 1), 0.25)
    rate = fedpd_quadratic_rate(0.5, 1.0, 0.25)
    assert_allclose(spectral_radii(shared, 0.5), rate, rtol=1e-12)
    for mu in (0.5, 0.1, 1e-2, 1e-4, 1e-6):  # with L = 1
        directions = np.sqrt([[1 - mu, mu], [1 - mu, mu]]) * [[1, 1], [1, -1]]
        A_k = directions[:, :, None] * directions[:, None, :]
        assert_allclose(np.linalg.eigvalsh(A_k.mean(axis=0))[0], mu, rtol=1e-9)
        found = spectral_radii(A_k[None], 1 / math.sqrt(mu))[0]
        assert_allclose(found, math.sqrt(1 - math.sqrt(mu)), rtol=1e-9)
        assert 0 <= fedpd_quadratic_rate(1 / math.sqrt(mu), 1.0, mu) - found < 0.5 * mu


@given(kappa=st.floats(1, 1e8), L=SCALES)
def test_the_rate_on_quadratics_at_the_step_of_the_mean(kappa, L):
    mu = L / kappa
    rate = fedpd_quadratic_rate(1 / math.sqrt(L * mu), L, mu)
    assert rate <= 1 - 1 / (2 + 2 * math.sqrt(kappa)) + 1e-12


@SIZES
def test_below_the_step_limit_no_quadratics_diverge(K, d):
    A_k, _ = random_hessians(K + 10 * d, K, d, least=-1.0, problems=2000)
    limit = fedpd_step_limit(1.0)
    for share in (0.1, 0.6, 0.98):
        assert spectral_radii(A_k, share * limit).max() < 1


@pytest.mark.parametrize(("share", "converges"), [(0.98, True), (1.02, False)])
def test_the_step_limit_is_sharp(share, converges):
    """Two clients with the curvature -L: their difference is multiplied by -s L/(1 - s L)."""
    A_k = np.array([-1.0, -1.0, 1.0, 1.0, 1.0])[None, :, None, None]
    s = share * fedpd_step_limit(1.0)
    radius = spectral_radii(A_k, s)[0]
    assert (radius < 1) == converges
    assert_allclose(radius, s / (1 - s), rtol=1e-12)


@given(gap=SCALES, share=st.floats(0.01, 0.99), start=SCALES)
def test_the_gradient_bound_has_the_unit_of_a_squared_gradient(gap, share, start):
    """f times 9, hence L and the gap times 9, s divided by 9, squared gradients times 81."""
    s = share * fedpd_step_limit(1.0)
    one = fedpd_gradient_bound(gap, 10, s, 1.0, start)
    assert_allclose(fedpd_gradient_bound(9 * gap, 10, s / 9, 9.0, 81 * start), 81 * one, rtol=1e-9)
    assert_allclose(fedpd_gradient_bound(gap, 100, s, 1.0, start), one / 10, rtol=1e-12)


@given(share=st.floats(0.01, 0.99))
def test_the_gradient_bound_is_put_together_as_in_its_proof(share):
    s = share * fedpd_step_limit(1.0)
    square_by_moves, loss_by_moves = ((1 + s**2) / s) ** 2, (1 - 2 * s) * (1 + s) / (2 * s)
    first_round = (1 / s + 1) / 2 * (s / (1 - s)) ** 2
    expected = square_by_moves / loss_by_moves * (3.0 + first_round * 5.0) / 10
    assert_allclose(fedpd_gradient_bound(3.0, 10, s, 1.0, 5.0), expected, rtol=1e-9)


def test_the_gradient_bound_is_least_near_a_quarter():
    steps = np.linspace(0.01, 0.49, 97)
    bounds = [fedpd_gradient_bound(1.0, 1, s, 1.0) for s in steps]
    assert steps[np.argmin(bounds)] == pytest.approx(0.25, abs=0.03)
    assert min(bounds) > 0.99 * fedpd_gradient_bound(1.0, 1, 0.25, 1.0)


NAN, INF = float("nan"), float("inf")

CASES = [
    (lambda: fedpd_step_size(0.0), "L = 0.0: a finite number > 0"),
    (lambda: fedpd_step_size(NAN), "L = nan"),
    (lambda: fedpd_step_limit(-1.0), "L = -1.0"),
    (lambda: fedpd_gradient_bound(1.0, 1, 0.5, 1.0), r"s = 0.5: less than 1/\(2 L\) = 0.5"),
    (lambda: fedpd_gradient_bound(-1.0, 1, 0.2, 1.0), "gap = -1.0"),
    (lambda: fedpd_gradient_bound(1.0, 0, 0.2, 1.0), "rounds = 0"),
    (lambda: fedpd_gradient_bound(1.0, 1, 0.2, 1.0, -1.0), "start_norm2 = -1.0"),
    (lambda: fedpd_quadratic_rate(0.0, 1.0, 0.1), "s = 0.0"),
    (lambda: fedpd_quadratic_rate(1.0, 1.0, 1.1), "mu = 1.1: at most L = 1.0"),
    (lambda: plateau_factor(1.0, S, 1.0, 2), r"p = 1.0: a probability in \[0, 1\)"),
    (lambda: plateau_factor(NAN, S, 1.0, 2), "p = nan"),
    (lambda: plateau_factor(0.5, LIMIT, 1.0, 2), r"s = 0.309.*less than .* = 0.309 is .* L = 1.0"),
    (lambda: plateau_factor(0.5, S, 2.1, 2), "s = 0.154"),
    (lambda: plateau_factor(0.5, 0.0, 1.0, 2), "s = 0.0"),
    (lambda: plateau_factor(0.5, S, 1.0, 0), "K = 0: an integer >= 1"),
    (lambda: skip_probability(0.1, 1.0, S, 1.0, K=2, C5=0.0), "C5 = 0.0"),
    (lambda: skip_probability(0.1, 1.0, S, 1.0, K=0, C5=1.0), "K = 0"),
    (lambda: fedpd_contraction(0.0, 1.0, 0.1), "s = 0.0"),
    (lambda: fedsplit_contraction(INF, 1.0, 0.1), "s = inf"),
    (lambda: fedsplit_contraction(1.0, 1.0, 1.1), "mu = 1.1: at most L = 1.0"),
    (lambda: fedsplit_best_step(1.0, 0.0), "mu = 0.0"),
]
for _form in ALL_FORMS:
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
