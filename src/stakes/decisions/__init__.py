"""What we then do: the Bayes rule, its thresholds and its per-case form."""

from stakes.decisions.bayes import bayes_decisions
from stakes.decisions.intervals import DecisionIntervals, decision_intervals

__all__ = ["DecisionIntervals", "bayes_decisions", "decision_intervals"]
