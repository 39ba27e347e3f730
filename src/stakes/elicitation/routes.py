"""Ways to state how many false alarms one miss is worth: directly, by examples or by choosing a
model.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from stakes._checks import as_number, of_kind, positive_share
from stakes._columns import as_reals, in_brief
from stakes._names import listed, place_of
from stakes.application.cost_sentences import spoken
from stakes.audit import best_threshold, implied_costs
from stakes.audit.count_metric import as_count_metric
from stakes.elicitation.agreement import Statement
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics.scores.pareto_hull import hull_points
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import Priors


def ratio_between(low: float, high: float | None = None) -> Statement:
    """State it directly: one miss is worth `low` false alarms, or from `low` to `high`.

    Parameters
    ----------
    low, high : float
        Positive; only one if the ratio is known.

    Returns
    -------
    Statement
        What it implies for the ratio.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, appendix A.1: 35 for
       bankruptcy by one source, 10 to 50 by another.

    Examples
    --------
    >>> ratio_between(10, 50)
    Statement('one miss is worth 10 to 50 false alarms': ratio from 10 to 50)
    """
    low = _number(low, "low")
    high = low if high is None else _number(high, "high")
    if not (0 < low <= high < math.inf):
        raise CostError(f"needs 0 < low <= high; got {low!r} and {high!r}.")
    said = f"one miss is worth {_said((low, high))} false alarms"
    low, high = float(low), float(high)
    return Statement(low, high, said, "ratio", {"ratio": [low, high]})


def ratio_from_threshold(threshold: float, upper: float | None = None) -> Statement:
    """What acting at a probability implies: at p, a miss is worth (1 - p) / p false alarms.

    Parameters
    ----------
    threshold, upper : float
        The probability from which you act today, or the range it lies in; between 0 and 1.

    Returns
    -------
    Statement
        What it implies for the ratio.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 28 solved for the costs.

    Examples
    --------
    >>> ratio_from_threshold(0.3)
    Statement('you act at 30 %': ratio from 2.33333 to 2.33333)
    """
    threshold = _number(threshold, "threshold")
    upper = threshold if upper is None else _number(upper, "upper")
    if not 0 < threshold <= upper < 1:
        raise CostError(f"a threshold lies between 0 and 1; got {threshold!r} and {upper!r}.")
    amount = f"{100 * threshold:.4g}" + (f" to {100 * upper:.4g}" if upper != threshold else "")
    said, inputs = f"you act at {amount} %", {"threshold": [threshold, upper]}
    return Statement((1 - upper) / upper, (1 - threshold) / threshold, said, "threshold", inputs)


def ratio_from_number_willing(number: float, upper: float | None = None) -> Statement:
    """What a number willing to treat implies: acting on n cases to catch one positive.

    Parameters
    ----------
    number, upper : float
        How many cases you would act on to find one positive, or a range; above 1.

    Returns
    -------
    Statement
        All but one of the n are false alarms, so the ratio is n - 1.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin, "Decision curve analysis", Medical Decision Making 26,
       2006: the threshold is 1 / n.

    Examples
    --------
    >>> ratio_from_number_willing(20)
    Statement('you would act on 20 cases to catch one': ratio from 19 to 19)
    """
    number = _number(number, "number")
    upper = number if upper is None else _number(upper, "upper")
    if not 1 < number <= upper < math.inf:
        raise CostError(f"needs a number above 1; got {number!r} and {upper!r}.")
    said = f"you would act on {_said((number, upper))} cases to catch one"
    return Statement(number - 1, upper - 1, said, "number_willing", {"number": [number, upper]})


def ratio_from_amounts(
    *,
    false_negative: Any,
    false_positive: Any,
    true_positive: Any = 0.0,
    true_negative: Any = 0.0,
) -> Statement:
    """What amounts in money imply, each a number or a pair (from, to).

    Parameters
    ----------
    false_negative, false_positive, true_positive, true_negative : float or pair of float
        What each outcome costs; a gain is negative.

    Returns
    -------
    Statement
        (miss - hit) / (false alarm - correct rejection), from its least to its most.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 2: shifted costs.

    Examples
    --------
    >>> ratio_from_amounts(false_negative=(200, 400), false_positive=10, true_positive=10)
    Statement('a miss costs 200 to 400, a false alarm 10, a hit 10': ratio from 19 to 39)
    """
    fn, fp, tp, tn = (_pair(x) for x in (false_negative, false_positive, true_positive,
                                         true_negative))  # fmt: skip
    miss = fn[0] - tp[1], fn[1] - tp[0]
    alarm = fp[0] - tn[1], fp[1] - tn[0]
    if miss[0] <= 0 or alarm[0] <= 0:
        raise CostError(
            "errors must cost more than right decisions; a miss costs from "
            f"{miss[0]:g} and a false alarm from {alarm[0]:g} more.",
            hint="gains are negative costs",
        )
    parts = [f"a miss costs {_said(fn)}", f"a false alarm {_said(fp)}"]
    parts += [f"a hit {_said(tp)}"] if tp != (0.0, 0.0) else []
    parts += [f"a rightly ignored case {_said(tn)}"] if tn != (0.0, 0.0) else []
    inputs = {"fn": list(fn), "fp": list(fp), "tp": list(tp), "tn": list(tn)}
    return Statement(miss[0] / alarm[1], miss[1] / alarm[0], ", ".join(parts), "amounts", inputs)


# ----------------------------------------------------------------- privates


def _number(value: Any, name: str) -> float:
    """A checked number, of the type that was given, so that it is shown as it was written."""
    number = as_number(value, name, CostError)
    return value if type(value) in (int, float) else number


def _pair(amount: Any) -> tuple[float, float]:
    """A number or a range as two ends."""
    ends = np.atleast_1d(as_reals(amount, "amount", CostError))
    if ends.shape not in ((1,), (2,)) or not np.isfinite(ends).all() or ends[0] > ends[-1]:
        raise CostError(f"an amount is a number, or a pair (from, to); got {amount!r}.")
    return float(ends[0]), float(ends[-1])


def _said(pair: tuple[float, float]) -> str:
    """An amount in words."""
    return spoken(pair[0]) if pair[0] == pair[1] else f"{spoken(pair[0])} to {spoken(pair[1])}"


def ratio_from_metric(metric: str | Callable[[ConfusionMatrix], float], system: Any) -> Statement:
    """What tuning a metric implies: the false alarms that it trades for one miss, here.

    Every metric that is maximised trades the two errors at some rate, which depends on the
    system. Whoever tunes a metric has chosen that rate, knowingly or not.

    Parameters
    ----------
    metric : str or callable
        A name of `stakes.metrics.catalogue`, perhaps with parameters as in ``f_beta:beta=2``, or
        a function of a ConfusionMatrix that is maximised.
    system : ConfusionMatrix, ScoreCounts or ScoreBins
        Scores are first thresholded where the metric is best.

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
    measure: Any = metric
    if not isinstance(metric, str):  # `implied_costs` passes counts, not tables
        measure = wraps(metric)(lambda counts: metric(ConfusionMatrix(counts)))
    table = best_threshold(measure, system).matrix if isinstance(system, RankedScores) else system
    if not isinstance(table, ConfusionMatrix) or table.counts.shape != (2, 2):
        raise DataError("`system` must have two classes and two decisions.")
    counted, implied = as_count_metric(measure), implied_costs(measure, table).costs.values
    miss, alarm = float(implied[1, 0]), float(implied[0, 1])
    if miss * alarm <= 0:
        raise UndefinedError(
            f"{counted.name} does not trade misses for false alarms here: a miss counts as "
            f"{miss:.4g}, a false alarm as {alarm:.4g}."
        )
    ratio = float(f"{miss / alarm:.9g}")  # the precision of finite differences
    said = f"you tune {counted.name}, which is {float(counted.values(table.counts)):.4g} here"
    return Statement(ratio, ratio, said, "metric", {"ratio": [ratio, ratio]})


def ratio_from_sensitivity(
    scores: RankedScores, sensitivity: float, *, priors: Priors | None = None
) -> Statement:
    """What a required sensitivity implies: the ratios for which this system would reach it.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        A system that serves as the baseline.
    sensitivity : float
        The least share of positives that must be found.
    priors : float or pair, optional
        Share of positives, or of both classes, where it will run; default, that of the data.

    Returns
    -------
    Statement
        The ratios for which the first corner of the ROC hull with enough sensitivity is best.

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
    sensitivity = as_number(sensitivity, "sensitivity")
    if not 0 < sensitivity <= 1:
        raise DataError(f"`sensitivity` must lie above 0 and not above 1; got {sensitivity!r}.")
    points = hull_points(scores)
    ratios = points.ratios(scores._share_of_second(priors))
    corner = int(np.argmax(points.sensitivity >= sensitivity - 1e-12))
    low = ratios[corner - 1] if corner else 0.0
    high = ratios[corner] if corner < ratios.size else math.inf
    said = f"you want to find {100 * sensitivity:.4g} % of the positives"
    inputs = {"ratio": [float(low), float(high)]}
    return Statement(float(low), float(high), said, "sensitivity", inputs)


class EmblematicModel(NamedTuple):
    """A simple model by its two error rates; see `emblematic_models`.

    Parameters
    ----------
    miss_rate, alarm_rate : float
        Share of positives missed, and of negatives that raise an alarm.
    words : str
        What it does.
    """

    miss_rate: float
    alarm_rate: float
    words: str


#: The names of the five models.
EMBLEMATIC_MODELS = ("always", "never", "errs", "errs_negatives", "errs_positives")


def emblematic_models(error_share: float) -> dict[str, EmblematicModel]:
    """The five emblematic models for a share of errors.

    Parameters
    ----------
    error_share : float
        Share of the cases that the erring models get wrong; 0.5 to 0.75 is most informative.

    Returns
    -------
    dict of EmblematicModel
        ``always`` and ``never`` act on all cases and on none; ``errs`` is wrong for that share of
        both classes, ``errs_negatives`` and ``errs_positives`` of one class only.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 4.

    Examples
    --------
    >>> emblematic_models(0.6)["errs_negatives"].words
    'acts on 60 % of the negatives, misses no positive'
    """
    error_share = as_number(error_share, "error_share")
    if not 0 < error_share < 1:
        raise DataError(f"`error_share` must lie between 0 and 1; got {error_share!r}.")
    share, errs = f"{100 * error_share:.4g} %", error_share
    models = (
        EmblematicModel(0.0, 1.0, "acts on every case"),
        EmblematicModel(1.0, 0.0, "never acts"),
        EmblematicModel(errs, errs, f"is wrong for {share} of either"),
        EmblematicModel(0.0, errs, f"acts on {share} of the negatives, misses no positive"),
        EmblematicModel(errs, 0.0, f"misses {share} of the positives, raises no false alarm"),
    )
    return dict(zip(EMBLEMATIC_MODELS, models, strict=True))


def ratio_from_ranking(
    ranking: Sequence[str], *, error_share: float, priors: Priors
) -> tuple[Statement, ...]:
    """What an order of the emblematic models implies, from the worst to the best.

    Each step of the order bounds the ratio from one side. Four of the ten pairs imply nothing,
    because one model is never worse than the other. In the wrong order they contradict
    themselves, which is a good check of the answers.

    Parameters
    ----------
    ranking : sequence of str
        Two or more of ``always``, ``never``, ``errs``, ``errs_negatives``,
        ``errs_positives``, the worst first.
    error_share : float
        As in `emblematic_models`.
    priors : float or pair
        Share of positives, or of both classes, where it will run.

    Returns
    -------
    tuple of Statement
        One for each pair of neighbours.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, appendix A.2, eqs 21-22.

    Examples
    --------
    >>> from stakes.elicitation import agreed_ratio
    >>> order = ["always", "errs", "never", "errs_negatives", "errs_positives"]
    >>> said = ratio_from_ranking(order, error_share=0.6, priors=0.05)
    >>> [round(end, 3) for end in agreed_ratio(said).weights]
    [0.919, 0.927]
    """
    models = emblematic_models(error_share)
    ranking = [
        in_brief(name) if place_of(name, models) is None else name
        for name in of_kind(ranking, "ranking", Iterable)
    ]
    unknown = [name for name in ranking if name not in models]
    if unknown or len(set(ranking)) != len(ranking) or len(ranking) < 2:
        raise DataError(
            f"`ranking` must order two or more of {listed(EMBLEMATIC_MODELS)}, each once; got "
            f"{listed(list(ranking))}."
        )
    prior = positive_share(priors, inside=True)
    inputs = {"error_share": error_share, "prior": prior}
    found = []
    for worse, better in itertools.pairwise(ranking):
        low, high = _bounds(models[worse], models[better], prior)
        said = f"'{models[better].words}' is no worse than '{models[worse].words}'"
        found.append(Statement(low, high, said, "ranking", {**inputs, "ranking": [worse, better]}))
    return tuple(found)


def _bounds(worse: EmblematicModel, better: EmblematicModel, prior: float) -> tuple[float, float]:
    """The ratios for which `worse` costs at least as much as `better`."""
    misses = prior * (worse.miss_rate - better.miss_rate)
    alarms = (1 - prior) * (worse.alarm_rate - better.alarm_rate)
    if misses >= 0 and alarms >= 0:  # worse at any costs: implies nothing
        return 0.0, math.inf
    if misses <= 0 and alarms <= 0:  # better at any costs: impossible
        return math.inf, 0.0
    ratio = -alarms / misses
    return (ratio, math.inf) if misses > 0 else (0.0, ratio)
