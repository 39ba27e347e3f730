"""Decision rules: from a model's scores to decisions, to apply, move, print and save."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.rules.decision_rule import DecisionRule as DecisionRule
    from stakes.rules.rule_file import load_rule as load_rule
    from stakes.rules.rule_file import rule_schema as rule_schema
