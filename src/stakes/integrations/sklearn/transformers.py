"""CalibratorTransformer: a calibrator as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from stakes.calibration import Automatic
from stakes.exceptions import DataError
from stakes.integrations.sklearn.fitting import checked_labels

__all__ = ["CalibratorTransformer"]


class CalibratorTransformer(TransformerMixin, BaseEstimator):
    """Turn scores into calibrated posteriors, with any calibrator of `stakes.calibration`.

    Parameters
    ----------
    calibrator : Calibrator, optional
        Default: `stakes.calibration.Automatic`.
    output : {"posteriors", "log_posteriors"}
        What `transform` returns.

    Attributes
    ----------
    classes_ : array
        Sorted labels; the columns of the scores, in this order.
    calibrator_ : Calibrator
        Fitted.

    Notes
    -----
    Scores are natural logarithms: log-posteriors or logits, one column per class; or one column of
    log odds of the second of two classes. Probabilities are refused: give ``np.log(p)``.

    Examples
    --------
    >>> from stakes.calibration import Temperature
    >>> logits = [[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 2.0]]
    >>> step = CalibratorTransformer(Temperature()).fit(logits, ["a", "a", "b", "b"])
    >>> step.transform([[2.0, 0.0]]).round(3)
    array([[0.75, 0.25]])
    """

    def __init__(
        self,
        calibrator: Any = None,
        *,
        output: Literal["posteriors", "log_posteriors"] = "posteriors",
    ) -> None:
        self.calibrator = calibrator
        self.output = output

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from scores and true classes."""
        if self.output not in ("posteriors", "log_posteriors"):
            raise DataError(
                f"`output` must be 'posteriors' or 'log_posteriors'; got {self.output!r}."
            )
        scores = self._scores(X)
        _, self.classes_, codes = checked_labels(scores, y)
        fresh = Automatic() if self.calibrator is None else self.calibrator.unfitted()
        odds = scores[:, 0] if scores.shape[1] == 1 else scores
        self.calibrator_ = fresh.fit(odds, codes, sample_weight=sample_weight)
        self.n_features_in_ = scores.shape[1]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Calibrated posteriors, (n_cases, n_classes), or their logarithms."""
        check_is_fitted(self)
        scores = self._scores(X)
        if scores.shape[1] != self.n_features_in_:
            raise DataError(
                f"`X` must have {self.n_features_in_} columns, as in fit; got {scores.shape[1]}."
            )
        odds = scores[:, 0] if scores.shape[1] == 1 else scores
        logs = self.calibrator_.log_posteriors(odds)
        return np.asarray(logs if self.output == "log_posteriors" else np.exp(logs))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """One name per class, for `set_output`."""
        check_is_fitted(self)
        return np.array([f"{self.output}_{name}" for name in self.classes_], dtype=object)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Scores as a table; infinite ones are allowed, NaN is not."""
        table = np.asarray(X, dtype=np.float64)
        table = table[:, None] if table.ndim == 1 else table
        if np.isnan(table).any():
            raise DataError("`X` holds NaN.")
        check_array(np.where(np.isfinite(table), table, 0.0))
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
