"""What we then do: the Bayes rule, its thresholds, its per-case form, and hedging."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.decisions.bayes import DecisionIntervals as DecisionIntervals
    from stakes.decisions.bayes import bayes_decisions as bayes_decisions
    from stakes.decisions.bayes import decision_intervals as decision_intervals
    from stakes.decisions.bayes import minimax_regret_decisions as minimax_regret_decisions
    from stakes.decisions.case_rules import CaseRules as CaseRules
    from stakes.decisions.case_rules import case_rules as case_rules
    from stakes.decisions.case_rules import expected_case_costs as expected_case_costs
