"""Facts about the numbers of binary scores, which no single table of decisions holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stakes.metrics.metric import Metric, entry
from stakes.metrics.ranking import auc
from stakes.metrics.rate_thresholds import (
    eer,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from stakes.typing import FloatArray

__all__ = ["SCORE_METRICS"]


def _no_table(*_: Any, **__: Any) -> FloatArray:
    """Never called: `Metric.values` refuses first."""
    raise NotImplementedError


def _entry(
    function: Callable[..., float], question: str, formula: str, naive: str, **facts: Any
) -> Metric:
    """One number of scores; see `entry`."""
    undefined = "error: a class has no case"
    return entry(function, _no_table, question, formula, naive, undefined, of="scores", **facts)


SCORE_METRICS = (
    _entry(auc, "How often does a positive case have the higher score?",
           "P(s2 > s1) + P(s2 == s1) / 2", "1 / 2", reference="Ferrer 2025, section 3.6"),
    _entry(eer, "What is the error rate where both error rates are equal?",
           "R12 where R12 == R21", "1 / 2", higher=False, reference="Ferrer 2025, section 3.6"),
    _entry(specificity_at_sensitivity,
           "How many negatives are spared when a share of the positives must be found (SP@SE)?",
           "max(R11) where R22 >= sensitivity", "1 - sensitivity", needs=("sensitivity",),
           reference="Ferrer 2025, section 3.5"),
    _entry(sensitivity_at_specificity,
           "How many positives are found when a share of the negatives must be spared (SE@SP)?",
           "max(R22) where R11 >= specificity", "1 - specificity", needs=("specificity",),
           reference="Ferrer 2025, section 3.5"),
)  # fmt: skip
