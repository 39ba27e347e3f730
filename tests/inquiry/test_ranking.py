from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, CostMatrix
from stakes.inquiry.model_decisions import _best_threshold, _cross_fitted
from stakes.inquiry.truth import Cases


def paid(scores, truth, threshold, miss, alarm):
    acts = scores > threshold
    return miss * np.sum((truth == 1) & ~acts) + alarm * np.sum((truth == 0) & acts)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=30),
    st.integers(1, 9),
)
def test_best_threshold_against_trying_all(pairs, miss):
    scores = np.array([score for score, _ in pairs], dtype=float)
    truth = np.array([positive for _, positive in pairs], dtype=int)
    saved = np.where(truth == 1, float(miss), -1.0)
    found = paid(scores, truth, _best_threshold(scores, saved), miss, 1)
    tried = [paid(scores, truth, cut, miss, 1) for cut in np.arange(-1, 8) - 0.5]
    assert found == min(tried)


class TestTurnedRound:
    """Rows of weight 0 are absent, and the others count as much as they weigh."""

    @pytest.fixture
    def said(self, run, write):
        def found(good, bad):
            rng = np.random.default_rng(1)
            y = rng.integers(0, 2, 1200)
            p = np.where(np.arange(1200) < 200, 0.3 + 0.4 * y, 0.7 - 0.4 * y)
            p = p + rng.uniform(-0.25, 0.25, 1200)
            w = np.where(np.arange(1200) < 200, good, bad)
            rows = zip(y, p, w, strict=True)
            lines = "".join(f"{('no', 'yes')[a]},{b:.4f},{c}\n" for a, b, c in rows)
            name = write("t.csv", f"y,p,w\n{lines}")
            return run("eval", name, "--label", "y", "--positive", "yes", "--scores", "p",
                       "--weight", "w", "--cost", "error=1").err  # fmt: skip

        return found

    @pytest.mark.parametrize(("good", "bad"), [(1, 0), (100, 1)])
    def test_the_rows_that_count_are_the_right_way_round(self, said, good, bad):
        assert "fewer" not in said(good, bad)

    def test_rows_that_count_as_much_are_not(self, said):
        assert "higher p goes with *fewer* 'yes'" in said(1, 1)

    def test_one_heavy_row_of_an_outcome_is_no_evidence(self, run, write):
        rows = "".join(f"{k % 2},0.{10 + k % 80},1\n" for k in range(200))
        name = write("t.csv", f"y,p,w\n{rows}1,0.01,1000\n")
        ran = run("eval", name, "--scores", "p", "--weight", "w", "--cost", "error=1")
        assert "fewer" not in ran.err


def test_scores_that_separate_are_decided_without_error():
    scores = np.r_[np.arange(50.0), np.arange(100.0, 150.0)]
    truth = np.repeat([0, 1], 50)
    cases = Cases(("no", "yes"), truth, None, np.arange(100), "y")
    costs = CostMatrix.binary(false_negative=10, false_positive=1, classes=("no", "yes"))
    decisions, threshold = _cross_fitted(scores, cases, Application(costs, priors=[0.5, 0.5]))
    assert decisions.tolist() == truth.tolist()
    assert 49 <= threshold < 100


def test_cross_fitting_does_not_reward_noise():
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(0, 2, 400), rng.standard_normal(400)
    cases = Cases(("no", "yes"), truth, None, np.arange(400), "y")
    app = Application(CostMatrix.zero_one(("no", "yes")), priors=cases.priors)
    decisions, threshold = _cross_fitted(scores, cases, app)
    tuned_in_sample = np.mean((scores > threshold) != truth)
    assert np.mean(decisions != truth) > tuned_in_sample


def test_the_command_line_says_how_ranks_were_used(run, write):
    lines = "".join(f"{int(k >= 50)},{k}\n" for k in range(100))
    name = write("t.csv", "y,svm\n" + lines)
    ran = run("eval", name, "--scores", "svm", "--scores-are", "rank", "--cost", "fn=2", "fp=1")
    assert "each fifth of the cases is decided by a" in ran.out
    assert "score > 49.5" in ran.out
