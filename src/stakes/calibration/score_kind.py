"""The sort of scores that a calibrator was fitted on; scores of another sort are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import is_number
from stakes._columns import as_array
from stakes.calibration.score_input import (
    Scores,
    looks_like_probabilities,
    mostly_outside,
    read_scores,
    refuse_probability_rows,
)
from stakes.exceptions import DataError, FormatError
from stakes.posteriors import Posteriors

COLUMN, UNIT_COLUMN = "column", "column in [0, 1]"
POSTERIORS, TABLE = "posteriors", "table"
#: Tables for calibrators that use their level: the exponentials of each row add to 1, or do not.
LOG_POSTERIORS, LOGITS = "log-posteriors", "logits"
_SORTS = (COLUMN, UNIT_COLUMN, POSTERIORS, TABLE, LOG_POSTERIORS, LOGITS)

#: Number of quantiles of the scores in `fit` that are kept; the least number of cases for that;
#: and the size of the sample that estimates them (up to twice as many scores are used).
QUANTILES, _ENOUGH, _TELLING = 21, 50, 10_000
#: Tolerance for the logarithm of a sum: scores rounded to one decimal, or in single precision.
_ROUGHLY, _EXACTLY = 5e-2, 1e-5
_AT_THEIR_LEVEL = "logits at their level, as in `fit`"


# docs/design/score-scales.md says why calibrators remember the sort of their scores.
def sort_of(scores: Any, read: Scores, *, level: bool) -> str | None:
    """The sort of scores given to `fit`; None for scores that were already read.

    `level` says whether adding a number to all scores of a case makes a difference.
    """
    if isinstance(scores, Scores):
        return None
    if isinstance(scores, Posteriors):
        return POSTERIORS
    if read.is_column:
        return UNIT_COLUMN if looks_like_probabilities(read.values) else COLUMN
    if not level:
        return TABLE
    return LOG_POSTERIORS if (_levels(read.values) <= _ROUGHLY + _EXACTLY).all() else LOGITS


def read_alike(
    scores: Any, sort: str | None, *, size: int, level: bool = False, bounded: bool = False
) -> Scores:
    """Check new scores, which must mean the same as those in `fit`.

    Of an unknown sort, and for scores already read, nothing more is checked. `bounded` tables have
    lost their level already.
    """
    if sort is None or isinstance(scores, Scores):
        return read_scores(scores)
    found = "Posteriors" if isinstance(scores, Posteriors) else "a table"
    is_column = found == "a table" and as_array(scores, "scores").ndim != 2
    if sort == UNIT_COLUMN and not is_column:
        raise DataError(
            "`scores` must be one number per case, as in `fit`, which took a column in [0, 1] on a "
            f"scale of its own; got {found}, of which the log odds would be read.",
            hint="pass the column itself, as in fit; or learn from log odds: "
            "calibrator.fit(Posteriors(p), y_true)",
        )
    if is_column and size == 2 and sort not in (COLUMN, UNIT_COLUMN) and np.size(scores):
        raise _one_number(sort, bounded, np.size(scores))
    read = read_scores(scores)
    if sort == UNIT_COLUMN and mostly_outside(read.values):
        raise DataError(
            "`scores` must be on the scale of those in `fit`, which all lay in [0, 1]; most of the "
            f"{len(read)} lie outside, from {read.values.min():.3g} to {read.values.max():.3g}.",
            hint="pass the column that fit had; or fit on scores like these",
        )
    is_table = found == "a table" and not is_column
    if is_table:
        refuse_probability_rows(read.values, "scores")
    if level and len(read):
        _refuse_other_level(read, sort, is_table, bounded)
    return read


def known_sort(saved: Any) -> str | None:
    """The sort in a saved form; None in forms from earlier versions."""
    if saved is None or saved in _SORTS:
        return saved  # type: ignore[no-any-return]
    raise FormatError(f"the saved sort of scores must be among {_SORTS}; got {saved!r}.")


def spread_of(read: Scores) -> tuple[float, ...] | None:
    """Quantiles of the log odds, or scores, in `fit`, from the least to the greatest.

    With several classes, of the distance between the greatest and the least score of a case. None
    for few cases. With very many cases the inner quantiles come from a sample, and with several
    classes the extremes too: a maximum along short rows takes as long as a fit.
    """
    if len(read) < _ENOUGH:
        return None
    if read.size == 2:
        values = read.log_odds()
    else:
        values = apart(read.values[:: max(1, len(read) // _TELLING)])
    if not np.isfinite([values.min(), values.max()]).all():
        values = values[np.isfinite(values)]
        if not values.size:
            return None
    some = values[:: max(1, values.size // _TELLING)]
    between = np.quantile(some, np.linspace(0.0, 1.0, QUANTILES)[1:-1])
    return (float(values.min()), *between.tolist(), float(values.max()))


def apart(table: NDArray[Any]) -> NDArray[np.float64]:
    """How far the greatest score of each case is from its least."""
    wide = np.asarray(table, dtype=np.float64)
    return np.asarray(wide.max(axis=1) - wide.min(axis=1))


def known_spread(saved: Any) -> tuple[float, ...] | None:
    """The quantiles in a saved form; None in forms from earlier versions."""
    if saved is None:
        return None
    plain = isinstance(saved, list) and len(saved) == QUANTILES and all(map(is_number, saved))
    if not plain or not (np.isfinite(saved).all() and (np.diff(saved) >= 0).all()):
        raise FormatError(f"the saved spread must be {QUANTILES} numbers in order; got {saved!r}.")
    return tuple(map(float, saved))


def _levels(table: NDArray[Any]) -> NDArray[np.float64]:
    """Absolute log of the sum of each row's exponentials: 0 if these add to 1."""
    wide = np.asarray(table, dtype=np.float64)
    return np.asarray(np.abs(np.logaddexp.reduce(wide, axis=1)))


def _refuse_other_level(read: Scores, sort: str, is_table: bool, bounded: bool) -> None:
    """Raise if scores are normalised but those in `fit` were not, or the other way round."""
    if bounded:
        if (sort == COLUMN) != read.is_column:
            raise _another_level("one column, as in `fit`", "one column per class")
    elif sort == LOGITS:
        # Rows that are certain show nothing: logits minus their maximum give the same.
        topped = _levels(read.columns() - read.columns().max(axis=1, keepdims=True))
        normalised = (_levels(read.columns()) < _EXACTLY).all()
        if not is_table or (normalised and (topped > 2 * _EXACTLY).any()):
            raise _another_level(_AT_THEIR_LEVEL, "normalised log-posteriors")
    elif is_table and (_levels(read.values) > _ROUGHLY + _EXACTLY).any():
        raise _another_level(
            "log-posteriors, as in `fit`",
            "logits at a level of their own",
            "logits: Posteriors.from_logits(scores)",
        )


def _another_level(
    wanted: str, found: str, hint: str = "pass the same sort of scores as in fit"
) -> DataError:
    """The error for scores at another level, for calibrators that use more than differences."""
    return DataError(
        f"`scores` must be {wanted}, since this calibrator reads scores as they are; got {found}.",
        hint=f"{hint}; or fit Dirichlet(), which takes either",
    )


def _one_number(sort: str, bounded: bool, cases: int) -> DataError:
    """The error for a column where `fit` was given more."""
    if sort == LOGITS and not bounded:
        return _another_level(_AT_THEIR_LEVEL, "one number per case")
    given = "Posteriors" if sort == POSTERIORS else "one column per class"
    return DataError(
        f"`scores` must say what they are, as in `fit`, which took {given}; got one number per "
        "case, which may be a probability or log odds.",
        hint="probabilities of the second class: Posteriors(p); log odds: "
        "Posteriors.from_logits(scores); log-likelihood ratios: "
        "Posteriors.from_llrs(scores, priors), with the priors of fit"
        + ("; two numbers of a single case: [[a, b]]" if cases == 2 else ""),
    )
