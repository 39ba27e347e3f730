"""Confusion matrices alone give what the rows give."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, evaluate
from stakes.application import Between, UncertainApplication
from stakes.evaluation import Stretch
from stakes.exceptions import DataError

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])
#: A: 4 misses, no alarm; B: 1 miss, 6 alarms: B saves 3 misses for 6 alarms, 2 alarms each.
A = ConfusionMatrix([[900, 0], [40, 60]], ["no", "yes"])
B = ConfusionMatrix([[840, 60], [10, 90]], ["no", "yes"])


def test_the_same_as_from_rows():
    y = np.repeat(["no", "yes", "yes"], [900, 40, 60])
    d = np.repeat(["no", "no", "yes"], [900, 40, 60])
    rows = evaluate(y, {"A": d}, application=COSTS, rng=0)["A"]
    counts = evaluate(None, {"A": A}, application=COSTS, rng=0)["A"]
    assert (counts.nec, counts.cost) == pytest.approx((rows.nec, rows.cost))
    assert counts.interval == pytest.approx(rows.interval)


def test_names_in_another_order_and_decisions_that_never_occur():
    turned = ConfusionMatrix([[60, 40], [0, 900]], ["yes", "no"], ["yes", "no"])
    costs = COSTS.with_abstention(2.0, name="ask")
    ev = evaluate(None, {"A": A, "turned": turned}, application=costs, rng=0)
    assert ev["A"].nec == ev["turned"].nec
    assert ev["A"].confusion.counts.tolist() == [[900, 0, 0], [40, 60, 0]]


def test_switch_points_are_exact():
    """Always 'no' loses to A once a miss is worth anything; B beats 'yes' up to 840 / 10."""
    app = Application(COSTS, priors=[0.9, 0.1])
    ev = evaluate(None, {"A": A, "B": B}, application=app, rng=0)
    assert [stretch.winner for stretch in ev.ranges] == ["A", "B", "none"]
    assert [stretch.high for stretch in ev.ranges] == pytest.approx([2, 84, np.inf])


def test_it_depends_on_unknown_costs():
    unknown = UncertainApplication([[0, 1], [Between(1, 4), 0]], classes=["no", "yes"])
    ev = evaluate(None, {"A": A, "B": B}, application=unknown, rng=0)
    assert ev.verdict_kind == "it depends"
    assert ev.verdict.startswith("It depends: B if a miss costs more than 2 false alarms, else A.")
    assert isinstance(ev.switches[0], Stretch)


def test_other_shares_are_said():
    other = ConfusionMatrix([[450, 50], [100, 400]], ["no", "yes"])
    ev = evaluate(None, {"A": A, "other": other}, application=COSTS, rng=0)
    assert any("class mix of A" in note for note in ev.notes)
    assert ev["other"].cost == pytest.approx(0.9 * 0.1 * 1 + 0.1 * 0.2 * 10)


def test_weights_have_no_interval():
    half = ConfusionMatrix([[450.5, 0.25], [20.25, 30]], ["no", "yes"])
    assert evaluate(None, {"half": half}, application=COSTS, rng=0)["half"].interval is None


def test_problems():
    with pytest.raises(DataError, match="confusion matrices hold the truth already"):
        evaluate([0, 1], {"A": A}, application=COSTS)
    with pytest.raises(DataError, match="only for confusion matrices"):
        evaluate(None, {"A": [0.1, 0.2]}, application=COSTS)
    with pytest.raises(DataError, match="'A' counts"):
        evaluate(None, {"A": A}, application=CostMatrix.zero_one(3))
