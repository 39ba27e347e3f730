"""What the bins of a score tell besides the decisions taken: calibration, curves, ranges.

The scores of a bin are taken to be its middle. Cases of one bin and class are interchangeable, so
drawing how many of them fall into each fold is the same as drawing folds of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._random import as_generator
from stakes.application import Application
from stakes.calibration import cross_fit
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.evaluation.model_rows import Model
from stakes.evaluation.recalibration import Variant, priced, rule_on, stretch
from stakes.exceptions import StakesError
from stakes.messages.notes import Note
from stakes.rules import DecisionRule
from stakes.summaries import ConfusionMatrix, PairedCounts, ScoreBins, ScoreCounts
from stakes.typing import FloatArray, IntArray

#: NumPy draws without replacement from fewer cases than this.
_DRAWN_EXACTLY = 1_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class BinnedModel:
    """One model by its bins: its scores, and where it could be re-calibrated what came of it."""

    scores: ScoreCounts
    recalibrated: Variant | None = None
    slope: float | None = None
    joint: PairedCounts | None = None


def middles(bins: ScoreBins) -> FloatArray:
    """One posterior for each bin that holds cases: the middle in log odds, inside the bin.

    Where a bin reaches to 0 or 1, half of its other end, as if 0 had been rounded.
    """
    low, high = bins.runs.lowest, bins.runs.highest
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.sqrt(low / (1 - low)) * np.sqrt(high / (1 - high))
        middle = odds / (1 + odds)
    middle = np.where((low == 0) & (high > 0), high / 2, middle)
    middle = np.where((high == 1) & (low < 1), (1 + low) / 2, middle)
    return np.asarray(np.where(low == high, low, np.clip(middle, low, high)))


def score_counts(bins: ScoreBins) -> ScoreCounts:
    """The bins as distinct scores."""
    at, (first, second) = middles(bins), bins.runs[:2]
    kept = [part > 0 for part in (first, second)]
    return ScoreCounts(at[kept[0]], at[kept[1]], first[kept[0]], second[kept[1]], *bins._described)


def fold_counts(counts: NDArray[Any], folds: int, rng: Any) -> IntArray:
    """How many cases of every bin and class fall into each fold, (bins, 2, folds)."""
    generator, out = as_generator(rng), np.zeros((*counts.shape, folds), dtype=np.int64)
    start = 0
    for k in range(counts.shape[1]):
        cells = counts[:, k].astype(np.int64)
        total = int(cells.sum())
        ends = np.arange(folds)
        left = (start + total - ends + folds - 1) // folds - (start - ends + folds - 1) // folds
        start += total
        if total >= _DRAWN_EXACTLY:
            out[:, k] = generator.multinomial(cells, np.full(folds, 1 / folds))
            continue
        for b in np.flatnonzero(cells):
            out[b, k] = generator.multivariate_hypergeometric(left, cells[b], method="marginals")
            left = left - out[b, k]
    return out


def judged_bins(
    name: str,
    bins: ScoreBins,
    as_is: Variant,
    app: Application,
    rng: Any,
    *,
    weighted: bool = False,
    folds: int = 5,
) -> tuple[BinnedModel] | tuple[BinnedModel, Note]:
    """A model from its bins; with a note where it could not be re-calibrated.

    `app` has its priors filled in; the shares of the data are those of the bins.
    """
    scores = score_counts(bins)
    counts = np.stack(bins.runs[:2], axis=1)
    if weighted:
        return BinnedModel(scores), Note("recalibration-weighted", model=name)
    if (bins.class_totals == 0).any():
        absent = bins.classes[int(np.argmin(bins.class_totals))]
        why = f"there is no case of {absent!r} among the {bins.total:g}."
        return BinnedModel(scores), Note("not-recalibrated", model=name, why=why)
    drawn = fold_counts(counts, folds, rng)
    at, truth, fold = np.nonzero(drawn)
    cases, score = drawn[at, truth, fold], middles(bins)[at]
    said = np.stack([1 - score, score], axis=1)
    try:
        with np.errstate(divide="ignore"):
            fitted = cross_fit(
                truth,
                np.log(said),
                calibrator=default_calibrator(),
                folds=fold,
                sample_weight=cases.astype(np.float64),
            )
    except StakesError as error:
        return BinnedModel(scores), Note("not-recalibrated", model=name, why=error.message)
    rule = rule_on(Model(name, fitted, None), app, bins.class_totals / bins.total)
    after = _priced(truth, rule.decide(fitted), cases, app, rule)
    slope = stretch(said, fitted, cases.astype(np.float64))
    assert as_is.rule is not None
    joint = _joint(truth, (after.codes, as_is.rule.decide(said)), cases, app)
    return (BinnedModel(scores, after, slope, joint),)


def _priced(
    truth: Any, codes: Any, cases: IntArray, app: Application, rule: DecisionRule
) -> Variant:
    """What decisions on rows that stand for several cases cost."""
    table = np.zeros(app.costs.shape, dtype=np.int64)
    np.add.at(table, (truth, codes), cases)
    return priced(ConfusionMatrix(table, app.classes, app.decisions), app, codes, rule)


def _joint(truth: Any, codes: tuple[Any, Any], cases: IntArray, app: Application) -> PairedCounts:
    """Joint counts of a model re-calibrated and as it is."""
    rows = np.stack([truth, *codes], axis=1).astype(np.int64)
    cells, at = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(at.reshape(-1), cases, len(cells)).astype(np.int64)
    return PairedCounts(cells, counts, ("re-calibrated", "as is"), app.classes, app.decisions)
