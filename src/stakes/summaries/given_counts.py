"""What is given as a table of decisions; how to make one, where it is none."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from stakes._checks import as_matrix
from stakes.exceptions import DataError
from stakes.posteriors import Posteriors
from stakes.summaries.ranked_scores import RankedScores

__all__ = ["given_counts", "refuse_undecided"]


def given_counts(counts: Any) -> NDArray[Any]:
    """A table of cases by true class and decision, as an array of numbers."""
    refuse_undecided(counts)
    try:
        return as_matrix(counts, "counts")
    except DataError as error:
        raise DataError(
            error.message,
            hint="rows are true classes, columns decisions; to count decisions of cases: "
            "ConfusionMatrix.from_decisions(y_true, decisions)",
        ) from None


def refuse_undecided(counts: Any) -> None:
    """Raise for what is no table of decisions yet, with how to make one of it."""
    if isinstance(counts, RankedScores):
        raise DataError(
            f"this needs a table of decisions; got scores, before any decision: {counts!r}.",
            hint="decide first: stakes.metrics.at_bayes_threshold(scores, application).confusion",
        )
    if isinstance(counts, Posteriors):
        raise DataError(
            f"this needs a table of decisions; got posteriors, before any decision: {counts!r}.",
            hint="decide first: ConfusionMatrix.from_decisions(y_true, "
            "bayes_decisions(posteriors, costs))",
        )
    if callable(getattr(counts, "confusion", None)):
        raise DataError(
            f"this needs the table of one system; got {counts!r}.",
            hint="name the system: counts.confusion(name)",
        )
