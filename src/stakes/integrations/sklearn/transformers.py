"""CalibratorTransformer: a calibrator as a step of a pipeline."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stakes._columns import as_weights, refuse_masked
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.calibration.score_input import Scores, read_log_scores, read_scores
from stakes.exceptions import DataError, PosteriorError
from stakes.integrations.sklearn.estimator_costs import unfitted
from stakes.integrations.sklearn.held_out_folds import fold_count, read_groups
from stakes.integrations.sklearn.sklearn_protocol import (
    checked_labels,
)
from stakes.posteriors import Posteriors

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6
    validate_data = None


class CalibratorTransformer(TransformerMixin, BaseEstimator):
    """Turn scores into calibrated posteriors, with any calibrator of `stakes.calibration`.

    Parameters
    ----------
    calibrator : Calibrator or "auto", optional
        Default: `Affine`, as in `stakes.evaluate`. "auto": `stakes.calibration.Automatic`.
    output : {"posteriors", "log_posteriors"}
        What `transform` returns.
    kind : {"log_odds", "posterior"}, optional
        What the scores are, where that is not to be told from the numbers: one column of log odds,
        or probabilities, of each class or of the second of two. Default: logarithms, and `fit`
        refuses what looks like probabilities.

    Attributes
    ----------
    classes_ : array
        Sorted labels; the columns of the scores, in this order. Every class must occur in `fit`:
        which column an absent one belongs to could not be told.
    calibrator_ : Calibrator
        Fitted.

    Notes
    -----
    Scores are natural logarithms: log-posteriors or logits, one column per class; or one column of
    log odds of the second of two classes. Probabilities are refused unless ``kind="posterior"``;
    so are 20 or more log odds all within [0, 1], unless ``kind="log_odds"`` or the calibrator takes
    scores on a scale of their own, as `Logistic` and `Isotonic` do.

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
        kind: Literal["log_odds", "posterior"] | None = None,
    ) -> None:
        self.calibrator = calibrator
        self.output = output
        self.kind = kind

    __metadata_request__fit: ClassVar = {"groups": True}

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Learn from scores and true classes.

        Cases of one of the `groups`, if given, are never on both sides where the automatic choice
        compares calibrators.
        """
        if self.output not in ("posteriors", "log_posteriors"):
            raise DataError(
                f"`output` must be 'posteriors' or 'log_posteriors'; got {self.output!r}."
            )
        if self.kind not in (None, "log_odds", "posterior"):
            raise DataError(f"`kind` must be 'log_odds' or 'posterior'; got {self.kind!r}.")
        table = self._table(X, reset=True)
        _, self.classes_, codes = checked_labels(table, y)
        if len(self.classes_) < 2:
            raise DataError("`y` has one class, so there is nothing to calibrate.")
        weights = as_weights(sample_weight, len(codes))
        together = read_groups(groups, len(codes))
        wanted = default_calibrator() if self.calibrator is None else self.calibrator
        fresh = unfitted(wanted, self.classes_, fold_count(codes, together, weights))
        scores = self._scores(table)
        if self.kind is None:
            scores = _logarithms(scores, weights, any_scale=fresh._any_scale)
        elif self.kind == "log_odds":
            scores = read_scores(scores, "X")
        self.calibrator_ = fresh.fit(scores, codes, sample_weight=weights, groups=together)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Calibrated posteriors, (n_cases, n_classes), or their logarithms."""
        check_is_fitted(self)
        logs = self.calibrator_.log_posteriors(self._scores(self._table(X, reset=False)))
        return np.asarray(logs if self.output == "log_posteriors" else np.exp(logs))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """One name per class, for `set_output`."""
        check_is_fitted(self)
        return np.array([f"{self.output}_{name}" for name in self.classes_], dtype=object)

    def _table(self, X: Any, *, reset: bool) -> NDArray[np.float64]:
        """X as a table; infinite scores are allowed, NaN is not."""
        refuse_masked(X, "X")
        if validate_data is not None:
            table = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite=False, copy=False
            )
        else:
            table = self._validate_data(X, reset=reset, dtype=np.float64, force_all_finite=False)
        if np.isnan(table).any():
            raise DataError("`X` holds NaN, and scores must be numbers.")
        return np.asarray(table)

    def _scores(self, table: NDArray[np.float64]) -> Any:
        """What the calibrator reads: one column per class, or log odds of two; or `Posteriors`."""
        width, size = table.shape[1], len(self.classes_)
        if width == 1 and size == 2:
            return Posteriors(table[:, 0]) if self.kind == "posterior" else table[:, 0]
        if width != size:
            raise DataError(
                f"`X` must have one column per class; got {width} columns, and {size} classes in "
                "`y`.",
                hint="drop the columns of classes that do not occur",
            )
        if self.kind == "log_odds":
            raise DataError(
                f"`kind` 'log_odds' needs one column; got {width}.", hint="leave it out"
            )
        return Posteriors(table) if self.kind == "posterior" else table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Tags as scikit-learn before 1.6 reads them."""
        return {"requires_y": True}


def _logarithms(scores: NDArray[np.float64], weights: Any, *, any_scale: bool) -> Scores:
    """Scores read as logarithms, with hints that a step of a pipeline can follow."""
    try:
        return read_log_scores(
            scores,
            "X",
            sample_weight=weights,
            any_scale=any_scale,
            probabilities='kind="posterior"',
            instead='log odds all the same: kind="log_odds"; scores on a scale of their own: '
            "calibrator=Logistic(), Smooth() or Isotonic()",
        )
    except PosteriorError as error:
        raise PosteriorError(
            error.message,
            hint='probabilities: kind="posterior"; logits all the same: subtract 1 from all',
        ) from None
