"""Calibrating every case with a map that was fitted without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from stakes._checks import as_priors, is_number, same_length
from stakes._columns import as_array, as_column, as_weights
from stakes._guesses import answers_guesses
from stakes._names import listed, observed_names
from stakes._random import as_generator
from stakes.calibration.calibrator import Calibrator, as_calibrator
from stakes.calibration.labelled_scores import Cases, group_numbers, read_cases
from stakes.exceptions import DataError
from stakes.messages.audience import either, named, setting
from stakes.typing import FloatArray, IntArray, RandomSource

#: A source of random numbers, or one of the kind that scikit-learn takes.
_Source: TypeAlias = "RandomSource | np.random.RandomState"
#: How results say that a calibrator was judged by the cases it learnt from.
OPTIMISTIC = "optimistic: fitted on the same cases"


def stratified_folds(
    y_true: Any,
    folds: int = 5,
    *,
    groups: Any = None,
    rng: RandomSource | np.random.RandomState = 0,
) -> IntArray:
    """Fold number of each case: every fold has about the same share of each class.

    With `groups` (speakers, customers, documents) the cases of a group stay together, so that a
    calibrator is never tested on a group it has seen; classes are then balanced as well as the
    groups allow.

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    folds : int
        Number of folds, at least 2.
    groups : array-like of shape (n_cases,), optional
        What belongs together.
    rng : None, int, numpy.random.Generator or RandomState
        Seed of what is drawn, 0 if None; a generator gives fresh draws. A legacy
        ``RandomState(s)`` without groups gives the same folds as scikit-learn's
        ``StratifiedKFold(folds, shuffle=True, random_state=s)``.

    Returns
    -------
    ndarray of int, shape (n_cases,)
        Numbers from 0 to folds - 1.

    Examples
    --------
    >>> stratified_folds([0, 0, 1, 1], 2, rng=0).tolist()
    [0, 1, 0, 1]
    """
    labels = as_column(y_true, "y_true")
    folds = _count(folds, len(labels))
    random = rng if isinstance(rng, np.random.RandomState) else as_generator(rng)
    if labels.dtype == object:
        observed_names(labels)  # labels of several kinds have no order
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # classes in the order of their first occurrence
    codes = rank[inverse.reshape(-1)]
    if groups is not None:
        return _grouped(codes, as_column(groups, "groups"), folds, random)
    size = len(first)
    ordered = np.sort(codes)
    shares = [np.bincount(ordered[k::folds], minlength=size) for k in range(folds)]
    out = np.empty(len(labels), dtype=np.intp)
    for k in range(size):
        numbers = np.arange(folds).repeat([share[k] for share in shares])
        random.shuffle(numbers)
        out[codes == k] = numbers
    return out


def _count(folds: Any, cases: int) -> int:
    """The number of folds; raise where there are fewer cases."""
    if not (is_number(folds) and 2 <= folds <= max(cases, 2) and int(folds) == folds):
        raise DataError(
            f"{named('folds')} must be a whole number from 2 to the {cases} cases; got {folds!r}.",
            hint=setting("folds", min(5, max(cases, 2))) + either(", or the fold of each case", ""),
        )
    return int(folds)


def _grouped(codes: IntArray, groups: Any, folds: int, random: Any) -> IntArray:
    """Give each group, largest first, to the fold that then stays most even."""
    same_length("groups", len(groups), "y_true", len(codes))
    member = group_numbers(groups)
    size = int(member.max()) + 1
    if size < folds:
        raise DataError(
            f"{named('groups')} must be at least as many as the {folds} folds; got {size}.",
            hint=setting("folds", size) if size > 1 else "bring cases of another group",
        )
    table = np.zeros((size, int(codes.max()) + 1))
    np.add.at(table, (member, codes), 1.0)
    return homes_of_groups(table, folds, random)[member]


def homes_of_groups(table: FloatArray, folds: int, random: Any) -> IntArray:
    """The fold of each group; `table` has its cases of each class; every class has some."""
    size, share = len(table), table / table.sum(axis=0)
    order = random.permutation(size)
    order = order[np.argsort(-table[order].sum(axis=1), kind="stable")]
    load = np.zeros((folds, table.shape[1]))
    home = np.empty(size, dtype=np.intp)
    for group in order:
        trial = ((load + share[group]) ** 2 - load**2).sum(axis=1)
        home[group] = int(trial.argmin())
        load[home[group]] += share[group]
    return home


@answers_guesses
def cross_fit(
    y_true: Any,
    scores: Any,
    *,
    calibrator: Calibrator,
    folds: Any = 5,
    rng: RandomSource | np.random.RandomState = 0,
    groups: Any = None,
    sample_weight: Any = None,
) -> FloatArray:
    """Calibrated posteriors of every case, from a calibrator fitted without its fold.

    The honest way to see, on one set of labelled cases, what calibration would give on new ones.

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    scores : array-like of shape (n_cases, n_classes) or (n_cases,)
        What the calibrator takes.
    calibrator : Calibrator
        What to fit; its own state is neither used nor changed.
    folds : int or array-like of shape (n_cases,)
        Number of stratified folds, or the fold of each case.
    rng, groups
        See `stratified_folds`; not used when `folds` is an array.
    sample_weight : array-like of shape (n_cases,), optional
        Used in the fits.

    Returns
    -------
    ndarray of shape (n_cases, n_classes)
        Posteriors, in the order of the cases.

    Notes
    -----
    Without `priors` each fit uses the class shares of its own cases.

    Examples
    --------
    >>> from stakes.calibration import Affine
    >>> log_odds = [-3.0, -1.0, 2.0, -2.0, 1.0, 3.0, -1.0, 0.5]
    >>> cross_fit([0, 0, 0, 0, 1, 1, 1, 1], log_odds, calibrator=Affine(), folds=2).shape
    (8, 2)
    """
    as_calibrator(calibrator)
    cases = read_cases(
        calibrator._read(scores, sample_weight),
        y_true,
        sample_weight=sample_weight,
        classes=calibrator.options["classes"],
        groups=groups,
    )
    calibrator._refuse_other_order(cases.classes)
    number = fold_numbers(cases, folds, rng=rng)
    logs = cross_fit_cases(calibrator, cases, number)
    return np.asarray(np.exp(logs, out=logs))


def cross_fit_cases(
    cal: Calibrator,
    cases: Cases,
    number: IntArray,
    *,
    tell: Callable[[int, int], None] | None = None,
) -> FloatArray:
    """Cross-fitted log-posteriors of cases already read.

    `tell` is called before each fold with how many are done and how many there are.
    """
    out = np.empty((len(number), cases.scores.size))
    priors = cal.options["priors"]
    priors = None if priors is None else as_priors(priors, cases.classes)
    whole = replace(cases, scores=cases.scores.as_a_whole(cases.sample_weight))
    names = np.unique(number)
    for done, fold in enumerate(names):
        if tell is not None:
            tell(done, len(names))
        try:
            fitted = cal._refitted(whole.part(np.flatnonzero(number != fold)), priors)
        except DataError as error:
            cal._refitted(cases, priors)  # raises what is wrong with all cases, if anything
            raise DataError(
                f"fold {fold}: {error.message}",
                hint=error.hint or "use fewer folds" + either("", ", such as --folds 2"),
                rows=error.rows,
            ) from None
        test = np.flatnonzero(number == fold)
        out[test] = fitted._applied_to(cases.scores.take(test))
    return out


def refitted_posteriors(
    cal: Calibrator, cases: Cases, folds: Any, rng: _Source
) -> tuple[FloatArray, str]:
    """Log-posteriors at the priors of the cases, and how they were fitted: on all if no folds."""
    priors = cases.priors if cases.given else None
    if folds is None:
        return cal._refitted(cases, priors)._applied_to(cases.scores), OPTIMISTIC
    fresh = cal.unfitted()
    fresh.options |= {"classes": None, "priors": priors}
    return cross_fit_cases(fresh, cases, fold_numbers(cases, folds, rng=rng)), "cross-fitted"


def fold_numbers(cases: Cases, folds: Any, *, rng: _Source = 0) -> IntArray:
    """Fold numbers from a count or as given; cases of weight 0 do not change those of others."""
    if as_array(folds, "folds").ndim == 0:
        kept = cases.that_count()
        number = stratified_folds(kept.codes, folds, groups=kept.groups, rng=rng)
        if kept is cases:
            return number
        # Cases of weight 0 go with their group, or in turn.
        member = cases.unit_numbers()
        home = np.arange(int(member.max()) + 1) % int(folds)
        home[member[np.flatnonzero(cases.weights)]] = number
        return np.asarray(home[member], dtype=np.intp)
    given = as_column(folds, "folds")
    same_length("folds", len(given), "y_true", len(cases.codes))
    names, number = np.unique(given, return_inverse=True)
    if len(names) < 2:
        raise DataError(
            f"{named('folds')} must be two folds or more; got {listed(names.tolist())}."
        )
    return number.reshape(-1).astype(np.intp)


def fit_on_test(
    y_true: Any, scores: Any, *, calibrator: Calibrator, sample_weight: Any = None
) -> FloatArray:
    """Optimistic posteriors: from a calibrator fitted on the very cases it is applied to.

    Optimistic: whatever is computed from them is better than it will be on new cases, the more so
    the more parameters the calibrator has and the fewer the cases are. The array itself does not
    say so: say it wherever a figure from it is shown. Use it only to see what calibration could
    give at best on these cases. For a fair figure use `cross_fit`, or fit on other cases.

    Parameters
    ----------
    y_true, scores, calibrator, sample_weight
        See `cross_fit`.

    Returns
    -------
    ndarray of shape (n_cases, n_classes)
        Optimistic posteriors.

    See Also
    --------
    cross_fit : posteriors of every case from a calibrator that never saw it.
    calibration_gain : a figure that says itself when it is optimistic.

    Examples
    --------
    >>> from stakes.calibration import Isotonic
    >>> fit_on_test([0, 1, 1], [-1.0, 0.0, 1.0], calibrator=Isotonic(misleading=0))[:, 1].tolist()
    [0.0, 1.0, 1.0]
    """
    as_calibrator(calibrator)
    as_weights(sample_weight, len(as_column(y_true, "y_true")))
    fitted = calibrator.unfitted().fit(scores, y_true, sample_weight=sample_weight)
    return fitted.posteriors(scores)
