from __future__ import annotations

import numpy as np
import pytest

from stakes import evaluate
from stakes.exceptions import DataError, StakesError
from stakes.testing import assert_cost

Y = np.array([0] * 900 + [1] * 100)
OLD = np.array([0] * 800 + [1] * 100 + [1] * 60 + [0] * 40)  # costs (100 + 400) / 1000
NEW = np.array([0] * 850 + [1] * 50 + [1] * 90 + [0] * 10)  # costs (50 + 100) / 1000
COSTS = {"fn": 10, "fp": 1}


def test_models_below_the_bars_pass():
    ev = assert_cost(Y, {"old": OLD, "new": NEW}, costs=COSTS, max_cost=0.5, max_nec=0.5 / 0.9)
    assert ev["old"].cost == pytest.approx(0.5)


def test_every_model_above_a_bar_is_named():
    with pytest.raises(AssertionError) as caught:
        assert_cost(Y, {"old": OLD, "new": NEW}, costs=COSTS, unit="EUR", max_cost=0.1)
    assert str(caught.value) == (
        "old costs 0.5 EUR per case, more than 0.1.\nnew costs 0.15 EUR per case, more than 0.1."
    )


def test_a_cost_just_above_the_bar_is_told_apart_from_it():
    truth, taken = [0] * 9997 + [1] * 3, [0] * 10_000
    with pytest.raises(AssertionError, match=r"^m costs 0\.00301 per case, more than 0\.003\.$"):
        assert_cost(truth, {"m": taken}, costs={"fn": 10.03, "fp": 1}, max_cost=0.003)
    with pytest.raises(AssertionError, match=r"^m costs 12 345 per case, more than 12300\.$"):
        assert_cost([0, 1], {"m": [0, 0]}, costs={"fn": 24_690, "fp": 1}, max_cost=12_300)
    with pytest.raises(AssertionError, match=r"^m costs 1\.1304 per case, more than 1\.13\.$"):
        assert_cost([0, 1], {"m": [0, 0]}, costs={"fn": 2.2608, "fp": 1}, max_cost=1.13)


@pytest.mark.parametrize("bar", ["max_nec", "max_cost"])
def test_a_bar_must_be_a_number(bar):
    with pytest.raises(DataError, match=f"`{bar}` must be a number; got nan"):
        assert_cost(Y, {"old": OLD}, costs=COSTS, **{bar: float("nan")})


def test_the_normalised_cost():
    with pytest.raises(AssertionError, match=r"^old has a NEC of 0\.556, more than 0\.5\.$"):
        assert_cost(Y, {"old": OLD}, costs=COSTS, max_nec=0.5)


def test_a_bar_within_the_interval_fails_only_where_it_must_be_sure():
    ev = evaluate(Y, {"old": OLD}, costs=COSTS)
    high = ev["old"].interval[1]
    bar = (ev["old"].nec + high) / 2
    assert assert_cost(ev, max_nec=bar) is ev
    for name, limit in (("max_nec", bar), ("max_cost", bar * 0.9)):
        with pytest.raises(AssertionError, match="is possible"):
            assert_cost(ev, surely=True, **{name: limit})
    assert assert_cost(ev, surely=True, max_nec=high, max_cost=0.9 * high + 1e-12) is ev


def test_no_interval_is_nothing_sure():
    with pytest.raises(AssertionError, match="no interval"):
        assert_cost(Y[895:905], OLD[895:905], costs=COSTS, max_nec=9, surely=True)


def test_a_challenger_must_beat_the_baseline():
    models, volume = {"old": OLD, "new": NEW}, "1000/yr"
    ev = assert_cost(Y, models, costs=COSTS, baseline="old", volume=volume, switching_cost=10)
    assert ev.to_deploy == "new"
    with pytest.raises(AssertionError, match=r"^Keep old\. new saves 350 a year"):
        assert_cost(Y, models, costs=COSTS, baseline="old", volume=volume, switching_cost=1000)


def test_the_baseline_has_no_bar():
    assert_cost(Y, {"old": OLD, "new": NEW}, costs=COSTS, baseline="old", max_cost=0.2)


def test_nothing_to_assert_is_refused():
    with pytest.raises(DataError, match="nothing to assert"):
        assert_cost(Y, OLD, costs=COSTS)


@pytest.mark.parametrize("bar", ["0.5", True, [0.5], None])
def test_bars_that_are_no_numbers_are_refused(bar):
    with pytest.raises(StakesError):
        assert_cost(Y, OLD, costs=COSTS, max_nec=bar)


def test_an_evaluation_takes_no_options():
    with pytest.raises(DataError, match="leave out costs"):
        assert_cost(evaluate(Y, OLD, costs=COSTS), costs=COSTS, max_nec=1)
