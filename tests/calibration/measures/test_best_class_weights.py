import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix, ScoreCounts
from stakes.calibration import Affine, best_class_weights, cross_fit
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.metrics import expected_cost, min_cost


def grid_search(y, posteriors, costs, shares, steps=49):
    """Least cost over a grid of weights of three classes."""
    at = np.exp(np.linspace(-6.0, 6.0, steps))
    weights = np.stack(np.meshgrid([1.0], at, at), axis=-1).reshape(-1, 3)
    taken = np.einsum("nk,wk,kd->wnd", posteriors, weights, costs).argmin(axis=2)
    return (costs[y, taken] @ shares).min()


def three_classes(seed):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1, 2], rng.integers(0, 3, rng.integers(5, 25)))
    posteriors = np.exp(1.5 * rng.normal(size=(len(y), 3)) + np.eye(3)[y])
    costs = rng.random((3, 3 + seed % 2))
    return y, posteriors / posteriors.sum(axis=1, keepdims=True), costs


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

    def test_against_a_grid_of_weights(self):
        stuck = 0
        for seed in range(12):
            y, posteriors, costs = three_classes(seed)
            app = Application(CostMatrix(costs))
            least = grid_search(y, posteriors, costs, np.full(len(y), 1 / len(y)))
            assert best_class_weights(y, posteriors, application=app).cost <= least + 1e-12, seed
            alone = best_class_weights(y, posteriors, application=app, starts=0)
            stuck += alone.cost > least + 1e-12
        assert stuck > 0

    @pytest.mark.parametrize("starts", [-1, 2.5, True, None, "3"])
    def test_starts_are_a_whole_number(self, starts):
        with pytest.raises(DataError, match="`starts` must be a whole number"):
            best_class_weights(
                [0, 1], [0.2, 0.7], application=Application([[0, 1], [1, 0]]), starts=starts
            )

    def test_starts_on_a_sample_lead_to_all_cases(self):
        """Not above what the thresholds of a wrong prior reach on 4000 cases."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 4000)
        right = np.exp(2 * (rng.normal(size=(4000, 3)) + 2 * np.eye(3)[y]))
        wrong = right * [1.0, 30.0, 0.1]
        wrong /= wrong.sum(axis=1, keepdims=True)
        costs = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
        found = best_class_weights(y, wrong, application=Application(CostMatrix(costs)))
        honest = costs[y, (right @ costs).argmin(axis=1)].mean()
        assert found.cost <= honest + 1e-12
        again = best_class_weights(y, wrong, application=Application(CostMatrix(costs)))
        assert again.weights.tolist() == found.weights.tolist()

    @pytest.mark.parametrize(
        ("y", "whole", "costs"),
        [
            (
                [2, 1, 0, 0, 2],
                [[2, 3, 0], [1, 0, 0], [2, 3, 2], [2, 2, 2], [0, 2, 1]],
                [[2, 3, 2, 3], [0, 3, 2, 0], [2, 0, 2, 3]],
            ),
            (
                [1, 0, 2, 1, 1, 2],
                [[2, 3, 3], [2, 1, 2], [3, 2, 3], [0, 3, 2], [0, 0, 1], [2, 0, 0]],
                [[1, 3], [3, 3], [2, 0]],
            ),
        ],
    )
    def test_cost_at_ties_is_that_of_the_decisions(self, y, whole, costs):
        posteriors = np.array(whole) / np.sum(whole, axis=1, keepdims=True)
        app = Application(CostMatrix(costs))
        found = best_class_weights(y, posteriors, application=app)
        taken = found.decisions(posteriors, app.costs)
        assert found.cost == pytest.approx(np.array(costs)[y, taken].mean())

    @given(st.integers(0, 10**6))
    def test_costs_are_those_of_the_decisions(self, seed):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(2, 4))
        y = np.append(np.arange(size), rng.integers(0, size, 8))
        whole = rng.integers(0, 4, (len(y), size)) + np.eye(size)[y]
        posteriors = whole / whole.sum(axis=1, keepdims=True)
        costs = rng.integers(0, 4, (size, int(rng.integers(2, 5))))
        app = Application(CostMatrix(costs), priors=rng.dirichlet(np.full(size, 5.0)))
        found = best_class_weights(y, posteriors, application=app)
        shares = (app.priors / np.bincount(y))[y]
        taken = found.decisions(posteriors, app.costs)
        assert found.cost == pytest.approx(shares @ costs[y, taken])
        plain = bayes_decisions(posteriors, app.costs)
        assert found.actual == pytest.approx(shares @ costs[y, plain])
        assert found.cost <= found.actual

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


class TestBesideCalibration:
    def made_up(self, n=300):
        rng = np.random.default_rng(0)
        y = np.append([0, 1, 2], rng.integers(0, 3, n - 3))
        posteriors = np.exp(3 * rng.normal(size=(n, 3)) + 3 * np.eye(3)[y] + [0.0, 2.0, -1.0])
        return y, posteriors / posteriors.sum(axis=1, keepdims=True), rng.integers(1, 4, n)

    @pytest.mark.parametrize("priors", [None, [0.7, 0.2, 0.1]])
    def test_calibrated_cost_against_cross_fitting_by_hand(self, priors):
        y, posteriors, weights = self.made_up()
        costs = np.array([[0.0, 1.0, 2.0, 0.4], [5.0, 0.0, 1.0, 0.4], [3.0, 1.0, 0.0, 0.4]])
        app = Application(CostMatrix(costs), priors=priors, unit="EUR")
        found = best_class_weights(
            y, posteriors, application=app, sample_weight=weights, calibrator=Affine()
        )
        moved = cross_fit(
            y, np.log(posteriors), calibrator=Affine(priors=priors), sample_weight=weights
        )
        taken = (moved @ costs).argmin(axis=1)
        mass = np.bincount(y, weights=weights)
        shares = weights * ((mass / mass.sum() if priors is None else priors) / mass)[y]
        assert found.calibrated == pytest.approx(shares @ costs[y, taken])
        assert found.calibrated == pytest.approx(
            expected_cost(y, taken, application=app, sample_weight=weights)
        )
        bare = best_class_weights(y, posteriors, application=app, sample_weight=weights)
        assert (bare.cost, bare.actual, bare.calibrated) == (found.cost, found.actual, None)

    def test_side_by_side(self):
        y, posteriors, _ = self.made_up()
        app = Application(CostMatrix.zero_one(3), unit="EUR")
        found = best_class_weights(y, posteriors, application=app, calibrator=Affine(), folds=3)
        frame = found.frame()
        assert frame["rule"].tolist() == [
            "as is",
            "class weights of least cost",
            "affine calibration",
        ]
        assert frame["cost"].tolist() == [found.actual, found.cost, found.calibrated]
        assert frame["fitting"].tolist()[1:] == [
            "optimistic: fitted on the same cases",
            "cross-fitted",
        ]
        for cost in frame["cost"].tolist():
            assert f"{cost:.4g} EUR" in found.text
        assert "optimistic" in found.text
        assert f"calibrated {found.calibrated:.4g}" in repr(found)

    def test_without_a_calibrator_the_text_says_what_to_type(self):
        y, posteriors, _ = self.made_up()
        found = best_class_weights(y, posteriors, application=Application(CostMatrix.zero_one(3)))
        assert "calibrator=Affine()" in found.text
        assert found.frame()["rule"].tolist() == ["as is", "class weights of least cost"]

    def test_too_small_weights_leave_calibration_open(self):
        y, posteriors, _ = self.made_up()
        found = best_class_weights(
            y,
            posteriors,
            application=Application(CostMatrix.zero_one(3)),
            sample_weight=np.full(300, 1e-3),
            calibrator=Affine(),
        )
        assert "is not known" in found.text

    def test_only_calibrators(self):
        y, posteriors, _ = self.made_up()
        with pytest.raises(DataError, match="a calibrator is needed"):
            best_class_weights(
                y, posteriors, application=Application(CostMatrix.zero_one(3)), calibrator="affine"
            )
