"""Intervals that include how unsure a calibration is: it is fitted again in each replicate."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._columns import as_column, as_weights
from stakes._kernels.limits.interval_ends import percentile
from stakes._names import encode, listed
from stakes.application import Application, CostMatrix, as_application
from stakes.calibration import Calibrator
from stakes.calibration.labelled_scores import read_scores
from stakes.calibration.score_input import order_of_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.metrics import expected_cost, normalized_expected_cost
from stakes.typing import FloatArray, IntArray, RandomSource
from stakes.uncertainty.intervals.interval import MIN_CASES, Interval, shortage
from stakes.uncertainty.intervals.replicates import Replicates


def refitted_interval(
    y_true: Any,
    scores: Any,
    *,
    calibrator: Calibrator,
    calibration: tuple[Any, ...],
    application: Any,
    sample_weight: Any = None,
    normalize: bool = True,
    level: float = 0.95,
    replicates: int = 500,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Interval:
    """Interval of the cost after calibration, with the calibration fitted anew each time.

    A calibrated system is a draw of its calibration data too. Intervals from the test cases
    alone leave that out and are too narrow when the calibration set is small.

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
    normalize : bool
        Whether to give the normalised cost.
    level : float
        Share of data sets in which the interval holds the truth.
    replicates : int
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
    ...     replicates=100, rng=0)
    >>> found.low < found.value < found.high
    True
    """
    app = as_application(application)
    measure = normalized_expected_cost if normalize else expected_cost
    truth, known = as_column(y_true, "y_true"), as_column(calibration[0], "calibration")
    said = calibrator.options["classes"]
    given, learnt = (
        read_scores(each).in_order(app.classes, order_of_scores(said, labels))
        for each, labels in ((scores, truth), (calibration[1], known))
    )
    learnt = learnt.as_a_whole()
    same_length("scores", len(given), "y_true", len(truth))
    codes = encode(truth, app.classes, "y_true").astype(np.intp)
    groups = encode(known, app.classes, "calibration").astype(np.intp)
    weights = as_weights(sample_weight, codes.shape[0])
    learnt_weights = as_weights(calibration[2] if len(calibration) > 2 else None, groups.shape[0])

    def refitted(fit: IntArray) -> Calibrator:
        inside = None if learnt_weights is None else learnt_weights[fit]
        return _fresh(calibrator, app).fit(learnt.take(fit), known[fit], sample_weight=inside)

    def cost(test: IntArray, fitted: Calibrator) -> float:
        moved = fitted if app.priors is None else fitted.with_priors(app.priors)
        posteriors = moved.posteriors(given.take(test))
        return measure(
            codes[test],
            bayes_decisions(posteriors, app.costs, classes=app.classes),
            application=_coded(app),
            sample_weight=None if weights is None else weights[test],
        )

    # What the scores are is asked here, of all cases; those drawn may happen to look otherwise.
    whole = _fresh(calibrator, app).fit(calibration[1], known, sample_weight=learnt_weights)
    whole._read_alike(scores)
    value = cost(np.arange(codes.shape[0]), whole)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        pairs = [(_redrawn(codes, generator), _redrawn(groups, generator)) for _ in range(size)]
        return np.array([cost(test, refitted(fit)) for test, fit in pairs])

    drawn = Replicates.drawn(draw, replicates, rng)
    kept = codes if weights is None else codes[weights > 0]
    totals = np.bincount(kept, minlength=len(app.classes)).astype(np.float64)
    refused, notes = shortage(totals, app.classes, min_cases)

    def rule(at: float, found: Replicates | None) -> tuple[float, float]:
        assert found is not None
        return percentile(found.values, at)

    name = "normalized_expected_cost" if normalize else "expected_cost"
    return Interval.found(
        name, value, rule, level=level, method="refitted", refused=refused, notes=notes,
        replicates=drawn,
    )  # fmt: skip


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


def _coded(app: Any) -> Any:
    """The application with positions as names, since cases are coded already."""
    return Application(CostMatrix(app.costs.values), app.priors)


def _redrawn(codes: IntArray, generator: np.random.Generator) -> IntArray:
    """Positions drawn with replacement within each class."""
    parts = []
    for k in np.unique(codes):
        inside = np.flatnonzero(codes == k)
        parts.append(inside[generator.integers(0, inside.shape[0], inside.shape[0])])
    return np.concatenate(parts)
