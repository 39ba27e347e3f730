"""Costs, AUC and EER of published scores: ferrer2025 Table 2, raw rows, three decimals."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import CostMatrix, Posteriors, ScoreCounts, metrics

ROWS = {
    # folder: NEC for C01, CinvP and Cimb; 1 - AUC; EER
    "sst2_gpt2_4shot": ([0.996, 0.992, 1.000], 0.048, 0.116),
    "sst2_gpt2": ([0.828, 0.826, 1.000], 0.072, 0.152),
    "fvcaus_plda": ([3.915, 0.315, 0.362], 0.000, 0.001),
}


@pytest.mark.parametrize("folder", ROWS)
def test_ferrer_2025_table_2(data_folder, folder):
    necs, area, equal = ROWS[folder]
    logits = np.load(data_folder / folder / "scores.npy")
    y = np.load(data_folder / folder / "targets.npy")
    sc = ScoreCounts.from_scores(y, Posteriors.from_logits(logits).log_odds, kind="log_odds")
    costs = [
        CostMatrix.zero_one(2),
        CostMatrix.inverse_prior(sc.priors),
        CostMatrix([[0, 1], [100, 0]]),
    ]
    found = [metrics.actual_cost(sc, matrix, normalized=True) for matrix in costs]
    assert np.round(found, 3).tolist() == necs
    assert round(1 - metrics.auc(sc), 3) == area
    # The table prints the false positive rate where both rates are closest.
    assert round(metrics.at_equal_error(sc).false_positive_rate, 3) == equal
