import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from stakes.calibration import (
    Affine,
    Beta,
    Logistic,
    Temperature,
    Vector,
    calibration_gain,
    cross_fit,
    load,
)
from stakes.exceptions import DataError


def made_up(n=400, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    logits = 2 * (rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]) + rng.normal(size=k)
    return log_softmax(logits, axis=1), y


def cross_entropy(logs, y):
    return -logs[np.arange(len(y)), y].mean()


def best_affine(z, y, weights, priors_offset=0.0):
    """The reference: BFGS on the formula."""

    def loss(theta):
        logs = log_softmax(theta[0] * z + theta[1:] + priors_offset, axis=1)
        return -(weights @ logs[np.arange(len(y)), y]) / weights.sum()

    start = np.append(1.0, np.zeros(z.shape[1]))
    return minimize(loss, start, method="BFGS", options={"gtol": 1e-8}).fun


class TestAffine:
    @pytest.mark.parametrize("k", [2, 3, 6])
    def test_optimum_against_scipy(self, k):
        z, y = made_up(k=k)
        cal = Affine().fit(z, y)
        value = cross_entropy(cal.log_posteriors(z), y)
        assert value == pytest.approx(cal.report["cross_entropy"], abs=1e-12)
        assert abs(value - best_affine(z, y, np.ones(len(y)))) < 1e-9

    def test_recovers_scale_and_biases(self):
        """Scores made by inverting a known affine map of calibrated posteriors."""
        rng = np.random.default_rng(0)
        truth = log_softmax(1.5 * rng.normal(size=(200_000, 3)), axis=1)
        y = (
            truth.cumsum(axis=1) * 0 + np.exp(truth).cumsum(axis=1) < rng.random((200_000, 1))
        ).sum(1)
        bias = np.array([0.5, -0.2, -0.3])
        cal = Affine().fit((truth - bias) / 0.4, y)
        assert cal.scale == pytest.approx(0.4, abs=0.01)
        np.testing.assert_allclose(cal.biases, bias, atol=0.03)

    def test_priors_weight_the_classes(self):
        z, y = made_up(k=3)
        priors = np.array([0.7, 0.2, 0.1])
        weights = (priors / (np.bincount(y) / len(y)))[y]
        cal = Affine(priors=priors).fit(z, y)
        value = -(weights @ cal.log_posteriors(z)[np.arange(len(y)), y]) / weights.sum()
        assert abs(value - best_affine(z, y, weights)) < 1e-9

    def test_mean_posterior_is_the_prior(self):
        """The gradient in the biases is 0 exactly there."""
        z, y = made_up()
        mean = Affine().fit(z, y).posteriors(z).mean(axis=0)
        np.testing.assert_allclose(mean, np.bincount(y) / len(y), atol=1e-8)

    def test_logits_and_log_posteriors_agree(self):
        z, y = made_up()
        shifted = z + np.random.default_rng(0).normal(size=(len(y), 1))
        np.testing.assert_allclose(
            Affine().fit(shifted, y).posteriors(shifted),
            Affine().fit(z, y).posteriors(z),
            atol=1e-7,
        )

    def test_separable_stays_finite_and_says_so(self):
        y = np.arange(30) % 3
        cal = Affine().fit(5 * np.eye(3)[y], y)
        assert cal.report["smoothed"]
        own = cal.posteriors(5 * np.eye(3)[y])[np.arange(30), y]
        np.testing.assert_allclose(own, 1 - 2 / 3 / (10 + 2), atol=1e-6)  # the targets are met

    @pytest.mark.parametrize(("k", "each"), [(10, 30), (100, 10)])
    def test_many_separable_classes_are_doubted_like_two(self, k, each):
        """About two cases of doubt in all, so that good scores stay good."""
        y = np.arange(k * each) % k
        z = np.random.default_rng(0).normal(size=(len(y), k)) + 12 * np.eye(k)[y]
        for kind in (Affine, Temperature):
            own = kind().fit(z, y).posteriors(z)[np.arange(len(y)), y]
            assert own.mean() == pytest.approx(1 - 2 / len(y), abs=2 / len(y))

    @pytest.mark.parametrize("mark", [-1e4, -1e9, -np.inf])
    @pytest.mark.parametrize("kind", [Affine, Temperature, Vector])
    def test_marks_on_wrong_classes_of_separable_data(self, kind, mark):
        rng = np.random.default_rng(0)
        y = np.arange(300) % 10
        z = rng.normal(size=(300, 10)) + 8 * np.eye(10)[y]
        z[(rng.random(z.shape) < 0.02) & (np.eye(10)[y] == 0)] = mark
        cal = kind().fit(z, y)
        assert cal.report["smoothed"]
        assert cal.posteriors(z)[np.arange(300), y].mean() > 0.98

    def test_two_wrong_labels_of_many_are_not_separable(self):
        """Their share of the curvature is tiny, and yet the best parameters are finite."""
        y = np.arange(20_000) % 4
        z = np.random.default_rng(0).normal(size=(20_000, 4)) + 20 * np.eye(4)[y]
        y[:2] = 1 - y[:2]
        cal = Affine().fit(z, y)
        assert not cal.report["smoothed"]
        logs = cal.log_posteriors(z)
        witness = best_affine(z / 20, y, np.ones(len(y)))
        assert -logs[np.arange(len(y)), y].mean() < witness + 1e-7

    @pytest.mark.parametrize("kind", [Affine, Temperature, Vector])
    def test_steep_scores_that_order_the_wrong_way(self, kind):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 2000)
        z = -rng.normal(size=(2000, 3)) - 2 * np.eye(3)[y]
        steep, gentle = kind().fit(10 * z, y), kind().fit(z, y)
        assert steep.report["gradient"] <= 1e-8
        assert steep.scales.max() < 0
        if kind is not Vector:  # which takes logarithms of posteriors
            assert steep.report["cross_entropy"] == pytest.approx(gentle.report["cross_entropy"])

    def test_log_odds_all_on_one_side(self):
        y = np.arange(1000) % 2
        s = np.random.default_rng(0).normal(size=1000) + 2 * y - 1
        assert Temperature().fit(s + 50, y).report["cross_entropy"] < np.log(2)

    @pytest.mark.parametrize(("n", "k"), [(80_004, 4), (160_002, 2)])
    def test_classes_in_turn(self, n, k):
        """A subsample in regular steps would hold one of them only."""
        y = np.arange(n) % k
        z = np.random.default_rng(0).normal(size=(n, k)) + 3 * np.eye(k)[y]
        order = np.random.default_rng(1).permutation(n)
        for kind in (Affine, Vector):
            turns, mixed = kind().fit(z, y).report, kind().fit(z[order], y[order]).report
            assert turns["gradient"] <= 1e-8
            assert turns["cross_entropy"] == pytest.approx(mixed["cross_entropy"], abs=1e-10)

    def test_missing_class_with_smoothing(self):
        z, y = made_up(k=3)
        cal = Affine(smoothing=True).fit(z[y < 2], y[y < 2])
        assert 0 < cal.posteriors(z)[:, 2].mean() < 0.1

    def test_single_case(self):
        cal = Affine(smoothing=True).fit([[1.0, -1.0, 0.0]], [0])
        assert np.isfinite(cal.log_posteriors([[1.0, -1.0, 0.0]])).all()

    def test_float32_of_netcal_is_calibrated(self):
        """A finite-difference gradient sees no slope in float32 and returns its input."""
        z, y = made_up(n=2000, k=10)
        single = (3 * z).astype(np.float32)
        raw = cross_entropy(log_softmax(single.astype(float), axis=1), y)
        value = cross_entropy(Affine().fit(single, y).log_posteriors(single), y)
        assert abs(value - best_affine(3 * z, y, np.ones(len(y)))) < 1e-5
        assert value < raw - 0.5

    def test_against_psrcal(self):
        torch = pytest.importorskip("torch", reason="psrcal needs torch")
        calibration = pytest.importorskip("psrcal.calibration", reason="the peer is not installed")
        z, y = made_up(n=2000, k=5)
        model = calibration.AffineCalLogLoss(torch.as_tensor(z), torch.as_tensor(y))
        model.train()
        theirs = cross_entropy(model.calibrate(torch.as_tensor(z)).detach().numpy(), y)
        ours = cross_entropy(Affine().fit(z, y).log_posteriors(z), y)
        assert ours <= theirs + 1e-9
        assert abs(ours - theirs) < 1e-6


class TestTemperature:
    def test_two_scores_by_hand(self):
        """Scores of +-2 right three times in four: a * 2 = log 3."""
        cal = Temperature().fit([[2.0, 0.0]] * 4, [0, 0, 0, 1])
        assert cal.scale == pytest.approx(np.log(3) / 2)

    def test_keeps_the_most_probable_class(self):
        z, y = made_up()
        found = Temperature().fit(z, y).posteriors(z)
        np.testing.assert_array_equal(found.argmax(axis=1), z.argmax(axis=1))

    def test_missing_class_is_allowed(self):
        z, y = made_up()
        assert Temperature().fit(z[y < 3], y[y < 3]).scale > 0

    def test_against_sklearn(self):
        frozen = pytest.importorskip("sklearn.frozen", reason="needs scikit-learn 1.6 or later")
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.calibration import CalibratedClassifierCV

        z, y = made_up(n=1000)

        class Ready(ClassifierMixin, BaseEstimator):
            def fit(self, x, y):
                self.classes_ = np.unique(y)
                return self

            def decision_function(self, x):
                return x

            def predict(self, x):
                return x.argmax(axis=1)

        peer = CalibratedClassifierCV(
            frozen.FrozenEstimator(Ready().fit(z, y)), method="temperature"
        )
        try:
            peer.fit(z, y)
        except (ValueError, TypeError):
            pytest.skip("this scikit-learn has no temperature scaling")
        np.testing.assert_allclose(
            Temperature().fit(z, y).posteriors(z), peer.predict_proba(z), atol=1e-5
        )

    def test_priors_shift_the_posteriors(self):
        z, y = made_up(k=2)
        share = np.bincount(y) / len(y)
        cal = Temperature(priors=[0.9, 0.1]).fit(z, y)
        odds = np.diff(cal.log_posteriors(np.zeros((1, 2))))[0, 0]
        assert odds == pytest.approx(np.log(0.1 / 0.9) - np.log(share[1] / share[0]))


class TestVector:
    def test_never_above_affine(self):
        z, y = made_up()
        vector = cross_entropy(Vector().fit(z, y).log_posteriors(z), y)
        assert vector <= cross_entropy(Affine().fit(z, y).log_posteriors(z), y) + 1e-10

    def test_equal_scales_when_the_truth_has_them(self):
        z, y = made_up(n=50_000)
        scales = Vector().fit(z, y).scales
        assert np.ptp(scales) < 0.05


class TestNothingToLearnFrom:
    """Scores that do not vary, or not in some column; warnings are errors in these tests."""

    @pytest.mark.parametrize("kind", [Affine, Vector])
    @pytest.mark.parametrize("k", [2, 3, 5])
    @pytest.mark.parametrize("row", [0.0, 1.0])
    def test_equal_scores_leave_the_class_shares(self, kind, k, row):
        y = np.r_[np.arange(k), np.zeros(90, dtype=int)]
        scores = np.tile(row * np.arange(k), (len(y), 1)) - 0.5
        cal = kind().fit(scores, y)
        np.testing.assert_allclose(cal.scales, 0.0, atol=1e-12)
        shares = np.bincount(y) / len(y)
        elsewhere = cal.posteriors(np.eye(k) * 7)
        np.testing.assert_allclose(elsewhere, np.tile(shares, (k, 1)), atol=1e-7)
        assert cal.report["cross_entropy"] == pytest.approx(-shares @ np.log(shares))

    @pytest.mark.parametrize("kind", [Affine, Vector])
    def test_equal_scores_with_priors_and_smoothing(self, kind):
        y = [0, 0, 0, 0, 1, 2]
        moved = kind(priors=[0.2, 0.3, 0.5]).fit(np.zeros((6, 3)), y)
        np.testing.assert_allclose(moved.posteriors([[3.0, 0.0, 0.0]])[0], [0.2, 0.3, 0.5])
        smooth = kind(smoothing=True).fit(np.zeros((6, 3)), y).posteriors([[0.0, 0.0, 0.0]])[0]
        lost = np.array([4 / (4 + 2), 1 / (1 + 2), 1 / (1 + 2)]) * 2 / 3  # half to each other class
        expected = (np.array([4, 1, 1]) - lost + (lost.sum() - lost) / 2) / 6
        np.testing.assert_allclose(smooth, expected)

    @pytest.mark.parametrize("smoothing", [None, True, False])
    @pytest.mark.parametrize("n", [2, 10, 100])
    def test_vector_is_quiet_with_one_case_that_differs(self, n, smoothing):
        scores = np.zeros((n, 2))
        scores[-1] = [3.0, 0.0]
        cal = Vector(smoothing=smoothing).fit(scores, np.arange(n) % 2)
        assert np.isfinite(cal.log_posteriors(scores)).all()

    def test_vector_in_tiny_units_is_as_good_as_affine(self):
        z, y = made_up(k=3)
        small = 1e-10 * z
        loss = [cross_entropy(kind().fit(small, y).log_posteriors(small), y)
                for kind in (Vector, Affine)]  # fmt: skip
        assert loss[0] <= loss[1] + 1e-6

    def test_a_posterior_that_never_changes_keeps_an_ordinary_scale(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 300)
        share = 1 / (1 + np.exp(-rng.normal(size=300) - 2.0 * (y == 2)))
        p = np.column_stack([np.full(300, 0.25), 0.75 * (1 - share), 0.75 * share])
        cal = Vector().fit(np.log(p), y)
        assert 0.0 < cal.scales[0] < 5.0
        assert cross_entropy(cal.log_posteriors(np.log(p)), y) <= (
            cross_entropy(Affine().fit(np.log(p), y).log_posteriors(np.log(p)), y) + 1e-3
        )

    def test_temperature_of_equal_scores_is_one(self):
        cal = Temperature().fit(np.full((6, 3), 2.0), [0, 0, 1, 1, 2, 2])
        assert cal.scale == 1.0


def certain_and_noise(sign=-0.3):
    """40 cases that are certain and right, and 40 whose order is slightly worse than chance."""
    noise = np.tile([0, 1], 20)
    y = np.r_[np.repeat([0, 1], 20), noise]
    odds = np.random.default_rng(0).normal(size=40) + sign * noise
    return np.r_[np.repeat([-np.inf, np.inf], 20), odds], y


def best_within(form, scores, y, weights, offsets):
    """The reference: scales of barred classes at least 0, barred classes impossible, by SLSQP."""
    size = scores.shape[1]
    barred = np.isneginf(scores)
    x = np.where(barred, 0.0, log_softmax(scores, axis=1) if form == "vector" else scores)
    number = size if form == "vector" else 1

    def loss(theta):
        biases = offsets if form == "temperature" else np.append(theta[number:], 0.0)
        logits = np.where(barred, -np.inf, theta[:number] * x + biases)
        return -(weights @ log_softmax(logits, axis=1)[np.arange(len(y)), y]) / weights.sum()

    each = barred.any(axis=0) if form == "vector" else [barred.any()]
    limits = [(0.0 if bars else None, None) for bars in each]
    limits += [(None, None)] * (0 if form == "temperature" else size - 1)
    options = {"ftol": 1e-14, "maxiter": 1000}
    return minimize(
        loss, np.full(len(limits), 0.3), bounds=limits, method="SLSQP", options=options
    ).fun


class TestInfiniteScoresThatAreRight:
    """They forbid scales below 0, which would call the truth impossible, and scales of 0."""

    examples = (
        ([-np.inf, -np.inf, -1, 0.5, 1, -0.5, np.inf, np.inf], [0, 0, 0, 1, 0, 1, 1, 1]),
        ([-np.inf, -np.inf, -1, 1, 1, -0.5, np.inf, np.inf], [0, 0, 1, 0, 0, 1, 1, 1]),
        ([-np.inf, 2, 2, 2, np.inf], [0, 0, 1, 1, 1]),
        certain_and_noise(),
        certain_and_noise(-2.0),
    )

    @pytest.mark.parametrize("kind", [Temperature, Affine, Vector, Logistic, Beta])
    @pytest.mark.parametrize("example", range(len(examples)))
    @pytest.mark.parametrize("smoothing", [None, True, False])
    def test_they_stay_certain(self, kind, example, smoothing):
        scores, y = map(np.array, self.examples[example])
        cal = kind(smoothing=smoothing).fit(scores, y)
        own = cal.posteriors(scores)[np.arange(len(y)), y]
        assert (own[np.isinf(scores)] == 1.0).all()
        assert (own[np.isfinite(scores)] > 0.0).all()
        if kind is not Beta:
            assert cal.report["cross_entropy"] == pytest.approx(-np.log(own).mean(), abs=1e-12)

    @pytest.mark.parametrize("kind", [Affine, Logistic])
    def test_a_line_that_would_fall_is_flat(self, kind):
        scores, y = self.examples[1]
        cal = kind().fit(scores, y)
        np.testing.assert_allclose(cal.posteriors([-9.0, 0.0, 1e90]), 0.5)
        shifted = kind(priors=[0.2, 0.8]).fit(scores, y)
        np.testing.assert_allclose(shifted.posteriors([-9.0, 0.0, 1e90])[:, 1], 0.8)
        assert not cal.report["smoothed"]

    def test_finite_scores_may_still_be_turned_round(self):
        """Where none is infinite, and where the infinite ones are on another class."""
        scores, y = map(np.array, self.examples[1])
        finite = np.isfinite(scores)
        assert Affine().fit(scores[finite], y[finite]).scale < 0.0
        rng = np.random.default_rng(1)
        y = rng.integers(0, 3, 600)
        logs = rng.normal(size=(600, 3)) + [-1.0, 1.0, 1.0] * np.eye(3)[y]
        logs[(rng.random((600, 3)) < [0.0, 0.0, 0.2]) & (np.eye(3)[y] == 0)] = -np.inf
        scales = Vector().fit(logs, y).scales
        assert scales[2] > 0.0 > scales[0]

    @pytest.mark.parametrize("form", ["temperature", "affine", "vector"])
    @pytest.mark.parametrize("seed", range(8))
    def test_against_scipy_with_limits(self, form, seed):
        rng = np.random.default_rng(seed)
        size = 2 + seed % 3
        y = np.r_[np.repeat(np.arange(size), 3), rng.integers(0, size, 60)]
        sign = [-1.0, -0.3, 0.0, 0.3][seed // 2]
        scores = rng.normal(size=(len(y), size)) + sign * np.eye(size)[y]
        scores[(rng.random(scores.shape) < 0.15) & (np.eye(size)[y] == 0)] = -np.inf
        priors = np.arange(1, size + 1) / np.arange(1, size + 1).sum()
        factors = priors / (np.bincount(y) / len(y))
        kind = {"temperature": Temperature, "affine": Affine, "vector": Vector}[form]
        cal = kind(priors=priors, smoothing=False).fit(scores, y)
        expected = best_within(form, scores, y, factors[y], np.log(factors))
        own = cal.log_posteriors(scores)[np.arange(len(y)), y]
        assert -(factors[y] @ own) / factors[y].sum() == pytest.approx(expected, abs=1e-8)
        assert cal.report["cross_entropy"] == pytest.approx(expected, abs=1e-8)

    @pytest.mark.parametrize("kind", [Temperature, Affine, Vector, Logistic, Beta])
    def test_held_out_too(self, kind):
        scores, y = certain_and_noise()
        found = cross_fit(y, scores, calibrator=kind())
        assert (found[np.arange(80), y][:40] == 1.0).all()

    @pytest.mark.parametrize("kind", [Temperature, Affine, Vector])
    def test_a_negative_scale_refuses_those_it_never_saw(self, kind):
        """It would call certain what they call impossible; how far to trust them must be said."""
        scores, y = map(np.array, self.examples[1])
        finite = np.isfinite(scores)
        cal = kind().fit(scores[finite], y[finite])
        assert cal.posteriors([1e9])[0, 1] < 0.5
        with pytest.raises(DataError, match="infinite in row 1 and in 1 of 2 rows") as caught:
            cal.posteriors([0.0, np.inf])
        assert 'bound="data"' in str(caught.value)
        bounded = kind(bound="data").fit(scores[finite], y[finite])
        assert 0.0 < bounded.posteriors([np.inf])[0, 1] < 0.5

    def test_a_line_on_a_scale_of_its_own_goes_to_its_limit(self):
        """As for distances: the farther, the less alike."""
        distances, alike = np.array([0.1, 0.5, 0.9, 0.8, 2.0, 3.0]), np.array([1, 1, 1, 0, 0, 0])
        assert Logistic().fit(distances, alike).posteriors([np.inf])[0, 1] == 0.0

    def test_the_gain_is_finite(self):
        scores, y = certain_and_noise()
        gain = calibration_gain(y, scores)
        assert np.isfinite(gain.after)
        assert gain.after < 0.5 * np.log(2) + 0.05  # half of the cases are certain, half guessed

    def test_saved_scales_keep_infinities_apart(self, tmp_path):
        scores, y = map(np.array, self.examples[1])
        cal = Affine().fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json").posteriors(scores)
        np.testing.assert_array_equal(again, cal.posteriors(scores))


@pytest.mark.parametrize("kind", [Temperature, Affine, Vector, Logistic])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("smoothing", [None, True])
def test_reported_cross_entropy_is_that_of_the_labels(kind, classes, smoothing):
    """Also where the fit was to smoothed targets."""
    if kind is Logistic and classes == 3:
        return
    y = np.arange(30) % classes
    scores = np.random.default_rng(0).normal(size=(30, classes)) + 9.0 * np.eye(classes)[y]
    cal = kind(smoothing=smoothing, priors=np.arange(1, classes + 1) / (3 * classes - 3)).fit(
        scores, y
    )
    weights = cal.priors[y] / np.bincount(y)[y]
    own = cal.log_posteriors(scores)[np.arange(30), y]
    assert cal.report["smoothed"]
    assert cal.report["cross_entropy"] == pytest.approx(-weights @ own, rel=1e-10)
