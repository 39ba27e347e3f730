"""What is done with a score: the decision rule of a model, to apply, move, read and keep."""

from stakes.rules.decision_rule import DecisionRule
from stakes.rules.rule_file import load_rule, rule_schema

__all__ = ["DecisionRule", "load_rule", "rule_schema"]
