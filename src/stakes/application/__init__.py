"""What is at stake: cost matrices, priors, and the forms they are kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use
from stakes.application.case_costs import CaseCosts, case_costs, costs_from_amounts

if TYPE_CHECKING:
    from stakes.application.application import Application, as_application
    from stakes.application.cost_files import (
        costs_from_csv,
        costs_to_csv,
        read_costs,
        read_uncertain_costs,
        write_costs,
    )
    from stakes.application.cost_matrix import CostMatrix
    from stakes.application.dominance import DominatedDecision, dominated_decisions
    from stakes.application.equivalence import (
        Disagreement,
        UtilityPoint,
        disagreement,
        normalized_utilities,
        ranks_like,
    )
    from stakes.application.expressions import CostExpression
    from stakes.application.reweighting import (
        Consistency,
        accuracy_is_consistent,
        class_factors,
        rebalancing_is_consistent,
        sample_weights,
        target_weight,
    )
    from stakes.application.toml_reader import costs_from_toml, uncertain_costs_from_toml
    from stakes.application.toml_text import costs_to_toml
    from stakes.application.uncertain import Draws, UncertainApplication
    from stakes.application.unknowns import (
        Alternatives,
        BetaShare,
        Between,
        DirichletShares,
        LogUniform,
        Samples,
        Unknown,
    )

__all__ = [
    "Alternatives",
    "Application",
    "BetaShare",
    "Between",
    "CaseCosts",
    "Consistency",
    "CostExpression",
    "CostMatrix",
    "DirichletShares",
    "Disagreement",
    "DominatedDecision",
    "Draws",
    "LogUniform",
    "Samples",
    "UncertainApplication",
    "Unknown",
    "UtilityPoint",
    "accuracy_is_consistent",
    "as_application",
    "case_costs",
    "class_factors",
    "costs_from_amounts",
    "costs_from_csv",
    "costs_from_toml",
    "costs_to_csv",
    "costs_to_toml",
    "disagreement",
    "dominated_decisions",
    "normalized_utilities",
    "ranks_like",
    "read_costs",
    "read_uncertain_costs",
    "rebalancing_is_consistent",
    "sample_weights",
    "target_weight",
    "uncertain_costs_from_toml",
    "write_costs",
]

#: Where each name lives; loaded on first use.
_HOMES = {
    "application": ("Application", "as_application"),
    "cost_files": (
        "costs_from_csv",
        "costs_to_csv",
        "read_costs",
        "read_uncertain_costs",
        "write_costs",
    ),
    "cost_matrix": ("CostMatrix",),
    "dominance": ("DominatedDecision", "dominated_decisions"),
    "equivalence": (
        "Disagreement",
        "UtilityPoint",
        "disagreement",
        "normalized_utilities",
        "ranks_like",
    ),
    "expressions": ("CostExpression",),
    "reweighting": (
        "Consistency",
        "accuracy_is_consistent",
        "class_factors",
        "rebalancing_is_consistent",
        "sample_weights",
        "target_weight",
    ),
    "toml_reader": ("costs_from_toml", "uncertain_costs_from_toml"),
    "toml_text": ("costs_to_toml",),
    "uncertain": ("Draws", "UncertainApplication"),
    "unknowns": (
        "Alternatives",
        "BetaShare",
        "Between",
        "DirichletShares",
        "LogUniform",
        "Samples",
        "Unknown",
    ),
}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
