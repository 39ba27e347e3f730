"""Classifiers fitted on folds: what they say of the cases they never saw, and of new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import (
    get_routing_for_object,
)

from stakes._checks import same_length
from stakes._columns import as_column
from stakes.calibration import Calibrator, stratified_folds
from stakes.calibration.labelled_scores import group_numbers
from stakes.exceptions import DataError
from stakes.integrations.sklearn.estimator_costs import rows_of
from stakes.integrations.sklearn.sklearn_protocol import log_scores
from stakes.typing import FloatArray, IntArray


def read_groups(groups: Any, length: int) -> NDArray[Any] | None:
    """The group of each case; none where every case is a group of its own."""
    if groups is None:
        return None
    column = as_column(groups, "groups")
    same_length("groups", len(column), "y", length)
    return None if len(np.unique(group_numbers(column))) == length else column


def fold_count(codes: IntArray, groups: NDArray[Any] | None, weights: Any) -> int:
    """The default number of folds: five, or fewer where no class has that many groups."""
    if groups is None:
        return 5
    kept = np.ones(len(codes), dtype=bool) if weights is None else weights > 0
    return max(2, min(5, int(_groups_per_class(codes[kept], groups[kept]).max())))


def _groups_per_class(codes: IntArray, groups: NDArray[Any]) -> IntArray:
    """In how many groups each class has cases."""
    numbers, size = group_numbers(groups), int(codes.max()) + 1
    pairs = np.unique(numbers * size + codes)
    return np.bincount(pairs % size, minlength=size)


def splits(
    cv: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None, splitting: Mapping[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """Train and test parts of `cv`, none of which has cases of one group on both sides."""
    if groups is None:
        wanted = get_routing_for_object(cv).consumes("split", ["groups"])
        if "groups" in wanted and "groups" not in splitting:
            raise DataError(
                f"`cv` is a {type(cv).__name__}, and no groups were given.",
                hint="fit(X, y, groups=...); in a search or cross-validation they arrive by "
                "metadata routing: sklearn.set_config(enable_metadata_routing=True)",
            )
        yield from check_cv(cv, y, classifier=True).split(X, y, **splitting)
    elif cv is None or isinstance(cv, Integral):
        most = _most_groups(y, groups)
        count = 5 if cv is None else int(cv)
        if not 2 <= count <= most:
            raise DataError(
                f"`cv` must be from 2 to {most}, the most groups that a class has; got {count}.",
                hint=f"cv={min(5, most)}",
            )
        number = stratified_folds(y, count, groups=groups)  # as far as whole groups allow
        for fold in range(count):
            yield np.flatnonzero(number != fold), np.flatnonzero(number == fold)
    else:
        _most_groups(y, groups)
        numbers = group_numbers(groups)
        for place, (train, test) in enumerate(check_cv(cv, y).split(X, y, **splitting)):
            rows = np.arange(len(y))[test]
            both = rows[np.isin(numbers[rows], numbers[train])]
            if both.size:
                raise DataError(
                    f"`cv` must keep groups together; {_name(groups, both[0])} is on both sides of "
                    f"split {place} ({both.size} of {rows.size} cases held out).",
                    hint="cv=5, cv=GroupKFold(5), or a list of splits that keep groups together",
                    rows=both[:10].tolist(),
                )
            yield train, test


def _most_groups(y: NDArray[Any], groups: NDArray[Any]) -> int:
    """The most groups of a class; without a second group there is nothing to learn it from."""
    classes, codes = np.unique(y, return_inverse=True)
    found = _groups_per_class(codes.reshape(-1), groups)
    if (found == 1).any():
        alone = int(np.argmax(found == 1))
        rows = np.flatnonzero(codes.reshape(-1) == alone)
        raise DataError(
            f"`groups` must be two or more in every class; all {rows.size} cases of "
            f"{classes.tolist()[alone]!r} are in {_name(groups, rows[0])}, and are to be held out "
            "together.",
            hint="bring cases of that class from another group",
            rows=rows[:10].tolist(),
        )
    return int(found.max())


def _name(groups: NDArray[Any], row: int) -> str:
    """The group of a case, in words."""
    return f"group {groups[[row]].tolist()[0]!r}"


class HeldOut(NamedTuple):
    """Log scores (R, n, K) of cases by classifiers that never saw them.

    `classifiers` are those, in the order of the folds, or none if they are not kept. In `panels`
    equal parts they score new cases: with as many together as a held-out case was scored by, so
    that R is 1. If they are not kept, R is how often a case was held out.
    """

    scores: FloatArray
    classifiers: list[Any]
    panels: int


def refuse_ensemble(ensemble: Any, calibrator: Any) -> None:
    """Raise unless `ensemble` is yes or no, and no where there is nothing to keep."""
    if not isinstance(ensemble, bool | np.bool_):
        raise DataError(f"`ensemble` must be True or False; got {ensemble!r}.")
    if ensemble and calibrator is None:
        raise DataError(
            "`ensemble` keeps the classifiers a calibrator was learnt from; there is none.",
            hint="give a calibrator: calibrator='auto'",
        )


def held_out(
    owner: Any,
    X: Any,
    y: NDArray[Any],
    metadata: Mapping[str, Any],
    splitting: Mapping[str, Any],
    groups: NDArray[Any] | None = None,
) -> HeldOut:
    """Score every case by copies of the owner's estimator that never saw it, fold by fold.

    Nor did they see any of its group. A case may be in several test parts, all cases in as many. If
    the classifiers are kept as an ensemble it is then scored by them together, else once by each.
    """
    everyone, n_classes = np.arange(len(y)), len(np.unique(y))
    if n_classes == 1 < len(y):  # a single case is left to the folds to refuse
        raise DataError(
            f"`y` holds a single class, {y[:1].tolist()[0]!r} ({len(y)} cases); there is nothing "
            "to calibrate.",
            hint="add cases of the other classes",
        )
    kept: list[Any] = []
    found: list[tuple[NDArray[Any], FloatArray]] = []
    times = np.zeros(len(y), dtype=np.intp)
    for train, part in splits(owner.cv, X, y, groups, splitting):
        fitted = _fit_part(owner.estimator, X, y, everyone[train], metadata)
        test = everyone[part]
        found.append((test, log_scores(fitted, rows_of(X, test), n_classes)))
        times[test] += 1
        if owner.ensemble:
            kept.append(fitted)
    _refuse_uneven(times, len(found), groups is not None, keep=owner.ensemble)
    table = np.empty((int(times[0]), len(y), n_classes))
    for test, scores in found:
        times[test] -= 1
        table[-1 - times[test], test] = scores  # one repetition after the other
    if not owner.ensemble:
        return HeldOut(table, kept, 0)
    return HeldOut(_together(table, kept)[None], kept, len(kept) // len(table))


def learnt(
    calibrator: Calibrator,
    scores: FloatArray,
    codes: IntArray,
    weights: Any = None,
    groups: NDArray[Any] | None = None,
) -> Calibrator:
    """Fit a calibrator to R scores of each case, (R, n, K), each with 1 / R of its weight.

    Classifiers round posteriors to 0, or count no case of a class in a leaf. Where a scale is
    fitted and nothing was said of it, such scores go a little beyond the finite ones.
    """
    times, cases, _ = scores.shape
    unsaid = calibrator.options.get("bound") is None and not calibrator._any_scale
    if unsaid and np.isinf(scores).any():
        calibrator.options["bound"] = "data"
    if times == 1:
        return calibrator.fit(scores[0], codes, sample_weight=weights, groups=groups)
    light = np.tile(np.ones(cases) if weights is None else weights, times) / times
    # What the automatic choice compares on held-out cases must not have seen them scored anew.
    same = np.tile(np.arange(cases) if groups is None else groups, times)
    flat = scores.reshape(times * cases, -1)
    try:
        return calibrator.fit(flat, np.tile(codes, times), sample_weight=light, groups=same)
    except DataError as error:
        raise _by_case(error, times, cases) from None


def _by_case(error: DataError, times: int, cases: int) -> DataError:
    """The same error, of which the rows are cases."""
    if not error.rows:
        return error
    rows = list(dict.fromkeys(row % cases for row in error.rows))
    said = f"These are the {cases} cases {times} times over, once for each repetition of `cv`"
    return DataError(
        f"{error.message} {said}; the first is case {rows[0]}.", hint=error.hint, rows=rows
    )


def posteriors_by(owner: Any, calibrated: Callable[[FloatArray], FloatArray], X: Any) -> FloatArray:
    """Calibrated posteriors of new cases by the estimator of a fitted owner, or by its panels.

    The mean over panels is taken. The first has the first classifier of each repetition, if folds
    come repetition by repetition.
    """
    n_classes = len(owner.classes_)
    if hasattr(owner, "estimator_"):
        return calibrated(log_scores(owner.estimator_, X, n_classes))
    whole: Any = 0.0
    for first in range(owner._panels):
        panel = owner.estimators_[first :: owner._panels]
        table = np.stack([log_scores(one, X, n_classes) for one in panel])
        whole = whole + calibrated(_together(table, panel))
    return np.asarray(whole / owner._panels)


def _together(table: FloatArray, members: Sequence[Any]) -> FloatArray:
    """The log of the mean posterior of several classifiers, or their mean decision function."""
    if len(table) == 1:
        return np.asarray(table[0])
    if hasattr(members[0], "predict_proba"):
        return np.asarray(np.logaddexp.reduce(table, axis=0) - np.log(len(table)))
    return np.asarray(table.mean(axis=0))


def _fit_part(
    estimator: Any, X: Any, y: NDArray[Any], train: NDArray[Any], metadata: Mapping[str, Any]
) -> Any:
    """A copy fitted on some of the cases, which must have all classes."""
    absent = np.setdiff1d(y, y[train]).tolist()
    if absent:
        raise DataError(
            f"a fold has no case of {absent} to learn from.",
            hint="use fewer folds, or bring more cases of it",
        )
    part = {
        name: rows_of(value, train)
        if hasattr(value, "__len__") and not isinstance(value, str) and len(value) == len(y)
        else value
        for name, value in metadata.items()
    }
    return clone(estimator).fit(rows_of(X, train), y[train], **part)


def _refuse_uneven(times: NDArray[Any], splits: int, together: bool, *, keep: bool) -> None:
    """Raise unless all cases were held out equally often; panels also need a whole number."""
    if not times.any():
        raise DataError(
            "`cv` puts no case into any test part.",
            hint="a generator serves one fit only; give a list of its splits",
        )
    hint = "cv=StratifiedKFold(5), or cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=5)"
    hint = "cv=5, or cv=GroupKFold(5)" if together else hint
    if times.min() < times.max():
        raise DataError(
            "`cv` must put every case into as many test parts as any other; here they are in "
            f"{times.min()} to {times.max()} of those of {splits} splits.",
            hint=hint,
        )
    if keep and splits % int(times[0]):
        raise DataError(
            "with `ensemble` all repetitions of `cv` must have equally many splits; there are "
            f"{times[0]} repetitions, of {splits} splits together.",
            hint=hint,
        )
