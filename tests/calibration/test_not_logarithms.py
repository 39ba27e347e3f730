import numpy as np
import pytest
from scipy.special import expit, softmax

from stakes import Posteriors
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Beta,
    Gaussian,
    Histogram,
    Isotonic,
    Logistic,
    Rank,
    Smooth,
    Temperature,
    VennAbers,
    calibration_gain,
    cross_fit,
    decompose,
    fit_on_test,
    worst_case_gain,
)
from stakes.exceptions import DataError, PosteriorError


def table(n=300, size=5, seed=0):
    """Posteriors (n, size) and true classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, size, n)
    return softmax(2 * rng.normal(size=(n, size)) + 3 * np.eye(size)[y], axis=1), y


def column(n=300, seed=0):
    """Log odds and true classes."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return 3 * (rng.normal(size=n) + 2 * y - 1), y


ROUNDED = {
    "float32": lambda p: p.astype(np.float32),
    "float16": lambda p: p.astype(np.float16),
    "2 decimals": lambda p: p.round(2),
    "3 decimals": lambda p: p.round(3),
    "4 decimals": lambda p: p.round(4),
}


class TestRows:
    @pytest.mark.parametrize("size", [2, 5, 20, 200])
    @pytest.mark.parametrize("how", ROUNDED)
    def test_rounded_probabilities_are_refused(self, how, size):
        p, y = table(size=size)
        with pytest.raises(PosteriorError, match="so they are probabilities") as caught:
            calibration_gain(y, ROUNDED[how](p))
        assert "Posteriors(p)" in str(caught.value)

    @pytest.mark.parametrize("sum_of_row", [1 + 2e-5, 0.4, 0.0])
    def test_one_row_that_does_not_add_to_one_changes_nothing(self, sum_of_row):
        p, y = table()
        p[7] *= sum_of_row
        with pytest.raises(PosteriorError, match=r"(299|300) of them"):
            Affine().fit(p, y)

    def test_logits_in_the_unit_interval_are_logits(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 3, 200)
        logits = 0.5 * rng.random((200, 3)) + 0.5 * np.eye(3)[y]
        assert Affine().fit(logits, y).posteriors(logits).shape == (200, 3)

    def test_a_few_logits_that_add_to_about_one_are_applied(self):
        """In single cases that happens by chance; probabilities add to 1 to the last digit."""
        p, y = table(size=2)
        cal = Affine().fit(np.log(p), y)
        assert cal.posteriors([[0.35, 0.66]]).shape == (1, 2)
        with pytest.raises(PosteriorError, match="probabilities"):
            cal.posteriors([[0.35, 0.65]])

    def test_log_posteriors_of_rounded_probabilities_are_taken(self):
        p, y = table()
        assert calibration_gain(y, np.log(np.maximum(p.round(3), 1e-3))).before > 0


class TestColumns:
    @pytest.mark.parametrize(
        "function",
        [
            calibration_gain,
            worst_case_gain,
            decompose,
            lambda y, p: Affine().fit(p, y),
            lambda y, p: Temperature().fit(p, y),
            lambda y, p: Beta().fit(p, y),
            lambda y, p: Average().fit(p, y),
            lambda y, p: Automatic().fit(p, y),
            lambda y, p: Automatic([Isotonic(), Beta()]).fit(p, y),
            lambda y, p: cross_fit(y, p, calibrator=Affine()),
            lambda y, p: fit_on_test(y, p, calibrator=Affine()),
        ],
    )
    def test_probabilities_are_refused_where_the_scale_counts(self, function):
        scores, y = column()
        with pytest.raises(DataError, match=r"must be log odds; all 300 lie in \[0, 1\]") as caught:
            function(y, expit(scores))
        assert "Posteriors(p)" in str(caught.value)
        assert "log odds all the same: " in str(caught.value)

    @pytest.mark.parametrize(
        "cal",
        [
            Isotonic(),
            Rank(),
            VennAbers(),
            Histogram(),
            Smooth(),
            Gaussian(),
            Logistic(),
            Average([Isotonic(), Rank()]),
            Automatic([Isotonic(), Rank()]),
        ],
        ids=lambda cal: cal.kind,
    )
    def test_scores_on_a_scale_of_their_own_are_taken(self, cal):
        scores, y = column()
        assert cal.fit(expit(scores), y).posteriors(expit(scores)).shape == (300, 2)
        assert cross_fit(y, expit(scores), calibrator=cal.unfitted()).shape == (300, 2)

    def test_posteriors_give_the_answer_of_log_odds(self):
        scores, y = column()
        right, given = calibration_gain(y, scores), Posteriors(expit(scores))
        assert calibration_gain(y, given).before == pytest.approx(right.before)
        assert calibration_gain(y, given).after == pytest.approx(right.after)

    def test_log_odds_in_the_unit_interval_are_taken_when_said(self):
        rng = np.random.default_rng(0)
        scores = rng.random(100)
        y = (rng.random(100) < expit(scores)).astype(int)
        said = Posteriors.from_logits(scores)
        chance = expit(scores)
        expected = -np.log(np.where(y == 1, chance, 1 - chance)).mean()
        assert calibration_gain(y, said).before == pytest.approx(expected)
        assert decompose(y, said).total == pytest.approx(expected)
        assert Affine().fit(said, y).posteriors(said).shape == (100, 2)
        gain = worst_case_gain(y, scores, kind="log_odds").gain
        assert gain == pytest.approx(worst_case_gain(y, said).gain)

    def test_few_cases_or_values_in_the_unit_interval_are_taken(self):
        assert Affine().fit([0.1, 0.6, 0.4, 0.9], [0, 0, 1, 1]).classes == (0, 1)
        says, y = np.arange(100) % 2, (np.arange(100) % 3 == 0).astype(int)
        assert calibration_gain(y, says).before > 0

    def test_applied_to_any_scores(self):
        """Cases in a narrow range are no news once the scale is known."""
        scores, y = column()
        cal = Affine().fit(scores, y)
        assert cal.posteriors(np.linspace(0, 1, 101)).shape == (101, 2)

    def test_single_precision_may_pass_one(self):
        scores, y = column()
        p = np.maximum(expit(scores), 1e-6).astype(np.float32)
        p[3] = np.nextafter(np.float32(1), np.float32(2))
        with pytest.raises(DataError, match="must be log odds"):
            Affine().fit(p, y)


class TestOfWhatIsAsked:
    """Cases of weight 0 are absent, what was learnt is applied, and a fitted scale is kept."""

    @pytest.mark.parametrize(
        "function",
        [
            lambda y, s, w: Affine().fit(s, y, sample_weight=w),
            lambda y, s, w: Automatic([Affine(), Beta()]).fit(s, y, sample_weight=w),
            lambda y, s, w: cross_fit(y, s, calibrator=Affine(), sample_weight=w),
            lambda y, s, w: calibration_gain(y, s, sample_weight=w),
            lambda y, s, w: decompose(y, s, sample_weight=w),
            lambda y, s, w: worst_case_gain(y, s, sample_weight=w),
        ],
    )
    def test_cases_without_weight_do_not_hide_probabilities(self, function):
        scores, y = column()
        p, w = expit(scores), np.ones(300)
        p[:2], w[:2] = [-4.0, 4.0], 0.0
        with pytest.raises(DataError, match="must be log odds; all 298"):
            function(y, p, w)

    def test_rows_without_weight_do_not_hide_probabilities(self):
        p, y = table()
        w = np.ones(300)
        p[:30], w[:30] = np.log(p[:30]), 0.0
        with pytest.raises(PosteriorError, match="all 270 rows"):
            Affine().fit(p, y, sample_weight=w)

    def test_cases_without_weight_do_not_make_probabilities(self):
        """Nine cases may lie in [0, 1] by chance; more of weight 0 say nothing about that."""
        rng = np.random.default_rng(0)
        scores, y = rng.random(40), np.arange(40) % 2
        few = np.arange(40) < 9
        weighted = Affine().fit(scores, y, sample_weight=few.astype(float))
        alone = Affine().fit(scores[few], y[few])
        assert weighted.posteriors(scores) == pytest.approx(alone.posteriors(scores))

    def test_rounded_rows_are_logits_when_that_is_said(self):
        rng = np.random.default_rng(0)
        p, y = table(size=2)
        near = rng.random(30)
        logits = np.column_stack([near, 1.0 + rng.uniform(-0.01, 0.01, 30) - near]).clip(0, 1)
        assert Affine().fit(np.log(p), y).posteriors(logits[:4]).shape == (4, 2)
        with pytest.raises(PosteriorError, match=r"Posteriors\.from_logits\(scores\)"):
            Affine().fit(logits, y[:30])
        given = Posteriors.from_logits(logits)
        said = Affine().fit(given, y[:30])
        shifted = Affine().fit(logits - 5.0, y[:30])
        assert said.posteriors(given) == pytest.approx(shifted.posteriors(logits - 5.0), abs=1e-6)

    def test_the_hint_for_a_calibrator_fitted_on_probabilities(self):
        """It was fitted on p: applied to the log odds of p it would give other numbers."""
        scores, y = column()
        p, new = expit(scores), expit(column(seed=1)[0])
        truth = column(seed=1)[1]
        fitted = Logistic().fit(p, y)
        with pytest.raises(DataError, match="fitted on p itself") as caught:
            calibration_gain(truth, new, calibrator=fitted, fitted=True)
        assert "calibrator.fit(Posteriors(p), y_true)" in str(caught.value)
        fitted.fit(Posteriors(p), y)
        worth = calibration_gain(truth, Posteriors(new), calibrator=fitted, fitted=True)
        after = Logistic().fit(scores, y).posteriors(column(seed=1)[0])[:, 1]
        for found, chance in ((worth.before, new), (worth.after, after)):
            expected = -np.log(np.where(truth == 1, chance, 1 - chance)).mean()
            assert found == pytest.approx(expected, rel=1e-6)
