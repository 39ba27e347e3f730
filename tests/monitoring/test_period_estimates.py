"""Periods without labels: estimates, alarms of their own, and how good they were."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax

from stakes import Application, ConfusionMatrix
from stakes.estimation import DecidedCases, estimate_cost
from stakes.exceptions import DataError
from stakes.monitoring import estimate_periods, watch
from stakes.monitoring.period_estimates import timeline


def month(share, seed, n=2000, mean=1.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, expit(rng.normal((2 * y - 1) * mean, np.sqrt(2 * mean)) + np.log(0.25))


@pytest.fixture(scope="module")
def reference():
    return DecidedCases.from_scores(*month(0.2, 0), costs={"fn": 10, "fp": 1})


class TestEstimatePeriods:
    def test_each_period_is_estimated_as_by_itself(self, reference):
        p = month(0.2, 1)[1]
        found = estimate_periods({"May": reference.alike(p)}, reference=reference)
        assert found.estimates[0].value == estimate_cost(reference, p).value
        assert found.alarms == ()
        assert found.held == (0, 0)
        assert np.isnan(found.costs[0])

    def test_another_share_rings(self, reference):
        names = {"May": 0.2, "June": 0.6}
        periods = {
            name: reference.alike(month(share, k)[1])
            for k, (name, share) in enumerate(names.items(), 5)
        }
        found = estimate_periods(periods, reference=reference)
        assert found.alarms == ("June",) == found.alarms_without_labels
        assert found.frame()["cases"].tolist() == [2000, 2000]
        assert found.advice.startswith("Alarm of the estimate at June, without labels. The scores")
        assert "other shares of the outcomes (about 6" in found.advice
        assert found.alphas.tolist() == pytest.approx([0.05 / 2, 0.05 / 6])

    def test_labels_that_arrived_show_how_good_the_estimate_was(self, reference):
        y, p = month(0.5, 3)
        found = estimate_periods({"May": reference.alike(p, y_true=y)}, reference=reference)
        assert found.costs[0] == reference.alike(p, y_true=y).cost
        assert found.held == (1, 1)
        assert "1 of 1 estimates contained the cost" in found.text
        assert found.alarms == ("May",)
        assert (found.alarms_without_labels, found.advice) == ((), "")  # the labels decide

    def test_scores_that_allow_no_estimate_ring(self, reference):
        other = month(0.2, 3, mean=5.0)[1]
        found = estimate_periods({"May": reference.alike(other)}, reference=reference)
        assert found.alarms == ("May",)
        assert "no mixture" in found.estimates[0]
        assert found.frame()["change"].tolist() == ["refused"]
        assert "so there is no estimate. Label some of these cases at random" in found.advice

    def test_of_several_outcomes_no_share_is_named(self):
        rng = np.random.default_rng(7)

        def drawn(shares):
            y = rng.choice(3, 3000, p=shares)
            z = rng.normal(size=(3000, 3)) + 2 * np.eye(3)[y]
            return y, softmax(2 * z, axis=1)

        old = DecidedCases.from_scores(*drawn([0.6, 0.3, 0.1]), costs=1 - np.eye(3))
        found = estimate_periods({"May": old.alike(drawn([0.1, 0.3, 0.6])[1])}, reference=old)
        assert found.frame()["change"].tolist() == ["shares"]
        assert "other shares of the outcomes. Label some" in found.advice

    def test_many_alarms_are_counted(self, reference):
        new = reference.alike(month(0.6, 6)[1])
        found = estimate_periods(dict.fromkeys(range(6), new), reference=reference)
        assert "Alarm of the estimate at 0, 1, 2, 3 and 2 more, without" in found.advice

    def test_a_timeline_has_periods_without_labels_in_their_place(self, reference):
        ends = ConfusionMatrix([[800, 100], [20, 80]])
        watched = watch({"May": ends, "July": ends}, application=Application([[0, 1], [10, 0]]))
        new = reference.alike(month(0.2, 1)[1])
        known = reference.alike(month(0.2, 2)[1], y_true=month(0.2, 2)[0])
        for periods, order in (
            ({"April": new, "June": new, "July": known}, ["May", "April", "June", "July"]),
            ({"August": new}, ["May", "July", "August"]),
        ):
            found = timeline(watched, estimate_periods(periods, reference=reference))
            assert found["period"].tolist() == order
            guessed = ["estimate" if name in periods and name != "July" else "labels"
                       for name in order]  # fmt: skip
            assert found["basis"].tolist() == guessed

    def test_odd_arguments(self, reference):
        with pytest.raises(DataError, match="at least one period"):
            estimate_periods({}, reference=reference)
        with pytest.raises(DataError, match="`periods` must be"):
            estimate_periods({"May": [0.5]}, reference=reference)
