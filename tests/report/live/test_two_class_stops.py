"""The stops of the sliders: counts and intervals are those of the library, stop by stop."""

import math

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.metrics import normalized_expected_cost
from stakes.report.live.two_class_stops import RATIO_STOPS, STEP, grid_of, nec_limits
from stakes.report.live.two_classes import Live, live_numbers
from stakes.summaries import ConfusionMatrix, PairedCounts
from stakes.uncertainty import compare, interval

COSTS = CostMatrix([[0, 2], [10, 0]], classes=["no", "yes"])


def cases(n=900, seed=2):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    first = rng.normal(2.4 * y - 1.2, 1.5)
    second = 0.7 * first + rng.normal(0.3 * y, 1.0)
    return y, {"a": 1 / (1 + np.exp(-first)), "b": 1 / (1 + np.exp(-second))}


@pytest.fixture(scope="module")
def live():
    y, models = cases()
    ev = evaluate(y, models, application=Application(COSTS), rng=0)
    return Live(ev, grid_of(ev.application))


class TestGrid:
    def test_starts_at_the_application(self):
        grid = grid_of(Application(COSTS, priors=[0.7, 0.3]))
        assert grid.x[grid.start] == pytest.approx(math.log(5) + math.log(0.3 / 0.7))
        np.testing.assert_allclose(np.diff(grid.x), STEP)
        assert grid.ratio_stops[RATIO_STOPS] == grid.start

    @pytest.mark.parametrize(
        "app",
        [
            Application(CostMatrix.zero_one(3), priors=[0.2, 0.3, 0.5]),
            Application([[1, 0], [10, 0]], priors=[0.5, 0.5]),
            Application(COSTS, priors=[1.0, 0.0]),
            Application(COSTS),
        ],
    )
    def test_none_where_no_slider_would_do(self, app):
        assert grid_of(app) is None

    @pytest.mark.parametrize("share", [1e-6, 1 - 1e-6])
    def test_rare_classes_have_stops_on_both_sides(self, share):
        grid = grid_of(Application(COSTS, priors=[1 - share, share]))
        assert min(grid.lower_shares, grid.upper_shares) >= 10


def test_errors_at_every_stop_are_those_of_the_threshold(live):
    y, models = cases()
    prior = math.log(y.mean() / (1 - y.mean()))
    for k, said in enumerate(models.values()):
        for stop in range(0, len(live.grid.x), 7):
            act = np.log(said / (1 - said)) - prior > -live.grid.x[stop]
            assert live.systems[k].false_alarms[stop] == (act & (y == 0)).sum()
            assert live.systems[k].misses[stop] == (~act & (y == 1)).sum()


@pytest.mark.parametrize("key", ["fixed", "free"])
def test_intervals_are_those_of_the_library(live, key):
    place = live.places()[key]
    low, high = nec_limits(live.systems, place, live.totals, 0.95)
    for k in range(0, len(place.stops), 31):
        stop = place.stops[k]
        priors = [1 - place.share[k], place.share[k]] if place.given else None
        app = Application([[0, 1], [place.ratio[k], 0]], priors=priors)
        for s, system in enumerate(live.systems):
            alarms, missed = system.false_alarms[stop], system.misses[stop]
            n0, n1 = live.totals[s]
            table = ConfusionMatrix([[n0 - alarms, alarms], [missed, n1 - missed]])
            found = interval(table, "normalized_expected_cost", application=app)
            assert (low[s, k], high[s, k]) == pytest.approx((found.low, found.high), rel=1e-6)
            nec = normalized_expected_cost(table, application=app)
            assert live.nec(system, place, s)[k] == pytest.approx(nec, rel=1e-12)


@pytest.mark.parametrize("key", ["fixed", "free"])
def test_differences_are_told_apart_as_by_the_score_test(live, key):
    y, _ = cases()
    place = live.places()[key]
    gap, _, score = live.apart(live.systems[0], live.systems[1], place, live.sources.cases)
    for k in range(3, len(place.stops), 29):
        codes = {s: (one.first_acted <= place.stops[k]).astype(int)
                 for s, one in enumerate(live.systems)}  # fmt: skip
        joint = PairedCounts.from_decisions(y, codes, classes=[0, 1], decision_names=[0, 1])
        priors = [1 - place.share[k], place.share[k]] if place.given else None
        app = Application([[0, 1], [place.ratio[k], 0]], priors=priors)
        found = compare(joint, app, normalized=True, method="score", rng=0).difference(0, 1)
        assert gap[k] == pytest.approx(found.value, abs=1e-12)
        assert (abs(score[k]) > live.z) == found.decided


def test_weights_leave_how_sure_to_the_stated_place():
    y, models = cases()
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    ev = evaluate(y, models, application=Application(COSTS), sample_weight=weights, rng=0)
    numbers = live_numbers(ev)
    assert numbers["sure"] is False
    assert numbers["tables"]["fixed"]["low"] is None


def test_none_for_costs_by_case_and_many_classes():
    y, models = cases()
    wide = Application(COSTS.with_abstention(1.0))
    assert live_numbers(evaluate(y, models, application=wide, rng=0)) is None
