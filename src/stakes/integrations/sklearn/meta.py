"""What every estimator around another one answers when scikit-learn asks about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin

from stakes.integrations.sklearn.fitting import router

__all__ = ["AroundClassifier"]


class AroundClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier around `estimator`: its routing, its tags, its features."""

    estimator: Any
    estimator_: Any
    estimators_: list[Any]

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing reads: own requests and the estimator's."""
        return router(self)

    def _keep_fitted(self, estimator: Any = None, of_folds: Sequence[Any] = ()) -> None:
        """One fitted estimator or those of the folds; number and names of their features."""
        for name in ("estimator_", "estimators_"):
            self.__dict__.pop(name, None)
        if of_folds:
            self.estimators_ = list(of_folds)
        else:
            self.estimator_ = estimator
        first = of_folds[0] if of_folds else estimator
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))

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
