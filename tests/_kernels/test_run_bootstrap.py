from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from stakes import Application, ScoreCounts
from stakes._kernels import run_bootstrap
from stakes._kernels.fast_loops import ranks_loop
from stakes._kernels.run_bootstrap import (
    area,
    draw_runs,
    error_rates,
    least_cost,
    rank_draws,
    rates_crossing,
)
from stakes.metrics import auc, eer, min_cost


def statistics(negatives: np.ndarray, positives: np.ndarray) -> tuple[float, ...]:
    rates = error_rates(negatives, positives)
    return area(rates), rates_crossing(rates), least_cost(rates, 0.8, 2.0)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=4, max_size=40).filter(
        lambda rows: len({y for y, _ in rows}) == 2
    )
)
def test_statistics_of_runs_are_those_of_the_metrics(rows: list[tuple[bool, int]]) -> None:
    y, s = np.array([r[0] for r in rows]), np.array([float(r[1]) for r in rows])
    sc = ScoreCounts.from_scores(y, s, kind="rank")
    app = Application([[0, 1], [10, 0]], priors=[0.8, 0.2])
    expected = auc(sc), eer(sc), min_cost(sc, app)
    assert statistics(sc.runs.negatives, sc.runs.positives) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tied", [False, True])
def test_replicates_have_the_law_of_resampled_rows(tied: bool) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(600) % 5 == 0
    s = rng.normal(1.5 * y)
    s = s.round(1) if tied else s
    sc = ScoreCounts.from_scores(y, s, kind="rank")
    pairs = draw_runs(sc.runs.negatives, sc.runs.positives, 3000, np.random.default_rng(1))
    ours = np.array([statistics(a, b) for a, b in pairs])
    theirs = []
    for _ in range(1500):
        drawn = np.concatenate([rng.choice(s[~y], 480), rng.choice(s[y], 120)])
        again = ScoreCounts.from_scores(np.arange(600) >= 480, drawn, kind="rank")
        theirs.append(statistics(again.runs.negatives, again.runs.positives))
    for column, other in zip(ours.T, np.array(theirs).T, strict=True):
        assert ks_2samp(column, other).pvalue > 0.005


@pytest.mark.parametrize("counts", [([5, 0, 900], [0, 7, 3]), ([3, 2, 0], [0, 400, 900])])
def test_totals_are_kept_whichever_class_is_rare(counts: tuple[list[int], list[int]]) -> None:
    negatives, positives = np.array(counts[0]), np.array(counts[1])
    for a, b in draw_runs(negatives, positives, 200, np.random.default_rng(0)):
        assert a.sum() == negatives.sum()
        assert b.sum() == positives.sum()


def many_runs() -> tuple[np.ndarray, np.ndarray]:
    """Two classes in 600 runs, enough that Poisson counts are filled up."""
    negatives, positives = np.zeros(600, dtype=np.int64), np.zeros(600, dtype=np.int64)
    negatives[0::2] = np.arange(300) % 7 + 1
    positives[1::2] = 1
    return negatives, positives


def test_searching_for_runs_draws_the_same_as_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    tabled = list(draw_runs(*many_runs(), 20, np.random.default_rng(0)))
    monkeypatch.setattr(run_bootstrap, "_TABLED", 0)
    searched = list(draw_runs(*many_runs(), 20, np.random.default_rng(0)))
    for one, other in zip(tabled, searched, strict=True):
        assert np.array_equal(one, other)


def test_filled_up_poisson_counts_are_a_multinomial(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = []
    for short in (run_bootstrap._SHORT, 1e9):  # the second leaves everything to a multinomial
        monkeypatch.setattr(run_bootstrap, "_SHORT", short)
        pairs = list(draw_runs(*many_runs(), 3000, np.random.default_rng(int(short))))
        assert all(a.sum() == many_runs()[0].sum() and b.sum() == 300 for a, b in pairs)
        laws.append(np.array([statistics(a, b) for a, b in pairs]))
    for one, other in zip(laws[0].T, laws[1].T, strict=True):
        assert ks_2samp(one, other).pvalue > 0.005


def test_many_cases_in_few_runs_keep_their_moments() -> None:
    negatives, positives = np.array([4000, 0, 6000]), np.array([0, 500, 0])
    first = [a[0] for a, _ in draw_runs(negatives, positives, 4000, np.random.default_rng(0))]
    assert np.mean(first) == pytest.approx(4000, abs=4)
    assert np.var(first) == pytest.approx(10_000 * 0.4 * 0.6, rel=0.08)


def shapes() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Runs that take each way through the sampler."""
    rng = np.random.default_rng(3)
    y = rng.random(30_000) < 0.05
    s = rng.normal(1.5 * y)
    plain = ScoreCounts.from_scores(y, s, kind="rank").runs
    tied = ScoreCounts.from_scores(y, s.round(2), kind="rank").runs
    return {
        "distinct": (plain.negatives, plain.positives),
        "swapped": (plain.positives, plain.negatives),
        "tied": (tied.negatives, tied.positives),
        "heavy": (np.full(400, 90), np.tile([0, 50], 200)),
        "few": (np.array([500, 0, 900]), np.array([0, 7, 3])),
    }


@pytest.mark.parametrize("shape", ["distinct", "swapped", "tied", "heavy", "few"])
def test_compiled_loops_draw_the_same(monkeypatch: pytest.MonkeyPatch, shape: str) -> None:
    pytest.importorskip("numba", reason="the extra `fast` is not installed")
    counts = shapes()[shape]
    drawn, found = [], []
    for wish in ("0", "1"):
        monkeypatch.setenv("STAKES_FAST", wish)
        drawn.append(list(draw_runs(*counts, 20, np.random.default_rng(5))))
        found.append(rank_draws(*counts, 20, np.random.default_rng(5)))
    for one, other in zip(*drawn, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found[0], [statistics(*pair)[:2] for pair in drawn[0]])


def test_loops_are_right_without_numba() -> None:
    for negatives, positives in shapes().values():
        found = np.empty(2)
        ranks_loop(negatives, positives, found)
        assert found == pytest.approx(statistics(negatives, positives)[:2], abs=1e-12)
