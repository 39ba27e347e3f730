"""Folds that keep together what belongs together: the cases of a customer, of a patient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import signature
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import get_routing_for_object

from stakes._checks import same_length
from stakes._columns import as_column
from stakes.calibration import stratified_folds
from stakes.calibration.cases import group_numbers
from stakes.exceptions import DataError
from stakes.typing import IntArray

__all__ = ["fold_count", "read_groups", "splits", "takes_groups"]


def read_groups(groups: Any, length: int) -> NDArray[Any] | None:
    """The group of each case; none where every case is a group of its own."""
    if groups is None:
        return None
    column = as_column(groups, "groups")
    same_length("groups", len(column), "y", length)
    return None if len(np.unique(group_numbers(column))) == length else column


def fold_count(codes: IntArray, groups: NDArray[Any] | None, weights: Any, most: int = 5) -> int:
    """Folds for which nobody asked by number: so many, or fewer where no class has the groups."""
    if groups is None:
        return most
    kept = np.ones(len(codes), dtype=bool) if weights is None else weights > 0
    return max(2, min(most, int(_groups_per_class(codes[kept], groups[kept]).max())))


def _groups_per_class(codes: IntArray, groups: NDArray[Any]) -> IntArray:
    """In how many groups each class has cases."""
    numbers, size = group_numbers(groups), int(codes.max()) + 1
    pairs = np.unique(numbers * size + codes)
    return np.bincount(pairs % size, minlength=size)


def splits(
    cv: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    splitting: Mapping[str, Any],
) -> Iterator[tuple[Any, Any]]:
    """Train and test parts of `cv`, none of which has cases of one group on both sides."""
    if groups is None:
        _refuse_none(cv, splitting)
        yield from check_cv(cv, y, classifier=True).split(X, y, **splitting)
        return
    _refuse_single_groups(y, groups)
    if cv is None or isinstance(cv, Integral):
        yield from _numbered(5 if cv is None else int(cv), y, groups)
        return
    numbers = group_numbers(groups)
    for place, (train, test) in enumerate(check_cv(cv, y).split(X, y, **splitting)):
        learnt = np.zeros(numbers.max() + 1, dtype=bool)
        learnt[numbers[train]] = True
        rows = np.arange(len(y))[test]
        both = rows[learnt[numbers[rows]]]
        if both.size:
            raise DataError(
                f"`cv` must keep groups together; {_name(groups, both[0])} is on both sides of "
                f"split {place} ({both.size} of {rows.size} cases held out).",
                hint="cv=5, cv=GroupKFold(5), or a list of splits that keep groups together",
                rows=both[:10].tolist(),
            )
        yield train, test


def _refuse_none(cv: Any, splitting: Mapping[str, Any]) -> None:
    """Raise where a splitter wants groups and has none."""
    if "groups" in splitting or "groups" not in get_routing_for_object(cv).consumes(
        "split", ["groups"]
    ):
        return
    raise DataError(
        f"`cv` is a {type(cv).__name__}, and no groups were given.",
        hint="fit(X, y, groups=...); in a search or cross-validation they arrive by metadata "
        "routing: sklearn.set_config(enable_metadata_routing=True)",
    )


def _numbered(count: int, y: NDArray[Any], groups: NDArray[Any]) -> Iterator[tuple[Any, Any]]:
    """So many folds, stratified as far as whole groups allow."""
    codes = np.unique(y, return_inverse=True)[1].reshape(-1)
    most = int(_groups_per_class(codes, groups).max())
    if not 2 <= count <= most:
        raise DataError(
            f"`cv` must be from 2 to {most}, the most groups that a class has; got {count}.",
            hint=f"cv={min(5, most)}",
        )
    number = stratified_folds(y, count, groups=groups)
    for fold in range(count):
        yield np.flatnonzero(number != fold), np.flatnonzero(number == fold)


def _refuse_single_groups(y: NDArray[Any], groups: NDArray[Any]) -> None:
    """Raise where a class is in one group only: without it there is nothing to learn from."""
    classes, codes = np.unique(y, return_inverse=True)
    alone = np.flatnonzero(_groups_per_class(codes.reshape(-1), groups) == 1)
    if alone.size:
        rows = np.flatnonzero(codes.reshape(-1) == alone[0])
        raise DataError(
            f"`groups` must be two or more in every class; all {rows.size} cases of "
            f"{classes[alone[:1]].tolist()[0]!r} are in {_name(groups, rows[0])}, and are to be "
            "held out together.",
            hint="bring cases of that class from another group",
            rows=rows[:10].tolist(),
        )


def _name(groups: NDArray[Any], row: int) -> str:
    """The group of a case, in words."""
    return f"group {groups[[row]].tolist()[0]!r}"


def takes_groups(thing: Any, method: str) -> bool:
    """Whether `fit` of an estimator or `split` of a splitter reads groups, without routing.

    Searches take them among other keywords, and those of the splitters that ignore groups warn.
    """
    taken = signature(getattr(thing, method)).parameters.values()
    named = any(each.name == "groups" for each in taken)
    if not hasattr(thing, "get_metadata_routing"):
        return named
    try:
        asked = get_routing_for_object(thing)
    except NotImplementedError:  # an estimator without routing
        return named
    if method == "split":
        return named and "groups" in asked.split.requests
    return named or "groups" in asked.consumes(method, ["groups"])
