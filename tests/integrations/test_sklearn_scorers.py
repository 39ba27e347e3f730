from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import stakes
from stakes.exceptions import CostError, DataError
from stakes.integrations.sklearn import BayesDecisionClassifier, make_cost_scorer

COSTS = stakes.CostMatrix([[0, 1, 2], [2, 0, 1], [9, 4, 0]])
WITH_ABSTENTION = COSTS.with_abstention(0.4)


@pytest.fixture(scope="module")
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        400, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, class_sep=0.7, random_state=1
    )


@pytest.fixture(scope="module")
def two_classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(300, 5, weights=[0.8], class_sep=0.6, random_state=2)


def per_case(y) -> stakes.CaseCosts:
    """Misses of different size."""
    amount = np.random.default_rng(0).lognormal(1, 1, len(y))
    return stakes.CaseCosts.binary(false_positive=1.0, false_negative=amount)


class TestMakeCostScorer:
    def test_three_classes_with_abstention_in_search_and_prediction(self, three_classes) -> None:
        X, y = three_classes
        app = stakes.Application(WITH_ABSTENTION)
        model = BayesDecisionClassifier(LogisticRegression(max_iter=500), app)
        scorer = make_cost_scorer(app)
        search = GridSearchCV(model, {"estimator__C": [0.01, 1.0]}, scoring=scorer, cv=3)
        search.fit(X, y)
        decisions = cross_val_predict(search.best_estimator_, X, y, cv=3)
        cost = stakes.expected_cost(y, decisions, application=app)
        assert "abstain" in decisions
        # abstaining always costs 0.4, so a search by cost ends below
        assert cost < 0.4
        assert -0.4 < search.best_score_ <= 0

    def test_is_minus_the_cost_of_bayes_decisions(self, three_classes) -> None:
        X, y = three_classes
        model = LogisticRegression(max_iter=500).fit(X, y)
        decisions = stakes.bayes_decisions(model.predict_proba(X), COSTS)
        expected = stakes.expected_cost(y, decisions, application=COSTS)
        assert make_cost_scorer(COSTS)(model, X, y) == -expected

    def test_normalised(self, three_classes) -> None:
        X, y = three_classes
        model = LogisticRegression(max_iter=500).fit(X, y)
        decisions = stakes.bayes_decisions(model.predict_proba(X), COSTS)
        nec = stakes.normalized_expected_cost(y, decisions, application=COSTS)
        assert make_cost_scorer(COSTS, normalized=True)(model, X, y) == -nec

    def test_classes_in_another_order_than_the_labels(self, two_classes) -> None:
        X, y = two_classes
        names = np.array(["stay", "churn"])[y]  # sorted: churn, stay
        model = LogisticRegression().fit(X, names)
        costs = stakes.CostMatrix([[0, 1], [10, 0]], ["stay", "churn"], ["wait", "call"])
        numbers = stakes.CostMatrix([[0, 1], [10, 0]])
        same = LogisticRegression().fit(X, y)
        found = make_cost_scorer(costs)(model, X, names)
        assert found == pytest.approx(make_cost_scorer(numbers)(same, X, y), abs=1e-12)

    def test_predict_scores_what_the_estimator_decides(self, two_classes) -> None:
        X, y = two_classes
        model = LogisticRegression().fit(X, y)
        costs = stakes.CostMatrix([[0, 1], [10, 0]])
        expected = -stakes.expected_cost(y, model.predict(X), application=costs)
        assert make_cost_scorer(costs, response="predict")(model, X, y) == expected

    def test_auto_falls_back_to_predict_without_posteriors(self, two_classes) -> None:
        X, y = two_classes
        model = LinearSVC(random_state=0).fit(X, y)
        costs = stakes.CostMatrix([[0, 1], [3, 0]])
        expected = -stakes.expected_cost(y, model.predict(X), application=costs)
        assert make_cost_scorer(costs)(model, X, y) == expected

    def test_auto_lets_a_pipeline_that_decides_by_cost_decide(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [3, 0]]).with_abstention(0.2)
        decider = BayesDecisionClassifier(LogisticRegression(), costs)
        model = make_pipeline(StandardScaler(), decider).fit(X, y)
        expected = -stakes.expected_cost(y, model.predict(X), application=costs)
        assert make_cost_scorer(costs)(model, X, y) == expected

    def test_a_class_that_the_estimator_never_saw_has_posterior_zero(self, three_classes) -> None:
        X, y = three_classes
        known = y < 2
        model = LogisticRegression(max_iter=500).fit(X[known], y[known])
        padded = np.column_stack([model.predict_proba(X), np.zeros(len(y))])
        decisions = stakes.bayes_decisions(padded, COSTS)
        expected = -stakes.expected_cost(y, decisions, application=COSTS)
        assert make_cost_scorer(COSTS)(model, X, y) == expected

    def test_works_beside_other_scorers(self, three_classes) -> None:
        X, y = three_classes
        scoring = {"cost": make_cost_scorer(COSTS), "accuracy": "accuracy"}
        found = cross_validate(LogisticRegression(max_iter=500), X, y, scoring=scoring, cv=3)
        assert (found["test_cost"] < 0).all()
        assert (found["test_accuracy"] > 0.5).all()

    def test_unknown_response_raises(self) -> None:
        with pytest.raises(CostError, match="'auto', 'predict_proba' or 'predict'; got 'proba'"):
            make_cost_scorer(COSTS, response="proba")  # type: ignore[arg-type]

    def test_repr_says_the_sign(self) -> None:
        assert repr(make_cost_scorer(COSTS)).startswith("CostScorer(minus the cost")


class TestMetadataRouting:
    def test_sample_weight_reaches_the_scorer(self, two_classes) -> None:
        X, y = two_classes
        weights = np.where(y == 1, 3.0, 1.0)
        costs = stakes.CostMatrix([[0, 1], [10, 0]])
        with config_context(enable_metadata_routing=True):
            scorer = make_cost_scorer(costs).set_score_request(sample_weight=True)
            model = LogisticRegression().set_fit_request(sample_weight=False)
            found = cross_validate(
                model, X, y, scoring=scorer, cv=3, params={"sample_weight": weights},
                return_estimator=True, return_indices=True,
            )  # fmt: skip
        test = found["indices"]["test"][0]
        expected = make_cost_scorer(costs)(
            found["estimator"][0], X[test], y[test], sample_weight=weights[test]
        )
        plain = make_cost_scorer(costs)(found["estimator"][0], X[test], y[test])
        assert found["test_score"][0] == expected != plain

    def test_costs_of_single_cases_reach_the_scorer(self, two_classes) -> None:
        X, y = two_classes
        amount = np.random.default_rng(0).lognormal(1, 1, len(y))
        cases = stakes.CaseCosts.binary(false_positive=1.0, false_negative=amount).values
        costs = stakes.CostMatrix([[0, 1], [3, 0]])
        with config_context(enable_metadata_routing=True):
            scorer = make_cost_scorer(costs).set_score_request(costs=True)
            found = cross_validate(
                LogisticRegression(), X, y, scoring=scorer, cv=3, params={"costs": cases},
                return_estimator=True, return_indices=True,
            )  # fmt: skip
        test = found["indices"]["test"][1]
        posteriors = found["estimator"][1].predict_proba(X[test])
        decisions = stakes.bayes_decisions(posteriors, cases[test])
        paid = cases[test][np.arange(len(test)), y[test], decisions]
        assert found["test_score"][1] == pytest.approx(-paid.mean(), abs=1e-12)

    def test_costs_of_single_cases_travel_with_their_names(self, two_classes) -> None:
        X, y = two_classes
        cases = per_case(y)
        with config_context(enable_metadata_routing=True):
            scorer = make_cost_scorer(stakes.CostMatrix([[0, 1], [3, 0]]))
            scorer.set_score_request(costs=True)
            found, plain = (
                cross_validate(LogisticRegression(), X, y, scoring=scorer, params={"costs": costs})
                for costs in (cases, cases.values)
            )
        assert found["test_score"].tolist() == plain["test_score"].tolist()

    def test_inside_a_grid_search(self, two_classes) -> None:
        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [10, 0]])
        with config_context(enable_metadata_routing=True):
            scorer = make_cost_scorer(costs).set_score_request(sample_weight=True)
            model = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
            search = GridSearchCV(model, {"max_depth": [1, 3]}, scoring=scorer, cv=3)
            search.fit(X, y, sample_weight=np.ones(len(y)))
        assert search.best_score_ <= 0

    def test_unknown_metadata_is_refused(self) -> None:
        with pytest.raises(TypeError, match="sample_weight"):
            make_cost_scorer(COSTS).set_score_request(groups=True)

    def test_a_pipeline_with_a_decider_is_given_the_costs_of_the_cases(self, two_classes) -> None:
        X, y = two_classes
        cases = per_case(y)
        costs = stakes.CostMatrix([[0, 1], [3, 0]])
        inner = BayesDecisionClassifier(LogisticRegression(), costs)
        with config_context(enable_metadata_routing=True):
            scorer = make_cost_scorer(costs).set_score_request(costs=True)
            search = GridSearchCV(
                make_pipeline(StandardScaler(), inner),
                {"bayesdecisionclassifier__estimator__C": [0.1, 1.0]},
                scoring=scorer,
                error_score="raise",
                cv=3,
            ).fit(X, y, costs=cases.values)
            found = scorer(search, X, y, costs=cases)
        scaled = search.best_estimator_[0].transform(X)
        decisions = search.best_estimator_[1].predict(scaled, costs=cases)
        paid = cases.values[np.arange(len(y)), y, decisions]
        assert found == pytest.approx(-paid.mean())

    def test_samplers_of_a_pipeline_only_work_in_fit(self, two_classes) -> None:
        imblearn = pytest.importorskip("imblearn", reason="needs imbalanced-learn")
        from imblearn.under_sampling import RandomUnderSampler

        X, y = two_classes
        costs = stakes.CostMatrix([[0, 1], [3, 0]])
        model = imblearn.pipeline.make_pipeline(
            StandardScaler(),
            RandomUnderSampler(random_state=0),
            BayesDecisionClassifier(LogisticRegression(), costs),
        ).fit(X, y)
        same = np.repeat(costs.values[None], len(y), axis=0)
        scorer = make_cost_scorer(costs)
        assert scorer(model, X, y, costs=same) == pytest.approx(scorer(model, X, y))

    @pytest.mark.parametrize("priors", [None, [0.3, 0.7]])
    @pytest.mark.parametrize("normalized", [False, True])
    def test_weights_of_whole_numbers_are_repeats_also_of_cases_with_costs(
        self, two_classes, priors, normalized
    ) -> None:
        X, y = two_classes
        app = stakes.Application([[0, 1], [10, 0]], priors=priors)
        model = LogisticRegression().fit(X, y)
        times = np.arange(len(y)) % 3
        rows = np.repeat(np.arange(len(y)), times)
        cases = per_case(y).values
        scorer = make_cost_scorer(app, normalized=normalized)
        weighted = scorer(model, X, y, sample_weight=times, costs=cases)
        repeated = scorer(model, X[rows], y[rows], costs=cases[rows])
        assert weighted == pytest.approx(repeated, rel=1e-12)

    def test_a_class_without_weight_that_has_a_prior_raises(self, two_classes) -> None:
        X, y = two_classes
        scorer = make_cost_scorer(stakes.Application([[0, 1], [10, 0]], priors=[0.5, 0.5]))
        with pytest.raises(DataError, match="zero for every case of 1, which has a prior"):
            scorer(LogisticRegression().fit(X, y), X, y, sample_weight=1 - y, costs=per_case(y))


class TestNamesOfCaseCosts:
    COSTS = stakes.CostMatrix([[0, 1], [10, 0]], ["stay", "churn"], ["wait", "call"])

    def scored(self, two_classes, cases) -> float:
        X, y = two_classes
        names = np.array(["stay", "churn"])[y]
        model = LogisticRegression().fit(X, names)
        return make_cost_scorer(self.COSTS)(model, X, names, costs=cases)

    def test_positions_and_another_order_of_names_mean_the_same(self, two_classes) -> None:
        cases = per_case(two_classes[1])
        expected = self.scored(two_classes, cases.values)
        turned = stakes.CaseCosts(
            cases.values[:, ::-1, ::-1], classes=["churn", "stay"], decisions=["call", "wait"]
        )
        assert self.scored(two_classes, cases) == expected
        assert self.scored(two_classes, turned) == expected

    def test_other_names_raise(self, two_classes) -> None:
        values = per_case(two_classes[1]).values
        cases = stakes.CaseCosts(values, classes=["loyal", "churn"], decisions=["wait", "call"])
        with pytest.raises(CostError, match=r"names .*'loyal'"):
            self.scored(two_classes, cases)

    def test_another_shape_raises(self, two_classes) -> None:
        cases = stakes.CaseCosts(np.ones((len(two_classes[1]), 2, 3)))
        with pytest.raises(CostError, match=r"shape \(n_cases, 2, 2\)"):
            self.scored(two_classes, cases)


class TestOtherLibraries:
    @pytest.mark.parametrize(
        ("package", "name", "options"),
        [
            ("xgboost", "XGBClassifier", {"n_estimators": 5}),
            ("lightgbm", "LGBMClassifier", {"n_estimators": 5, "verbose": -1}),
        ],
    )
    def test_boosters_work_as_they_are(self, three_classes, package, name, options) -> None:
        module = pytest.importorskip(package, reason=f"needs {package}")
        X, y = three_classes
        scorer = make_cost_scorer(WITH_ABSTENTION)
        found = cross_validate(getattr(module, name)(**options), X, y, scoring=scorer, cv=3)
        assert (found["test_score"] >= -0.41).all()
