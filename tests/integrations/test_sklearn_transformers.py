from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from stakes import Application, CostMatrix, Posteriors
from stakes.calibration import Affine, Automatic, Logistic, Temperature
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
        with pytest.raises(ValueError, match="X has 2 features, but CalibratorTransformer is exp"):
            step.transform(LOGITS[:, :2])

    def test_columns_in_another_order_are_refused(self) -> None:
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        frame = pandas.DataFrame(LOGITS, columns=["a", "b", "c"])
        step = CalibratorTransformer(Affine()).fit(frame, LABELS)
        assert step.feature_names_in_.tolist() == ["a", "b", "c"]
        with pytest.raises(ValueError, match="feature names should match"):
            step.transform(frame[["c", "b", "a"]])

    @pytest.mark.parametrize("calibrator", [Temperature(), Affine(smoothing=True)])
    def test_a_column_for_every_class_that_occurs_and_no_other(self, calibrator) -> None:
        # labels b and c with columns for a, b and c: which column is b's could only be guessed
        known = LABELS != "a"
        with pytest.raises(DataError, match="one column per class; got 3 columns, and 2 classes"):
            CalibratorTransformer(calibrator).fit(LOGITS[known], LABELS[known])

    @pytest.mark.parametrize(
        ("word", "meant"), [("auto", Automatic()), (None, Affine(bound="data"))]
    )
    def test_auto_is_the_automatic_choice_and_affine_the_default(self, word, meant) -> None:
        named, default = CalibratorTransformer(word), CalibratorTransformer(meant)
        assert np.allclose(
            named.fit(LOGITS, LABELS).transform(LOGITS),
            default.fit(LOGITS, LABELS).transform(LOGITS),
        )

    def test_a_word_that_is_no_calibrator_is_refused(self) -> None:
        with pytest.raises(DataError, match="a Calibrator or 'auto'; got 'platt'"):
            CalibratorTransformer("platt").fit(LOGITS, LABELS)

    def test_infinite_scores_are_taken_where_the_calibrator_takes_them(self) -> None:
        scores = LOGITS.copy()
        scores[0, 1] = -np.inf  # surely not b, and it is not
        found = CalibratorTransformer(Affine()).fit(scores, LABELS).transform(scores)
        assert found[0, 1] == 0

    def test_negative_weights_are_refused(self) -> None:
        with pytest.raises(DataError, match="finite and not negative"):
            CalibratorTransformer(Affine()).fit(LOGITS, LABELS, sample_weight=-np.ones(40))


class AnyWidth(CalibratorTransformer):
    """Reads scores off whatever columns there are.

    scikit-learn's checks draw tables of any width for any number of classes, whereas scores have
    one column per class. This projects them, so that the checks see all the rest.
    """

    def _scores(self, table):
        size = len(self.classes_)
        mix = np.cos(np.arange(table.shape[1])[:, None] + np.arange(size))
        return super()._scores(table @ mix - 10.0)  # below 0, so that none looks like probabilities


def test_passes_the_checks_of_scikit_learn() -> None:
    # the one that cannot apply: a score of minus infinity says that a class is impossible
    cannot = {"check_estimators_nan_inf": "infinite log scores are meaningful; NaN is refused"}
    step = AnyWidth(Affine(smoothing=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)  # noqa: NPY002 - some of the checks draw from it
        if "expected_failed_checks" in inspect.signature(check_estimator).parameters:
            check_estimator(step, expected_failed_checks=cannot)
            return
        for estimator, check in check_estimator(step, generate_only=True):  # before 1.6
            if check.func.__name__ not in cannot:
                check(estimator)

    def test_unknown_output_is_refused(self) -> None:
        with pytest.raises(DataError, match="got 'logits'"):
            CalibratorTransformer(output="logits").fit(LOGITS, LABELS)  # type: ignore[arg-type]


class TestKindOfScores:
    ODDS = np.linspace(0.01, 0.99, 60)
    Y = np.arange(60) % 3 == 0

    def test_a_column_in_the_unit_interval_is_asked_about(self) -> None:
        with pytest.raises(DataError, match="`X` must be log odds; all 60") as caught:
            CalibratorTransformer(Affine()).fit(self.ODDS[:, None], self.Y)
        assert 'kind="posterior"' in str(caught.value)
        assert 'kind="log_odds"' in str(caught.value)
        assert CalibratorTransformer(Logistic()).fit(self.ODDS[:, None], self.Y).calibrator_

    def test_log_odds_when_said(self) -> None:
        step = CalibratorTransformer(Affine(), kind="log_odds").fit(self.ODDS[:, None], self.Y)
        given = Posteriors.from_logits(self.ODDS)
        said = Affine().fit(given, self.Y)
        assert np.allclose(step.transform(self.ODDS[:, None]), said.posteriors(given))

    @pytest.mark.parametrize("columns", [1, 2])
    def test_probabilities_when_said(self, columns: int) -> None:
        p = np.column_stack([1 - self.ODDS, self.ODDS])[:, -columns:]
        step = clone(CalibratorTransformer(Affine(), kind="posterior")).fit(p, self.Y)
        logit = np.log(self.ODDS / (1 - self.ODDS))
        expected = Affine().fit(logit, self.Y).posteriors(logit)
        assert np.allclose(step.transform(p), expected, atol=1e-6)

    def test_the_hint_for_a_table_can_be_followed(self) -> None:
        p = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
        with pytest.raises(PosteriorError, match='kind="posterior"'):
            CalibratorTransformer(Affine()).fit(p, LABELS)
        step = CalibratorTransformer(Affine(), kind="posterior").fit(p, LABELS)
        assert np.allclose(
            step.transform(p), Affine().fit(LOGITS, LABELS).posteriors(LOGITS), atol=1e-6
        )

    def test_kinds_that_do_not_fit(self) -> None:
        with pytest.raises(DataError, match="`kind` must be"):
            CalibratorTransformer(kind="llr").fit(LOGITS, LABELS)
        with pytest.raises(DataError, match="needs one column; got 3"):
            CalibratorTransformer(kind="log_odds").fit(LOGITS, LABELS)


def test_costs_of_the_automatic_choice_are_read_by_name() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    odds, words = (rng.normal(size=200) + y)[:, None], np.where(y == 1, "yes", "no")
    found = []
    for names in (["no", "yes"], ["yes", "no"]):
        rows = {"no": [0, 1], "yes": [30, 0]}
        app = Application(CostMatrix([rows[name] for name in names], classes=names))
        found.append(CalibratorTransformer(Automatic(by=app)).fit(odds, words).transform(odds))
    np.testing.assert_array_equal(*found)
