import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix, ScoreCounts
from stakes.calibration import best_class_weights
from stakes.exceptions import DataError
from stakes.metrics import min_cost


class TestBestClassWeights:
    @given(st.integers(0, 10**6))
    def test_two_classes_reach_the_minimum_cost(self, seed):
        rng = np.random.default_rng(seed)
        y = np.append(rng.integers(0, 2, 20), [0, 1])
        p = rng.integers(1, 40, 22) / 40
        app = Application(CostMatrix([[0, 1], [3, 0]]), priors=[0.6, 0.4])
        found = best_class_weights(y, p, application=app)
        counts = ScoreCounts.from_scores(y, p, kind="posterior")
        assert found.cost == pytest.approx(min_cost(counts, app))

    def test_repairs_a_wrong_prior_of_three_classes(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 3000)
        logits = rng.normal(size=(3000, 3)) + 2 * np.eye(3)[y]
        wrong = np.exp(2 * logits + [0.0, 3.0, -2.0])  # 2 is the slope of calibrated logits
        right = np.exp(2 * logits)
        wrong, right = (p / p.sum(axis=1, keepdims=True) for p in (wrong, right))
        app = Application(CostMatrix.zero_one(3))
        found = best_class_weights(y, wrong, application=app)
        honest = (right.argmax(axis=1) != y).mean()
        assert found.actual > honest + 0.1
        assert found.cost <= honest + 1e-12
        decided = found.decisions(wrong, app.costs)
        assert (decided != y).mean() == pytest.approx(found.cost)

    @given(st.integers(0, 10**6))
    def test_never_above_the_actual_cost(self, seed):
        rng = np.random.default_rng(seed)
        y = np.append(rng.integers(0, 3, 12), [0, 1, 2])
        p = rng.dirichlet(np.ones(3), 15)
        costs = rng.random((3, 4)).round(2)
        app = Application(CostMatrix(costs, decisions=list("abcd"), classes=[0, 1, 2]))
        found = best_class_weights(y, p, application=app)
        assert found.cost <= found.actual + 1e-12

    def test_abstention_is_a_decision_like_others(self):
        app = Application(CostMatrix.zero_one(3).with_abstention(0.2, name="ask"))
        found = best_class_weights([0, 1, 2], np.full((3, 3), 1 / 3), application=app)
        assert found.cost == pytest.approx(0.2)


def test_decisions_from_one_column_as_from_two():
    app = Application([[0, 1], [1, 0]])
    said = np.array([0.1, 0.2, 0.3, 0.4])
    found = best_class_weights([0, 0, 1, 1], said, application=app)
    assert found.decisions(said, app).tolist() == [0, 0, 1, 1]
    assert found.decisions(np.column_stack([1 - said, said]), app).tolist() == [0, 0, 1, 1]


def test_a_class_with_a_prior_but_no_case_is_named():
    app = Application(CostMatrix(1 - np.eye(3), classes=["a", "b", "c"]), [0.2, 0.3, 0.5])
    posteriors = np.array([[0.6, 0.2, 0.2], [0.1, 0.6, 0.3], [0.3, 0.4, 0.3]])
    with pytest.raises(DataError, match="no case of class 'c'"):
        best_class_weights(["a", "b", "b"], posteriors, application=app)
    with pytest.raises(DataError, match="no case of class 'c'"):  # weight 0 is no case
        best_class_weights(
            ["a", "b", "c"], posteriors, application=app, sample_weight=[1.0, 1.0, 0.0]
        )
    free = Application(app.costs)
    assert best_class_weights(["a", "b", "b"], posteriors, application=free).cost == 0.0
