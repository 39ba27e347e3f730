from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, PairedCounts
from stakes.exceptions import DataError
from stakes.uncertainty import cases_needed, compare, interval, power_curve

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
CELLS = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
PILOT = PairedCounts(CELLS, [150, 12, 8, 10, 4, 3, 6, 37], ("a", "b"), (0, 1), (0, 1))


class TestCasesNeeded:
    def test_width_is_reached_at_that_size(self) -> None:
        pilot = ConfusionMatrix([[90, 10], [8, 32]])
        plan = cases_needed(pilot, APP, width=0.05)
        factor = plan.cases / 140
        grown = ConfusionMatrix(np.rint(pilot.counts * factor).astype(int))
        found = interval(grown, application=APP, method="normal")
        assert found.high - found.low == pytest.approx(0.05, rel=0.01)

    def test_hand_arithmetic_for_one_rate(self) -> None:
        # all prior on class 0 and cost 1 per false positive: n = p (1 - p) (2 z / width)^2
        app = Application([[0, 1], [0, 0]], priors=[1.0, 0.0])
        plan = cases_needed(ConfusionMatrix([[80, 20], [0, 0]]), app, width=0.1)
        assert plan.cases == pytest.approx(0.2 * 0.8 * (2 * 1.959964 / 0.1) ** 2, rel=1e-5)

    @pytest.mark.parametrize("power", [1.0, 0.0, 80])
    def test_power_is_refused_by_its_name(self, power: float) -> None:
        with pytest.raises(DataError, match="`power` must lie between 0 and 1"):
            cases_needed(PILOT, APP, power=power)

    def test_less_power_than_a_half_needs_fewer_cases(self) -> None:
        plan = cases_needed(PILOT, APP, power=0.3)
        assert power_curve(PILOT, APP, cases=[plan.cases]).power[0] == pytest.approx(0.3, abs=0.005)

    def test_simulated_power_is_the_planned_one(self) -> None:
        plan = cases_needed(PILOT, APP, power=0.8)
        n = int(plan.cases)
        rng = np.random.default_rng(0)
        sizes = (PILOT.class_totals / PILOT.total * n).round().astype(int)
        found = 0
        for _ in range(200):
            counts = np.concatenate(
                [
                    rng.multinomial(m, PILOT.counts[s] / PILOT.counts[s].sum())
                    for m, s in zip(sizes, (slice(0, 4), slice(4, 8)), strict=True)
                ]
            )
            drawn = PairedCounts(CELLS, counts, ("a", "b"), (0, 1), (0, 1))
            difference = compare(drawn, APP, method="score", draws=1, rng=0).differences[0]
            found += difference.decided
        assert found / 200 == pytest.approx(0.8, abs=0.09)

    def test_more_of_the_class_that_matters_needs_fewer(self) -> None:
        as_is = cases_needed(PILOT, APP, width=0.1)
        balanced = cases_needed(PILOT, APP, width=0.1, shares=[0.5, 0.5])
        assert balanced.cases < as_is.cases
        assert balanced.by_class[1] == pytest.approx(balanced.cases / 2)

    def test_no_difference_can_never_be_found(self) -> None:
        same = PairedCounts(
            [[0, 0, 1], [0, 1, 0], [1, 1, 1]], [20, 20, 20], ("a", "b"), (0, 1), (0, 1)
        )
        plan = cases_needed(same, APP)
        assert np.isinf(plan.cases)
        assert "no number of cases" in str(plan)

    def test_unsure_pilot_shows(self) -> None:
        plan = cases_needed(PILOT, APP)
        assert plan.at_best < plan.cases < plan.at_worst

    def test_confusion_matrix_needs_a_width(self) -> None:
        with pytest.raises(DataError, match="one system"):
            cases_needed(ConfusionMatrix([[90, 10], [8, 32]]), APP)

    def test_which_two_systems_must_be_said(self) -> None:
        three = PairedCounts([[0, 0, 1, 1], [1, 1, 1, 0]], [5, 5], ("a", "b", "c"), (0, 1), (0, 1))
        with pytest.raises(DataError, match="which two"):
            cases_needed(three, APP)


class TestPowerCurve:
    def test_meets_the_plan(self) -> None:
        plan = cases_needed(PILOT, APP, power=0.9)
        assert power_curve(PILOT, APP, cases=[plan.cases]).power[0] == pytest.approx(0.9, abs=1e-6)

    def test_rises_from_the_level_to_one(self) -> None:
        curve = power_curve(PILOT, APP)
        assert (np.diff(curve.power) >= 0).all()
        assert curve.power[0] < 0.3
        assert power_curve(PILOT, APP, cases=[1e9]).power[0] == pytest.approx(1.0)
        assert power_curve(PILOT, APP, cases=[100], difference=0.0).power[0] == pytest.approx(0.05)
        assert curve.frame().columns == ("cases", "power")


def test_power_curve_in_one_line():
    cells = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    pilot = PairedCounts(cells, [820, 60, 20, 10, 40, 50], ("a", "b"), (0, 1), (0, 1))
    curve = power_curve(pilot, Application([[0, 1], [10, 0]]), cases=[100, 1000])
    assert repr(curve).startswith("<PowerCurve for a difference of ")
    assert "with 100 cases to " in repr(curve)
