"""Judge classifiers, and make their decisions, by what the decisions cost.

The nouns, in the order in which they are met:

``CostMatrix``
    What each decision (column) costs for each true class (row). Lower is better.
``Application``
    What is at stake: a CostMatrix, the class priors where the system will run, a unit and
    a volume.
``Posteriors``
    What the classifier says, with natural logarithms and nothing guessed.
``bayes_decisions``
    What we then do: the decision of least expected cost for each case.
``ConfusionMatrix``, ``ScoreCounts``
    What happened: small summaries of the rows that add with ``+``. Everything below works
    on them, so the rows may live anywhere.
``expected_cost``, ``normalized_expected_cost``
    What it cost. 0 is perfect; a normalised cost of 1 is what the best decision that ignores
    the input would cost.

``DecisionRule``
    Costs, priors, calibration and cuts of one model: to apply, move, print and save.
``evaluate``
    All of it at once: models side by side, how sure that is, and a verdict.

``stakes.metrics`` holds every other number, ``stakes.curves`` the data of every curve,
``stakes.calibration`` makes posteriors mean what they say, ``stakes.uncertainty`` tells how
sure we are and ``stakes.audit`` what a metric really rewards. On the command line:
``stakes --help``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

#: Where each public name lives; loaded on first use, so that `import stakes` costs nothing.
_HOMES = {
    "Application": "stakes.application",
    "CaseCosts": "stakes.application",
    "ConfusionMatrix": "stakes.summaries",
    "CostMatrix": "stakes.application",
    "CostTally": "stakes.summaries",
    "DecisionRule": "stakes.rules",
    "GroupedCounts": "stakes.summaries",
    "Inquiry": "stakes.inquiry",
    "PairedCounts": "stakes.summaries",
    "Posteriors": "stakes.posteriors",
    "ScoreBins": "stakes.summaries",
    "ScoreCounts": "stakes.summaries",
    "bayes_decisions": "stakes.decisions",
    "evaluate": "stakes.evaluation",
    "evaluate_frame": "stakes.evaluation",
    "decision_intervals": "stakes.decisions",
    "expected_cost": "stakes.metrics",
    "load_rule": "stakes.rules",
    "normalized_expected_cost": "stakes.metrics",
}

_ROOMS = (
    "application",
    "audit",
    "calibration",
    "curves",
    "decisions",
    "demonstration",
    "elicitation",
    "engines",
    "evaluation",
    "exceptions",
    "inquiry",
    "integrations",
    "metrics",
    "monitoring",
    "plots",
    "posteriors",
    "report",
    "rules",
    "sources",
    "summaries",
    "testing",
    "uncertainty",
)

__all__ = [
    "Application",
    "CaseCosts",
    "ConfusionMatrix",
    "CostMatrix",
    "CostTally",
    "DecisionRule",
    "GroupedCounts",
    "Inquiry",
    "PairedCounts",
    "Posteriors",
    "ScoreBins",
    "ScoreCounts",
    "application",
    "audit",
    "bayes_decisions",
    "calibration",
    "curves",
    "decision_intervals",
    "decisions",
    "demonstration",
    "elicitation",
    "engines",
    "evaluate",
    "evaluate_frame",
    "evaluation",
    "exceptions",
    "expected_cost",
    "inquiry",
    "integrations",
    "load_rule",
    "metrics",
    "monitoring",
    "normalized_expected_cost",
    "plots",
    "posteriors",
    "report",
    "rules",
    "sources",
    "summaries",
    "testing",
    "uncertainty",
]

if TYPE_CHECKING:
    from stakes import (
        application,
        audit,
        calibration,
        curves,
        decisions,
        demonstration,
        elicitation,
        engines,
        evaluation,
        exceptions,
        inquiry,
        integrations,
        metrics,
        monitoring,
        plots,
        posteriors,
        report,
        rules,
        sources,
        summaries,
        testing,
        uncertainty,
    )
    from stakes.application import Application, CaseCosts, CostMatrix
    from stakes.decisions import bayes_decisions, decision_intervals
    from stakes.evaluation import evaluate, evaluate_frame
    from stakes.inquiry import Inquiry
    from stakes.metrics import expected_cost, normalized_expected_cost
    from stakes.posteriors import Posteriors
    from stakes.rules import DecisionRule, load_rule
    from stakes.summaries import (
        ConfusionMatrix,
        CostTally,
        GroupedCounts,
        PairedCounts,
        ScoreBins,
        ScoreCounts,
    )


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return importlib.import_module(f"stakes.{name}")
    raise AttributeError(f"module 'stakes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
