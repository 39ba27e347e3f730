"""Fitting an estimator with whatever metadata belongs to it, and answering scikit-learn about
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter

from stakes._columns import refuse_masked
from stakes.exceptions import DataError
from stakes.typing import IntArray


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


def fit_metadata(
    owner: Any, sample_weight: Any, given: Mapping[str, Any], groups: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the inner `fit`, and the splitter, are given beside X and y."""
    asked = dict(given) if sample_weight is None else {"sample_weight": sample_weight, **given}
    told = {} if groups is None else {"groups": groups}
    if get_config()["enable_metadata_routing"]:
        if not asked | told:
            return {}, {}
        routed = process_routing(owner, "fit", **asked, **told)
        splitting = dict(routed.splitter.split) if hasattr(owner, "cv") else {}
        return dict(routed.estimator.fit), splitting | _by_hand(owner, told, routed=True)
    if sample_weight is not None:
        refuse_without_weights(owner.estimator)
    taken = takes_groups(owner.estimator, "fit") if told or "groups" in given else False
    if "groups" in given and not taken:
        name = type(owner.estimator).__name__
        raise DataError(f"{name} takes no groups in fit.", hint="leave out `groups`")
    if taken and not any(name.endswith("__groups") for name in given):
        asked |= told
    return asked, _by_hand(owner, told, routed=False)


def _by_hand(owner: Any, told: dict[str, Any], *, routed: bool) -> dict[str, Any]:
    """Groups for a splitter that reads them and is not reached by routing."""
    cv = getattr(owner, "cv", None)
    if not hasattr(cv, "split") or (routed and hasattr(cv, "get_metadata_routing")):
        return {}
    return told if takes_groups(cv, "split") else {}


def refuse_without_weights(estimator: Any) -> None:
    """Raise when an estimator would not read `sample_weight`."""
    if has_fit_parameter(estimator, "sample_weight"):
        return
    name = type(estimator).__name__
    if not get_config()["enable_metadata_routing"]:
        raise DataError(
            f"{name} takes no sample_weight in fit.",
            hint="weights reach the steps of a pipeline by metadata routing: "
            "sklearn.set_config(enable_metadata_routing=True)",
        )
    if "sample_weight" not in get_routing_for_object(estimator).consumes("fit", ["sample_weight"]):
        raise DataError(
            f"{name} does not ask for sample_weight in fit.",
            hint="call set_fit_request(sample_weight=True) on the step that learns",
        )


def weights_learnt(metadata: Mapping[str, Any]) -> Any:
    """The weights that reached the estimator, also those of a step of a pipeline; or None."""
    for name, value in metadata.items():
        if name == "sample_weight" or name.endswith("__sample_weight"):
            return None if value is None else np.asarray(value, dtype=np.float64)
    return None


def checked_labels(X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any], IntArray]:
    """Labels as a column, the sorted classes, and the position of each label among them."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    refuse_masked(X, "X")
    refuse_masked(y, "y")
    check_classification_targets(y)
    column = column_or_1d(y, warn=True)
    check_consistent_length(X, column)
    classes, codes = np.unique(column, return_inverse=True)
    return column, classes, codes.reshape(-1)


def log_scores(estimator: Any, X: Any, n_classes: int) -> NDArray[np.float64]:
    """What a calibrator reads: log-posteriors (n, K), or the scores of a `decision_function`."""
    name = type(estimator).__name__
    if hasattr(estimator, "predict_proba"):
        source, hint = "predict_proba", "it must have one column per class of y"
        with np.errstate(divide="ignore"):
            scores = np.log(np.asarray(estimator.predict_proba(X), dtype=np.float64))
    elif hasattr(estimator, "decision_function"):
        source = "decision_function"
        hint = "use an estimator with one score per class (decision_function_shape='ovr')"
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores / 2, scores / 2])
    else:
        raise DataError(
            f"{name} has neither predict_proba nor decision_function, so there is nothing to "
            "calibrate."
        )
    if scores.shape[1:] != (n_classes,):
        said = f"`{source}` of {name} gives an array of shape {scores.shape}"
        raise DataError(f"{said} for {n_classes} classes.", hint=hint)
    return scores


class AroundClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier around `estimator`: its routing, its tags, its features."""

    estimator: Any
    estimator_: Any
    estimators_: list[Any]

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's routing reads: own requests, the estimator's and the splitter's."""
        found = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        fitting = MethodMapping().add(caller="fit", callee="fit")
        found = found.add(estimator=self.estimator, method_mapping=fitting)
        if not hasattr(self, "cv"):
            return found
        splitting = MethodMapping().add(caller="fit", callee="split")
        return found.add(splitter=self.cv, method_mapping=splitting)

    def _keep_fitted(self, estimator: Any = None, of_folds: Sequence[Any] = ()) -> None:
        """One fitted estimator or those of the folds; number and names of their features."""
        for name in ("estimator_", "estimators_"):
            self.__dict__.pop(name, None)
        if of_folds:
            estimator, self.estimators_ = of_folds[0], list(of_folds)
        else:
            self.estimator_ = estimator
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Tags as scikit-learn before 1.6 reads them."""
        reason = "folds depend on the number of cases, also of those with weight 0"
        return {"_xfail_checks": {"check_sample_weights_invariance": reason}}
