"""Ratios of costs that tuning on data implies: a metric, or a required sensitivity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from stakes.elicitation.statement import Statement
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics import Metric, catalogue
from stakes.metrics.hull_points import hull_points
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores

__all__ = ["ratio_from_metric", "ratio_from_sensitivity"]

#: More cuts than this are thinned when a metric is maximised by trying.
MOST_CUTS = 2000


def ratio_from_metric(metric: str | Callable[[ConfusionMatrix], float], system: Any) -> Statement:
    """What tuning a metric implies: how many false alarms it gives for one miss, here.

    Every metric that is maximised trades the two errors at some rate, which depends on the
    system. It is the one that a metric user has chosen without knowing.

    Parameters
    ----------
    metric : str or callable
        A name of `stakes.metrics.catalogue`, or a function of a ConfusionMatrix that is
        maximised.
    system : ConfusionMatrix, ScoreCounts or ScoreBins
        Scores are first cut where the metric is best.

    Returns
    -------
    Statement
        The ratio of the metric's slopes at that point.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, sections 3.1 and 4.1.1.

    Examples
    --------
    With F1 = 0.5 the ratio is (2 - 0.5) / 0.5 = 3:

    >>> ratio_from_metric("f1", ConfusionMatrix([[80, 10], [10, 10]]))
    Statement('you tune f1, which is 0.5 here': ratio from 3 to 3)
    """
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", "a metric")
    measure: Any = _named(metric) if isinstance(metric, str) else metric
    table = _best_cut(measure, system) if isinstance(system, RankedScores) else system
    if not isinstance(table, ConfusionMatrix) or table.counts.shape != (2, 2):
        raise DataError("`system` must have two classes and two decisions.")
    counts = table.counts.astype(np.float64)
    miss, alarm = (_slope(measure, counts, row) for row in (1, 0))
    if miss * alarm <= 0:
        raise UndefinedError(
            f"{name} does not trade misses for false alarms here: it changes by {miss:.4g} per "
            f"miss and by {alarm:.4g} per false alarm."
        )
    ratio = float(f"{miss / alarm:.10g}")  # what finite differences are worth
    said = f"you tune {name}, which is {measure(table):.4g} here"
    return Statement(ratio, ratio, said, "metric", {"ratio": [ratio, ratio]})


def ratio_from_sensitivity(
    scores: RankedScores, sensitivity: float, *, prior: float | None = None
) -> Statement:
    """What a required sensitivity implies: the ratios for which this system would reach it.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        A system that serves as the baseline.
    sensitivity : float
        The least share of positives that must be found.
    prior : float, optional
        Share of positives where it will run; that of the data if absent.

    Returns
    -------
    Statement
        The stretch of ratios for which the first corner of the ROC hull with enough
        sensitivity is the best one.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1, 1], [0.1, 0.6, 0.3, 0.5, 0.7, 0.9],
    ...                              kind="rank")
    >>> ratio_from_sensitivity(sc, 0.9)
    Statement('you want to find 90 % of the positives': ratio from 1 to inf)
    """
    if not 0 < sensitivity <= 1:
        raise DataError(f"`sensitivity` must lie above 0 and not above 1; got {sensitivity!r}.")
    points = hull_points(scores)
    ratios = points.ratios(float(scores.priors[1]) if prior is None else prior)
    corner = int(np.argmax(points.sensitivity >= sensitivity - 1e-12))
    low = ratios[corner - 1] if corner else 0.0
    high = ratios[corner] if corner < ratios.size else math.inf
    said = f"you want to find {100 * sensitivity:.4g} % of the positives"
    inputs = {"ratio": [float(low), float(high)]}
    return Statement(float(low), float(high), said, "sensitivity", inputs)


def _named(metric: str) -> Any:
    """A metric of the catalogue."""
    try:
        return catalogue[metric]
    except KeyError as error:
        raise DataError(f"{error.args[0]}", hint="f1, mcc, kappa, ...; see the catalogue") from None


def _slope(measure: Any, counts: Any, row: int) -> float:
    """How a metric changes when a case of one class is decided wrongly instead of rightly."""
    right, wrong = (0, 1) if row == 0 else (1, 0)
    step = 1e-5 * max(1e-3, min(counts[row, right], max(counts[row, wrong], 1e-2)))
    values = []
    for sign in (1, -1):
        moved = counts.copy()
        moved[row, wrong] += sign * step
        moved[row, right] -= sign * step
        if moved.min() < 0:  # at the edge: one side only
            moved = counts.copy()
        values.append((float(measure(ConfusionMatrix(moved))), moved[row, wrong]))
    (up, x_up), (down, x_down) = values
    if x_up == x_down or not (math.isfinite(up) and math.isfinite(down)):
        raise UndefinedError("the metric has no slope here.")
    return float((up - down) / (x_up - x_down))


def _best_cut(measure: Any, scores: RankedScores) -> ConfusionMatrix:
    """The confusion matrix at the cut where the metric is best."""
    scores.require_both("ratio_from_metric")
    below_first, below_second = scores.cumulated
    n0, n1 = scores.class_totals
    step = 1 if isinstance(measure, Metric) else max(1, below_first.size // MOST_CUTS)
    cuts = np.union1d(scores.hull, np.arange(0, below_first.size, step))
    tn, fn = below_first[cuts].astype(np.float64), below_second[cuts].astype(np.float64)
    inside = (tn > 0) & (tn < n0) & (fn > 0) & (fn < n1)
    if not inside.any():
        raise UndefinedError("no threshold leaves cases on both sides in both classes.")
    tn, fn = tn[inside], fn[inside]
    tables = np.stack([tn, n0 - tn, fn, n1 - fn], axis=1).reshape(-1, 2, 2)
    if isinstance(measure, Metric):
        values = measure.values(tables)
    else:
        values = np.array([float(measure(ConfusionMatrix(table))) for table in tables])
    sign = 1.0 if getattr(measure, "higher_is_better", True) else -1.0
    if np.isnan(values).all():
        raise UndefinedError("the metric is undefined at every threshold.")
    return ConfusionMatrix(tables[int(np.nanargmax(sign * values))])
