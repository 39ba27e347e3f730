"""What is at stake: cost matrices, priors, and the forms they are kept in."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.application.application import Application as Application
    from stakes.application.application import as_application as as_application
    from stakes.application.case_costs import CaseCosts as CaseCosts
    from stakes.application.case_costs import case_costs as case_costs
    from stakes.application.case_costs import costs_from_amounts as costs_from_amounts
    from stakes.application.cost_files import costs_from_csv as costs_from_csv
    from stakes.application.cost_files import costs_to_csv as costs_to_csv
    from stakes.application.cost_files import read_costs as read_costs
    from stakes.application.cost_files import read_uncertain_costs as read_uncertain_costs
    from stakes.application.cost_files import write_costs as write_costs
    from stakes.application.cost_matrix import CostMatrix as CostMatrix
    from stakes.application.dominance import DominatedDecision as DominatedDecision
    from stakes.application.dominance import dominated_decisions as dominated_decisions
    from stakes.application.equivalence import Disagreement as Disagreement
    from stakes.application.equivalence import UtilityPoint as UtilityPoint
    from stakes.application.equivalence import disagreement as disagreement
    from stakes.application.equivalence import normalized_utilities as normalized_utilities
    from stakes.application.equivalence import ranks_like as ranks_like
    from stakes.application.expressions import CostExpression as CostExpression
    from stakes.application.reweighting import Consistency as Consistency
    from stakes.application.reweighting import accuracy_is_consistent as accuracy_is_consistent
    from stakes.application.reweighting import class_factors as class_factors
    from stakes.application.reweighting import (
        rebalancing_is_consistent as rebalancing_is_consistent,
    )
    from stakes.application.reweighting import sample_weights as sample_weights
    from stakes.application.reweighting import target_weight as target_weight
    from stakes.application.toml_reader import costs_from_toml as costs_from_toml
    from stakes.application.toml_reader import (
        uncertain_costs_from_toml as uncertain_costs_from_toml,
    )
    from stakes.application.toml_text import costs_template as costs_template
    from stakes.application.toml_text import costs_to_toml as costs_to_toml
    from stakes.application.uncertain import Draws as Draws
    from stakes.application.uncertain import UncertainApplication as UncertainApplication
    from stakes.application.unknowns import Alternatives as Alternatives
    from stakes.application.unknowns import BetaShare as BetaShare
    from stakes.application.unknowns import Between as Between
    from stakes.application.unknowns import DirichletShares as DirichletShares
    from stakes.application.unknowns import LogUniform as LogUniform
    from stakes.application.unknowns import Samples as Samples
    from stakes.application.unknowns import Unknown as Unknown
