"""Formulas as text state what the formulas state."""

from __future__ import annotations

import pytest

from tex.text import formula_text

MACROS = {"R": r"\mathbb{R}", "argmin": r"\operatorname*{arg\,min}"}


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"c = \frac{1}{K} \sum_k c_k", "c = 1/K ∑_k c_k"),
        (r"s = \frac{\sqrt{5} - 1}{4L}", "s = (√5 - 1)/(4L)"),
        (r"\frac{\sqrt 5-1}{4 L}", "(√5-1)/(4 L)"),
        (r"\frac{p}{\gamma} (\theta - c)", "p/γ (θ - c)"),
        (r"\frac12x", "1/2 x"),
        (r"\frac{Rp}{1-p} > \frac{2}{1+p}", "Rp/(1-p) > 2/(1+p)"),
        (r"\frac{1}{2} x + \frac{a_k^2}{b^{(t)}}", "1/2 x + a_k²/b^(t)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"2 \frac{1 + \beta}{1 - \beta}", "2 (1 + β)/(1 - β)"),
        (r"\theta^{(t+\frac{1}{2})}_k", "θ^(t+1/2)_k"),
        (r"\mathcal{O}(\sqrt{\kappa} \log \frac{1}{\varepsilon})", "O(√κ log(1/ε))"),
        (r"\sqrt{L\mu}", "√(Lμ)"),
        (r"\frac{1}{\sqrt{1 - \beta_2}}", "1/√(1 - β_2)"),
        (r"\langle x_i, \theta_k \rangle", "⟨x_i, θ_k⟩"),
        (r"\frac{1}{2s} \lVert x - \theta \rVert^2", "1/(2s) ‖x - θ‖²"),
        (r"\lvert 1 - pRN \rvert < 0", "|1 - pRN| < 0"),
        (r"\max\{ (1-\gamma\mu)^2, 1 - p \}", "max{(1-γμ)², 1 - p}"),
        (r"C_3^{2\tau}", "C_3^(2τ)"),
        (r"\theta_{k,0}^{(t)}", "θ_(k,0)^(t)"),
        (r"\prod_{k=1}^K a", "∏_(k=1)^K a"),
        (r"10^{-8}", "10^-8"),
        (r"\theta - \gamma \nabla f(\theta^*)", "θ - γ∇f(θ*)"),
        (r"x \in \R^d", "x ∈ R^d"),
        (r"\argmin_x f(x)", "arg min_x f(x)"),
        (r"\widetilde{\theta}_k + \overline{g}", "θ\u0303_k + g\u0304"),
        (r"\operatorname{\mathbf{Oracle}}_k", "Oracle_k"),
        (r"\operatorname{sign} \Delta", "sign Δ"),
        (r"\left\{ \Theta \mid \theta_1 = \cdots = \theta_K \right\}", "{Θ | θ_1 = … = θ_K}"),
        (r"s \leqslant 1, ~ \forall k", "s ≤ 1, ∀k"),
        (r"\lambda \otimes \Lambda", "λ ⊗ Λ"),
        (r"\hspace{1.3em}", ""),
        (r"\unheardof x", "unheardof x"),
        (r"\frac{a", "a/()"),
    ],
)
def test_formulas(tex, text):
    assert formula_text(tex, MACROS) == text
