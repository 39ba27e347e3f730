from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from stakes.calibration import Affine, Temperature
from stakes.exceptions import DataError, PosteriorError
from stakes.integrations.sklearn import CalibratorTransformer

LOGITS = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]] * 10)
LABELS = np.array(["a", "b", "c", "b"] * 10)


class TestCalibratorTransformer:
    def test_is_the_calibrator(self) -> None:
        step = CalibratorTransformer(Affine()).fit(LOGITS, LABELS)
        expected = Affine().fit(LOGITS, LABELS)
        assert step.classes_.tolist() == ["a", "b", "c"]
        assert np.allclose(step.transform(LOGITS), expected.posteriors(LOGITS))

    def test_log_posteriors(self) -> None:
        step = CalibratorTransformer(Temperature(), output="log_posteriors").fit(LOGITS, LABELS)
        assert np.allclose(np.exp(step.transform(LOGITS)).sum(axis=1), 1)

    def test_one_column_is_log_odds(self) -> None:
        odds = np.linspace(-2, 2, 20)
        y = np.arange(20) % 3 == 0
        step = CalibratorTransformer(Affine()).fit(odds[:, None], y)
        assert np.allclose(step.transform(odds[:, None]), Affine().fit(odds, y).posteriors(odds))

    def test_inside_a_pipeline_that_is_searched(self) -> None:
        model = make_pipeline(CalibratorTransformer(Temperature()), LogisticRegression())
        model.fit(LOGITS, LABELS)
        assert clone(model).get_params()["calibratortransformer__output"] == "posteriors"
        assert set(model.predict(LOGITS)) <= {"a", "b", "c"}

    def test_names_of_the_columns(self) -> None:
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        step = CalibratorTransformer(Temperature()).set_output(transform="pandas")
        found = step.fit(LOGITS, LABELS).transform(pandas.DataFrame(LOGITS))
        assert list(found.columns) == ["posteriors_a", "posteriors_b", "posteriors_c"]

    def test_weights_of_two_are_repeats(self) -> None:
        weights = np.where(LABELS == "a", 2.0, 1.0)
        weighted = CalibratorTransformer(Affine()).fit(LOGITS, LABELS, sample_weight=weights)
        rows = np.repeat(np.arange(len(LABELS)), weights.astype(int))
        repeated = CalibratorTransformer(Affine()).fit(LOGITS[rows], LABELS[rows])
        assert np.allclose(weighted.transform(LOGITS), repeated.transform(LOGITS), atol=1e-6)

    def test_probabilities_are_refused(self) -> None:
        X, y = make_classification(60, random_state=0)
        posteriors = LogisticRegression().fit(X, y).predict_proba(X)
        with pytest.raises(PosteriorError, match="must be logarithms"):
            CalibratorTransformer(Affine()).fit(posteriors, y)

    def test_nan_is_refused(self) -> None:
        with pytest.raises(DataError, match="NaN"):
            CalibratorTransformer().fit(np.full((4, 2), np.nan), [0, 1, 0, 1])

    def test_other_columns_at_transform_are_refused(self) -> None:
        step = CalibratorTransformer(Affine()).fit(LOGITS, LABELS)
        with pytest.raises(DataError, match="3 columns, as in fit; got 2"):
            step.transform(LOGITS[:, :2])

    def test_unknown_output_is_refused(self) -> None:
        with pytest.raises(DataError, match="got 'logits'"):
            CalibratorTransformer(output="logits").fit(LOGITS, LABELS)  # type: ignore[arg-type]
