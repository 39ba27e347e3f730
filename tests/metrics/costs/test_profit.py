"""Expected maximum profit against every threshold on a grid of benefits, and empulse."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import all_rates, samples
from hypothesis import given
from scipy.stats import beta as beta_law

from stakes import ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import expected_max_profit_churn, expected_max_profit_credit

Y = [0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1]
P = [0.1, 0.2, 0.3, 0.35, 0.4, 0.8, 0.45, 0.9, 0.05, 0.6, 0.85, 0.15]
GRID = (np.arange(20_000) + 0.5) / 20_000


@given(samples)
def test_churn_against_every_threshold(sample):
    y, s, w = sample
    share = w[y == 1].sum() / w.sum()
    fpr, tpr = all_rates(y, s, w).T[0], 1 - all_rates(y, s, w).T[1]
    gain = (190 * GRID[:, None] - 1) * share * tpr - 11 * (1 - share) * fpr
    expected = np.mean(gain.max(axis=1) * beta_law.pdf(GRID, 6, 14))
    sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
    assert expected_max_profit_churn(sc).value == pytest.approx(expected, abs=1e-4)


@given(samples)
def test_credit_against_every_threshold(sample):
    y, s, w = sample
    share = w[y == 1].sum() / w.sum()
    fpr, tpr = all_rates(y, s, w).T[0], 1 - all_rates(y, s, w).T[1]
    gain = GRID[:, None] * share * tpr - 0.2644 * (1 - share) * fpr
    whole = (share * tpr - 0.2644 * (1 - share) * fpr).max()
    expected = 0.35 * np.mean(gain.max(axis=1)) + 0.1 * whole
    sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
    assert expected_max_profit_credit(sc).value == pytest.approx(expected, abs=1e-6)


def test_against_empulse():
    # empulse: empc_score(Y, P), the same with clv=100, incentive_cost=5, contact_cost=3, and
    # empcs_score(Y, P).
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    assert expected_max_profit_churn(sc).value == pytest.approx(18.75223973479146)
    other = expected_max_profit_churn(sc, lifetime_value=100, offer=5, contact=3)
    assert other.value == pytest.approx(7.3221872312926495)
    assert expected_max_profit_credit(sc).value == pytest.approx(0.07146505477777779)


def test_threshold_is_best_for_the_mean_benefit():
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    best = expected_max_profit_churn(sc)
    y, p = np.array(Y), np.array(P)
    gain = [
        (190 * 0.3 - 1) * ((p > t) & (y == 1)).mean() - 11 * ((p > t) & (y == 0)).mean()
        for t in [-1, *P]
    ]
    chosen = p > best.threshold
    found = (190 * 0.3 - 1) * (chosen & (y == 1)).mean() - 11 * (chosen & (y == 0)).mean()
    assert found == pytest.approx(max(gain))
    assert 0 <= best.fraction <= 1


def test_impossible_parameters_are_refused():
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    with pytest.raises(DataError, match="lifetime_value > offer"):
        expected_max_profit_churn(sc, lifetime_value=5, offer=10)
    with pytest.raises(DataError, match="adding to at most 1"):
        expected_max_profit_credit(sc, no_loss=0.8, full_loss=0.4)
