"""Many periods: alarms when something moved, and seldom when nothing did."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostTally, ScoreCounts
from stakes.exceptions import DataError
from stakes.monitoring import compare_periods, watch
from stakes.monitoring.change_parts import chances_of, samples_of
from stakes.uncertainty import interval

APP = Application([[0, 1], [10, 0]])
CELLS = [0.9 * 0.95, 0.9 * 0.05, 0.1 * 0.2, 0.1 * 0.8]


def _period(rng, n=1000, cells=CELLS):
    return ConfusionMatrix(rng.multinomial(n, cells).reshape(2, 2))


class TestFalseAlarms:
    def test_no_alarm_in_95_of_100_runs_in_which_nothing_happens(self):
        """Thirty periods after the reference, 200 runs; all looks at once for speed."""
        rng = np.random.default_rng(0)
        runs, looks = 200, 30
        reference = rng.multinomial(5000, CELLS, size=runs)
        periods = rng.multinomial(1000, CELLS, size=(runs, looks))
        base = np.repeat(reference, looks, axis=0)
        least = []
        for after in (periods, periods.cumsum(axis=1)):
            both = [
                samples_of([ConfusionMatrix(c.reshape(2, 2)) for c in x.reshape(-1, 4)], APP,
                           range(runs * looks))
                for x in (base, after)
            ]  # fmt: skip
            least.append(np.min(chances_of(*both, None), axis=0).reshape(runs, looks))
        questions = np.where(np.arange(looks) == 0, 3, 6)
        k = np.arange(1, looks + 1)
        corrected = questions * np.minimum(*least)
        alarms = (corrected <= 0.05 / (k * (k + 1))).any(axis=1).mean()
        assert alarms < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
        every_day = (3 * least[0] <= 0.05).any(axis=1).mean()
        assert every_day > 0.4  # what testing each period at 5 % would do

    def test_the_same_rule_is_what_watch_applies(self):
        rng = np.random.default_rng(1)
        found = watch([_period(rng) for _ in range(6)], application=APP)
        for k, (one, all_of_them) in enumerate(zip(found.changes, found.so_far, strict=True)):
            p = [*one.p_values.values(), *([] if k == 0 else all_of_them.p_values.values())]
            assert found.p_values[k] == pytest.approx(min(1.0, len(p) * min(p)))

    def test_what_is_spent_adds_to_the_level(self):
        rng = np.random.default_rng(2)
        found = watch([_period(rng, 200) for _ in range(41)], application=APP, level=0.9)
        assert found.alphas.sum() == pytest.approx(0.1 * (1 - 1 / 41))


class TestAlarms:
    def test_a_sudden_change_rings_at_once(self):
        rng = np.random.default_rng(3)
        worse = [0.9 * 0.95, 0.9 * 0.05, 0.1 * 0.5, 0.1 * 0.5]
        periods = {f"w{k}": _period(rng) for k in range(5)} | {"w5": _period(rng, cells=worse)}
        found = watch(periods, application=APP)
        assert found.alarms == ("w5",)
        assert "rates" in found.first_alarm.moved
        assert found.advice.startswith("Since w5: Cost per 1 rose")

    def test_a_slow_lasting_change_rings_by_adding_up(self):
        reference = ConfusionMatrix([[17100, 900], [400, 1600]])
        drifted = ConfusionMatrix([[852, 48], [27, 73]])  # no day stands out by itself
        found = watch([reference, *[drifted] * 30], application=APP)
        assert not any(change.alarm for change in found.changes)
        assert found.alarm
        assert found.first_alarm is found.so_far[found.periods.index(found.alarms[0]) - 1]

    def test_changes_are_those_of_two_periods(self):
        rng = np.random.default_rng(4)
        periods = [_period(rng) for _ in range(3)]
        found = watch(periods, application=APP)
        alone = compare_periods(periods[0], periods[2], application=APP)
        assert found.changes[1].p_values == pytest.approx(alone.p_values)
        assert found.changes[1].cost == pytest.approx(alone.cost)
        together = compare_periods(periods[0], periods[1] + periods[2], application=APP)
        assert found.so_far[1].p_values == pytest.approx(together.p_values)

    def test_a_reference_of_its_own(self):
        rng = np.random.default_rng(5)
        periods = {"mon": _period(rng), "tue": _period(rng), "wed": _period(rng)}
        assert watch(periods, application=APP, reference="tue").periods == ("tue", "wed")
        kept = watch(periods, application=APP, reference=_period(rng, 5000))
        assert kept.periods == ("reference", "mon", "tue", "wed")

    def test_tallies_of_costs(self):
        rng = np.random.default_rng(6)
        tallies = [
            CostTally.from_costs(rng.integers(0, 2, 500), rng.gamma(2, scale, 500))
            for scale in (1, 1, 3)
        ]
        assert watch(tallies, application=APP).alarms == (2,)


class TestScores:
    def _scores(self, size, shift=0.0, seed=0):
        rng = np.random.default_rng(seed)
        y = rng.random(3000) < 0.2
        return ScoreCounts.from_scores(y, rng.normal(size * y, 1.4) - shift, kind="rank")

    @pytest.mark.parametrize(
        ("later", "word"), [((2.0, 3.0), "re-calibrate"), ((0.5, 0.0), "retrain")]
    )
    def test_tell_whether_to_retrain(self, later, word):
        good, bad = ConfusionMatrix([[860, 90], [10, 40]]), ConfusionMatrix([[850, 100], [30, 20]])
        scores = {
            "a": self._scores(2.0),
            "b": self._scores(2.0, seed=1),
            "c": self._scores(*later, 2),
        }
        found = watch({"a": good, "b": good, "c": bad}, application=APP, scores=scores)
        assert found.changes[0].ranking is None  # nothing to explain
        assert word in found.advice

    def test_of_every_period(self):
        cm = ConfusionMatrix([[9, 1], [1, 9]])
        with pytest.raises(DataError, match="'b' is missing"):
            watch({"a": cm, "b": cm}, application=APP, scores={"a": self._scores(1.0)})


@pytest.mark.parametrize("priors", [None, [0.95, 0.05]])
def test_costs_and_intervals_are_those_of_each_period(priors):
    app = APP.with_priors(priors)
    rng = np.random.default_rng(8)
    periods = [_period(rng), _period(rng, 60), _period(rng, 3000)]
    for found, period in zip(watch(periods, application=app).costs, periods, strict=True):
        wanted = interval(period, application=app)
        assert found.value == pytest.approx(wanted.value)
        np.testing.assert_allclose(found.limits, wanted.limits, rtol=1e-6)
        assert (found.too_few, found.notes) == (wanted.too_few, wanted.notes)


def test_a_period_without_a_class_is_named():
    good = ConfusionMatrix([[90, 10], [2, 8]])
    empty = ConfusionMatrix([[90, 10], [0, 0]])
    with pytest.raises(DataError, match="'tue' has no case of 1"):
        watch({"mon": good, "tue": empty}, application=APP.with_priors([0.9, 0.1]))
    assert watch({"mon": good, "tue": empty}, application=APP).periods == ("mon", "tue")


def test_the_table_has_one_row_per_period():
    rng = np.random.default_rng(7)
    found = watch({"a": _period(rng), "b": _period(rng)}, application=APP)
    table = found.frame()
    assert table["period"].tolist() == ["a", "b"]
    assert table["cases"].tolist() == [1000, 1000]
    assert np.isnan(table["change"][0])
    assert (table["low"] < table["cost"]).all()
    assert str(found).endswith(found.advice)


@pytest.mark.parametrize("periods", [[], [ConfusionMatrix([[9, 1], [1, 9]])]])
def test_one_period_is_nothing_to_compare(periods):
    with pytest.raises(DataError, match="at least one later period"):
        watch(periods, application=APP)


def test_an_unknown_reference():
    cm = ConfusionMatrix([[9, 1], [1, 9]])
    with pytest.raises(DataError, match="no period 'x'"):
        watch({"a": cm, "b": cm}, application=APP, reference="x")


class TestTooFewCases:
    """Without evidence there is no advice to go on as before."""

    FEW, MANY = ConfusionMatrix([[25, 3], [1, 3]]), ConfusionMatrix([[860, 90], [10, 40]])

    def test_in_every_period(self):
        found = watch([self.FEW] * 3, application=APP)
        assert found.advice.startswith("Too few cases to see a change: no alarm, but no evidence")

    def test_in_the_reference(self):
        assert (
            "Too few cases in the reference" in watch([self.FEW, self.MANY], application=APP).advice
        )

    def test_in_a_later_period_alone(self):
        found = watch([self.MANY, self.FEW, self.MANY], application=APP)
        assert found.advice == "Nothing moved more than chance: keep deciding as you do."

    def test_between_two_periods(self):
        few = compare_periods(self.MANY, self.FEW, application=APP)
        assert few.advice.startswith("Too few cases to see a change")
        assert compare_periods(self.MANY, self.MANY, application=APP).advice.startswith("Nothing")
