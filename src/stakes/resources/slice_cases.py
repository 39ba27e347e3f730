"""Cases of several slices, as read from columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._checks import same_length
from stakes._columns import as_column, as_floats, as_weights, refuse_other_order
from stakes._names import encode, listed, observed_names
from stakes.application import Application
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.audience import either, named
from stakes.metrics.scores.operating_points import aligned
from stakes.metrics.summary_input import of_scores
from stakes.summaries import ScoreCounts
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray, Name


class SlicedCases(NamedTuple):
    """The cases as read: slices and classes by position."""

    names: tuple[Name, ...]
    classes: tuple[Name, ...]
    truth: NDArray[np.intp]
    scores: FloatArray
    codes: NDArray[np.intp]
    weights: FloatArray | None

    @property
    def counts(self) -> tuple[ScoreCounts, ...]:
        """The scores of each slice, the classes as 0 and 1."""
        return tuple(_of_slice(self, self.codes == g) for g in range(len(self.names)))


@of_scores
def _counted(scores: RankedScores, application: Any) -> RankedScores:
    """All scores as counted, from columns."""
    return scores


def read_cases(
    y_true: Any, scores: Any, by: Any, app: Application, positive: Any, sample_weight: Any
) -> SlicedCases:
    """The columns, checked."""
    refuse_other_order(y_true, {"scores": scores, "by": by, "sample_weight": sample_weight})
    truth, given = as_column(y_true, "y_true"), as_floats(scores, "scores")
    same_length("y_true", truth.size, "scores", given.size)
    weights = as_weights(sample_weight, given.size)
    told = {"positive": positive, "sample_weight": weights}
    classes = _counted(truth, given, application=app, **told).classes
    aligned(classes, app)
    column = as_column(by, "by")
    same_length("by", column.size, "scores", given.size)
    names = observed_names(column)
    if len(names) < 2:
        raise DataError(f"{named('by')} must tell at least two slices apart; got {listed(names)}.")
    codes = encode(column, names, "by").astype(np.intp)
    positions = encode(truth, classes, "y_true").astype(np.intp)
    wide = given.astype(np.float64, copy=False)
    return SlicedCases(names, classes, positions, wide, codes, weights)


def _of_slice(cases: SlicedCases, at: NDArray[np.bool_]) -> ScoreCounts:
    """The scores of one slice."""
    weights = None if cases.weights is None else cases.weights[at]
    return ScoreCounts.from_scores(
        cases.truth[at], cases.scores[at], classes=(0, 1), sample_weight=weights
    )


def refuse_small(cases: SlicedCases, least: int) -> None:
    """Raise where a slice has too few cases of a class to say anything about its rates."""
    held = slice(None) if cases.weights is None else cases.weights > 0
    places = 2 * cases.codes[held] + cases.truth[held]
    many = np.bincount(places, minlength=2 * len(cases.names)).reshape(-1, 2)
    short = [
        f"{name!r} has {count} of {kind!r}"
        for name, row in zip(cases.names, many.tolist(), strict=True)
        for kind, count in zip(cases.classes, row, strict=True)
        if count < least
    ]
    if short:
        more = f" and {len(short) - 4} more" if len(short) > 4 else ""
        fewest = int(many.min())
        risk = either(f"min_cases={fewest}", f"--min-cases {fewest}")
        raise UndefinedError(
            f"slices need {least} case{'s' * (least != 1)} of each class; slice "
            f"{', slice '.join(short[:4])}{more}.",
            hint="join small slices, or leave them out"
            + (f"; to take the risk: {risk}" if fewest else ""),
        )
