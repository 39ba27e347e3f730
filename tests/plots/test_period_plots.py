"""Costs over time and by slice: what is drawn is what was found."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix
from stakes.estimation import DecidedCases
from stakes.exceptions import DataError
from stakes.monitoring import compare_slices, estimate_periods, watch

figure = pytest.importorskip("matplotlib.figure", reason="drawings need matplotlib")

APP = Application([[0, 1], [10, 0]], unit="EUR")
GOOD, BAD = ConfusionMatrix([[860, 90], [10, 40]]), ConfusionMatrix([[850, 100], [30, 20]])


def test_alarms_are_marked_where_they_rang():
    from stakes import plots

    found = watch({"w1": GOOD, "w2": GOOD, "w3": BAD}, application=APP)
    ax = plots.cost_over_periods(found, ax=figure.Figure().subplots())
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["cost"].get_ydata(), found.frame()["cost"])
    assert lines["alarm"].get_xdata().tolist() == [2]
    assert ax.get_ylabel() == "cost per case (EUR)"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["w1", "w2", "w3"]


def test_without_alarm_there_is_no_mark():
    from stakes import plots

    found = watch(dict.fromkeys(range(40), GOOD), application=APP)
    ax = plots.cost_over_periods(found, ax=figure.Figure().subplots())
    assert "alarm" not in {line.get_label() for line in ax.lines}
    assert len(ax.get_xticks()) <= 12


def test_periods_without_labels_are_open_circles():
    from stakes import plots

    p = np.random.default_rng(0).random(500)
    y = np.random.default_rng(1).random(500) < p
    reference = DecidedCases.from_scores(y, p, costs={"fn": 10, "fp": 1})
    later = estimate_periods({"w4": reference.alike(p)}, reference=reference)
    found = watch({"w1": GOOD, "w2": GOOD, "w3": BAD}, application=APP)
    ax = plots.cost_over_periods(found, estimates=later, ax=figure.Figure().subplots())
    lines = {line.get_label(): line for line in ax.lines}
    marks = lines["estimate without labels"]
    assert marks.get_xdata().tolist() == [3]
    assert marks.get_ydata().tolist() == [later.estimates[0].value]
    np.testing.assert_allclose(lines["cost"].get_ydata()[:3], found.frame()["cost"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["w1", "w2", "w3", "w4"]
    odd = estimate_periods({"w4": reference.alike(0.5 + p / 9)}, reference=reference)
    assert isinstance(odd.estimates[0], str)  # an alarm without an estimate is on the line
    ax = plots.cost_over_periods(found, estimates=odd, ax=figure.Figure().subplots())
    alarms = next(line for line in ax.lines if line.get_label() == "alarm")
    assert (alarms.get_xdata()[-1], alarms.get_ydata()[-1]) == (3, found.costs[0].value)
    with pytest.raises(DataError, match="`estimates` must be"):
        plots.cost_over_periods(found, estimates=[0.5], ax=figure.Figure().subplots())


def test_dates_that_would_touch_on_a_narrow_page_are_slanted():
    from stakes import plots

    weeks = [f"2025-05-{day:02}" for day in (5, 12, 19, 26, 30)]
    for names, angle in ((weeks, 30), (["w1", "w2", "w3"], 0)):
        found = watch(dict.fromkeys(names, GOOD), application=APP)
        ax = plots.cost_over_periods(found, ax=figure.Figure().subplots())
        assert {label.get_rotation() for label in ax.get_xticklabels()} == {angle}


def test_slices_that_differ_are_marked():
    from stakes import plots

    found = compare_slices({"a": GOOD, "b": GOOD, "c": BAD}, application=APP)
    ax = plots.cost_by_slice(found, ax=figure.Figure().subplots())
    marked = next(line for line in ax.lines if line.get_label() == "differs from the rest")
    assert marked.get_ydata().tolist() == [
        k for k, name in enumerate(found.slices) if name in found.differing
    ]


def test_intervals_with_gaps_are_bars():
    from stakes import plots

    few, many = ConfusionMatrix([[3, 1], [1, 2]]), ConfusionMatrix([[900, 50], [20, 80]])
    found = watch([many, few, many, few], application=Application([[0, 1], [10, 0]]))
    ax = plots.cost_over_periods(found, ax=figure.Figure().subplots())
    (bars,) = [each for each in ax.collections if each.get_gid() == "bars"]
    assert [segment[0][0] for segment in bars.get_segments()] == [0, 2]
