"""What decisions cost before labels arrive: estimates from posteriors, with their doubt."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.estimation.cost_estimate import CostEstimate as CostEstimate
    from stakes.estimation.decided_cases import DecidedCases as DecidedCases
    from stakes.estimation.no_labels import estimate_cost as estimate_cost
