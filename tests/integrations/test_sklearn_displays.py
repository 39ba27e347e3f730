from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")
pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'stakes[plots]'")

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import stakes
from stakes.exceptions import DataError
from stakes.integrations import sklearn as room

DISPLAYS = [name for name in room.__all__ if name.endswith("Display")]


@pytest.fixture(scope="module")
def fitted():
    X, y = make_classification(200, 4, class_sep=0.7, random_state=0)
    return LogisticRegression().fit(X, y), X, y


@pytest.fixture(autouse=True)
def _off_screen():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("name", DISPLAYS)
class TestDisplays:
    def test_from_estimator_draws_with_its_name(self, name, fitted) -> None:
        model, X, y = fitted
        display = getattr(room, name).from_estimator(model, X, y)
        assert display.figure_ is display.ax_.figure
        assert display.name == "LogisticRegression"
        assert display.ax_.lines or display.ax_.collections

    def test_from_predictions_gives_the_same_data(self, name, fitted) -> None:
        model, X, y = fitted
        options = {"rng": 0} if name == "ReliabilityDisplay" else {}
        one = getattr(room, name).from_estimator(model, X, y, **options)
        two = getattr(room, name).from_predictions(y, model.predict_proba(X)[:, 1], **options)
        for column in one.frame().columns:
            assert np.array_equal(one.frame()[column], two.frame()[column], equal_nan=True)

    def test_draws_on_axes_given(self, name, fitted) -> None:
        model, X, y = fitted
        _, ax = plt.subplots()
        assert getattr(room, name).from_estimator(model, X, y, ax=ax).ax_ is ax


class TestRocDisplay:
    def test_data_are_those_of_the_curve(self, fitted) -> None:
        model, X, y = fitted
        display = room.RocDisplay.from_estimator(model, X, y)
        scores = stakes.ScoreCounts.from_scores(y, model.predict_proba(X)[:, 1], kind="posterior")
        expected = stakes.curves.roc(scores).frame()
        for column in expected.columns:
            assert np.array_equal(display.frame()[column], expected[column])

    def test_order_of_a_decision_function_is_enough(self, fitted) -> None:
        _, X, y = fitted
        assert (
            room.RocDisplay.from_estimator(LinearSVC(random_state=0).fit(X, y), X, y).ax_
            is not None
        )

    def test_three_classes_raise(self) -> None:
        X, y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=0)
        with pytest.raises(DataError, match="two classes; the estimator has 3"):
            room.RocDisplay.from_estimator(LogisticRegression(max_iter=500).fit(X, y), X, y)
