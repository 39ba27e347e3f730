"""Slices: costs that hold at once, and names given seldom by chance."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostTally, GroupedCounts
from stakes.exceptions import DataError
from stakes.monitoring import compare_periods, compare_slices
from stakes.monitoring.change_parts import chances_of, samples_of
from stakes.uncertainty import interval
from stakes.uncertainty.differences import holm

APP = Application([[0, 1], [10, 0]])
PARTS = {
    "north": ConfusionMatrix([[900, 50], [20, 80]]),
    "east": ConfusionMatrix([[902, 48], [21, 79]]),
    "south": ConfusionMatrix([[900, 50], [45, 55]]),
}


def test_each_is_compared_with_all_others_together():
    found = compare_slices(PARTS, application=APP)
    alone = compare_periods(PARTS["north"] + PARTS["east"], PARTS["south"], application=APP)
    assert found["south"].cost == pytest.approx(alone.cost)
    assert found["south"].p_values == pytest.approx(alone.p_values)
    assert found.differing == ("south",)
    assert "south costs more than the rest" in found.verdict
    assert "errors within its classes" in found.verdict


def test_probabilities_are_corrected_for_the_number_of_slices():
    found = compare_slices(PARTS, application=APP)
    raw = [gap.p_values["cost"] for gap in found.gaps]
    np.testing.assert_allclose(found.adjusted, holm(raw))


def test_intervals_hold_at_once():
    found = compare_slices(PARTS, application=APP, level=0.94)
    wanted = interval(PARTS["east"], application=APP, level=1 - 0.06 / 3)
    assert found.costs[1].limits == pytest.approx(wanted.limits)


def test_slices_are_named_by_chance_as_seldom_as_stated():
    rng = np.random.default_rng(0)
    runs, size = 150, 12
    cells = rng.multinomial(600, [0.85, 0.05, 0.03, 0.07], size=(runs, size))
    rest = cells.sum(axis=1, keepdims=True) - cells
    inside, outside = (
        samples_of([ConfusionMatrix(c.reshape(2, 2)) for c in x.reshape(-1, 4)], APP,
                   range(runs * size))
        for x in (cells, rest)
    )  # fmt: skip
    p = chances_of(outside, inside, None).cost.reshape(runs, size)
    assert (size * p.min(axis=1) <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert (p.min(axis=1) <= 0.05).mean() > 0.3  # without the correction


def test_tallies_of_costs():
    rng = np.random.default_rng(1)
    parts = {
        k: CostTally.from_costs(rng.integers(0, 2, 400), rng.gamma(2, 2.0 if k == 3 else 1.0, 400))
        for k in range(5)
    }
    found = compare_slices(parts, application=APP)
    assert found.differing[0] == 3
    rest = sum(part for k, part in parts.items() if k != 3)
    assert found[3].before == pytest.approx(rest.cost())


def test_groups_are_slices():
    rng = np.random.default_rng(0)
    y, d, g = rng.integers(0, 2, 900), rng.integers(0, 2, 900), rng.integers(0, 3, 900)
    grouped = GroupedCounts.from_decisions(y, d, groups=g)
    found = compare_slices(grouped, application=APP)
    assert found.slices == (0, 1, 2)
    by_hand = ConfusionMatrix.from_decisions(y[g == 1], d[g == 1])
    assert found.gaps[1].cases[1] == by_hand.total
    assert found.costs[1].value == pytest.approx(interval(by_hand, application=APP).value)


def test_class_shares_alone_may_make_a_slice_dear():
    parts = {"rich": ConfusionMatrix([[850, 50], [80, 320]]),
             "poor": ConfusionMatrix([[1700, 100], [20, 80]]),
             "same": ConfusionMatrix([[1700, 100], [20, 80]])}  # fmt: skip
    found = compare_slices(parts, application=APP)
    assert found["rich"].rate_part.value == pytest.approx(0, abs=0.01)
    assert "mostly through its class shares" in found.verdict
    level = compare_slices(parts, application=APP.with_priors([0.9, 0.1]))
    assert level.differing == ()
    assert level.verdict == "No slice differs from the rest by more than chance."


def test_a_small_slice_has_a_cost_and_no_interval():
    parts = {**PARTS, "tiny": ConfusionMatrix([[30, 2], [1, 2]])}
    table = compare_slices(parts, application=APP).frame()
    assert table["cost"][3] == pytest.approx(12 / 35)
    assert np.isnan(table["low"][3])


def test_one_slice_is_nothing_to_compare():
    with pytest.raises(DataError, match="at least two"):
        compare_slices({"all": PARTS["north"]}, application=APP)


def test_unknown_slice():
    with pytest.raises(DataError, match="no slice 'west'"):
        compare_slices(PARTS, application=APP)["west"]
