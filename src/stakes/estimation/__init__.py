"""What decisions cost before labels arrive: estimates from posteriors, with their doubt."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.estimation.cost_estimate import CostEstimate as CostEstimate
    from stakes.estimation.cost_estimate import LabelCheck as LabelCheck
    from stakes.estimation.decided_cases import DecidedCases as DecidedCases
    from stakes.estimation.few_labels import LabelledCost as LabelledCost
    from stakes.estimation.few_labels import cost_from_labels as cost_from_labels
    from stakes.estimation.judge_labels import JudgedCost as JudgedCost
    from stakes.estimation.judge_labels import cost_from_judge as cost_from_judge
    from stakes.estimation.label_check import check_labels as check_labels
    from stakes.estimation.label_plan import LabelPlan as LabelPlan
    from stakes.estimation.label_plan import plan_labels as plan_labels
    from stakes.estimation.no_labels import estimate_cost as estimate_cost
