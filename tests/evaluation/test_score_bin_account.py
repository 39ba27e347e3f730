"""Bins of a score against the rows they were counted from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

import stakes
from stakes.evaluation.far.score_bin_account import fold_counts, middles, score_counts

pl = pytest.importorskip("polars", reason="needs Polars")

COSTS = {"fn": 10, "fp": 1}


def cases(seed: int, n: int, stretch: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels, and a model that is too sure or too modest beside a right one."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.08).astype(int)
    odds = np.log(0.08 / 0.92)
    p = 1 / (1 + np.exp(-stretch * (rng.normal(4 * y - 2, 2) + odds)))
    q = 1 / (1 + np.exp(-(rng.normal(2.4 * y - 1.2, 1.55) + odds)))
    return y, {"p": p, "q": q}


def both(seed: int, n: int, stretch: float) -> tuple[stakes.evaluation.Evaluation, ...]:
    """The same cases from rows, and from bins counted in an engine."""
    y, models = cases(seed, n, stretch)
    near = stakes.evaluate(y, models, costs=COSTS)
    frame = pl.DataFrame({"y": y, **models}).lazy()
    far = stakes.evaluate_frame(frame, label="y", scores=list(models), costs=COSTS, bins=4096)
    return near, far


@pytest.mark.parametrize(("seed", "n", "stretch"), [(1, 5_000, 1.8), (3, 60_000, 0.6)])
def test_bins_say_what_rows_say(seed: int, n: int, stretch: float) -> None:
    near, far = both(seed, n, stretch)
    assert far.verdict == near.verdict
    assert [note.code for note in far.remarks] == [note.code for note in near.remarks]
    for name in near:
        one, other = near[name], far[name]
        assert other.nec == one.nec
        assert other.interval == pytest.approx(one.interval)
        assert other.calibration_slope == pytest.approx(one.calibration_slope, abs=0.005)
        low, high = one.recalibrated_interval
        assert other.recalibrated_nec == pytest.approx(one.recalibrated_nec, abs=(high - low) / 8)
        assert other.optimistic_nec == pytest.approx(one.optimistic_nec, abs=0.001)
    winners = [[s.winner for s in ev.ranges if s.winner != "tie"] for ev in (near, far)]
    assert winners[0] == winners[1]


def test_a_fold_differs_no_more_than_another_seed() -> None:
    """The folds of bins are folds of rows: over seeds the mean NEC is that of the rows."""
    y, models = cases(2, 3_000, 1.8)
    near, far = [], []
    frame = pl.DataFrame({"y": y, "p": models["p"]}).lazy()
    options = {"label": "y", "scores": ["p"], "costs": COSTS, "bins": 4096}
    for seed in range(12):
        rows = stakes.evaluate(y, {"p": models["p"]}, costs=COSTS, rng=seed)
        near.append(rows["p"].recalibrated_nec)
        far.append(stakes.evaluate_frame(frame, rng=seed, **options)["p"].recalibrated_nec)
    spread = np.std(near, ddof=1) + np.std(far, ddof=1)
    assert abs(np.mean(near) - np.mean(far)) < 3 * spread / np.sqrt(12)


@pytest.mark.parametrize("totals", [(17, 3), (1000, 1), (5, 5)])
def test_folds_hold_all_cases_and_are_even(totals: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    counts = np.stack([rng.multinomial(n, np.full(7, 1 / 7)) for n in totals], axis=1)
    drawn = fold_counts(counts, 5, 0)
    assert np.array_equal(drawn.sum(axis=2), counts)
    for k, total in enumerate(totals):
        sizes = drawn[:, k].sum(axis=0)
        assert sizes.sum() == total
        assert sizes.max() - sizes.min() <= 1
    whole = drawn.sum(axis=(0, 1))
    assert whole.max() - whole.min() <= 1
    assert np.array_equal(drawn, fold_counts(counts, 5, 0))


def test_cases_of_a_bin_fall_into_folds_by_the_hypergeometric_law() -> None:
    counts, folds, draws = np.array([[6, 3], [4, 3], [0, 4]]), 5, 4_000
    rng = np.random.default_rng(2)
    drawn = np.array([fold_counts(counts, folds, rng) for _ in range(draws)])
    total, n, size = 10, 6, 2  # of ten cases of the first class, six in the first bin, two a fold
    wanted = hypergeom(total, n, size)
    for fold in range(folds):
        seen = np.bincount(drawn[:, 0, 0, fold], minlength=3) / draws
        np.testing.assert_allclose(seen, wanted.pmf([0, 1, 2]), atol=0.03)
    # two folds take from the same cases
    pair = np.cov(drawn[:, 0, 0, 0], drawn[:, 0, 0, 4])[0, 1]
    np.testing.assert_allclose(pair, -wanted.var() / (folds - 1), atol=0.02)


def test_more_cases_than_can_be_drawn_one_by_one() -> None:
    counts = np.array([[3_000_000_000, 10], [1_000, 990]])
    drawn = fold_counts(counts, 5, 0)
    assert np.array_equal(drawn.sum(axis=2), counts)
    assert np.ptp(drawn[0, 0]) < 1e6


def test_middles_lie_in_their_bins() -> None:
    y, models = cases(4, 2_000, 3.0)
    p = np.concatenate([models["p"], [0.0, 1.0, 0.0]])
    y = np.concatenate([y, [0, 1, 1]])
    scores = stakes.ScoreCounts.from_scores(y, p, kind="posterior")
    bins = scores.binned([0.001, 0.0909, 0.5, 0.999])
    at = middles(bins)
    assert (bins.runs.lowest <= at).all()
    assert (at <= bins.runs.highest).all()
    assert ((at > 0) & (at < 1)).all()
    again = score_counts(bins)
    assert again.class_totals.tolist() == scores.class_totals.tolist()


def test_weighted_rows_are_recalibrated_by_the_mean_weight_of_their_bins() -> None:
    y, models = cases(5, 20_000, 1.8)
    weights = np.random.default_rng(0).uniform(0.5, 2, 20_000) + y
    near = stakes.evaluate(y, models, costs=COSTS, sample_weight=weights)
    frame = pl.DataFrame({"y": y, "w": weights, **models}).lazy()
    far = stakes.evaluate_frame(
        frame, label="y", scores=list(models), costs=COSTS, sample_weight="w"
    )
    assert far.verdict_kind == near.verdict_kind
    assert far.best_recalibrated.name == near.best_recalibrated.name
    for name in near:
        one, other = near[name], far[name]
        assert other.nec == pytest.approx(one.nec, rel=1e-12)
        assert other.calibration_slope == pytest.approx(one.calibration_slope, abs=0.01)
        low, high = one.recalibrated_interval
        assert other.recalibrated_nec == pytest.approx(one.recalibrated_nec, abs=(high - low) / 8)
        assert np.ptp(other.recalibrated_interval) == pytest.approx(high - low, rel=0.1)


def test_costs_that_are_unknown_are_looked_at_in_the_bins() -> None:
    y, models = cases(1, 5_000, 1.8)
    unknown = stakes.application.UncertainApplication.binary(
        false_negative=stakes.application.Between(2, 40), false_positive=1.0
    )
    near = stakes.evaluate(y, models, application=unknown)
    frame = pl.DataFrame({"y": y, **models}).lazy()
    far = stakes.evaluate_frame(frame, label="y", scores=list(models), application=unknown)
    assert far.doubt.winners == near.doubt.winners
    assert far.doubt.nec == pytest.approx(near.doubt.nec, abs=0.002)
    assert far.doubt.worst_regret == pytest.approx(near.doubt.worst_regret, abs=0.005)
    assert [s.winner for s in far.switches] == [s.winner for s in near.switches]
    assert far.verdict_kind == near.verdict_kind


def test_zeros_are_told_as_from_rows() -> None:
    y, models = cases(6, 3_000, 2.0)
    p = np.where(models["p"] < 0.001, 0.0, models["p"])
    near = stakes.evaluate(y, {"p": p}, costs=COSTS)
    frame = pl.DataFrame({"y": y, "p": p}).lazy()
    far = stakes.evaluate_frame(frame, label="y", scores=["p"], costs=COSTS)
    for found in (near, far):
        assert "zeros-softened" in [note.code for note in found.notes]
    assert far["p"].calibration_slope == pytest.approx(near["p"].calibration_slope, abs=0.01)


def test_an_absent_class_is_told_by_the_number_of_cases() -> None:
    frame = pl.DataFrame({"y": [0] * 50, "p": np.linspace(0.2, 0.2001, 50)}).lazy()
    found = stakes.evaluate_frame(frame, label="y", scores=["p"], costs=COSTS)
    assert any("no case of 1 among the 50" in note for note in found.notes)
