"""The H-measure against its integral and against the hmeasure package."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import all_rates, samples
from hypothesis import given
from scipy.integrate import quad
from scipy.stats import beta as beta_law

from stakes import ScoreCounts
from stakes.metrics import h_measure

Y = [0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1]
P = [0.1, 0.2, 0.3, 0.35, 0.4, 0.8, 0.45, 0.9, 0.05, 0.6, 0.85, 0.15]


@given(samples)
def test_against_quadrature(sample):
    y, s, w = sample
    points = all_rates(y, s, w)
    share = w[y == 1].sum() / w.sum()

    grid = ((np.arange(4000) + 0.5) / 4000)[:, None]
    least = (grid * (1 - share) * points[:, 0] + (1 - grid) * share * points[:, 1]).min(axis=1)
    density = beta_law.pdf(grid[:, 0], 2, 3)
    paid = np.mean(least * density)
    naive = np.mean(np.minimum(grid * (1 - share), (1 - grid) * share)[:, 0] * density)
    sc = ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w)
    assert h_measure(sc, alpha=2, beta=3) == pytest.approx(1 - paid / naive, abs=1e-5)


@pytest.mark.parametrize(
    ("severity", "expected"),
    # hmeasure 0.1.6, h_score(Y, P, severity_ratio=severity): Beta(2, 1 + 1 / severity).
    [(5 / 7, 0.24376705101950336), (1.0, 0.23898747961161404), (0.25, 0.2667620209877697)],
)
def test_against_hmeasure(severity, expected):
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    assert h_measure(sc, alpha=2, beta=1 + 1 / severity) == pytest.approx(expected)


def test_default_is_beta_by_prior():
    # hmeasure 0.1.6 with a negative severity ratio: Beta(1 + P_1, 1 + P_0).
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    assert h_measure(sc) == pytest.approx(0.2422751691106947)


def test_extremes():
    assert h_measure(ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")) == 1.0
    constant = ScoreCounts.from_scores([0, 0, 1], [1.0, 1.0, 1.0], kind="rank")
    assert h_measure(constant) == pytest.approx(0)


def test_prior_by_quadrature():
    sc = ScoreCounts.from_scores(Y, P, kind="posterior")
    points = all_rates(np.array(Y), np.array(P), np.ones(len(Y)))

    def least(c, prior):
        return (c * (1 - prior) * points[:, 0] + (1 - c) * prior * points[:, 1]).min()

    law = beta_law(2, 2)
    paid = quad(lambda c: least(c, 0.1) * law.pdf(c), 0, 1, limit=200)[0]
    naive = quad(lambda c: min(c * 0.9, (1 - c) * 0.1) * law.pdf(c), 0, 1, points=[0.1])[0]
    assert h_measure(sc, alpha=2, beta=2, priors=0.1) == pytest.approx(1 - paid / naive, abs=1e-6)
