"""The one function that gives an interval for any metric of any summary, also with a calibration
refitted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from stakes._checks import as_pair, as_switch, as_whole, of_kind, same_length
from stakes._columns import as_column, as_weights
from stakes._guesses import answers_guesses
from stakes._kernels.interval_ends import MATTERS, student_limits, too_unequal
from stakes._names import encode, listed
from stakes.application import Application, CostMatrix, as_application
from stakes.calibration import Calibrator
from stakes.calibration.score_input import order_of_scores, read_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.metrics import expected_cost, normalized_expected_cost
from stakes.summaries import ConfusionMatrix, CostTally, GroupedCounts
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray, IntArray, RandomSource
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums
from stakes.uncertainty.intervals.count_intervals import Asked, confusion_interval
from stakes.uncertainty.intervals.group_intervals import grouped_interval
from stakes.uncertainty.intervals.interval import MIN_CASES, Interval, few_carry, percentile_rule
from stakes.uncertainty.intervals.score_intervals import score_interval
from stakes.uncertainty.intervals.weighted_intervals import sums_interval


def _tally_interval(tally: CostTally, asked: Asked) -> Interval:
    """See `stakes.uncertainty.interval`: Welch's t on the class means."""
    priors = getattr(asked.application, "priors", None)
    value, matters = tally.cost(priors), None if priors is None else np.asarray(priors) > 0
    if priors is None:
        n, shares = np.array([tally.total]), np.ones(1)
        sums, squares = tally.sums.sum(), tally.squares.sum()
    else:
        n, shares = tally.class_totals, np.asarray(priors, dtype=np.float64)
        sums, squares = tally.sums.sum(axis=1), tally.squares.sum(axis=1)
    means = sums / np.maximum(n, 1)
    spread = np.maximum(squares - n * means**2, 0.0) / np.maximum(n - 1, 1)
    parts = shares**2 * spread / np.maximum(n, 1)
    error = float(np.sqrt(parts.sum()))
    bottom = float((parts**2 / np.maximum(n - 1, 1)).sum())
    freedom = error**4 / bottom if bottom > 0 else np.inf
    cases, notes = (tally.class_totals, tally.classes), _unequal(tally, priors, asked.min_cases)

    def rule(at: float, _: FloatArray) -> tuple[float, float]:
        return student_limits(value, error, at, freedom)

    by_cost = replace(asked, metric="expected_cost")
    return by_cost.found("student", value, rule, cases, matters=matters, notes=notes)


def _unequal(tally: CostTally, priors: Any, min_cases: int) -> tuple[str, ...]:
    """A note when a few cases could carry the cost, and so the interval is too short.

    With several decisions, costs of one class and decision are amounts; in a single column they
    may be mostly zeros, and sums do not tell how many.
    """
    if len(tally.decisions) == 1:
        if tally.effective_cases >= min_cases:
            return ()
        return (
            f"the costs weigh like {tally.effective_cases:.3g} equal ones: a few cases carry most "
            "of the cost, and the interval is probably too short",
        )
    shares = tally.priors if priors is None else np.asarray(priors, dtype=np.float64)
    scale = np.divide(shares, tally.class_totals, out=np.zeros(len(shares)), where=shares > 0)
    parts = scale[:, None] ** 2 * tally.squares
    matters = parts > MATTERS * parts.sum()
    found = matters & too_unequal(tally.counts, np.abs(tally.sums), tally.squares)
    rows = np.flatnonzero(found.any(axis=1))
    return (few_carry([tally.classes[k] for k in rows]),) if rows.size else ()


@answers_guesses
def interval(
    summary: Any,
    metric: Any = "expected_cost",
    *,
    application: Any = None,
    weights: Any = None,
    method: str | None = None,
    normalized: bool = False,
    level: float = 0.95,
    draws: int = 2000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """How sure a number is: the values that the data do not contradict.

    For every metric of every summary, with the method that measured best for it (see the page
    on intervals); no rows are needed. Costs, AUC, equal error rate and minimum cost need no
    random numbers by default.

    Parameters
    ----------
    summary : ConfusionMatrix, ScoreCounts, ScoreBins, CostTally or GroupedCounts
        What happened. With GroupedCounts whole groups are drawn, of one side or of both. Of
        weighted rows, what `stakes.engines.Reduction.weighted` has added up.
    metric : str or callable
        A name in `stakes.metrics`, or any function of the summary.
    application : Application, UncertainApplication, or several, optional
        Costs and priors. With priors, classes are drawn apart; without, jointly. A list means
        that one of them holds; the cost is then their average.
    weights : sequence of float, optional
        Probability of each of several applications; default, equal.
    method : str, optional
        For costs: "score" (default), "normal" (delta method), "percentile", "bca",
        "studentized", "posterior" (Dirichlet). For AUC: "score" (default), "delong", "normal",
        "percentile", "bca". For the equal error rate and the minimum cost: "score" (default)
        or "percentile". For other metrics: "bca" (default), "percentile", "posterior".
    normalized : bool
        For "actual_cost" and "min_cost": divide by the best naive cost.
    level : float
        Share of data sets in which such an interval holds the truth.
    draws : int
        How many are drawn, for methods that draw.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
        Draws depend on the summary and the seed alone.
    min_cases : int
        With fewer cases (or groups) of a class that matters no interval is given.

    Returns
    -------
    Interval
        With `.at(level)` and `.more(draws)`; its `notes` say where it rests on few cases.

    References
    ----------
    .. [1] D. D. Margineantu and T. G. Dietterich, "Bootstrap methods for the cost-sensitive
       evaluation of classifiers", ICML 2000.
    .. [2] O. Miettinen and M. Nurminen, "Comparative analysis of two rates", Statistics in
       Medicine 4, 1985, section 3.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> cm = ConfusionMatrix([[900, 60], [5, 35]])
    >>> app = Application([[0, 1], [10, 0]])
    >>> interval(cm, "expected_cost", application=app)
    <Interval of expected_cost: 0.11 (0.07725 to 0.1771), 0.95 by score>
    >>> interval(cm, "mcc", rng=0).method
    'bca'
    >>> print(interval(ConfusionMatrix([[90, 5], [2, 3]]), application=app))
    0.25 (too few cases for an interval)
    """
    asked = Asked(metric, application, weights, method, normalized, level, draws, rng, min_cases)
    if isinstance(summary, ConfusionMatrix):
        return confusion_interval(summary, asked)
    if isinstance(summary, (GroupedCounts, CaseRows)):
        return grouped_interval(summary, asked)
    if isinstance(summary, CellSums):
        return sums_interval(summary, asked)
    if isinstance(summary, CostTally):
        return _tally_interval(summary, asked)
    if isinstance(summary, RankedScores):
        return score_interval(summary, asked)
    raise DataError(
        f"`summary` must be a summary of cases; got {type(summary).__name__}.",
        hint="ConfusionMatrix.from_decisions(y_true, decisions), ScoreCounts.from_scores(...)",
    )


def refitted_interval(
    y_true: Any,
    scores: Any,
    *,
    calibrator: Calibrator,
    calibration: tuple[Any, ...],
    application: Any,
    sample_weight: Any = None,
    normalized: bool = True,
    level: float = 0.95,
    draws: int = 500,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """Interval of the cost after calibration, with the calibration fitted anew each time.

    A calibrated system also varies with its calibration data. Intervals from the test cases alone
    leave that out and are too narrow if the calibration set is small.

    Parameters
    ----------
    y_true, scores : columns
        The test cases: log-posteriors or logits in the order of the application's classes, log
        odds of its second class, or `Posteriors`.
    calibrator : Calibrator
        Which calibration; it is not changed.
    calibration : two or three columns
        True classes and scores of the calibration cases, and their weights if they have any.
    application : Application or CostMatrix
        Costs and priors; posteriors are moved to the priors, if there are any.
    sample_weight : column, optional
        Weight of each test case. A row is one case, whatever it weighs, drawn with its weight.
    normalized : bool
        Whether to give the normalised cost.
    level : float
        Share of data sets in which the interval holds the truth.
    draws : int
        How often the calibration is fitted.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer test cases of a class no interval is given.

    Returns
    -------
    Interval
        Cases of each class are drawn with replacement, in both sets.

    References
    ----------
    .. [1] L. Ferrer and D. Ramos, "Evaluating posterior probabilities: decision theory, proper
       scoring rules, and calibration", TMLR 2025.

    Examples
    --------
    >>> from stakes import Application
    >>> from stakes.calibration import Affine
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 3 == 0
    >>> s = rng.normal(2.0 * y, 1.0)
    >>> found = refitted_interval(y[:200], s[:200], calibrator=Affine(),
    ...     calibration=(y[200:], s[200:]), application=Application([[0, 1], [5, 0]]),
    ...     draws=100, rng=0)
    >>> found.low < found.value < found.high
    True
    """
    app, draws = as_application(application), as_whole(draws, "draws", most=100_000)
    switched = as_switch(normalized, "normalized")
    measure = normalized_expected_cost if switched else expected_cost
    of_kind(calibrator, "calibrator", Calibrator)
    columns = of_kind(calibration, "calibration", tuple, list)
    weights_of = columns[2] if len(columns) == 3 else None
    pair = columns[:2] if len(columns) == 3 else columns
    labels_of, scores_of = as_pair(pair, "calibration", "(y_true, scores) or with weights")
    truth, known = as_column(y_true, "y_true"), as_column(labels_of, "calibration")
    said = calibrator.options["classes"]
    given, learnt = (
        read_scores(each).in_order(app.classes, order_of_scores(said, labels))
        for each, labels in ((scores, truth), (scores_of, known))
    )
    learnt = learnt.as_a_whole()
    same_length("scores", len(given), "y_true", len(truth))
    codes = encode(truth, app.classes, "y_true").astype(np.intp)
    groups = encode(known, app.classes, "calibration").astype(np.intp)
    weights = as_weights(sample_weight, codes.shape[0])
    learnt_weights = as_weights(weights_of, groups.shape[0])

    # Cases are coded already, so that positions are names.
    coded = Application(CostMatrix(app.costs.values), app.priors)

    def refitted(fit: IntArray) -> Calibrator:
        inside = None if learnt_weights is None else learnt_weights[fit]
        return _fresh(calibrator, app).fit(learnt.take(fit), known[fit], sample_weight=inside)

    def cost(test: IntArray, fitted: Calibrator) -> float:
        moved = fitted if app.priors is None else fitted.with_priors(app.priors)
        posteriors = moved.posteriors(given.take(test))
        return measure(
            codes[test],
            bayes_decisions(posteriors, app.costs, classes=app.classes),
            application=coded,
            sample_weight=None if weights is None else weights[test],
        )

    # What the scores are is asked here, of all cases; those drawn may happen to look otherwise.
    whole = _fresh(calibrator, app).fit(calibration[1], known, sample_weight=learnt_weights)
    whole._read_alike(scores)
    value = cost(np.arange(codes.shape[0]), whole)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        pairs = [(_redrawn(codes, generator), _redrawn(groups, generator)) for _ in range(size)]
        return np.array([cost(test, refitted(fit)) for test, fit in pairs])

    kept = codes if weights is None else codes[weights > 0]
    cases = np.bincount(kept, minlength=len(app.classes)), app.classes
    name = "normalized_expected_cost" if normalized else "expected_cost"
    asked = Asked(name, app, level=level, draws=draws, rng=rng, min_cases=min_cases)
    return asked.found("refitted", value, percentile_rule, cases, replicates=asked.drawn(draw))


def _fresh(calibrator: Calibrator, app: Application) -> Calibrator:
    """The calibrator, not fitted, for scores in the order of the application's classes."""
    fresh = calibrator.unfitted()
    named = fresh.options["classes"]
    if named is not None and tuple(named) != app.classes:
        raise DataError(
            f"`calibrator` must have the classes of the application, {listed(app.classes)}, in "
            f"this order; got {listed(named)}.",
            hint="leave out classes, and give scores in the order of the application",
        )
    fresh.options["classes"] = app.classes
    return fresh


def _redrawn(codes: IntArray, generator: np.random.Generator) -> IntArray:
    """Positions drawn with replacement within each class."""
    members = (np.flatnonzero(codes == k) for k in np.unique(codes))
    return np.concatenate([each[generator.integers(0, each.size, each.size)] for each in members])
