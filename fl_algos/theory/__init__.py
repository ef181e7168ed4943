"""What the papers state about step sizes, skip probabilities, heterogeneity and rates.

Each function says in its docstring whose statement it is and what it assumes. Where a source
contradicts itself, or is wrong, the errata page of the book tells the story.
"""

from fl_algos.theory.fedpd import (
    fedpd_contraction,
    fedpd_gradient_bound,
    fedpd_quadratic_rate,
    fedpd_step_limit,
    fedpd_step_size,
)
from fl_algos.theory.fedprox import fedprox_contraction
from fl_algos.theory.fedsplit import fedsplit_best_step, fedsplit_contraction
from fl_algos.theory.heterogeneity import G_along, dissimilarity, hessian_range
from fl_algos.theory.proxskip import (
    proxskip_contraction,
    proxskip_is_stable,
    proxskip_rho,
    proxskip_rho_limit,
)
from fl_algos.theory.scaffnew import (
    scaffnew_best_p,
    scaffnew_communications,
    scaffnew_contraction,
    scaffnew_iterations,
    scaffnew_lyapunov,
    scaffnew_mean_square_rate,
    scaffnew_rate,
    scaffnew_steps_contraction,
    scaffnew_steps_rate,
)

# A number carries no module in which it is documented, so it is not in __all__ here as well.
from fl_algos.theory.skipping import PAPER_C5 as PAPER_C5
from fl_algos.theory.skipping import (
    SkipProbability,
    plateau_factor,
    skip_probability,
    skip_probability_as_written,
    skip_probability_table_iii,
)

__all__ = [
    "G_along",
    "SkipProbability",
    "dissimilarity",
    "fedpd_contraction",
    "fedpd_gradient_bound",
    "fedpd_quadratic_rate",
    "fedpd_step_limit",
    "fedpd_step_size",
    "fedprox_contraction",
    "fedsplit_best_step",
    "fedsplit_contraction",
    "hessian_range",
    "plateau_factor",
    "proxskip_contraction",
    "proxskip_is_stable",
    "proxskip_rho",
    "proxskip_rho_limit",
    "scaffnew_best_p",
    "scaffnew_communications",
    "scaffnew_contraction",
    "scaffnew_iterations",
    "scaffnew_lyapunov",
    "scaffnew_mean_square_rate",
    "scaffnew_rate",
    "scaffnew_steps_contraction",
    "scaffnew_steps_rate",
    "skip_probability",
    "skip_probability_as_written",
    "skip_probability_table_iii",
]
