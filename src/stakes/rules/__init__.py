"""What is done with a score: the decision rule of a model, to apply, move, read and keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = ["DecisionRule", "load_rule", "rule_schema"]

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule
    from stakes.rules.rule_file import load_rule, rule_schema

_HOMES = {"decision_rule": ("DecisionRule",), "rule_file": ("load_rule", "rule_schema")}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
