"""Scores with names meet costs and calibrators by name; scores without are refused."""

from __future__ import annotations

import numpy as np
import pytest
from fraud_cases import CODES, COSTS, FRAUD, LOGITS, NAMES, RIGHT, SORTED, Y, cost

import stakes
from stakes import Application, CostMatrix, Posteriors, bayes_decisions
from stakes.calibration import (
    Affine,
    Automatic,
    best_class_weights,
    calibration_gain,
    decision_calibration,
    decompose,
    reliability_table,
)
from stakes.exceptions import DataError, PosteriorError


def _actual(found):
    """What all decisions cost together, per case."""
    return float(np.nansum(found.cases * found.actual) / found.cases.sum())


class TestCalibration:
    APP = Application(COSTS)
    TURNED = Posteriors(SORTED, classes=["Fraud", "Legit"])

    @pytest.mark.parametrize(
        "measure",
        [
            lambda said: calibration_gain(Y, said, by=TestCalibration.APP).before,
            lambda said: decompose(Y, said, by=TestCalibration.APP).total,
        ],
    )
    def test_costs_meet_scores_by_name(self, measure):
        assert measure(self.TURNED) == pytest.approx(cost(RIGHT))
        with pytest.raises(PosteriorError, match="columns without names"):
            measure(np.log(SORTED))
        with pytest.raises(PosteriorError, match="single column"):
            measure(LOGITS)

    @pytest.mark.parametrize(
        "measure",
        [
            lambda said: best_class_weights(Y, said, application=TestCalibration.APP).actual,
            lambda said: _actual(decision_calibration(Y, said, costs=COSTS)),
            lambda said: stakes.curves.application_path(Y, said, applications=[COSTS]).cost[0],
        ],
    )
    def test_costs_meet_posteriors_by_name(self, measure):
        assert measure(self.TURNED) == pytest.approx(cost(RIGHT))
        with pytest.raises(PosteriorError, match="columns without names"):
            measure(SORTED)

    def test_a_path_through_applications_in_two_orders(self):
        other = CostMatrix(COSTS.values[::-1], classes=NAMES[::-1], decisions=COSTS.decisions)
        apps = [Application(COSTS, [0.7, 0.3]), Application(other, [0.3, 0.7])]
        path = stakes.curves.application_path(
            Y, self.TURNED, applications=apps, from_priors=[0.8, 0.2]
        )
        assert path.cost[0] == pytest.approx(path.cost[1])

    def test_calibrators_carry_the_names(self):
        cal = Affine().fit(self.TURNED, Y)
        plain = Affine().fit(LOGITS, CODES)
        assert set(cal.classes) == set(NAMES)
        found = cal.calibrated(self.TURNED)
        expected = plain.posteriors(LOGITS)[:, 1]
        assert found.values[:, found.classes.index("Fraud")] == pytest.approx(expected, abs=1e-6)
        straight = Posteriors(FRAUD, classes=NAMES)
        np.testing.assert_allclose(cal.posteriors(straight), found.values, atol=1e-12)
        decided = (expected > 1 / 21).astype(int)
        np.testing.assert_array_equal(bayes_decisions(found, COSTS), decided)
        assert not plain.calibrated(LOGITS).named

    def test_posteriors_of_other_classes_are_refused(self):
        cal = Affine().fit(self.TURNED, Y)
        with pytest.raises(PosteriorError, match="the scores have the classes 'good', 'bad'"):
            cal.posteriors(Posteriors(FRAUD, classes=["good", "bad"]))

    def test_an_automatic_choice_by_cost_takes_the_order_of_named_posteriors(self):
        straight = Posteriors(FRAUD, classes=NAMES)
        cal = Automatic([Affine()], by=self.APP).fit(straight, Y)
        assert cal.classes == NAMES

    def test_a_calibrator_fitted_in_another_order_than_the_costs(self):
        cal = Affine(classes=NAMES[::-1]).fit(np.log(SORTED), Y)
        with pytest.raises(DataError, match="in another order"):
            calibration_gain(Y, np.log(SORTED), by=self.APP, calibrator=cal, fitted=True)

    def test_reliability_of_the_class_that_is_named(self):
        one = reliability_table(Y, self.TURNED, of="Fraud", classes=NAMES, bins=4, rng=0)
        other = reliability_table(CODES, FRAUD, bins=4, rng=0)
        assert one.frame()["happened"].tolist() == other.frame()["happened"].tolist()
