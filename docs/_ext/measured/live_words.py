"""The words of the live figures, in the languages of the book; TeX stands between dollars."""

from __future__ import annotations

from bilingual.han import is_chinese

# The name that the notebook gives: English, Chinese.
NAMES = {
    "as_written": ("ProxSkip as written", "照讲义的 ProxSkip"),
    "corrected": ("ProxSkip corrected", "更正后的 ProxSkip"),
    "fedpd": ("FedPD", "FedPD"),
    "without_skipping": ("FedPD without skipping", "不跳步的 FedPD"),
    "gradient_descent": ("gradient descent", "梯度下降"),
    "scaffnew": ("Scaffnew", "Scaffnew"),
    "p": ("probability of skipping, $p$", "跳步概率 $p$"),
    "R": ("local steps to a coin, $R$", "每抛一次硬币的局部步数 $R$"),
    "spread": (
        r"heterogeneity, the rms of $\lVert \nabla f_k(\theta^*) \rVert$",
        r"异质程度，即 $\lVert \nabla f_k(\theta^*) \rVert$ 的均方根",
    ),
    "s": ("step size, $s$ times $L$", "步长 $s$ 与 $L$ 之积"),
    "m": (r"$p$ times $\sqrt{\kappa}$", r"$p$ 与 $\sqrt{\kappa}$ 之积"),
    "accuracy": (
        r"accuracy, $\lVert \theta - \theta^* \rVert \leqslant$",
        r"精度，$\lVert \theta - \theta^* \rVert \leqslant$",
    ),
    "communications": ("communications", "通信次数"),
    "distance": (
        r"distance to the solution, $\lVert \theta - \theta^* \rVert$",
        r"到解的距离 $\lVert \theta - \theta^* \rVert$",
    ),
    "kappa": (r"condition number, $\kappa$", r"条件数 $\kappa$"),
}

# What came of a run. The script puts numbers in the place of braces.
VERDICTS = {
    "reached": (
        "below {least} after {communications} communications ({rounds} rounds)",
        "通信 {communications} 次（{rounds} 轮）后低于 {least}",
    ),
    "stays": (
        "not below {least}; in the second half of {rounds} rounds "
        "({communications} communications in all) about {level}",
        "未降到 {least} 以下；共 {rounds} 轮，通信 {communications} 次，后一半轮次中约为 {level}",
    ),
    "diverges": (
        "diverges: above {most} after {communications} communications ({rounds} rounds), "
        "where the curve is cut off",
        "发散：通信 {communications} 次（{rounds} 轮）后超过 {most}，曲线到此为止",
    ),
    "needs": (
        "{communications} communications for a condition number of {kappa}",
        "条件数为 {kappa} 时通信 {communications} 次",
    ),
}


def words(table: dict[str, tuple[str, str]], language: str) -> dict[str, str]:
    """The words of a table in one language."""
    return {name: pair[is_chinese(language)] for name, pair in table.items()}
