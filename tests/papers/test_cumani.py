"""S. Cumani, "Bayes decisions and Model evaluation": worked examples and plots."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.papers import Context
from stakes.papers.cumani import PAPER, detection

ITEMS = {item.key: item for item in PAPER.items}


@pytest.fixture(scope="module")
def cells():
    return {cell.name: cell for cell in ITEMS["examples"].compute(Context()).cells}


@pytest.fixture(scope="module")
def detected():
    """Normal scores at -2 and 2, variance 4, told as twice the log-likelihood ratio."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [2000, 1000])
    return detection(y, 2 * rng.normal(np.where(y == 1, 2.0, -2.0), 2.0))


class TestExamples:
    def test_every_number_of_the_slides_agrees(self, cells):
        compared = [cell for cell in cells.values() if cell.published is not None]
        assert len(compared) == 17
        assert [cell for cell in compared if not cell.agrees] == []

    def test_risk_by_hand(self, cells):
        by_hand = 0.3 / 400 * (145 + 100) + 0.4 / 402 * (111 + 92) + 0.3 / 402 * (112 + 121)
        assert cells["empirical Bayes risk"].ours == pytest.approx(by_hand, abs=1e-15)
        best_dummy = min(0.4 + 0.6, 0.3 + 0.3, 0.6 + 0.4)
        normalised = cells["empirical Bayes risk, normalised by the best dummy system"].ours
        assert normalised == pytest.approx(by_hand / best_dummy)


class TestDetection:
    def test_actual_costs_are_never_below_the_minimum(self, detected):
        for name, frame in detected.tables.items():
            if name.startswith("bayes-error"):
                assert (frame["actual"] >= frame["minimum"] - 1e-12).all()
                assert (frame["minimum"] <= 1 + 1e-12).all()

    def test_every_calibration_reduces_the_gap(self, detected):
        assert [claim.holds for claim in detected.claims] == [True]

    def test_equal_error_rate_against_theory(self, detected):
        """Two normals of sd 2, four apart: the equal error rate is the tail beyond 1."""
        from scipy.stats import norm

        found = {cell.name: cell.ours for cell in detected.cells}
        assert found["equal error rate"] == pytest.approx(norm.sf(1.0), abs=0.02)
        assert found["threshold of equal error rates"] == pytest.approx(0.0, abs=0.3)

    def test_curves_keep_their_ends_and_stay_short(self, detected):
        roc = detected.tables["roc"]
        assert roc.shape[0] <= 600
        ends = [roc["false_positive_rate"][k] for k in (0, -1)]
        assert ends == [0.0, 1.0]


def test_figures(detected):
    pytest.importorskip("matplotlib", reason="drawing needs the extra 'plots'")
    figures = ITEMS["fvcaus"].draw(detected)
    assert sorted(figures) == ["fvcaus-bayes-error", "fvcaus-scores"]
    assert len(figures["fvcaus-scores"].axes) == 4


def test_fvcaus(data_folder):
    """The equal error rate of FVCAUS prints as .001 in Table 2 of Ferrer 2025."""
    outcome = ITEMS["fvcaus"].compute(Context(data=data_folder))
    found = {cell.name: cell.ours for cell in outcome.cells}
    assert round(found["equal error rate"], 3) == 0.001
    assert [claim.holds for claim in outcome.claims] == [True]
