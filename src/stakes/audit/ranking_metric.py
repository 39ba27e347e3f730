"""Metrics of scores before any threshold: what each stands for, and what it makes of a miss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.application.uncertain import settled
from stakes.audit.audit_words import AuditPage, against, choice, false_alarms, opening
from stakes.audit.candidates import CandidateAudit
from stakes.exceptions import CostError, DataError
from stakes.metrics.counts.table_cells import as_table
from stakes.metrics.metric import Metric
from stakes.metrics.scores.threshold_costs import actual_cost, min_cost
from stakes.summaries.ranked_scores import RankedScores

_ANYWHERE = "whatever errors cost"
#: What each stands for, and why that is another question than what decisions cost.
_MEANING = {
    "auc": (
        "AUC treats a miss as N / P false alarms, with N negatives and P positives, at every "
        "threshold at once.",
        "AUC is balanced accuracy averaged over thresholds taken from the model's own scores, half "
        "of them from each class: that average is AUC / 2 + 1 / 4.",
        "You will decide at one threshold. AUC also rewards the order of cases far from it, and "
        "averages each model over other thresholds (Hand, Machine Learning 77, 2009; Ferrer, TMLR "
        "2025, section 3.6).",
    ),
    "eer": (
        f"EER compares models where their two error rates are equal, {_ANYWHERE}.",
        "You will decide at the threshold that your costs ask for, which is usually another one "
        "(Ferrer, TMLR 2025, section 3.6).",
    ),
    "specificity_at_sensitivity": (
        f"Specificity at a sensitivity compares models at the share of positives that must be "
        f"found, {_ANYWHERE}.",
        "The required share implies a price of a miss that changes from model to model (Ferrer, "
        "TMLR 2025, section 3.5).",
    ),
    "sensitivity_at_specificity": (
        f"Sensitivity at a specificity compares models at the share of negatives that must be "
        f"spared, {_ANYWHERE}.",
        "The required share implies a price of a miss that changes from model to model (Ferrer, "
        "TMLR 2025, section 3.5).",
    ),
}


@dataclass(frozen=True, slots=True)
class ScoreAudit(AuditPage):
    """What a metric of scores stands for, next to what is at stake; made by `audit`.

    Parameters
    ----------
    metric : str
        Its name.
    application : Application or None
        What is at stake.
    odds : float
        Negatives for each positive, in the data or where the model will run; `nan` if unknown.
    candidates : CandidateAudit or None
        What it makes of the given candidates.
    """

    metric: str
    application: Application | None
    odds: float = math.nan
    candidates: CandidateAudit | None = None

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        plain = self.metric.partition("(")[0]
        if plain == "auc" and math.isfinite(self.odds):
            stated = false_alarms(self.odds, 3)
            sentence = f"AUC treats a miss as {stated} here, whatever the threshold."
            return against(sentence, self.odds, self.application)
        return _MEANING[plain][0]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict in words: the answer, then the reasons."""
        lines = [self.headline, *_MEANING[self.metric.partition("(")[0]][1:]]
        if self.candidates is not None:
            lines.append(choice(self.candidates, self.application))
        return tuple(lines)

    @property
    def verdict(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def row(self) -> dict[str, Any]:
        """The facts by name."""
        among = self.candidates
        price = self.odds if self.metric == "auc" else math.nan
        return {
            "metric": self.metric,
            "implied_miss_cost": price,
            "regret": math.nan if among is None else among.regret,
        }

    def __repr__(self) -> str:
        return f"ScoreAudit({self.metric})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def audit_ranking(metric: Metric, application: Any, matrix: Any, candidates: Any) -> ScoreAudit:
    """The audit of a metric of scores; see `audit`. Candidates are scores instead of tables."""
    app = None if application is None else settled(application)
    sizes = [] if app is None else [len(app.classes)]
    sizes += [] if matrix is None else [len(as_table(matrix).classes)]
    if any(size != 2 for size in sizes):
        raise DataError(f"{opening(metric.label)} is for two classes; there are {max(sizes)}.")
    if candidates is not None and app is None:
        raise CostError("to judge `candidates` an audit needs to know what decisions cost.",
                        hint="application=Application([[0, 1], [10, 0]])")  # fmt: skip
    among = None if app is None or candidates is None else _among(metric, candidates, app)
    shares = None if app is None else app.priors
    if matrix is not None:
        shares = as_table(matrix).priors
    elif among is not None:
        shares = next(iter(candidates.values())).priors
    odds = math.nan if shares is None or not shares[1] else float(shares[0] / shares[1])
    return ScoreAudit(metric.label, app, odds, among)


def _among(
    metric: Metric, candidates: Mapping[str, RankedScores], app: Application
) -> CandidateAudit:
    """Which of several models it chooses by their scores, and what each costs."""
    for name, scores in candidates.items():
        if not isinstance(scores, RankedScores):
            raise DataError(
                f"{opening(metric.label)} needs the scores of each candidate; {name!r} is a "
                f"{type(scores).__name__}.",
                hint="candidates={'a': ScoreCounts.from_scores(y_true, scores, kind=...)}",
            )
    values = [metric(scores) for scores in candidates.values()]
    costs = [
        (min_cost if scores.kind == "rank" else actual_cost)(scores, app)
        for scores in candidates.values()
    ]
    better = metric.higher_is_better
    return CandidateAudit(
        metric.label, tuple(candidates), np.array(values), np.array(costs), better
    )
