from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix
from stakes.application import CostMatrix
from stakes.exceptions import DataError
from stakes.metrics import expected_cost, mcc
from stakes.uncertainty import interval, weighted_interval

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])


def cases(n: int = 500, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 4 == 0).astype(int)
    often = rng.random(n) < 0.5  # drawn nine times as often, and wrong more often
    d = np.where(rng.random(n) < np.where(often, 0.25, 0.1), 1 - y, y)
    return y, d, np.where(often, 1.0, 9.0)


def by_rows(y: Any, d: Any, w: Any, statistic: Any, *, apart: bool, size: int = 1000) -> Any:
    """Draw rows one by one with replacement and compute on them, with their weights."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(size):
        if apart:
            rows = np.concatenate(
                [rng.choice(np.flatnonzero(y == k), np.sum(y == k)) for k in (0, 1)]
            )
        else:
            rows = rng.integers(0, y.shape[0], y.shape[0])
        found.append(statistic(y[rows], d[rows], w[rows]))
    return np.array(found)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 7.5]), st.booleans())
def test_equal_weights_are_the_plain_interval(seed: int, weight: float, priors: bool) -> None:
    y, d, _ = cases(120, seed)
    app = APP if priors else Application(APP.costs)
    for name in ("expected_cost", "normalized_expected_cost"):
        plain = interval(ConfusionMatrix.from_decisions(y, d), name, application=app)
        w = np.full(120, weight)
        found = weighted_interval(y, d, sample_weight=w, metric=name, application=app)
        assert found.value == pytest.approx(plain.value)
        assert found.limits == pytest.approx(plain.limits)


def test_only_proportions_of_weights_matter() -> None:
    y, d, w = cases()
    one, other = (weighted_interval(y, d, sample_weight=w * f, application=APP) for f in (1, 0.01))
    assert one.limits == pytest.approx(other.limits)


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e200, 1e300])
@pytest.mark.parametrize("metric", ["expected_cost", "mcc"])
def test_however_far_from_one_they_are(factor: float, metric: str) -> None:
    y, d, w = cases()
    options = {"metric": metric, "application": APP, "draws": 200, "rng": 0}
    one, other = (weighted_interval(y, d, sample_weight=w * f, **options) for f in (1, factor))
    assert one.limits == pytest.approx(other.limits)


def test_with_priors_only_proportions_within_a_class_matter() -> None:
    y, d, w = cases()
    moved = np.where(y == 1, 50 * w, w)
    one, other = (weighted_interval(y, d, sample_weight=v, application=APP) for v in (w, moved))
    assert one.limits == pytest.approx(other.limits)


@pytest.mark.parametrize("priors", [True, False])
def test_standard_error_against_drawn_rows(priors: bool) -> None:
    y, d, w = cases(2000)
    app = APP if priors else Application(APP.costs)
    drawn = by_rows(
        y, d, w, lambda a, b, c: expected_cost(a, b, application=app, sample_weight=c), apart=priors
    )
    found = weighted_interval(y, d, sample_weight=w, application=app)
    assert found.value == pytest.approx(expected_cost(y, d, application=app, sample_weight=w))
    assert (found.high - found.low) / (2 * 1.96) == pytest.approx(drawn.std(), rel=0.08)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("metric", ["expected_cost", "mcc"])
def test_replicates_against_drawn_rows(metric: str, distinct: bool) -> None:
    y, d, w = cases(400)
    if distinct:  # rows are then drawn one by one
        w = w * np.random.default_rng(2).lognormal(0, 0.5, 400)

    def cost(a: Any, b: Any, c: Any) -> float:
        return expected_cost(a, b, application=APP, sample_weight=c)

    def correlation(a: Any, b: Any, c: Any) -> float:
        return mcc(ConfusionMatrix.from_decisions(a, b, sample_weight=c))

    statistic = cost if metric == "expected_cost" else correlation
    drawn = by_rows(y, d, w, statistic, apart=metric == "expected_cost")
    found = weighted_interval(
        y, d, sample_weight=w, metric=metric, application=APP, method="percentile", rng=0
    )
    assert found.value == pytest.approx(statistic(y, d, w))
    expected = np.quantile(drawn, [0.025, 0.975])
    assert found.limits == pytest.approx(tuple(expected), abs=0.15 * np.ptp(expected))


def test_weights_are_no_frequencies() -> None:
    y, d, _ = cases()
    four = np.full(500, 4)
    often = interval(ConfusionMatrix.from_decisions(y, d, sample_weight=four), application=APP)
    heavy = weighted_interval(y, d, sample_weight=four, application=APP)
    repeated = interval(
        ConfusionMatrix.from_decisions(np.repeat(y, 4), np.repeat(d, 4)), application=APP
    )
    assert often.limits == repeated.limits
    assert np.ptp(heavy.limits) == pytest.approx(2 * np.ptp(often.limits), rel=0.05)


def test_linearised_variance_by_hand() -> None:
    # Four cases of class 0, of weights 1, 2, 3, 4; the one of weight 2 is a false alarm.
    from stakes.uncertainty.intervals.weighted_intervals import _TRUST, effective_cases

    rows, sums, squares = np.array([3.0, 1.0]), np.array([8.0, 2.0]), np.array([26.0, 4.0])
    influence = np.array([-0.2, 0.8])
    kish = 10**2 / 30
    design = (0.2 * 0.8) / ((26 * 0.2**2 + 4 * 0.8**2) / 10**2)
    expected = (1 + _TRUST) / (1 / design + _TRUST / kish)
    assert effective_cases(rows, sums, squares, influence) == pytest.approx(expected)


def test_bca_of_equal_weights_is_that_of_the_table() -> None:
    y, d, _ = cases()
    plain = interval(ConfusionMatrix.from_decisions(y, d), "mcc", draws=8000, rng=0)
    found = weighted_interval(y, d, sample_weight=np.ones(500), metric="mcc", draws=8000, rng=1)
    assert found.limits == pytest.approx(plain.limits, abs=0.01)
    assert found.more(100).replicates is not None


def test_no_error_at_all_leaves_room_for_some() -> None:
    y, _, w = cases()
    found = weighted_interval(y, y, sample_weight=w, application=APP)
    assert found.low == 0.0
    assert found.high > 0.0


def test_cases_without_weight_are_left_out() -> None:
    y, d, w = cases()
    kept = np.arange(500) < 300
    one = weighted_interval(y, d, sample_weight=w * kept, application=APP)
    other = weighted_interval(y[kept], d[kept], sample_weight=w[kept], application=APP)
    assert one.limits == pytest.approx(other.limits)


def test_few_rows_of_a_class_are_refused_however_heavy() -> None:
    y = np.array([0] * 50 + [1] * 5)
    w = np.where(y == 1, 1000.0, 1.5)
    assert weighted_interval(y, y, sample_weight=w, application=APP).too_few


def test_three_decisions_and_a_given_function() -> None:
    y, d, w = cases()
    costs = CostMatrix([[0, 1, 0.5], [10, 0, 0.5]], classes=[0, 1], decisions=[0, 1, 2])
    found = weighted_interval(
        y, np.where(np.arange(500) % 9 == 0, 2, d), sample_weight=w, application=Application(costs)
    )
    assert found.low < found.value < found.high
    share = weighted_interval(
        y, d, sample_weight=w, metric=lambda m: m.counts[1, 1] / m.total, draws=200, rng=0
    )
    assert share.value == pytest.approx(w[(y == 1) & (d == 1)].sum() / w.sum())


def test_what_is_missing_is_said() -> None:
    y, d, w = cases()
    with pytest.raises(DataError, match="sample_weight"):
        weighted_interval(y, d, sample_weight=None, application=APP)
    with pytest.raises(DataError, match="needs costs"):
        weighted_interval(y, d, sample_weight=w)
    with pytest.raises(DataError, match="method"):
        weighted_interval(y, d, sample_weight=w, application=APP, method="bca")
