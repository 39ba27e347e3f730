from __future__ import annotations

import inspect
import warnings
from unittest import SkipTest

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import stakes
from stakes.calibration import Affine, Automatic, Temperature
from stakes.exceptions import CostError, DataError, LabelError, PriorError
from stakes.integrations.sklearn import (
    BayesDecisionClassifier,
    CostWeightedClassifier,
    make_cost_scorer,
)

COSTS = stakes.CostMatrix([[0, 1, 2], [2, 0, 1], [9, 4, 0]]).with_abstention(0.5)


@pytest.fixture(scope="module")
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, class_sep=0.7, random_state=1
    )


@pytest.fixture(scope="module")
def two_classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(400, 5, weights=[0.8], class_sep=0.6, random_state=2)


class AsGiven(ClassifierMixin, BaseEstimator):
    """Takes features for posteriors."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)


class OnlyPredicts(ClassifierMixin, BaseEstimator):
    """Says nothing of how sure it is."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


def passes_all_checks(estimator: object) -> bool:
    """Whether scikit-learn's own checks pass; some of them warn on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)  # noqa: NPY002 - some of the checks draw from it
        check_estimator(estimator)
    return True


def failed_checks(estimator: object) -> set[str]:
    """Which of scikit-learn's own checks fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)  # noqa: NPY002 - some of the checks draw from it
        if "on_fail" in inspect.signature(check_estimator).parameters:
            found = check_estimator(estimator, on_fail=None)
            return {each["check_name"] for each in found if each["status"] == "failed"}
        failed = set()
        for fresh, check in check_estimator(estimator, generate_only=True):  # before 1.6
            try:
                check(fresh)
            except SkipTest:
                continue
            except AssertionError:
                failed.add(check.func.__name__)
    return failed


class TestBayesDecisionClassifier:
    def test_passes_the_checks_of_scikit_learn(self) -> None:
        assert passes_all_checks(BayesDecisionClassifier(LogisticRegression()))

    def test_passes_the_checks_with_a_calibrator(self) -> None:
        cal = Affine(smoothing=True)
        assert passes_all_checks(
            BayesDecisionClassifier(LogisticRegression(), calibrator=cal, cv=2)
        )

    def test_weights_are_no_copies_for_the_automatic_choice(self) -> None:
        """It holds a weighted row out whole, and two equal rows perhaps in two of its folds."""
        model = BayesDecisionClassifier(LogisticRegression(), calibrator="auto", cv=2)
        assert failed_checks(model) <= {
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
            "check_sample_weights_invariance",  # before 1.6
        }

    def test_decides_as_the_bayes_rule(self, three_classes) -> None:
        X, y = three_classes
        model = BayesDecisionClassifier(LogisticRegression(max_iter=500), COSTS).fit(X, y)
        posteriors = LogisticRegression(max_iter=500).fit(X, y).predict_proba(X)
        names = np.array(COSTS.decisions, dtype=object)
        expected = names[stakes.bayes_decisions(posteriors, COSTS)]
        assert (model.predict(X) == expected).all()
        assert set(expected) == {0, 1, 2, "abstain"}

    def test_zero_one_costs_are_the_argmax(self, three_classes) -> None:
        X, y = three_classes
        plain = LogisticRegression(max_iter=500).fit(X, y)
        model = BayesDecisionClassifier(LogisticRegression(max_iter=500)).fit(X, y)
        assert (model.predict(X) == plain.predict(X)).all()
        assert model.score(X, y) == pytest.approx(plain.score(X, y) - 1)

    def test_costs_of_single_cases_at_predict(self, two_classes) -> None:
        X, y = two_classes
        model = BayesDecisionClassifier(LogisticRegression(), stakes.CostMatrix([[0, 1], [5, 0]]))
        model.fit(X, y)
        miss = np.where(np.arange(len(y)) % 2, 1000.0, 0.001)
        cases = stakes.CaseCosts.binary(false_positive=1.0, false_negative=miss)
        found = model.predict(X, costs=cases.values)
        assert found[1::2].mean() > 0.9
        assert found[::2].sum() == 0
        expected = stakes.bayes_decisions(model.predict_proba(X), cases)
        assert (found == expected).all()
        assert (model.predict(X, costs=cases) == expected).all()

    def test_priors_at_predict_move_the_posteriors(self, two_classes) -> None:
        X, y = two_classes
        model = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
        share = y.mean()
        old = model.predict_proba(X)[:, 1]
        odds = old / (1 - old) * (0.5 / share) / (0.5 / (1 - share))
        found = model.predict_proba(X, priors=[0.5, 0.5])[:, 1]
        assert np.allclose(found, odds / (1 + odds))
        assert model.predict(X, priors=[0.5, 0.5]).sum() > model.predict(X).sum()

    def test_priors_of_the_application_are_the_place_of_use(self, two_classes) -> None:
        X, y = two_classes
        app = stakes.Application([[0, 1], [1, 0]], priors=[0.5, 0.5])
        placed = BayesDecisionClassifier(LogisticRegression(), app).fit(X, y)
        moved = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
        assert (placed.predict(X) == moved.predict(X, priors=[0.5, 0.5])).all()

    def test_its_rule_says_what_it_decides(self, two_classes) -> None:
        X, y = two_classes
        app = stakes.Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
        model = BayesDecisionClassifier(LogisticRegression(), app).fit(X, y)
        given = model.estimator_.predict_proba(X)[:, 1]
        assert str(model.rule_) == f"p > {model.rule_.threshold:.3f}"
        assert (model.predict(X) == (given > model.rule_.threshold)).all()

    def test_priors_of_an_unseen_class_raise(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix.zero_one(3)
        model = BayesDecisionClassifier(LogisticRegression(), costs).fit(X, y)
        assert set(model.predict(X)) <= {0, 1}
        with pytest.raises(PriorError, match="class 2 has no case in the data"):
            model.predict(X, priors=[0.4, 0.4, 0.2])

    def test_names_in_another_order_than_the_labels(self, two_classes) -> None:
        X, y = two_classes
        names = np.array(["stay", "churn"])[y]
        costs = stakes.CostMatrix([[0, 1], [10, 0]], ["stay", "churn"], ["wait", "call"])
        model = BayesDecisionClassifier(LogisticRegression(), costs).fit(X, names)
        other = BayesDecisionClassifier(
            LogisticRegression(), stakes.CostMatrix([[0, 1], [10, 0]])
        ).fit(X, y)
        assert (model.predict(X) == np.array(["wait", "call"])[other.predict(X)]).all()
        assert model.predict_proba(X).shape == (len(y), 2)
        assert model.classes_.tolist() == ["churn", "stay"]

    def test_unknown_labels_raise(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [10, 0]], ["stay", "churn"], ["wait", "call"])
        with pytest.raises(LabelError, match="not among the names"):
            BayesDecisionClassifier(LogisticRegression(), costs).fit(X, np.array(["a", "b"])[y])

    def test_calibrator_is_fitted_out_of_fold(self, two_classes) -> None:
        X, y = two_classes
        forest = RandomForestClassifier(10, min_samples_leaf=5, random_state=0)
        model = BayesDecisionClassifier(forest, calibrator=Temperature(bound="data"), cv=3)
        model.fit(X, y)
        raw = cross_val_predict(forest, X, y, cv=3, method="predict_proba")
        with np.errstate(divide="ignore"):
            expected = Temperature(bound="data").fit(np.log(raw), y)
        assert model.calibrator_.scales == pytest.approx(expected.scales)

    def test_auto_calibrator_serves_scores_without_posteriors(self, two_classes) -> None:
        X, y = two_classes
        with pytest.raises(DataError, match="gives no probabilities"):
            BayesDecisionClassifier(LinearSVC(random_state=0)).fit(X, y).predict(X)
        model = BayesDecisionClassifier(LinearSVC(random_state=0), calibrator="auto", cv=3).fit(
            X, y
        )
        assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)

    def test_inspect_shows_every_alternative(self, three_classes) -> None:
        X, y = three_classes
        model = BayesDecisionClassifier(LogisticRegression(max_iter=500), COSTS).fit(X, y)
        seen = model.inspect(X[:20])
        expected = model.predict_proba(X[:20]) @ COSTS.values
        assert np.allclose(seen["expected_cost"], expected.min(axis=1))
        assert np.allclose(seen["cost of 'abstain'"], 0.5)
        assert np.allclose(seen["margin"], np.sort(expected, axis=1)[:, 1] - expected.min(axis=1))
        assert (seen["decision"] == model.predict(X[:20])).all()

    def test_score_is_minus_the_cost(self, three_classes) -> None:
        X, y = three_classes
        model = BayesDecisionClassifier(LogisticRegression(max_iter=500), COSTS).fit(X, y)
        cost = stakes.expected_cost(y, model.predict(X), application=COSTS)
        assert model.score(X, y) == -cost
        same = np.repeat(COSTS.values[None], len(y), axis=0)
        assert model.score(X, y, costs=same) == pytest.approx(-cost)

    def test_metadata_reaches_the_estimator(self, two_classes) -> None:
        X, y = two_classes
        weights = np.where(y == 1, 5.0, 1.0)
        plain = LogisticRegression().fit(X, y, sample_weight=weights)
        model = BayesDecisionClassifier(LogisticRegression()).fit(X, y, sample_weight=weights)
        assert np.allclose(model.predict_proba(X), plain.predict_proba(X))
        with config_context(enable_metadata_routing=True):
            inner = LogisticRegression().set_fit_request(sample_weight=True)
            model = BayesDecisionClassifier(inner).set_fit_request(sample_weight=True)
            model.fit(X, y, sample_weight=weights)
        assert np.allclose(model.predict_proba(X), plain.predict_proba(X))

    def test_frames_keep_their_column_names(self, two_classes) -> None:
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        X, y = two_classes
        frame = pandas.DataFrame(X, columns=list("abcde"))
        model = BayesDecisionClassifier(LogisticRegression(), calibrator=Affine(), cv=3)
        model.fit(frame, y)
        assert model.feature_names_in_.tolist() == list("abcde")

    def test_inspect_never_calls_the_decision_its_own_alternative(self) -> None:
        # 0.2 * 0.4 + 0.6 * 0.1 + 0.2 * 0.8 = 0.3 = 0.6 * 0.5: a tie, which rounding breaks
        costs = stakes.CostMatrix([[0.4, 0.7, 0.0], [0.1, 0.4, 0.5], [0.8, 1.0, 0.0]])
        row = np.array([[0.2, 0.6, 0.2]])
        seen = BayesDecisionClassifier(AsGiven(), costs).fit(row[[0, 0, 0]], range(3)).inspect(row)
        assert (seen["decision"][0], seen["next_best"][0]) == (0, 2)
        assert 0 <= seen["margin"][0] < 1e-15

    def test_weights_of_single_cases_count_in_the_score(self, two_classes) -> None:
        X, y = two_classes
        model = BayesDecisionClassifier(LogisticRegression(), stakes.CostMatrix([[0, 1], [5, 0]]))
        model.fit(X, y)
        cases = stakes.CaseCosts.binary(false_positive=1.0, false_negative=1.0 + np.arange(len(y)))
        weights = 1.0 + np.arange(len(y)) % 4
        paid = cases.values[np.arange(len(y)), y, model.predict(X, costs=cases)]
        expected = -(weights @ paid) / weights.sum()
        assert model.score(X, y, weights, cases) == pytest.approx(expected)

    @pytest.mark.parametrize("bad", [-1.0, np.nan])
    def test_bad_weights_raise(self, two_classes, bad) -> None:
        X, y = two_classes
        weights = np.ones(len(y))
        weights[7] = bad
        with pytest.raises(DataError, match="row 7"):
            BayesDecisionClassifier(LogisticRegression()).fit(X, y, sample_weight=weights)

    def test_shares_are_those_that_the_estimator_learnt(self, two_classes) -> None:
        X, y = two_classes
        weights = np.where(y == 1, 3.0, 1.0)
        weighted = weights[y == 1].sum() / weights.sum()
        steps = make_pipeline(StandardScaler(), LogisticRegression())
        model = BayesDecisionClassifier(steps)
        model.fit(X, y, logisticregression__sample_weight=weights)
        assert model.class_priors_[1] == pytest.approx(weighted)
        with config_context(enable_metadata_routing=True):
            inner = LogisticRegression().set_fit_request(sample_weight=False)
            model = BayesDecisionClassifier(inner).set_fit_request(sample_weight=True)
            model.fit(X, y, sample_weight=weights)
        assert model.class_priors_[1] == pytest.approx(y.mean())

    def test_groups_reach_the_splitter(self, two_classes) -> None:
        X, y = two_classes
        groups = np.arange(len(y)) // 4
        with config_context(enable_metadata_routing=True):
            model = BayesDecisionClassifier(
                LogisticRegression(), calibrator=Affine(), cv=GroupKFold(3)
            ).fit(X, y, groups=groups)
        folds = list(GroupKFold(3).split(X, y, groups))
        same = BayesDecisionClassifier(LogisticRegression(), calibrator=Affine(), cv=folds)
        assert model.calibrator_.scales == pytest.approx(same.fit(X, y).calibrator_.scales)

    def test_groups_reach_a_search_without_routing(self, two_classes) -> None:
        X, y = two_classes
        groups = np.arange(len(y)) // 4
        search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=GroupKFold(3))
        BayesDecisionClassifier(search).fit(X, y, groups=groups)  # it raises without them

    def test_nothing_to_calibrate_raises(self, two_classes) -> None:
        X, y = two_classes
        with pytest.raises(DataError, match="neither predict_proba nor decision_function"):
            BayesDecisionClassifier(OnlyPredicts(), calibrator="auto").fit(X, y)

    def test_bad_calibrator_raises(self, two_classes) -> None:
        X, y = two_classes
        with pytest.raises(DataError, match="a Calibrator or 'auto'; got 'best'"):
            BayesDecisionClassifier(LogisticRegression(), calibrator="best").fit(X, y)

    def test_costs_of_the_wrong_shape_raise(self, two_classes) -> None:
        X, y = two_classes
        model = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
        with pytest.raises(CostError, match=r"shape \(n_cases, 2, 2\)"):
            model.predict(X, costs=np.zeros((len(y), 3, 2)))


class TestCostWeightedClassifier:
    def test_passes_the_checks_of_scikit_learn(self) -> None:
        assert passes_all_checks(CostWeightedClassifier(LogisticRegression()))

    def test_weights_are_those_of_the_framework(self, two_classes) -> None:
        X, y = two_classes
        app = stakes.Application([[0, 1], [5, 0]], priors=[0.9, 0.1])
        weights = stakes.application.sample_weights(y, app, priors=app.priors)
        expected = LogisticRegression().fit(X, y, sample_weight=weights)
        model = CostWeightedClassifier(LogisticRegression(), app).fit(X, y)
        assert np.allclose(model.estimator_.coef_, expected.coef_)

    def test_costs_that_one_weight_per_class_cannot_hold_raise(self, three_classes) -> None:
        X, y = three_classes
        costs = stakes.CostMatrix([[0, 1, 2], [2, 0, 1], [9, 4, 0]])
        with pytest.raises(CostError, match="one weight per class cannot"):
            CostWeightedClassifier(LogisticRegression(max_iter=500), costs).fit(X, y)

    def test_an_abstain_column_raises(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [5, 0]]).with_abstention(0.3)
        with pytest.raises(CostError, match="got 2 classes and 3 decisions"):
            CostWeightedClassifier(LogisticRegression(), costs).fit(X, y)

    def test_score_is_minus_the_cost(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [5, 0]])
        model = CostWeightedClassifier(LogisticRegression(), costs).fit(X, y)
        expected = -stakes.expected_cost(y, model.predict(X), application=costs)
        assert model.score(X, y) == expected
        # the costs are in the posteriors already: a scorer lets it decide
        assert make_cost_scorer(costs)(model, X, y) == expected
        cases = np.repeat(costs.values[None], len(y), axis=0)
        assert make_cost_scorer(costs)(model, X, y, costs=cases) == pytest.approx(expected)

    def test_decisions_find_their_class_by_name_or_by_place(self, two_classes) -> None:
        X, y = two_classes
        names = np.array(["stay", "churn"])[y]
        wanted = CostWeightedClassifier(LogisticRegression(), stakes.CostMatrix([[0, 1], [9, 0]]))
        wanted.fit(X, y)
        for values, decisions in (
            ([[1, 0], [0, 9]], ["churn", "stay"]),
            ([[0, 1], [9, 0]], ["wait", "call"]),
        ):
            costs = stakes.CostMatrix(values, ["stay", "churn"], decisions)
            model = CostWeightedClassifier(LogisticRegression(), costs).fit(X, names)
            assert (model.predict(X) == np.array(["stay", "churn"])[wanted.predict(X)]).all()
            assert model.score(X, names) == pytest.approx(wanted.score(X, y))

    def test_shows_the_methods_that_the_estimator_has(self, two_classes) -> None:
        X, y = two_classes
        model = CostWeightedClassifier(LogisticRegression(), stakes.CostMatrix([[0, 1], [5, 0]]))
        model.fit(X, y)
        assert np.allclose(model.predict_proba(X), model.estimator_.predict_proba(X))
        assert np.allclose(model.decision_function(X), model.estimator_.decision_function(X))
        assert not hasattr(CostWeightedClassifier(LinearSVC(random_state=0)), "predict_proba")

    def test_weights_are_never_lost_on_the_way(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [9, 0]])
        expected = CostWeightedClassifier(LogisticRegression(), costs).fit(X, y).predict(X)
        steps = make_pipeline(StandardScaler(), LogisticRegression())
        with pytest.raises(DataError, match="metadata routing"):
            CostWeightedClassifier(steps, costs).fit(X, y)
        with config_context(enable_metadata_routing=True):
            for asked in (None, False, True):
                inner = LogisticRegression().set_fit_request(sample_weight=asked)
                model = CostWeightedClassifier(inner, costs).fit(X, y)
                assert (model.predict(X) == expected).all()
            with pytest.raises(DataError, match="set_fit_request"):
                CostWeightedClassifier(steps, costs).fit(X, y)
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            inner = LogisticRegression().set_fit_request(sample_weight=True)
            model = CostWeightedClassifier(make_pipeline(scaler, inner), costs).fit(X, y)
        assert model.score(X, y) == pytest.approx(-stakes.expected_cost(
            y, expected, application=costs), abs=0.02)  # fmt: skip


def test_costs_of_the_automatic_choice_are_read_by_name(two_classes) -> None:
    """Labels are sorted, and applications name classes in any order."""
    X, y = two_classes
    words = np.where(y == 1, "late", "on time")
    first = stakes.CostMatrix([[0, 30], [1, 0]], classes=["late", "on time"])
    second = stakes.CostMatrix([[0, 1], [30, 0]], classes=["on time", "late"])
    shares = {"late": 0.1, "on time": 0.9}
    found = []
    for costs in (first, second):
        app = stakes.Application(costs, [shares[name] for name in costs.classes])
        model = BayesDecisionClassifier(
            LogisticRegression(), first, calibrator=Automatic(by=app), cv=3
        )
        found.append(model.fit(X, words).predict_proba(X))
    np.testing.assert_array_equal(*found)
