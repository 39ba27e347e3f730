from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from stakes import Application, ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import min_cost
from stakes.uncertainty import interval, min_cost_optimism

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])


def scores(seed: int, n: int = 200) -> ScoreCounts:
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n // 10
    return ScoreCounts.from_scores(y, rng.normal(2.0 * y), kind="rank")


@pytest.mark.parametrize(("method", "part"), [("cross_fit", 0.5), ("bootstrap", 0.8)])
def test_correction_removes_optimism(method: str, part: float) -> None:
    grid = np.linspace(-4, 6, 4001)
    truth = float((0.9 * norm.sf(grid) + norm.cdf(grid - 2.0)).min())
    found = [min_cost_optimism(scores(k), APP, method=method, draws=60, rng=k) for k in range(60)]
    apparent, least, new = (
        np.mean([getattr(f, name) for f in found]) for name in ("apparent", "least", "new_data")
    )
    assert apparent < truth - 0.02
    assert abs(least - truth) < part * (truth - apparent)  # the bootstrap finds less of it
    assert new > least


def test_apparent_is_the_minimum_on_the_data() -> None:
    sc = scores(0)
    assert min_cost_optimism(sc, APP, rng=0).apparent == pytest.approx(min_cost(sc, APP))


def test_normalised_by_the_naive_cost() -> None:
    sc = scores(0)
    plain, relative = (min_cost_optimism(sc, APP, normalized=n, rng=0) for n in (False, True))
    assert relative.least == pytest.approx(plain.least / min(0.9, 0.1 * 10))


def test_interval_is_around_the_corrected_value() -> None:
    sc = scores(0)
    found = interval(sc, "min_cost", application=APP, rng=0)
    assert found.value > min_cost(sc, APP)
    assert any("optimism" in note for note in found.notes)


def test_much_data_leave_little_optimism() -> None:
    found = min_cost_optimism(scores(0, n=30_000), APP, rng=0)
    assert 0 <= found.optimism < 0.02


def test_other_methods_are_refused() -> None:
    with pytest.raises(DataError, match="cross_fit"):
        min_cost_optimism(scores(0), APP, method="hope")


def test_in_one_line():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4 == 0
    scores = ScoreCounts.from_scores(y, rng.normal(1.5 * y), kind="rank")
    found = min_cost_optimism(scores, Application([[0, 1], [5, 0]]), rng=0)
    assert repr(found).startswith("<MinCostOptimism: looks like 0.")
    assert " on new cases; threshold " in repr(found)
    assert " on other draws " in repr(found)
