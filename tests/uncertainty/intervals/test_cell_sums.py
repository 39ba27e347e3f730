"""CellSums: what weighted rows tell of how sure costs are, when only sums by cell are kept."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix
from stakes.exceptions import DataError, UndefinedError
from stakes.uncertainty import compare, interval, weighted_interval
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums

COSTS = [[0, 1, 2], [3, 0, 1], [5, 2, 0]]
FREE, AT = Application(COSTS), Application(COSTS, priors=[0.7, 0.2, 0.1])
NEC = "normalized_expected_cost"
applications = pytest.mark.parametrize("app", [FREE, AT], ids=["free", "with priors"])


def some_rows(n: int = 300, seed: int = 0, spread: float = 1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    chosen = {
        name: np.where(rng.random(n) < right, y, rng.integers(0, 3, n))
        for name, right in (("a", 0.8), ("b", 0.7))
    }
    return y, chosen, rng.lognormal(0, spread, n)


def summed(y, chosen, w, powers: int = 3) -> CellSums:
    codes = np.column_stack([y, *chosen.values()])
    cells, place = np.unique(codes[w > 0], axis=0, return_inverse=True)
    place, kept = place.reshape(-1), w[w > 0]
    sums = [np.bincount(place, kept**power) for power in (1, 2, 4)[:powers]]
    names = {"systems": tuple(chosen), "classes": FREE.classes, "decisions": FREE.decisions}
    return CellSums.of(cells, np.bincount(place), sums, **names)


def rows_of(y, chosen, w) -> CaseRows:
    return CaseRows.from_decisions(y, chosen, sample_weight=w, groups=None, application=FREE)


def close(one, other, rel=1e-9):
    assert (one.value, one.low, one.high) == pytest.approx(
        (other.value, other.low, other.high), rel=rel
    )


@applications
@pytest.mark.parametrize("metric", ["expected_cost", NEC])
@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_a_cost_is_that_of_the_rows(app, metric, seed):
    y, chosen, w = some_rows(seed=seed)
    one = {"a": chosen["a"]}
    expected = weighted_interval(y, one["a"], sample_weight=w, metric=metric, application=app)
    found = interval(summed(y, one, w, powers=2), metric, application=app)
    close(found, expected)
    close(found.at(0.8), expected.at(0.8))
    assert found.method == expected.method == "score"


@applications
def test_equal_weights_give_the_interval_of_counts(app):
    y, chosen, _ = some_rows()
    one = {"a": chosen["a"]}
    expected = interval(ConfusionMatrix.from_decisions(y, one["a"]), NEC, application=app)
    for weight in (1.0, 0.3, 7.0):
        close(interval(summed(y, one, np.full(300, weight)), NEC, application=app), expected)


@applications
def test_equal_weights_compare_as_rows_do(app):
    y, chosen, _ = some_rows()
    w = np.ones(300)
    expected = compare(rows_of(y, chosen, w), app, rng=0)
    found = compare(summed(y, chosen, w), app, rng=0)
    close(found.differences[0], expected.differences[0], rel=1e-12)
    np.testing.assert_array_equal(found.probability_best, expected.probability_best)
    one, other = found.differences[0], expected.differences[0]
    assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert one.cases_needed == pytest.approx(other.cases_needed, rel=1e-9)


@applications
@pytest.mark.parametrize("normalized", [False, True])
def test_a_difference_is_as_sure_as_from_rows(app, normalized):
    y, chosen, w = some_rows(600)
    options = {"normalized": normalized, "draws": 4000}
    expected = compare(rows_of(y, chosen, w), app, rng=0, **options)
    found = compare(summed(y, chosen, w), app, rng=1, **options)
    mine, theirs = found.differences[0], expected.differences[0]
    assert (mine.first, mine.second) == (theirs.first, theirs.second)
    assert mine.value == pytest.approx(theirs.value, rel=1e-9)
    # The standard error of a ratio of two spreads of 4000 draws is 1 / sqrt(4000) = 1.6 %.
    assert mine.high - mine.low == pytest.approx(theirs.high - theirs.low, rel=0.06)
    np.testing.assert_allclose(found.probability_best, expected.probability_best, atol=0.04)


@pytest.mark.parametrize("by_class", [True, False])
def test_as_many_rows_carry_the_variance(by_class):
    y, chosen, w = some_rows(spread=1.5)
    sums, rows = summed(y, chosen, w), rows_of(y, chosen, w)
    parts = np.random.default_rng(3).normal(size=sums.rows.shape[0])
    expected = rows.carrying(parts, by_class=by_class)
    assert sums.carrying(parts, by_class=by_class) == pytest.approx(expected, rel=1e-9)
    alike = np.zeros_like(parts)
    assert sums.carrying(alike, by_class=by_class) == rows.carrying(alike, by_class=by_class) == 300


def test_draws_have_the_moments_of_drawn_rows():
    # Of n rows drawn with replacement a cell of weight S and squares Q gets S on average, with
    # variance Q - S^2 / n; two cells have the covariance -S T / n.
    y, chosen, w = some_rows(200)
    sums = summed(y, {"a": chosen["a"]}, w)
    drawn = sums.draw(40_000, np.random.default_rng(0))
    total, n = sums.joint.counts, 200
    expected = np.diag(sums.squares) - np.outer(total, total) / n
    spread = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(drawn.mean(axis=0), total, atol=5 * spread.max() / 200)
    np.testing.assert_allclose(
        np.cov(drawn.T) / np.outer(spread, spread),
        expected / np.outer(spread, spread),
        atol=0.05,
    )
    assert (drawn >= 0).all()


def test_only_proportions_of_weights_matter_and_a_row_is_one_case():
    y, chosen, _ = some_rows()
    w = np.random.default_rng(4).integers(1, 5, 300).astype(float)  # whole, yet no frequencies
    one, other = summed(y, chosen, w), summed(y, chosen, w * 0.37)
    np.testing.assert_array_equal(one.cases, np.bincount(y))
    assert one.n_groups == (300,)
    close(*(compare(each, FREE, rng=0).differences[0] for each in (one, other)))


def test_rows_of_weight_zero_are_no_cases():
    y, chosen, w = some_rows()
    w[::3] = 0
    found = summed(y, chosen, w)
    np.testing.assert_array_equal(found.cases, np.bincount(y[w > 0]))
    expected = weighted_interval(y, chosen["a"], sample_weight=w, application=FREE)
    close(interval(summed(y, {"a": chosen["a"]}, w), application=FREE), expected)


def test_too_few_rows_have_no_interval_however_heavy():
    y, chosen, w = some_rows()
    few = np.append(np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:6])
    part = {name: values[few] for name, values in chosen.items()}
    w = w[few] * np.where(y[few] == 2, 1000.0, 1.0)
    assert interval(summed(y[few], {"a": part["a"]}, w), application=FREE).too_few
    assert compare(summed(y[few], part, w), FREE, rng=0).too_few


@pytest.mark.parametrize("size", [1e90, 1e-90])
def test_powers_that_no_double_holds_are_refused(size):
    y, chosen, w = some_rows()
    with (
        np.errstate(over="ignore", under="ignore"),
        pytest.raises(UndefinedError, match="too large or too small"),
    ):
        summed(y, chosen, w * size)


def test_what_sums_do_not_tell_is_refused():
    y, chosen, w = some_rows()
    one = summed(y, {"a": chosen["a"]}, w)
    with pytest.raises(DataError, match="intervals of costs, by the score test; got 'accuracy'"):
        interval(one, "accuracy")
    with pytest.raises(DataError, match="by 'percentile'"):
        interval(one, application=FREE, method="percentile")
    with pytest.raises(DataError, match="needs costs"):
        interval(one)
    with pytest.raises(DataError, match="takes one system"):
        interval(summed(y, chosen, w), application=FREE)
    with pytest.raises(UndefinedError, match="fourth powers"):
        compare(summed(y, chosen, w, powers=2), FREE, rng=0)
    assert repr(one) == "<CellSums of 300 weighted rows in 9 joint cells>"
