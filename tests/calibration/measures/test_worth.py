import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, ndtri
from scipy.stats import norm

from stakes import Application, CostMatrix
from stakes.calibration import (
    Affine,
    Automatic,
    Isotonic,
    Temperature,
    calibration_gain,
    cross_fit,
)
from stakes.exceptions import DataError
from stakes.metrics import BetaWeight


def made_up(n=2000, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return scale * (2 * rng.normal(size=n) + np.where(y == 1, 2.0, -2.0) + np.log(3 / 7)), y


class TestProperScores:
    def test_cross_entropy_by_hand(self):
        scores, y = made_up(scale=3.0)
        found = calibration_gain(y, scores)
        p = expit(scores)
        before = -np.log(np.where(y == 1, p, 1 - p)).mean()
        after = -np.log(cross_fit(y, scores, calibrator=Affine())[np.arange(len(y)), y]).mean()
        assert found.before == pytest.approx(before)
        assert found.after == pytest.approx(after)
        assert found.gain == pytest.approx(before - after)
        assert found.relative == pytest.approx(1 - after / before)
        assert found.fitting == "cross-fitted"

    def test_brier_by_hand(self):
        scores, y = made_up(scale=3.0)
        found = calibration_gain(y, scores, by="brier")
        assert found.before == pytest.approx(2 * np.mean((expit(scores) - y) ** 2))

    def test_average_cost_has_its_article(self):
        scores, y = made_up(scale=3.0)
        assert " off an average cost of " in calibration_gain(y, scores, by=BetaWeight(2, 2)).text

    def test_calibrated_scores_gain_nothing(self):
        scores, y = made_up(20_000)
        found = calibration_gain(y, scores)
        assert abs(found.relative) < 0.002
        assert found.interval[0] < 0 < found.interval[1] or found.gain < 0

    def test_can_be_negative_and_is_shown(self):
        scores, y = made_up(60)
        found = calibration_gain(y, scores, calibrator=Isotonic())
        assert found.gain < 0
        assert "would add" in found.text

    def test_optimistic_is_labelled(self):
        scores, y = made_up(scale=3.0)
        found = calibration_gain(y, scores, optimistic=True)
        assert found.fitting.startswith("optimistic")
        assert found.after <= calibration_gain(y, scores).after

    def test_held_out_calibrator(self):
        scores, y = made_up(scale=3.0)
        other = Affine().fit(*made_up(seed=1, scale=3.0))
        found = calibration_gain(y, scores, calibrator=other, fitted=True)
        assert found.fitting == "held out"
        assert found.gain > 0.05

    def test_held_out_needs_a_fit(self):
        with pytest.raises(DataError, match="fitted"):
            calibration_gain(*made_up()[::-1], calibrator=Affine(), fitted=True)

    def test_unknown_measure_raises(self):
        with pytest.raises(DataError, match="`by`"):
            calibration_gain([0, 1], [0.0, 1.0], by="f1")

    def test_level_must_be_a_share(self):
        with pytest.raises(DataError, match="level"):
            calibration_gain(*made_up()[::-1], level=95)


class TestCosts:
    app = Application(CostMatrix([[0, 1], [10, 0]]), priors=[0.95, 0.05], unit="EUR")

    def test_application_by_hand(self):
        """Scores are moved to the application's priors, costs averaged under them."""
        scores, y = made_up(scale=3.0)
        found = calibration_gain(y, scores, by=self.app)
        share = np.bincount(y) / len(y)
        odds = scores + np.log(0.05 / 0.95) - np.log(share[1] / share[0])
        decisions = (expit(odds) > 1 / 11).astype(int)
        costs = self.app.costs.values[y, decisions]
        assert found.before == pytest.approx(
            0.95 * costs[y == 0].mean() + 0.05 * costs[y == 1].mean()
        )
        assert "EUR" in found.text

    def test_interval_covers_the_mean_of_many_samples(self):
        runs = [
            calibration_gain(*made_up(400, seed, scale=3.0)[::-1], by=self.app, level=0.9)
            for seed in range(60)
        ]
        centre = np.mean([run.gain for run in runs])
        held = sum(run.interval[0] <= centre <= run.interval[1] for run in runs)
        assert held / len(runs) > 0.75

    def test_groups_widen_the_interval(self):
        scores, y = made_up(100, scale=3.0)
        groups = np.repeat(np.arange(100), 20)
        many = np.repeat(scores, 20), np.repeat(y, 20)
        alone = calibration_gain(many[1], many[0], calibrator=Affine(), optimistic=True)
        grouped = calibration_gain(
            many[1], many[0], calibrator=Affine(), optimistic=True, groups=groups
        )
        ratio = np.diff(grouped.interval) / np.diff(alone.interval)
        few, many = stats.t.ppf(0.975, 99), stats.t.ppf(0.975, 1999)
        assert ratio[0] == pytest.approx(np.sqrt(20) * few / many, rel=1e-6)

    def test_what_it_would_add_has_an_interval_of_that_sign(self):
        scores, y = made_up(400)
        worse = Affine().fit(-scores, y)
        found = calibration_gain(y, scores, calibrator=worse, fitted=True)
        low, high = found.interval
        assert high < 0
        assert f"would add {-found.gain:.4g} ({-high:.4g} to {-low:.4g}) to" in found.text


def test_infinite_loss_has_no_interval():
    scores, y = made_up(50)
    scores[0], y[0] = np.inf, 0
    found = calibration_gain(y, scores, calibrator=Isotonic())
    assert found.before == np.inf
    assert np.isnan(found.interval[0])


def test_frame_has_one_row():
    assert calibration_gain(*made_up()[::-1]).frame().shape[0] == 1


def test_held_out_cases_of_one_class_are_read_by_the_names_of_the_fit():
    cal = Affine().fit([-1.0, 1.0, 0.5, 2.0], ["no", "no", "yes", "yes"])
    found = calibration_gain(["yes", "yes"], [1.0, 2.0], calibrator=cal, fitted=True)
    assert found.after == pytest.approx(-cal.log_posteriors([1.0, 2.0])[:, 1].mean())


def test_sentence_leaves_out_what_is_not_a_number():
    worth = calibration_gain([0, 1] * 10, [50.0, -np.inf] * 10, calibrator=Isotonic())
    assert worth.before == np.inf
    assert "nan" not in worth.text


@pytest.mark.parametrize("given", ["affine", Affine])
def test_what_is_no_calibrator_is_refused(given):
    with pytest.raises(DataError, match=r"such as Affine\(\)"):
        calibration_gain([0, 1], [-1.0, 1.0], calibrator=given)
    with pytest.raises(DataError, match=r"such as Affine\(\)"):
        cross_fit([0, 1], [-1.0, 1.0], calibrator=given)


def test_held_out_posteriors_do_not_know_the_shares_of_the_cases():
    cal = Affine().fit(*made_up())
    scores, y = made_up(500, seed=5)
    kept = np.flatnonzero((y == 1) | (np.arange(500) % 4 == 0))
    found = calibration_gain(y[kept], scores[kept], calibrator=cal, fitted=True)
    own = cal.log_posteriors(scores[kept])[np.arange(len(kept)), y[kept]]
    assert found.after == pytest.approx(-own.mean())


class TestUnseenErrors:
    """A dear error that was not seen is not impossible."""

    @pytest.mark.parametrize("positives", [3, 10, 30, 100])
    def test_coverage_for_a_rare_dear_class(self, positives):
        """Against the gain by the normal distribution of the scores, the map being fixed."""
        app = Application([[0, 1], [1000, 0]])
        y = (np.arange(5000) < positives).astype(int)
        rng = np.random.default_rng(positives)
        cal = Affine().fit(rng.normal(size=5000) + 3 * y - 8, y)
        weight, bias = np.polyfit([-9.0, -5.0], np.diff(cal.log_posteriors([-9.0, -5.0]))[:, 0], 1)

        def cost(threshold):
            alarm, miss = norm.sf(threshold + 8), 1000 * norm.cdf(threshold + 5)
            return alarm * (y == 0).mean() + miss * (y == 1).mean()

        act = np.log(1 / 1000)
        truth = cost(act) - cost((act - bias) / weight)
        held = 0
        for _ in range(100):
            scores = rng.normal(size=5000) + 3 * y - 8
            low, high = calibration_gain(y, scores, by=app, calibrator=cal, fitted=True).interval
            held += low <= truth <= high
        assert held >= 93

    def test_many_classes_are_not_all_taken_for_the_worst(self):
        """Fifty classes of twenty cases: hardly wider than the variation between cases."""
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(50), 20)
        logits = 2 * rng.normal(size=(1000, 50)) + 3 * np.eye(50)[y]
        logits[:, :5] += 3.0  # said too often
        app = Application(1 - np.eye(50))
        found = calibration_gain(y, logits, by=app)
        after = cross_fit(y, logits, calibrator=Affine()).argmax(axis=1)
        change = (logits.argmax(axis=1) != y) * 1.0 - (after != y)
        half = ndtri(0.975) * change.std() / np.sqrt(1000)
        assert 1.0 < np.diff(found.interval)[0] / (2 * half) < 1.1

    def test_three_cases_do_not_tell(self):
        y = (np.arange(5000) < 3).astype(int)
        scores = np.random.default_rng(0).normal(size=5000) + 3 * y - 8
        found = calibration_gain(y, scores, by=Application([[0, 1], [1000, 0]]))
        assert found.interval[0] < 0 < found.gain < found.interval[1]
        assert found.text.endswith("The cases do not tell whether it pays.")

    def test_hundreds_of_cases_tell_as_before(self):
        scores, y = made_up(4000, scale=3.0)
        app = Application([[0, 1], [10, 0]])
        found = calibration_gain(y, scores, by=app)
        plain = expit(scores) > 1 / 11
        mapped = cross_fit(y, scores, calibrator=Affine())[:, 1] > 1 / 11
        change = app.costs.values[y, plain * 1] - app.costs.values[y, mapped * 1]
        half = ndtri(0.975) * change.std() / np.sqrt(4000)
        assert 1.0 < np.diff(found.interval)[0] / (2 * half) < 1.1
        assert "do not tell" not in found.text

    def test_heavy_cases_and_groups_count_as_few(self):
        scores, y = made_up(60, scale=3.0)
        app = Application([[0, 1], [10, 0]])
        alone = calibration_gain(y, scores, by=app, optimistic=True)
        many = np.repeat(scores, 20), np.repeat(y, 20), np.repeat(np.arange(60), 20)
        again = calibration_gain(many[1], many[0], by=app, optimistic=True, groups=many[2])
        np.testing.assert_allclose(again.interval, alone.interval)
        heavy = calibration_gain(y, scores, by=app, optimistic=True, sample_weight=np.full(60, 7))
        np.testing.assert_allclose(heavy.interval, alone.interval)


def test_a_class_the_calibrator_never_saw_cannot_be_moved_to_priors():
    logits = np.tile([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.5]], (4, 1))
    cal = Temperature(classes=["a", "b", "c"]).fit(logits, ["a", "b", "b"] * 4)
    app = Application(CostMatrix(1 - np.eye(3), classes=["a", "b", "c"]), [0.2, 0.3, 0.5])
    with pytest.raises(DataError, match=r"without a case of class .c"):
        calibration_gain(["a", "b", "c"] * 4, logits, by=app, calibrator=cal, fitted=True)


def test_groups_may_be_of_mixed_kinds():
    scores, y = made_up(200, scale=3.0)
    mixed = [k // 4 if k % 8 < 4 else f"p{k // 4}" for k in range(200)]
    found = calibration_gain(y, scores, groups=mixed, optimistic=True)
    plain = calibration_gain(y, scores, groups=np.arange(200) // 4, optimistic=True)
    np.testing.assert_allclose(found.interval, plain.interval)
    assert calibration_gain(y, scores, groups=mixed).fitting == "cross-fitted"


def test_a_single_impossible_case_is_one_case():
    scores, y = made_up()
    scores[0] = np.where(y[0] == 1, -np.inf, np.inf)
    text = calibration_gain(y, scores, calibrator=Affine(bound="data")).text
    assert "a posterior of 0 in 1 case as is (row 0 first)" in text


class TestWeightsThatAreTooSmall:
    @pytest.mark.parametrize("total", [1.0, 150.0])
    def test_nothing_is_claimed(self, total):
        scores, y = made_up(scale=3.0)
        weights = np.full(len(y), total / len(y))
        text = calibration_gain(y, scores, sample_weight=weights).text
        assert text.startswith("What calibrating would take off the cross-entropy is not known.")
        assert f"The weights of 2000 cases add up to {total:g}" in text
        assert "multiply them so that their mean is 1" in text

    def test_neither_by_the_automatic_choice(self):
        scores, y = made_up(300, scale=3.0)
        cal = Automatic([Affine(), Temperature()])
        cal.fit(scores, y, sample_weight=np.full(300, 1 / 300))
        assert cal.why.startswith(f"{cal.chosen.kind}, but the comparison tells nothing. ")
        assert "The weights of 300 cases add up to 1," in cal.why

    @pytest.mark.parametrize("weight", [0.2, 1.0, 7.0])
    def test_other_weights_are_spoken_of_as_ever(self, weight):
        scores, y = made_up(scale=3.0)
        found = calibration_gain(y, scores, sample_weight=np.full(len(y), weight))
        assert found.doubt == ""
        assert found.text.startswith("Calibrating (affine, cross-fitted) would take ")

    def test_rows_of_weight_0_do_not_count(self):
        scores, y = made_up(scale=3.0)
        weights = np.where(np.arange(len(y)) < 100, 1.0, 0.0)
        assert calibration_gain(y, scores, sample_weight=weights).doubt == ""

    def test_a_calibrator_that_was_fitted_elsewhere_is_judged(self):
        scores, y = made_up(scale=3.0)
        cal = Affine().fit(*made_up(seed=1, scale=3.0))
        weights = np.full(len(y), 1 / len(y))
        found = calibration_gain(y, scores, calibrator=cal, fitted=True, sample_weight=weights)
        assert found.doubt == ""


def test_a_calibrator_fitted_on_these_cases_is_optimistic_when_that_is_said():
    scores, y = made_up()
    cal = Affine().fit(scores, y)
    found = calibration_gain(y, scores, calibrator=cal, fitted=True, optimistic=True)
    assert found.fitting == "optimistic: fitted on the same cases"
    assert calibration_gain(y, scores, calibrator=cal, fitted=True).fitting == "held out"
