from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ScoreCounts
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics import auc, cllr, eer
from stakes.uncertainty import interval

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])


def scores(n: int = 2000, seed: int = 0, share: float = 0.25) -> ScoreCounts:
    rng = np.random.default_rng(seed)
    y = np.arange(n) < share * n
    return ScoreCounts.from_scores(y, rng.normal(np.where(y, 2.0, -2.0), 2.0), kind="llr")


@pytest.mark.parametrize("method", ["score", "delong", "normal", "percentile", "bca"])
def test_methods_for_auc_agree_on_many_cases(method: str) -> None:
    sc = scores(20_000)
    found = interval(sc, "auc", method=method, draws=1000, rng=0)
    reference = interval(sc, "auc", method="normal")
    assert found.value == auc(sc)
    width = reference.high - reference.low
    assert found.limits == pytest.approx(reference.limits, abs=0.12 * width)


@pytest.mark.parametrize("metric", ["eer", "min_cost"])
def test_score_and_percentile_agree_on_many_cases(metric: str) -> None:
    sc = scores(20_000)
    found = [
        interval(sc, metric, application=APP, method=m, draws=1000, rng=0)
        for m in ("score", "percentile")
    ]
    width = found[1].high - found[1].low
    assert found[0].limits == pytest.approx(found[1].limits, abs=0.2 * width)


def test_equal_error_rate_keeps_its_value() -> None:
    sc = scores()
    assert interval(sc, "eer").value == eer(sc)


def test_bins_at_every_score_change_nothing() -> None:
    sc = scores(300)
    bins = sc.binned(sc.scores[:-1])
    assert interval(bins, "auc").limits == pytest.approx(interval(sc, "auc").limits)


def test_any_metric_of_scores() -> None:
    sc = scores(400)
    found = interval(sc, "cllr", draws=300, rng=0)
    assert found.value == pytest.approx(cllr(sc))
    assert found.low < found.value < found.high
    mine = interval(sc, lambda s: float(s.counts_above(0.0)[1]), draws=300, rng=0)
    assert mine.low < mine.value < mine.high


def test_few_positives_are_refused() -> None:
    assert interval(scores(100, share=0.05), "auc").too_few


def test_one_class_has_no_auc() -> None:
    sc = ScoreCounts.from_scores([1, 1], [0.1, 0.2], kind="rank")
    with pytest.raises(UndefinedError, match="both classes"):
        interval(sc, "auc")


def test_weights_are_refused() -> None:
    sc = ScoreCounts.from_scores([0, 1], [0.1, 0.2], kind="rank", sample_weight=[0.5, 1.5])
    with pytest.raises(DataError, match="weighted_score_interval"):
        interval(sc, "auc")


@pytest.mark.parametrize("metric", ["cllr", "min_cllr", "average_precision", "h_measure"])
def test_metrics_without_costs_ignore_an_application(metric: str) -> None:
    sc = scores(300)
    found = interval(sc, metric, application=APP, draws=50, rng=0)
    assert found.limits == interval(sc, metric, draws=50, rng=0).limits


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("f1", "not a number of scores"),
        ("normalized_expected_cost", "not a number of scores"),
        ("sensitivity_at_specificity", "needs specificity"),
        ("at_min_cost", "must give one number; got OperatingPoint"),
    ],
)
def test_what_is_no_number_of_scores_is_refused_in_words(metric: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        interval(scores(300), metric, application=APP, draws=10)


def test_costs_that_a_metric_needs_are_asked_for() -> None:
    with pytest.raises(DataError, match="`calibration_loss` needs application"):
        interval(scores(300), "calibration_loss", draws=10)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_replicates_that_are_all_alike_are_no_certainty(method: str) -> None:
    apart = ScoreCounts.from_scores(np.arange(200) >= 100, np.arange(200.0), kind="rank")
    found = interval(apart, "auc", method=method, draws=50, rng=0)
    assert found.limits == (1.0, 1.0)
    assert any("did not occur" in note for note in found.notes)
    assert not any("alike" in note for note in interval(apart, "auc").notes)
