"""Fitted estimators as models."""

from __future__ import annotations

import pytest
from fraud_cases import CODES, COSTS, FRAUD, LOGITS, RIGHT, Y, cost

import stakes
from stakes import Application, CostMatrix, evaluate
from stakes.exceptions import DataError

linear_model = pytest.importorskip("sklearn.linear_model", reason="fits estimators")
X = LOGITS[:, None]


class TestEstimators:
    @pytest.mark.parametrize("labels", [Y, CODES, CODES.astype(bool)])
    def test_columns_follow_the_classes_of_the_estimator(self, labels):
        clf = linear_model.LogisticRegression().fit(X, labels)
        ev = evaluate(labels, {"lr": clf}, X=X, application=COSTS, recalibrate=False, rng=0)
        of_fraud = clf.predict_proba(X)[:, list(clf.classes_).index(labels[CODES == 1][0])]
        assert ev["lr"].cost == pytest.approx(cost((of_fraud > 1 / 21).astype(int)))

    def test_alone_and_beside_arrays(self):
        clf = linear_model.LogisticRegression().fit(X, Y)
        alone = evaluate(Y, clf, X=X, application=COSTS, recalibrate=False, rng=0)
        both = evaluate(Y, {"lr": clf, "p": FRAUD}, X=X, positive="Fraud",
                        application=COSTS, recalibrate=False, rng=0)  # fmt: skip
        assert alone["model"].cost == both["lr"].cost
        assert both["p"].cost == pytest.approx(cost(RIGHT))

    def test_a_class_never_seen_has_probability_zero(self):
        costs = CostMatrix.zero_one(["Legit", "Other", "Fraud"])
        clf = linear_model.LogisticRegression().fit(X, Y)
        ev = evaluate(Y, {"lr": clf}, X=X, application=costs, recalibrate=False, rng=0)
        assert ev["lr"].confusion.counts[:, 1].sum() == 0
        assert ev["lr"].cost == pytest.approx((clf.predict(X) != Y).mean())

    def test_what_decides_by_cost_is_asked_for_its_decisions(self):
        from stakes.integrations.sklearn import BayesDecisionClassifier

        app = Application(COSTS, priors=[0.6, 0.4])
        clf = BayesDecisionClassifier(linear_model.LogisticRegression(), app).fit(X, Y)
        ev = evaluate(Y, {"lr": clf}, X=X, application=app, rng=0)
        assert ev["lr"].kind == "decisions"
        expected = stakes.expected_cost(Y, clf.predict(X), application=app)
        assert ev["lr"].cost == pytest.approx(expected)

    def test_what_cannot_be_asked(self):
        clf = linear_model.RidgeClassifier().fit(X, Y)
        with pytest.raises(DataError, match=r"model 'r': RidgeClassifier gives no probabilities"):
            evaluate(Y, {"r": clf}, X=X, application=COSTS)
        with pytest.raises(DataError, match="is an estimator, so I need the cases"):
            evaluate(Y, {"r": clf}, application=COSTS)
        with pytest.raises(DataError, match="none of the models is one"):
            evaluate(Y, {"m": RIGHT}, X=X, application=COSTS)
