"""What we then do: the Bayes rule, its thresholds, its per-case form, and hedging."""

from stakes.decisions.bayes import (
    DecisionIntervals,
    bayes_decisions,
    decision_intervals,
    minimax_regret_decisions,
)
from stakes.decisions.case_rules import CaseRules, case_rules, expected_case_costs

__all__ = [
    "CaseRules",
    "DecisionIntervals",
    "bayes_decisions",
    "case_rules",
    "decision_intervals",
    "expected_case_costs",
    "minimax_regret_decisions",
]
