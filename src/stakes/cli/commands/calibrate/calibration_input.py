"""What the scores of a calibration are: kept where it is learnt; where it is applied, read and
looked at.

A file that the command wrote says what its scores are. One that was saved in Python has a word for
what `fit` was given, and where that leaves a choice somebody has to say.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from stakes.calibration import Calibrator
from stakes.calibration.calibrator_json import sealed
from stakes.calibration.score_input import (
    FEW_CASES,
    looks_like_probabilities,
    refuse_probability_rows,
)
from stakes.calibration.score_kind import (
    COLUMN,
    LOG_POSTERIORS,
    LOGITS,
    POSTERIORS,
    UNIT_COLUMN,
    apart,
)
from stakes.cli.commands.calibrate.calibration_fit import Learnt, log_scores
from stakes.cli.problems import warn
from stakes.cli.show.outputs import write_whole
from stakes.exceptions import DataError, FormatError, PosteriorError
from stakes.inquiry.column_roles import flipped
from stakes.inquiry.model_scores import Model, rows_unrounded, sums_checked
from stakes.messages.audience import speaking_of
from stakes.messages.quantities import grouped, percent
from stakes.posteriors import Posteriors
from stakes.sources.cells import as_labels
from stakes.sources.table import Table
from stakes.typing import FloatArray

_MEANT = {
    "posterior": "probabilities",
    "log_odds": "log-odds",
    "llr": "log-likelihood ratios",
    "rank": "scores whose order alone means something",
}
_OTHER_COLUMN = "pass the column that it was learnt on; or learn a calibration on scores like these"
_NARROW = f"{_OTHER_COLUMN}\nIf they are on that scale all the same:  --narrow"
#: What to type of a column for which a file saved in Python has no word.
_ASK = """If the column is that of fit, and holds log-odds:   --scores-are log_odds
If it is that of fit, on a scale of its own:        --scores-are rank
If it holds probabilities:                          --scores-are posterior"""
#: How far, in ranges of the scores in `fit`, others may be beyond: few cases do not tell the ends.
_BEYOND = 0.5
#: Scores on another scale fill less of the range in which they happen to lie.
_SMALL_PART = 0.25
#: Log-odds mixed with points fill less than `_TINY_PART` of the range of the middle 90 % of the
#: points, and lie between minus and plus `_LOG_ODDS`.
_TINY_PART, _LOG_ODDS = 0.02, 40.0
#: If this share of the scores in `fit` lay in [0, 1], all scores of a batch may.
_MANY = 0.2


@dataclass(frozen=True, slots=True)
class Input:
    """Where scores stand in a file and what they mean; None where a file does not say.

    `order` is that of the columns of an array without names.
    """

    model: str = "score"
    columns: dict[str, str] = field(default_factory=dict)
    scores_are: str | None = None
    priors: tuple[float, ...] = ()
    flip: bool = False
    renormalise: bool = False
    order: tuple[str, ...] = ()


def save(learnt: Learnt, args: Any) -> list[str]:
    """Write the calibrator with what its scores are; returns what to say of it."""
    cases, inquiry, table = learnt.cases, learnt.question.inquiry, learnt.question.table
    kept = Input(
        learnt.model,
        learnt.columns,
        inquiry.kind,
        tuple(cases.priors.tolist()),
        learnt.model in flipped([learnt.model], inquiry),
        inquiry.renormalise,
        cases.found if len(cases.found) == len(cases.classes) else cases.classes,
    )
    saved = learnt.calibrator.to_dict()
    saved["input"] = {**asdict(kept), "source": table.source, "sha256": table.digest}
    read = (cases.label, *learnt.columns.values())
    if {*read} <= {*table.names}:  # by which its own rows are known in other files too
        saved["input"]["rows_sha256"] = table._columns_digest(read)
    size = write_whole(Path(args.output), sealed(saved).decode("ascii"))
    return [
        f"calibration: {args.output} ({max(1, round(size / 1000))} kB)",
        f"apply it:    stakes calibrate --apply {args.output} new.csv -o out.csv",
    ]


def input_of(saved: dict[str, Any], learnt: Calibrator, path: str) -> Input:
    """What a saved calibration says of its scores; one that was saved from Python says little."""
    given, names = saved.get("input", {}), tuple(map(str, learnt.classes or ()))
    if not isinstance(given, dict):
        raise FormatError(f"{path} is damaged: it does not say where its scores come from.")
    own: dict[str, Any] = {
        "scores_are": "rank" if learnt._sort == UNIT_COLUMN else None,
        "priors": [1 / len(names)] * len(names),
        "order": as_labels(np.array(names)).names,
    }
    return Input(**own | {name: given[name] for name in Input.__slots__ if name in given})


def agreed(kept: Input, learnt: Calibrator, args: Any) -> Input:
    """The input with what the options add to it; what contradicts it is refused."""
    found = replace(kept, columns={"score": args.scores}) if args.scores else kept
    said, single = args.scores_are, "score" in found.columns
    if said is not None and kept.scores_are not in (None, said):
        raise DataError(
            f"--scores-are {said}, but the calibration was learnt on {_MEANT[kept.scores_are]} "
            f"({kept.scores_are}).",
            hint=f"leave it out: {args.apply} knows what its scores are",
        )
    kind = kept.scores_are or said or "posterior"
    if kept.scores_are is None and single and len(kept.order) == 2:
        kind = _settled(learnt._sort, said, args.apply)
    idle = args.renormalise and (kind != "posterior" or single)
    if idle or (args.narrow and kind == "posterior" and not (single and learnt._sort == COLUMN)):
        use = "one probability per outcome" if idle else "scores that are no probabilities"
        said = f"--{'renormalise' if idle else 'narrow'} does nothing here: it is for {use}."
        raise DataError(said, hint="leave it out")
    renormalise = kept.renormalise or args.renormalise
    return replace(found, scores_are=kind, renormalise=renormalise)


def _settled(sort: str | None, said: str | None, path: str) -> str:
    """The word for the scores in one column, where the file itself has none.

    `sort` is what `fit` was given, and `said` what was written after --scores-are, if anything.
    """
    if sort == LOGITS:
        raise DataError(
            f"{path} was fitted in Python on one column of logits per outcome, and reads them at "
            "their level, which one column does not have.",
            hint="apply it in Python: stakes.calibration.load(...).posteriors(logits)",
        )
    if said is None and sort != POSTERIORS:
        unknown = "the calibration does not say what its scores are"
        raise DataError(f"{unknown}: {path} was fitted in Python.", hint=_ASK)
    if said in ("rank", "llr") and sort not in (None, COLUMN):
        raise DataError(
            f"--scores-are {said}, but {path} was fitted in Python on numbers of each outcome.",
            hint="probabilities: --scores-are posterior; log-odds: --scores-are log_odds",
        )
    return said or "posterior"


def scores_from(
    table: Table, source: Input, learnt: Calibrator, *, known: bool, narrow: bool
) -> FloatArray:
    """The scores of a file as the calibrator takes them, one per case or per outcome.

    `known` says that the file of the calibration knows what they are.
    """
    values = _values(table, source, tuple(map(str, learnt.classes or ())))
    missing = np.isnan(values.reshape(len(values), -1)).any(axis=1)
    if missing.any():
        raise DataError(
            f"{table.source}: row {grouped(int(missing.argmax()) + 1)} has no score "
            f"({grouped(int(missing.sum()))} of {grouped(len(values))} rows).",
            hint="leave such rows out of the file",
        )
    kind = source.scores_are
    if kind == "posterior" and (values.min(initial=0) < 0 or values.max(initial=1) > 1):
        raise PosteriorError(
            f"the calibration reads probabilities, but {table.source} has values from "
            f"{_shown(np.sort(values, axis=None))}.",
            hint=_OTHER_COLUMN if known else "log-odds: --scores-are log_odds; or rank",
        )
    if kind == "posterior" and values.ndim == 2:
        if not source.renormalise:
            values, note = rows_unrounded(values, source.model, table)
            if note is not None:
                warn(str(note))
        values = sums_checked(values, source.model, np.arange(len(values)), source.renormalise)
    if values.ndim == 2 and "score" in source.columns:  # an array in place of a column
        values = values[:, 1] if kind == "posterior" else values[:, 1] - values[:, 0]
    _look_at(values, source, learnt, table.source, narrow)
    return _as_taken(values, source, learnt._sort)


def _values(table: Table, source: Input, classes: tuple[str, ...]) -> FloatArray:
    """The numbers of the file: of the one score, or of each outcome in order."""
    columns, arrays = source.columns, table.matrices
    name = columns.get("matrix", columns.get("score"))
    if "matrix" in columns and name not in arrays:
        if len(arrays) != 1:
            known = ", ".join(arrays) or "none"
            raise DataError(
                f"{table.source} has no array '{name}', which holds the scores; arrays: {known}."
            )
        name = next(iter(arrays))
    if name in arrays and ("matrix" in columns or name not in table.names):
        matrix = arrays[name]
        if matrix.dtype.kind not in "fiub" or matrix.shape[1] != len(classes):
            raise DataError(
                f"{table.source}: '{name}' must hold {len(classes)} columns of numbers; it holds "
                f"{matrix.shape[1]} of {matrix.dtype}."
            )
        return matrix.astype(np.float64)[:, [source.order.index(each) for each in classes]]
    if name is not None:
        if len(classes) != 2:
            raise DataError(
                f"'{name}' is one column, but the calibration is of {len(classes)} outcomes.",
                hint="leave --scores out: the columns are those that it was learnt on",
            )
        return table.numbers(name)
    absent = [each for each in classes if each not in columns]
    if absent:
        raise FormatError(
            f"the calibration does not say where the scores of {absent} are.",
            hint="--scores COLUMN" if len(classes) == 2 else None,
        )
    return np.column_stack([table.numbers(columns[each]) for each in classes])


def _as_taken(values: FloatArray, source: Input, sort: str | None) -> FloatArray:
    """Scores as a calibrator takes them that was fitted on that sort of scores."""
    kind = source.scores_are or "posterior"
    if source.flip:
        values = 1 - values if kind == "posterior" else -values
    if values.ndim == 1 and kind in ("log_odds", "rank"):
        if sort in (COLUMN, UNIT_COLUMN):
            return values
        if sort in (POSTERIORS, LOG_POSTERIORS):
            return Posteriors.from_logits(values).log_values
    model = Model("", np.zeros(len(values), dtype=bool), scores=values)
    return log_scores(model, np.array(source.priors, dtype=np.float64), kind)


def _look_at(
    values: FloatArray, source: Input, learnt: Calibrator, name: str, narrow: bool
) -> None:
    """Raise where scores are clearly on another scale than those in `fit`, and warn in doubt."""
    kind, sort, what = source.scores_are, learnt._sort, "scores"
    if sort == UNIT_COLUMN or (kind == "posterior" and (sort != COLUMN or values.ndim == 2)):
        return
    seen, priors = learnt._spread, source.priors
    if seen is not None:  # as they would stand in the column
        shift = math.log(priors[1] / priors[0]) if kind == "llr" and min(priors) > 0 else 0.0
        seen = tuple(each - shift for each in seen)
        seen = tuple(-each for each in reversed(seen)) if source.flip else seen
    if values.ndim == 2:
        if sort is not None:
            with speaking_of(scores=f"the scores of {name}"):
                refuse_probability_rows(values, "scores", _OTHER_COLUMN)
        two = values.shape[1] == 2
        what = "distances between the greatest and the least score of a row"
        what = "differences between the scores" if two else what
        values = values[:, 1] - values[:, 0] if two else apart(values)
    elif kind == "posterior":
        with np.errstate(divide="ignore"):
            values, what = np.log(values) - np.log1p(-values), "log-odds"
    elif not narrow and looks_like_probabilities(values):
        share = 0.0 if seen is None else sum(0 <= each <= 1 for each in seen) / len(seen)
        said = (
            f"all {grouped(len(values))} scores of {name} lie between 0 and 1, like probabilities"
        )
        those = (
            "" if seen is None else "; the calibration was learnt on scores from " + _shown(seen)
        )
        if seen is not None and share < _MANY:
            raise DataError(f"{said}{those}.", hint=_NARROW)
        if share <= 0.5:
            meant = " If they are on that scale, --narrow says so." if those else ""
            warn(f"{said}, and are not read as such{those}.{meant}")
            return
    finite = values[np.isfinite(values)]
    if not narrow and seen is not None and len(finite) >= FEW_CASES and len(np.unique(finite)) > 2:
        _refuse_other_scale(np.sort(finite), seen, f"{what} of {name}")


def _refuse_other_scale(values: FloatArray, seen: tuple[float, ...], what: str) -> None:
    """Raise when scores, in order, are far beyond those in `fit`, or log-odds where it had points.

    Warn where hardly any of those were: where the scores fill a small part of a range between
    neighbouring quantiles, or below the second or above the last but one. A band of scores, or
    cases of a class that was rare, may lie there too; and the highest of many scores are often
    looked at by themselves.
    """
    slack, size = _BEYOND * (seen[-1] - seen[0]), grouped(len(values))
    beyond = int(((values < seen[0] - slack) | (values > seen[-1] + slack)).sum())
    if 2 * beyond > len(values):
        raise DataError(
            f"{grouped(beyond)} of the {size} {what} lie far outside of those that the calibration "
            f"was learnt on: they are from {_shown(values)}, and those were from {_shown(seen)}.",
            hint=_NARROW,
        )
    low, high = values[0], values[-1]
    ends = (-math.inf, *seen[1:-1], math.inf)
    for (first, second), (below, above) in zip(pairwise(ends), pairwise(seen), strict=True):
        if low > first and high < second and high - low < _SMALL_PART * (above - below):
            break
    else:
        return
    said = (
        f"the {size} {what} are from {_shown(values)}, where less than "
        f"{percent(1 / (len(seen) - 1))} of those lay that the calibration was learnt on, which "
        f"were from {_shown(seen)}."
    )
    points = max(-low, high) < _LOG_ODDS < (seen[-1] - seen[0]) / 2
    if points and high - low < _TINY_PART * (seen[-2] - seen[1]):
        raise DataError(said, hint=_NARROW)
    warn(
        f"{said} If they are on that scale, --narrow says so; if not, the probabilities are wrong."
    )


def _shown(ordered: Any) -> str:
    """From the least to the greatest."""
    return f"{ordered[0]:.3g} to {ordered[-1]:.3g}"
