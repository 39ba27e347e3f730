"""CaseRows: what weighted rows come to, without a table of rows by joint cells."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, GroupedCounts, PairedCounts
from stakes.uncertainty import compare, interval
from stakes.uncertainty.intervals.case_rows import CaseRows
from stakes.uncertainty.intervals.group_intervals import carrying_groups, group_cases, group_draws

APP = Application([[0, 1, 2], [3, 0, 1], [5, 2, 0]])


def some_rows(n: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    chosen = {
        name: np.where(rng.random(n) < right, y, rng.integers(0, 3, n))
        for name, right in (("a", 0.8), ("b", 0.6))
    }
    return y, chosen, rng.exponential(1, n) + 0.05, rng.integers(0, 40, n)


def both(weights=None, groups=None, seed: int = 0):
    """The rows, and grouped counts of the same with weights that are 1 on average."""
    y, chosen, w, _ = some_rows(seed=seed)
    w = w if weights is None else weights
    rows = CaseRows.from_decisions(y, chosen, sample_weight=w, groups=groups, application=APP)
    names = {"classes": APP.classes, "decision_names": APP.decisions}
    grouped = GroupedCounts.from_decisions(
        y,
        chosen,
        groups=range(len(y)) if groups is None else groups,
        sample_weight=w / w.mean(),
        **names,
    )
    return rows, grouped


def test_joint_counts_are_those_of_paired_counts():
    y, chosen, w, _ = some_rows()
    rows, _ = both()
    paired = PairedCounts.from_decisions(y, chosen, sample_weight=w / w.mean())
    np.testing.assert_array_equal(rows.joint.cells, paired.cells)
    np.testing.assert_allclose(rows.joint.counts, paired.counts)
    assert rows.joint.total == pytest.approx(300)  # so that numbers of cases are numbers of rows
    np.testing.assert_allclose(
        rows.joint.confusion("a").counts, paired.confusion("a").counts, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("groups", [False, True])
def test_as_many_carry_the_variance_as_of_grouped_counts(groups):
    rows, grouped = both(groups=some_rows()[3] if groups else None)
    parts = np.random.default_rng(3).normal(size=rows.joint.counts.shape[0])
    for by_class in (True, False):
        expected = carrying_groups(grouped, parts, by_class=by_class)
        assert carrying_groups(rows, parts, by_class=by_class) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["rows", "rows alike", "groups"])
def test_draws_have_the_law_of_grouped_counts(kind):
    weights = np.where(np.arange(300) % 3 == 0, 4.0, 1.0) if kind == "rows alike" else None
    rows, grouped = both(weights, some_rows()[3] if kind == "groups" else None)
    if kind == "rows alike":  # few kinds, so that their numbers are drawn
        chosen = {"a": some_rows()[1]["a"]}
        y = some_rows()[0]
        rows = CaseRows.from_decisions(
            y, chosen, sample_weight=weights, groups=None, application=APP
        )
        grouped = GroupedCounts.from_decisions(
            y, chosen, groups=range(300), sample_weight=weights / weights.mean()
        )
    one, other = (
        group_draws(each, 4000, np.random.default_rng(k)) for k, each in enumerate((rows, grouped))
    )
    # Standard errors of 4000 draws: of a mean sd / sqrt(4000), of an sd about sd / sqrt(8000).
    spread = other.std(axis=0)
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 5 * spread * np.sqrt(2 / 4000)).all()
    np.testing.assert_allclose(one.std(axis=0), spread, rtol=0.25)
    np.testing.assert_allclose(one.std(axis=0).sum(), spread.sum(), rtol=0.05)


def test_a_row_is_one_case_also_where_weights_are_whole():
    y, chosen, _, groups = some_rows()
    for weights in (np.full(300, 3.0), np.full(300, 3.01)):
        for by in (None, groups):
            rows = CaseRows.from_decisions(
                y, chosen, sample_weight=weights, groups=by, application=APP
            )
            np.testing.assert_array_equal(group_cases(rows), np.bincount(y))


def test_rows_of_weight_zero_are_as_if_absent():
    y, chosen, w, groups = some_rows()
    kept = np.arange(300) % 4 > 0
    one, other = (
        CaseRows.from_decisions(
            y[part],
            {name: c[part] for name, c in chosen.items()},
            sample_weight=(w * kept)[part],
            groups=groups[part],
            application=APP,
        )
        for part in (slice(None), kept)
    )
    np.testing.assert_array_equal(one.cases, np.bincount(y[kept]))
    found = [compare(each, APP, rng=0).difference("a", "b") for each in (one, other)]
    assert found[0].low == pytest.approx(found[1].low, rel=1e-12)


def test_an_interval_of_groups_of_weighted_rows():
    y, chosen, w, groups = some_rows()
    one = {"a": chosen["a"]}
    rows = CaseRows.from_decisions(y, one, sample_weight=w, groups=groups, application=APP)
    grouped = GroupedCounts.from_decisions(y, one, groups=groups, sample_weight=w)
    mine, theirs = (interval(each, application=APP, draws=4000, rng=0) for each in (rows, grouped))
    assert mine.value == pytest.approx(theirs.value)
    assert mine.high - mine.low == pytest.approx(theirs.high - theirs.low, rel=0.08)


def many_rows(heavy: float = 0.0, rounded: bool = False):
    """More rows than are drawn one by one; one may have a share of all weight."""
    y, chosen, w, _ = some_rows(30_000)
    w = np.round(w, 3) if rounded else w
    if heavy:
        w[7] = heavy / (1 - heavy) * (w.sum() - w[7])
    return CaseRows.from_decisions(y, chosen, sample_weight=w, groups=None, application=APP)


@pytest.mark.parametrize("rounded", [False, True])
def test_many_rows_are_drawn_with_their_mean_and_covariance(rounded):
    rows = many_rows(rounded=rounded)
    n, cells = rows.n_groups[0], rows.joint.counts.shape[0]
    drawn = rows.draw(6000, np.random.default_rng(5))
    sums = np.bincount(rows.place, rows.weights, cells)
    squares = np.bincount(rows.place, rows.weights**2, cells)
    # n independent rows, each of which puts its weight into one cell
    covariance = np.diag(squares) - np.outer(sums, sums) / n
    errors = np.sqrt(np.diag(covariance))
    assert np.abs((drawn.mean(axis=0) - sums) / errors).max() < 5 / np.sqrt(6000)
    scaled = np.cov(drawn, rowvar=False) / np.outer(errors, errors)
    np.testing.assert_allclose(scaled, covariance / np.outer(errors, errors), atol=0.1)


def test_among_many_rows_a_heavy_one_is_drawn_by_itself():
    rows = many_rows(heavy=0.3)
    drawn = rows.draw(6000, np.random.default_rng(6))
    heaviest = int(np.argmax(rows.weights))
    cell, weight = rows.place[heaviest], rows.weights[heaviest]
    rest = rows.joint.counts[cell] - weight
    times = np.rint((drawn[:, cell] - rest) / weight)
    # a row is drawn 0, 1, 2, ... times in n draws: Poisson with mean 1, as n is large
    for k, share in enumerate(np.exp(-1) / np.array([1, 1, 2, 6])):
        assert (times == k).mean() == pytest.approx(share, abs=5 * np.sqrt(share / 6000))


def test_many_rows_compare_as_when_each_is_drawn(monkeypatch):
    rows = many_rows()
    short = compare(rows, APP, rng=0).difference("a", "b")
    monkeypatch.setattr("stakes.uncertainty.intervals.case_rows.MANY", 10**9)
    long = compare(rows, APP, rng=0).difference("a", "b")
    assert short.value == long.value
    width = long.high - long.low
    assert short.high - short.low == pytest.approx(width, rel=0.1)
    assert short.low == pytest.approx(long.low, abs=0.05 * width)
