import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from stakes._kernels.optimise.monotone_curve import KNOTS, _segments, bent
from stakes.calibration import CommonCurve, Dirichlet, StructuredMatrix, Temperature
from stakes.exceptions import DataError


def network(n, size=6, seed=0, bend=0.0):
    """Logits of a classifier; with `bend`, top posteriors are exaggerated but not the others."""
    rng = np.random.default_rng(seed)
    true = log_softmax(1.5 * rng.normal(size=(n, size)), axis=1)
    y = (true + rng.gumbel(size=true.shape)).argmax(axis=1)
    return true + bend * np.maximum(true - np.log(0.1), 0.0), y


def value(logs, y):
    return -logs[np.arange(len(y)), y].mean()


def curve_objective(slopes, logs, y, weights, offsets):
    """Written out from the definition: cross-entropy plus both priors over the total weight."""
    total = weights.sum()
    found = log_softmax(np.tensordot(slopes, _segments(logs), axes=1) + offsets, axis=1)
    entropy = -(weights @ found[np.arange(len(y)), y]) / total
    prior = ((slopes - 1) ** 2).sum() / 1.0**2 + (np.diff(slopes) ** 2).sum() / 0.3**2
    return entropy + prior / (2 * total)


class TestCurve:
    def test_slopes_of_one_change_nothing(self):
        logs = np.linspace(-20, 0, 101)[:, None]
        np.testing.assert_allclose(bent(logs, np.ones(8)), logs, atol=1e-12)
        np.testing.assert_allclose(_segments(logs).sum(axis=0), logs, atol=1e-12)

    def test_slopes_are_those_between_the_knots(self):
        slopes = np.arange(1.0, 9.0)
        edges = np.r_[KNOTS[0] - 2, KNOTS, 0.0]
        rises = np.diff(bent(edges, slopes)) / np.diff(edges)
        np.testing.assert_allclose(rises, slopes)
        assert np.ptp(bent(edges, slopes) - np.tensordot(slopes, _segments(edges), axes=1)) < 1e-12


class TestCommonCurve:
    @pytest.mark.parametrize("priors", [None, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1]])
    def test_optimum_against_scipy(self, priors):
        logits, y = network(400, bend=1.5)
        cal = CommonCurve(priors=priors).fit(logits, y)
        logs = log_softmax(cal.scale * logits, axis=1)
        shares = np.bincount(y) / 400
        target = shares if priors is None else np.array(priors)
        weights, offsets = (target / shares)[y], np.log(target / shares)
        reference = minimize(
            curve_objective,
            np.ones(8),
            args=(logs, y, weights, offsets),
            method="SLSQP",
            bounds=[(0.01, None)] * 8,
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert cal.report["gradient"] <= 1e-8
        assert cal.report["objective"] == pytest.approx(reference.fun, abs=1e-9)
        np.testing.assert_allclose(cal.slopes, reference.x, atol=1e-3)

    def test_optimum_at_the_floor_against_scipy(self):
        """Where small posteriors are in the reverse order, their slope would be negative."""
        logits, y = network(3000)
        logs = log_softmax(logits, axis=1)
        logits = np.where(logs < np.log(0.05), 2 * np.log(0.05) - 4 - logs, logs)
        cal = CommonCurve().fit(logits, y)
        logs = log_softmax(cal.scale * logits, axis=1)
        reference = minimize(
            curve_objective,
            np.ones(8),
            args=(logs, y, np.ones(3000), np.zeros(6)),
            method="SLSQP",
            bounds=[(0.01, None)] * 8,
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert reference.x.min() == pytest.approx(0.01)
        assert cal.report["gradient"] <= 1e-8
        np.testing.assert_allclose(cal.slopes, reference.x, atol=2e-3)

    def test_beats_temperature_where_only_large_posteriors_are_off(self):
        logits, y = network(4000, bend=2.0)
        fit, test = slice(0, 2000), slice(2000, None)
        curve = value(CommonCurve().fit(logits[fit], y[fit]).log_posteriors(logits[test]), y[test])
        line = value(Temperature().fit(logits[fit], y[fit]).log_posteriors(logits[test]), y[test])
        true = value(log_softmax(network(4000)[0], axis=1)[test], y[test])
        assert curve - true < 0.5 * (line - true)

    def test_order_of_classes_stays(self):
        logits, y = network(200, bend=3.0)
        found = CommonCurve().fit(logits, y).log_posteriors(logits)
        np.testing.assert_array_equal(found.argsort(axis=1), logits.argsort(axis=1))

    def test_scale_of_the_logits_does_not_matter(self):
        logits, y = network(300)
        once = CommonCurve().fit(logits, y).posteriors(logits)
        np.testing.assert_allclose(
            CommonCurve().fit(50 * logits, y).posteriors(50 * logits), once, atol=1e-6
        )

    def test_class_without_cases_is_allowed(self):
        logits, y = network(300)
        keep = y != 2
        assert CommonCurve().fit(logits[keep], y[keep]).posteriors(logits).shape == (300, 6)

    def test_perfectly_told_apart_stays_finite(self):
        logits = 10 * np.eye(4)[[0, 1, 2, 3, 0, 1]]
        found = CommonCurve().fit(logits, [0, 1, 2, 3, 0, 1])
        assert np.isfinite(found.slopes).all()
        assert found.posteriors(logits).max() < 1

    def test_infinite_scores_need_a_bound(self):
        logits, y = network(50)
        logits[3, (y[3] + 1) % 6] = -np.inf
        with pytest.raises(DataError, match="row 3"):
            CommonCurve().fit(logits, y)
        assert CommonCurve(bound="data").fit(logits, y).posteriors(logits).shape == (50, 6)


@pytest.mark.parametrize("kind", [CommonCurve, StructuredMatrix])
class TestLaws:
    def test_integer_weights_are_repeated_rows(self, kind):
        logits, y = network(300, bend=1.0)
        counts = 1 + np.arange(300) % 3
        weighted = kind().fit(logits, y, sample_weight=counts.astype(float))
        repeated = kind().fit(np.repeat(logits, counts, axis=0), np.repeat(y, counts))
        np.testing.assert_allclose(
            weighted.posteriors(logits), repeated.posteriors(logits), atol=1e-6
        )

    def test_classes_in_another_order(self, kind):
        logits, y = network(300, bend=1.0)
        order = np.array([3, 0, 5, 1, 4, 2])
        moved = kind().fit(logits[:, order], np.argsort(order)[y]).posteriors(logits[:, order])
        there = kind().fit(logits, y).posteriors(logits)
        np.testing.assert_allclose(moved, there[:, order], atol=2e-5)

    def test_shift_of_a_row_changes_nothing(self, kind):
        logits, y = network(300)
        moved = logits + np.arange(300)[:, None]
        np.testing.assert_allclose(
            kind().fit(moved, y).posteriors(moved), kind().fit(logits, y).posteriors(logits)
        )

    def test_target_priors_shift_the_mean(self, kind):
        logits, y = network(2000)
        priors = np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
        found = kind(priors=priors).fit(logits, y).posteriors(logits)
        shares = np.bincount(y) / 2000
        np.testing.assert_allclose((priors / shares)[y] @ found / 2000, priors, atol=0.02)


class TestStructuredMatrix:
    @pytest.mark.parametrize("priors", [None, [0.4, 0.3, 0.3]])
    def test_optimum_against_scipy(self, priors):
        logits, y = network(200, size=3)
        cal = StructuredMatrix(priors=priors).fit(logits, y)
        curve = CommonCurve().fit(logits, y)
        if priors is None:
            inputs = curve.log_posteriors(logits)
        else:
            curve.scale, curve.slopes = cal.scale, cal.slopes
            inputs = curve.log_posteriors(logits)
        shares = np.bincount(y) / 200
        target = shares if priors is None else np.array(priors)
        weights, centre = (target / shares)[y], np.log(target / shares)

        def objective(flat):
            matrix, biases = flat[:9].reshape(3, 3), flat[9:]
            logs = log_softmax(inputs @ matrix.T + biases, axis=1)
            own = np.diagonal(matrix)
            off = (matrix**2).sum() - (own**2).sum()
            prior = off / 0.03**2 + ((own - own.mean()) ** 2).sum() / 0.1**2
            prior += ((biases - centre) ** 2).sum() / 0.2**2
            entropy = -(weights @ logs[np.arange(200), y]) / weights.sum()
            return entropy + prior / (2 * weights.sum())

        start = np.r_[np.eye(3).ravel(), centre]
        reference = minimize(objective, start, method="BFGS", options={"gtol": 1e-8})
        assert cal.report["gradient"] <= 1e-5
        assert cal.report["objective"] == pytest.approx(reference.fun, abs=1e-6)
        moved = log_softmax(inputs @ reference.x[:9].reshape(3, 3).T + reference.x[9:], axis=1)
        np.testing.assert_allclose(cal.log_posteriors(logits), moved, atol=1e-3)

    def test_tight_spreads_are_the_curve_and_a_common_scale(self):
        logits, y = network(300, bend=1.0)
        tight = StructuredMatrix(off_diagonal=1e-6, diagonal=1e-6, intercept=1e-6).fit(logits, y)
        curve = CommonCurve().fit(logits, y).log_posteriors(logits)
        np.testing.assert_allclose(
            tight.posteriors(logits), Temperature().fit(curve, y).posteriors(curve), atol=1e-4
        )

    def test_few_cases_of_many_classes_stay_better_than_dirichlet(self):
        logits, y = network(2400, size=20, bend=1.0)
        fit, test = slice(0, 400), slice(400, None)
        held = value(
            StructuredMatrix().fit(logits[fit], y[fit]).log_posteriors(logits[test]), y[test]
        )
        free = value(Dirichlet().fit(logits[fit], y[fit]).log_posteriors(logits[test]), y[test])
        assert held < free

    def test_learns_what_one_class_says_about_another(self):
        """The score of class 0 also speaks for class 1: only an off-diagonal entry can tell."""
        rng = np.random.default_rng(5)
        logits, y = network(20_000)
        logits = logits.copy()
        moved = logits + 0.15 * np.outer(logits[:, 0] - logits[:, 0].mean(), np.eye(6)[1])
        true = log_softmax(moved, axis=1)
        y = (true + rng.gumbel(size=true.shape)).argmax(axis=1)
        matrix = StructuredMatrix().fit(logits, y).matrix
        off = matrix - np.diag(np.diagonal(matrix))
        assert np.unravel_index(off.argmax(), off.shape) == (1, 0)

    @pytest.mark.parametrize("name", ["off_diagonal", "diagonal", "intercept"])
    def test_spreads_must_be_positive(self, name):
        with pytest.raises(DataError, match=name):
            StructuredMatrix(**{name: 0.0})


@pytest.mark.parametrize("mark", [-1e3, -1e4, -1e9])
def test_masks_of_wrong_classes_do_not_lead_the_matrix_astray(mark):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, 2000)
    logits = 2 * rng.normal(size=(2000, 30)) + 4 * np.eye(30)[y]
    masked = logits.copy()
    masked[(rng.random(logits.shape) < 0.01) & (np.eye(30)[y] == 0)] = mark

    def held_out(scores):
        logs = StructuredMatrix().fit(scores[::2], y[::2]).log_posteriors(scores[1::2])
        return -logs[np.arange(1000), y[1::2]].mean()

    assert abs(held_out(masked) - held_out(logits)) < 0.05
