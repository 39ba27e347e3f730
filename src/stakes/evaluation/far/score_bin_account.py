"""What the bins of a score tell besides the decisions taken: calibration, curves, ranges.

The scores of a bin are taken to be its middle. Cases of one bin and class are interchangeable, so
drawing how many of them fall into each fold is the same as drawing folds of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._random import as_generator
from stakes.application import Application
from stakes.calibration import cross_fit
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.evaluation.model_evaluation import Figures
from stakes.evaluation.model_intervals import compared, unpaired
from stakes.evaluation.model_rows import Cases, Model
from stakes.evaluation.recalibration import Judged, Variant, priced, rule_on
from stakes.exceptions import DataError, StakesError
from stakes.messages.notes import Note
from stakes.results import as_ends
from stakes.rules import DecisionRule
from stakes.summaries import (
    ConfusionMatrix,
    GroupedCounts,
    PairedCounts,
    ScoreBins,
    ScoreCounts,
)
from stakes.typing import FloatArray, IntArray
from stakes.uncertainty import Difference
from stakes.uncertainty.intervals.case_rows import CellSums

#: Folds of cross-fitting.
FOLDS = 5
#: NumPy draws without replacement from fewer cases than this.
_DRAWN_EXACTLY = 1_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class BinRows:
    """Bins as rows that stand for several cases: one for each bin, class and fold that occurs.

    `score` is the middle of the bin and `top` its greatest score; `number` is how many cases,
    `weight` what they weigh together and `squares` the sum of their squared weights, which is None
    where cases have no weights.
    """

    truth: IntArray
    fold: IntArray
    score: FloatArray
    top: FloatArray
    number: FloatArray
    weight: FloatArray
    squares: FloatArray | None

    @classmethod
    def of(
        cls, bins: ScoreBins, rows: NDArray[Any] | None, rng: Any = None, fold: int | None = None
    ) -> BinRows:
        """The rows; `rows` holds numbers and sums of squares by bin and class of weighted cases,
        (2, n_bins, 2). Cases are drawn into folds unless all are in one.
        """
        filled = bins.counts.sum(axis=1) > 0
        weight = np.stack(bins.runs[:2], axis=1).astype(np.float64)
        number, squares = (weight, None) if rows is None else rows[:, filled]
        drawn = number[..., None] if fold is not None else fold_counts(number, FOLDS, rng)
        at, truth, folds = np.nonzero(drawn)
        cases = drawn[at, truth, folds].astype(np.float64)
        part = cases / number[at, truth]
        return cls(
            truth,
            folds if fold is None else np.full(truth.shape, fold),
            middles(bins)[at],
            np.asarray(bins.runs.highest[at], dtype=np.float64),
            cases,
            part * weight[at, truth],
            None if squares is None else part * squares[at, truth],
        )

    @classmethod
    def joined(cls, parts: Sequence[BinRows]) -> BinRows:
        """The rows of several folds."""
        held = [[getattr(part, each.name) for part in parts] for each in fields(cls)]
        found: list[Any] = [None if one[0] is None else np.concatenate(one) for one in held]
        return cls(*found)

    @property
    def said(self) -> FloatArray:
        """The posteriors of both classes."""
        return np.stack([1 - self.score, self.score], axis=1)

    def cases(self, size: int) -> Cases:
        """As cases of a model, weighing what they stand for."""
        totals = np.bincount(self.truth, self.weight, size)
        return Cases(self.truth, self.weight, None, np.asarray(totals / totals.sum()))


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


def reaches_zero(bins: ScoreBins) -> bool:
    """Whether a probability of either class was 0."""
    return bool((bins.runs.lowest == 0).any() or (bins.runs.highest == 1).any())


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
        for fold, size in enumerate(left):  # of what is left of each bin, as it falls
            taken = generator.multivariate_hypergeometric(cells, int(size), method="marginals")
            out[:, k, fold] = taken
            cells -= taken
    return out


def judged_bins(
    name: str, bins: ScoreBins, as_is: Variant, app: Application, rows: BinRows
) -> tuple[Judged, Note | None]:
    """A model from its bins; with a note where it could not be re-calibrated.

    `app` has its priors filled in; the shares of the data are those of the bins.
    """
    cases = rows.cases(len(app.classes))
    told: dict[str, Any] = {"scores": score_counts(bins), "cases": cases, "number": rows.number}
    model = Model(name, rows.said, None)
    try:
        fitted, rule = refitted(name, bins, app, rows)
    except StakesError as error:
        return Judged(model, as_is, **told), Note("not-recalibrated", model=name, why=error.message)
    codes = rule.positions(fitted)
    table = cases.count(codes, app)
    if rows.squares is None:  # cases are counted in whole numbers, and weights are not
        whole = np.rint(table.counts).astype(np.int64)
        table = ConfusionMatrix(whole, app.classes, app.decisions)
    after = priced(table, app, codes, rule)
    return Judged(model, as_is, after, fitted, **told), None


def refitted(
    name: str, bins: ScoreBins, app: Application, rows: BinRows
) -> tuple[FloatArray, DecisionRule]:
    """Posteriors of the rows after cross-fitted calibration, and how they are decided.

    Raise where a model cannot be re-calibrated.
    """
    if (bins.class_totals == 0).any():
        absent = bins.classes[int(np.argmin(bins.class_totals))]
        raise DataError(f"there is no case of {absent!r} among the {rows.number.sum():g}.")
    if (rows.fold == rows.fold[0]).all():
        raise DataError("its cases belong to too few groups.")
    with np.errstate(divide="ignore"):
        fitted = cross_fit(
            rows.truth,
            np.log(rows.said),
            calibrator=default_calibrator(),
            folds=rows.fold,
            sample_weight=rows.weight,
        )
    priors = rows.cases(len(app.classes)).priors
    return fitted, rule_on(Model(name, fitted, None), app, priors)


def weighed_cells(rows: BinRows, codes: Any, app: Application) -> CellSums:
    """Weighted cases by what was decided on their bins, for an interval."""
    assert rows.squares is not None
    cells, at = np.unique(np.stack([rows.truth, codes], axis=1), axis=0, return_inverse=True)
    number, *powers = (
        np.bincount(at.reshape(-1), each, len(cells)).astype(np.float64)
        for each in (rows.number, rows.weight, rows.squares)
    )
    names: Any = {"classes": app.classes, "decisions": app.decisions}
    return CellSums.of(cells.astype(np.intp), number, powers, systems=("model",), **names)


def joint_decisions(one: Judged, app: Application) -> PairedCounts:
    """Joint counts of a model re-calibrated and as it is."""
    assert one.cases is not None
    assert one.number is not None
    assert one.recalibrated is not None
    assert one.as_is.rule is not None
    before = one.as_is.rule.positions(one.model.posteriors)
    after = np.asarray(one.recalibrated.codes)
    rows = np.stack([one.cases.truth, after, before], axis=1).astype(np.int64)
    cells, at = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(at.reshape(-1), one.number, len(cells)).astype(np.int64)
    return PairedCounts(cells, counts, ("re-calibrated", "as is"), app.classes, app.decisions)


def worth_of_bins(
    judged: Mapping[str, Judged],
    given: Application,
    options: dict[str, Any],
    interval: Callable[[str, Variant], tuple[float, float] | None],
    joint: Callable[[str, str], PairedCounts | GroupedCounts | None],
) -> dict[str, Difference | None]:
    """What re-calibrating gains over the best model as it is: of that model, and of the best.

    `joint` counts what one model decides re-calibrated, and another as it is, on the same cases.
    Where that was not counted (None), gains are as unsure as on cases of their own.
    """
    name = min(judged, key=lambda model: judged[model].as_is.cost)
    best = judged[name].as_is
    if math.isnan(best.nec):
        return {}

    def gain(model: str) -> Difference | None:
        """Of one model over the best as it is; None where they never differ."""
        one = judged[model]
        if one.recalibrated is None:
            return None
        together = joint(model, name)
        if together is not None:
            pairs = together.joint if isinstance(together, GroupedCounts) else together
            if (pairs.cells[:, 1] == pairs.cells[:, 2]).all():
                return None
            found = compared(together, given, options)
            return None if found.too_few else found.difference(*pairs.systems)
        pair = {"re-calibrated": (model, one.recalibrated), "as is": (name, best)}
        sides = [
            Figures(side, "posteriors", each.confusion, each.cost, each.nec,
                    interval=as_ends(interval(whose, each)))
            for side, (whose, each) in pair.items()
        ]  # fmt: skip
        cases = 0.0 if one.number is None else float(one.number.sum())
        apart = next(unpaired(sides, cases, options["level"]), None)
        return apart if apart is None or apart.first == "re-calibrated" else apart.turned()

    fitted = {m: one.recalibrated for m, one in judged.items() if one.recalibrated is not None}
    least = min(fitted, key=lambda model: fitted[model].cost, default=name)
    return {"worth": gain(name), "after": gain(least)}
