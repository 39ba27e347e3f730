"""Fitting an estimator, alone or out of fold, with whatever metadata belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter

from stakes.exceptions import DataError
from stakes.integrations.sklearn.alignment import rows_of
from stakes.typing import IntArray

__all__ = ["checked_labels", "fit_clone", "fit_metadata", "log_scores", "out_of_fold", "router"]


def router(owner: Any) -> MetadataRouter:
    """Own requests, and those of the inner `fit`, for scikit-learn's metadata routing."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    found = MetadataRouter(owner=type(owner).__name__).add_self_request(owner)
    return found.add(estimator=owner.estimator, method_mapping=mapping)


def fit_metadata(owner: Any, sample_weight: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the inner `fit` is given beside X and y."""
    sample_weight = None if sample_weight is None else np.asarray(sample_weight)
    if get_config()["enable_metadata_routing"]:
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return dict(process_routing(owner, "fit", **weights, **given).estimator.fit)
    found = dict(given)
    if sample_weight is not None:
        if not has_fit_parameter(owner.estimator, "sample_weight"):
            raise DataError(f"{type(owner.estimator).__name__} takes no sample_weight in fit.")
        found["sample_weight"] = sample_weight
    return found


def checked_labels(X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any], IntArray]:
    """Labels as a column, the sorted classes, and the position of each label among them."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    check_classification_targets(y)
    column = column_or_1d(y, warn=True)
    check_consistent_length(X, column)
    classes, codes = np.unique(column, return_inverse=True)
    return column, classes, codes.reshape(-1)


def fit_clone(estimator: Any, X: Any, y: Any, metadata: Mapping[str, Any]) -> Any:
    """A fresh copy, fitted."""
    return clone(estimator).fit(X, y, **metadata)


def log_scores(estimator: Any, X: Any, n_classes: int) -> NDArray[np.float64]:
    """What a calibrator reads: log-posteriors (n, K), or the scores of a `decision_function`."""
    if hasattr(estimator, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(np.asarray(estimator.predict_proba(X), dtype=np.float64))
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([-scores / 2, scores / 2])
    if scores.shape[1] != n_classes:
        raise DataError(
            f"`decision_function` gives {scores.shape[1]} columns for {n_classes} classes.",
            hint="use an estimator with one score per class (decision_function_shape='ovr')",
        )
    return scores


def out_of_fold(
    estimator: Any, X: Any, y: NDArray[Any], *, cv: Any, metadata: Mapping[str, Any]
) -> NDArray[np.float64]:
    """Log scores of every case from a copy that never saw it."""
    classes = np.unique(y)
    scores = np.full((len(y), len(classes)), np.nan)
    for train, test in check_cv(cv, y, classifier=True).split(X, y):
        part = {
            name: rows_of(value, train) if _per_case(value, len(y)) else value
            for name, value in metadata.items()
        }
        fitted = fit_clone(estimator, rows_of(X, train), y[train], part)
        if len(fitted.classes_) != len(classes):
            absent = sorted(set(classes) - set(fitted.classes_))
            raise DataError(
                f"a fold has no case of {absent} to learn from.",
                hint="use fewer folds, or bring more cases of it",
            )
        scores[test] = log_scores(fitted, rows_of(X, test), len(classes))
    if np.isnan(scores).any():
        raise DataError("`cv` must put every case into exactly one test part.")
    return scores


def _per_case(value: Any, length: int) -> bool:
    """Whether metadata has one entry per case."""
    return hasattr(value, "__len__") and not isinstance(value, str) and len(value) == length
