"""What the scores are to which a calibration is applied: settled before, looked at after reading.

A file that the command wrote says what its scores are. One that was saved in Python has a word for
what `fit` was given, and where that leaves a choice somebody has to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stakes.calibration import Calibrator
from stakes.calibration.calibrator import Shifted
from stakes.calibration.score_input import (
    FEW_CASES,
    looks_like_probabilities,
    refuse_probability_rows,
)
from stakes.calibration.score_kind import COLUMN, LOGITS, POSTERIORS, UNIT_COLUMN, apart
from stakes.cli.problems import warn
from stakes.exceptions import DataError
from stakes.messages.audience import speaking_of
from stakes.messages.quantities import grouped, percent

#: Quantiles of the scores in `fit`.
Spread = tuple[float, ...] | None

UNKNOWN = "the calibration does not say what its scores are"
OTHER_COLUMN = "pass the column that it was learnt on; or learn a calibration on scores like these"
#: How far, in ranges of the scores in `fit`, others may be beyond: few cases do not tell the ends.
_BEYOND = 0.5
#: Scores on another scale fill less of the range in which they happen to lie.
_SMALL_PART = 0.25
#: And log-odds among points less of the range of nine tenths of the points; log-odds lie between
#: minus this and this.
_TINY_PART, _LOG_ODDS = 0.02, 40.0
#: Where so many of the scores in `fit` lay in [0, 1], all of a part may. So many are enough where
#: none was negative, so that the least lie there, or nine tenths within so much, as log-odds of a
#: weak model do.
_MANY, _SOME, _WEAK = 0.2, 0.05, 2.0
_NARROW = "If they are on that scale all the same:  --narrow"


def settled(learnt: Calibrator, said: str | None, path: str) -> str:
    """The word for the scores in one column, where the file itself has none.

    `said` is what was written after --scores-are, if anything. Files that were saved before they
    had a word for what `fit` was given are read as ever.
    """
    sort = learnt._sort
    if sort == LOGITS:
        raise DataError(
            f"{path} was fitted in Python on one column of logits per outcome, and reads them at "
            "their level, which one column does not have.",
            hint="apply it in Python: stakes.calibration.load(...).posteriors(logits)",
        )
    if said is None:
        if sort in (None, POSTERIORS):
            return "posterior"
        raise _asked(path, column=sort == COLUMN)
    if said == "rank" and sort not in (None, COLUMN):
        given = "posteriors" if sort == POSTERIORS else "logarithms of each outcome"
        raise DataError(
            f"--scores-are rank, but {path} was fitted in Python on {given}.",
            hint="probabilities: --scores-are posterior; log-odds: --scores-are log_odds",
        )
    return said


def _asked(path: str, *, column: bool) -> DataError:
    """That it has to be said what the scores are."""
    lines = {
        "If the column is that of fit, and holds log-odds": "log_odds",
        "If it is that of fit, on a scale of its own": "rank",
        "If it holds probabilities, and fit had log-odds": "posterior",
    }
    if not column:
        lines = {
            "If the column holds probabilities": "posterior",
            "If it holds log-odds": "log_odds",
            "If it holds log-likelihood ratios": "llr",
        }
    width = max(map(len, lines)) + 3
    given = "one column" if column else "one column per outcome"
    return DataError(
        f"{UNKNOWN}: {path} was fitted in Python on {given}.",
        hint="\n".join(f"{line + ':':{width}}--scores-are {word}" for line, word in lines.items()),
    )


def about_unknown(path: str) -> None:
    """Say how scores are read for which nobody has a word."""
    warn(
        f"{path} does not say what its scores are, so they are read as probabilities. If they are "
        "log-odds: --scores-are log_odds; on a scale of their own: --scores-are rank; else, to say "
        "so: --scores-are posterior."
    )


def prior_odds(learnt: Calibrator, path: str) -> tuple[float, ...] | None:
    """Shares under which log-likelihood ratios become what `fit` was given; None for a column.

    A column is taken as it is. Posteriors had the shares of the cases.
    """
    if learnt._sort in (None, COLUMN):
        return None
    inner = learnt.inner if isinstance(learnt, Shifted) else learnt
    if inner.options.get("priors") is not None or inner.priors is None:
        raise DataError(
            f"--scores-are llr needs the shares of the cases that {path} was fitted on, and it "
            "holds those of another place only.",
            hint="add the log of the odds of these shares to the scores:  --scores-are log_odds",
        )
    return tuple(float(share) for share in inner.priors)


def look_at(
    values: NDArray[np.float64],
    kind: str | None,
    learnt: Calibrator,
    seen: Spread,
    *,
    source: str,
    narrow: bool,
) -> None:
    """Raise where scores are clearly on another scale than those in `fit`, and warn in doubt.

    `seen` are quantiles of those, as they would stand in the column.
    """
    sort = learnt._sort
    if sort == UNIT_COLUMN or (kind == "posterior" and (sort != COLUMN or values.ndim == 2)):
        return
    what, said = "scores", False
    if values.ndim == 2:
        _refuse_probability_rows(values, source, known=sort is not None)
        values, what = _differences(values)
    elif kind == "posterior":
        with np.errstate(divide="ignore"):
            values, what = np.log(values) - np.log1p(-values), "log-odds"
    elif not narrow:
        said = _refuse_unit_scores(values, seen, source)
    if narrow or seen is None or said:
        return
    finite = values[np.isfinite(values)]
    if len(finite) >= FEW_CASES and len(np.unique(finite)) > 2:
        _refuse_other_scale(finite, seen, f"{what} of {source}")


def _refuse_probability_rows(values: NDArray[np.float64], source: str, *, known: bool) -> None:
    """Raise when logarithms of each outcome are none, with what to do on the command line."""
    if known:
        with speaking_of(scores=f"the scores of {source}"):
            refuse_probability_rows(values, "scores", OTHER_COLUMN)


def _differences(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
    """What a calibrator sees of scores of each outcome, and its name."""
    if values.shape[1] == 2:
        return values[:, 1] - values[:, 0], "differences between the scores"
    return apart(values), "distances between the greatest and the least score of a row"


def seen_in_fit(
    learnt: Calibrator, kind: str | None, flip: bool, priors: Sequence[float]
) -> Spread:
    """Quantiles of the scores in `fit`, as they would stand in the column."""
    if learnt._spread is None:
        return None
    shift = math.log(priors[1] / priors[0]) if kind == "llr" and min(priors) > 0 else 0.0
    found = [each - shift for each in learnt._spread]
    return tuple(-each for each in reversed(found)) if flip else tuple(found)


def _refuse_unit_scores(values: NDArray[np.float64], seen: Spread, source: str) -> bool:
    """Raise when scores that are no probabilities look like some, unless many did in `fit`.

    Unless most did it is said, and so it is where nothing is known of those. Whether it was.
    """
    if not looks_like_probabilities(values):
        return False
    share = 0.0 if seen is None else sum(0 <= each <= 1 for each in seen) / len(seen)
    if share > 0.5:
        return False
    said = f"all {grouped(len(values))} scores of {source} lie between 0 and 1, like probabilities"
    if seen is None:
        warn(f"{said}, and are not read as such.")
    elif share >= _MANY or (share >= _SOME and (seen[0] >= 0 or seen[-2] - seen[1] < _WEAK)):
        warn(
            f"{said}, and are not read as such; the calibration was learnt on scores from "
            f"{_shown(seen)}. If they are on that scale, --narrow says so."
        )
    else:
        raise DataError(
            f"{said}; the calibration was learnt on scores from {_shown(seen)}.",
            hint=f"{OTHER_COLUMN}\n{_NARROW}",
        )
    return True


def _refuse_other_scale(values: NDArray[np.float64], seen: tuple[float, ...], what: str) -> None:
    """Raise when scores are mostly far beyond those in `fit`, or log-odds where those were points.

    Warn where hardly any of those were: a band of scores, or cases of a class that was rare, may
    lie there too.
    """
    slack = _BEYOND * (seen[-1] - seen[0])
    beyond = int(((values < seen[0] - slack) | (values > seen[-1] + slack)).sum())
    here = f"from {_shown((values.min(), values.max()))}"
    if 2 * beyond > len(values):
        raise DataError(
            f"{grouped(beyond)} of the {grouped(len(values))} {what} lie far outside of those that "
            f"the calibration was learnt on: they are {here}, and those were from {_shown(seen)}.",
            hint=f"{OTHER_COLUMN}\n{_NARROW}",
        )
    low, high = float(values.min()), float(values.max())
    if not _hardly_seen(low, high, seen):
        return
    said = (
        f"the {grouped(len(values))} {what} are {here}, where less than "
        f"{percent(1 / (len(seen) - 1))} of those lay that the calibration was learnt on, which "
        f"were from {_shown(seen)}."
    )
    points = max(-low, high) < _LOG_ODDS < (seen[-1] - seen[0]) / 2
    if points and high - low < _TINY_PART * (seen[-2] - seen[1]):
        raise DataError(said, hint=f"{OTHER_COLUMN}\n{_NARROW}")
    warn(
        f"{said} If they are on that scale, --narrow says so; if not, the probabilities are wrong."
    )


def _hardly_seen(low: float, high: float, seen: tuple[float, ...]) -> bool:
    """Whether numbers fill a small part of a range that lies between neighbouring quantiles.

    Below the second and above the last but one are such ranges too. A small part, since the highest
    of many scores are often looked at by themselves.
    """
    ends = (-math.inf, *seen[1:-1], math.inf)
    ranges = zip(pairwise(ends), pairwise(seen), strict=True)
    return any(
        low > first and high < second and high - low < _SMALL_PART * (above - below)
        for (first, second), (below, above) in ranges
    )


def _shown(spread: Sequence[float]) -> str:
    """From the least to the greatest."""
    return f"{spread[0]:.3g} to {spread[-1]:.3g}"
