import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import gamma, norm, t

from stakes import Application
from stakes.calibration import Affine, calibration_gain
from stakes.calibration.labelled_scores import read_cases
from stakes.calibration.measures.gain_intervals import Change, _spread, cost_interval
from stakes.calibration.score_input import Scores


def made_cases(y, *, priors=None, groups=None, sample_weight=None):
    y = np.asarray(y)
    scores = Scores(np.zeros(len(y)))
    return read_cases(scores, y, priors=priors, groups=groups, sample_weight=sample_weight)


def interval(change, cases, level=0.95):
    weights = cases.prior_weights() / cases.prior_weights().sum()
    return np.array(cost_interval(change, weights, cases, level))


def sure_of(y):
    with np.errstate(divide="ignore"):
        return np.log(np.eye(2)[np.asarray(y)])


COSTS = np.array([[0.0, 1.0], [100.0, 0.0]])


class TestByHand:
    def test_changes_of_one_kind_have_the_limits_of_their_number(self):
        """Four of 50 dear cases are found among 1000: a gamma of 4 1/2 replaces the normal part."""
        y = (np.arange(1000) < 50).astype(int)
        before, after = np.zeros(1000, int), (np.arange(1000) < 4).astype(int)
        cases = made_cases(y)
        low, high = interval(Change(before, after, COSTS, sure_of(y)), cases, level=0.9)
        z = norm.ppf(0.95)
        taken = 100.0 * (np.arange(1000) < 4)
        apart = 996.5 / 1001  # a share varies less than a count
        left = t.ppf(0.95, 999) ** 2 * taken.var() / 1000 - z**2 * 4 * (100 / 1000) ** 2 * 0.996
        pull = np.array([1.0, 100.0])
        unheard = (pull / 1000 * np.minimum(1, [1.0, 3 * np.exp(60 / 50) / 101])).max()
        reached = gamma.ppf([0.05, 0.95], 4.5) - 4
        most = min(reached[1], 4 * 3 * np.exp(60 / 50))  # what the posteriors allow for
        assert most == reached[1]
        above = np.sqrt(left + unheard**2 + apart * (0.1 * reached[1]) ** 2)
        below = np.sqrt(left + unheard**2 + apart * (0.1 * reached[0]) ** 2)
        assert low == pytest.approx(0.4 - below)
        assert high == pytest.approx(0.4 + above)

    def test_also_where_all_cases_of_a_class_change_others_may_not(self):
        y = (np.arange(1000) < 10).astype(int)
        before, cases = np.zeros(1000, int), made_cases(y, priors=[0.5, 0.5])
        low, _ = interval(Change(before, y, COSTS, sure_of(y)), cases)
        assert low < 50 - 100 * 0.5 * 0.08  # one of 12.5 cases would have shown up

    def test_where_nothing_changes_one_case_may(self):
        """By class 1, of which the trust in 20 cases makes 60 in 101 out of one in 101."""
        y = (np.arange(1000) < 20).astype(int)
        same = np.zeros(1000, int)
        found = interval(Change(same, same, COSTS, sure_of(y)), made_cases(y))
        half = 100 / 1000 * 3 * np.exp(60 / 20) / 101
        np.testing.assert_allclose(found, [-half, half])

    def test_posteriors_bound_what_may_happen(self):
        """300 cases of the cheap class change; how many dear ones may, says their posterior."""
        y = (np.arange(3000) < 600).astype(int)
        before, after = np.zeros(3000, int), ((y == 0) & (np.arange(3000) % 8 == 0)).astype(int)
        cases = made_cases(y, priors=[0.5, 0.5])
        taken = -after.astype(float)
        weights = np.where(y == 1, 0.5 / 600, 0.5 / 2400)
        plain = norm.ppf(0.975) * _spread(taken, weights, cases, np.arange(3000))
        widths = []
        for share in (1e-9, 1e-4, 1e-2, 0.5):
            logs = np.log(np.tile([1 - share, share], (3000, 1)))
            logs = logs + cases.prior_offsets()
            logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
            low, high = interval(Change(before, after, COSTS, logs), cases)
            widths.append(high - low)
        assert widths == sorted(widths)
        assert widths[0] < 2.2 * plain
        assert widths[2] == pytest.approx(widths[3])  # no more than half an event can be unseen
        unit = 0.5 * 100 / 600
        assert widths[3] > gamma.ppf(0.975, 0.5) * unit


class TestLaws:
    def setup_method(self):
        rng = np.random.default_rng(0)
        self.y = (rng.random(400) < 0.1).astype(int)
        self.before, self.after = rng.integers(0, 2, (2, 400))
        self.logs = np.log(rng.dirichlet([1.0, 1.0], 400))
        self.groups = np.arange(400) // 4

    def test_the_other_way_round_is_the_negative(self):
        for given in (None, [0.3, 0.7]):
            cases = made_cases(self.y, priors=given, groups=self.groups)
            one = interval(Change(self.before, self.after, COSTS, self.logs), cases)
            other = interval(Change(self.after, self.before, COSTS, self.logs), cases)
            np.testing.assert_allclose(one, -other[::-1])

    def test_in_the_unit_of_the_costs(self):
        cases = made_cases(self.y)
        one = interval(Change(self.before, self.after, COSTS, self.logs), cases)
        cents = interval(Change(self.before, self.after, 100 * COSTS, self.logs), cases)
        np.testing.assert_allclose(cents, 100 * one)

    def test_rows_of_weight_0_do_not_count(self):
        kept = np.arange(400) < 300
        cases = made_cases(self.y, sample_weight=kept.astype(float), groups=self.groups)
        found = interval(Change(self.before, self.after, COSTS, self.logs), cases)
        fewer = made_cases(self.y[kept], groups=self.groups[kept])
        change = Change(self.before[kept], self.after[kept], COSTS, self.logs[kept])
        np.testing.assert_allclose(found, interval(change, fewer))

    def test_groups_of_one_are_no_groups(self):
        change = Change(self.before, self.after, COSTS, self.logs)
        alone = interval(change, made_cases(self.y, groups=np.arange(400)))
        np.testing.assert_allclose(alone, interval(change, made_cases(self.y)))


class TestCancelling:
    """Gains and losses that cancel within groups."""

    def made(self, seed):
        rng = np.random.default_rng(seed)
        size, groups = int(rng.integers(40, 200)), int(rng.integers(3, 20))
        index = rng.integers(0, groups, size)
        y = rng.integers(0, 2, size)
        y[:2] = 0, 1
        odds = 2 * rng.normal(size=size) + 2 * y + 1 + rng.normal(size=groups)[index]
        before, after = (odds > 0).astype(int), (odds > 2).astype(int)
        logs = np.column_stack([-np.logaddexp(0, odds - 2), -np.logaddexp(0, 2 - odds)])
        return Change(before, after, COSTS / [[1], [10]], logs), made_cases(y, groups=index)

    @pytest.mark.parametrize("seed", range(12))
    def test_intervals_hold_those_of_lower_levels(self, seed):
        change, cases = self.made(seed)
        found = np.array(
            [interval(change, cases, level) for level in (0.5, 0.8, 0.95, 0.99, 0.999)]
        )
        assert (np.diff(found[:, 0]) < 0).all()
        assert (np.diff(found[:, 1]) > 0).all()

    def test_there_is_room_on_both_sides(self):
        """Two groups in which one loss goes with four gains, and nothing elsewhere."""
        groups = np.r_[np.repeat([0, 1], 4), 0, 1, 2:32, 2:32]
        y = np.r_[np.zeros(8, int), 1, 1, np.zeros(30, int), np.ones(30, int)]
        before = np.r_[np.ones(10, int), np.zeros(30, int), np.ones(30, int)]
        after = np.r_[np.zeros(40, int), np.ones(30, int)]
        logs = np.log(np.where(np.arange(70)[:, None] < 40, [0.7, 0.3], [0.01, 0.99]))
        cases = made_cases(y, groups=groups)
        low, high = interval(Change(before, after, 1.0 - np.eye(2), logs), cases)
        parts = np.bincount(groups, weights=(before != after) * np.where(y == 0, 1, -1)) / 70
        sizes = np.bincount(groups) / 70
        error = np.sqrt(((parts - sizes * parts.sum()) ** 2).sum())
        assert low <= parts.sum() - t.ppf(0.975, 1 / (sizes @ sizes) - 1) * error
        assert high > parts.sum() + error


def test_a_decision_nobody_would_take_changes_nothing():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    before, after = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    more = np.column_stack([COSTS, [1000.0, 1000.0]])
    logs = np.log(np.full((300, 2), 0.5))
    found = interval(Change(before, after, more, logs), made_cases(y))
    np.testing.assert_allclose(found, interval(Change(before, after, COSTS, logs), made_cases(y)))


def simulated(rng, positives, group, *, sep=3.0):
    """Scores whose log-likelihood ratio is `sep` times them, alike within groups."""
    y = np.zeros(3000, int)
    y[rng.choice(3000, positives, replace=False)] = 1
    shared = rng.normal(size=3000)[np.arange(3000) // group]
    noise = np.sqrt(0.6) * shared + np.sqrt(0.4) * rng.normal(size=3000)
    return noise + sep * (y - 0.5), y


@pytest.mark.parametrize(("positives", "group"), [(10, 1), (600, 1), (600, 15)])
def test_coverage_under_other_priors(positives, group):
    """Scores that are too high by 2, misses of 100, a prior of 1/2; the map is another sample's.

    The variation between cases alone covers in about half of the samples, or fewer.
    """
    app = Application(COSTS, priors=[0.5, 0.5])
    rng = np.random.default_rng(positives + group)
    odds = np.log(positives / (3000 - positives))
    groups = np.arange(3000) // group if group > 1 else None

    def cost(threshold):  # of acting above it, on the scale of the scores
        return 0.5 * norm.sf(threshold + 1.5) + 0.5 * 100 * norm.cdf(threshold - 1.5)

    held, plain_held, width, plain_width = 0, 0, 0.0, 0.0
    for _ in range(60):
        (old, y_old), (new, y) = (simulated(rng, positives, group) for _ in range(2))
        cal = Affine().fit(3 * old + odds + 2, y_old)
        slope, shift = np.polyfit([-1, 1], np.diff(cal.log_posteriors([-1.0, 1.0]))[:, 0], 1)
        act = np.log(1 / 100) + odds  # moved from priors of 1/2 to those of the data
        before, after = (act - odds - 2) / 3, ((act - shift) / slope - odds - 2) / 3
        truth = cost(before) - cost(after)
        found = calibration_gain(
            y, 3 * new + odds + 2, by=app, calibrator=cal, fitted=True, groups=groups
        )
        taken = COSTS[y, (new > before) * 1] - COSTS[y, (new > after) * 1]
        cases = made_cases(y, priors=[0.5, 0.5], groups=groups)
        index = np.arange(3000) if groups is None else groups
        plain = norm.ppf(0.975) * _spread(taken, 0.5 / np.bincount(y)[y], cases, index)
        held += found.interval[0] <= truth <= found.interval[1]
        plain_held += abs(found.gain - truth) <= plain
        width += np.diff(found.interval)[0]
        plain_width += 2 * plain
    assert held >= 54
    assert plain_held < 45
    assert positives < 600 or width / plain_width < 1.7


def test_probable_gain_of_few_cases_is_not_certain():
    """One dear case of three was found: an event tells that there are such, not how many."""
    y = (np.arange(500) < 3).astype(int)
    odds = np.full(500, -8.0)
    odds[0], odds[1:3] = -6.0, 4.0
    cal = Affine().fit(np.r_[-8.0, 4.0, -6.0, 5.0], [0, 1, 1, 0])
    found = calibration_gain(y, odds, by=Application(COSTS), calibrator=cal, fitted=True)
    assert expit(odds[0]) < 1 / 101
    assert found.interval[1] - found.gain > 100 / 500
