import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Posteriors, ScoreCounts
from stakes.calibration import Isotonic, worst_case_gain
from stakes.exceptions import DataError, UndefinedError


class TestWorstCaseGain:
    @given(st.integers(0, 10**6))
    def test_against_a_dense_scan(self, seed):
        rng = np.random.default_rng(seed)
        llrs = rng.integers(-6, 7, 15) / 2
        y = np.append(rng.integers(0, 2, 13), [0, 1])
        found = worst_case_gain(ScoreCounts.from_scores(y, llrs, kind="llr"))
        highest = 0.0
        cuts = [-np.inf, *np.unique(llrs)]
        for theta in np.concatenate([np.unique(-llrs) + e for e in (-1e-9, 1e-9)]):
            prior = 1 / (1 + np.exp(-theta))

            def cost(act, prior=prior):
                return prior * (1 - act[y == 1].mean()) + (1 - prior) * act[y == 0].mean()

            least = min(cost(llrs > cut) for cut in cuts)
            highest = max(highest, cost(llrs > -theta) - least)
        assert found.gain == pytest.approx(highest, abs=1e-6)

    def test_certainty_that_is_wrong_by_hand(self):
        """Half of each class is called impossible: at an effective prior near 1, half is missed."""
        found = worst_case_gain([0, 1, 0, 1], [-np.inf, -np.inf, np.inf, np.inf])
        assert found.gain == 0.5
        assert found.effective_prior in (0.0, 1.0)
        one = worst_case_gain([0, 0, 0, 1], [-9.0, -9.0, np.inf, 1.0])  # one of three first cases
        assert one.gain == pytest.approx(1 / 3)
        assert (one.log_odds, one.effective_prior) == (-np.inf, 0.0)
        assert "close to 0" in one.text
        right = worst_case_gain([0, 0, 1, 1], [-np.inf, -np.inf, np.inf, np.inf])
        assert (right.gain, right.effective_prior) == (0.0, 0.5)
        assert right.text.startswith("No cost and no prior")

    @given(st.integers(0, 10**6), st.sampled_from(["llr", "log_odds", "posterior"]))
    def test_infinite_scores_are_the_limit_of_large_ones(self, seed, kind):
        rng = np.random.default_rng(seed)
        scores = rng.integers(-3, 4, 12).astype(float)
        y = np.append(rng.integers(0, 2, 10), [0, 1])
        large = np.where(np.abs(scores) == 3, 600 * np.sign(scores), scores)
        vast = np.where(np.abs(scores) == 3, np.copysign(np.inf, scores), scores)
        if kind == "posterior":
            p = np.where(np.isinf(vast), vast > 0, 1 / (1 + np.exp(-scores)))
            found = worst_case_gain(y, Posteriors(p))
            kind = "log_odds"
        else:
            found = worst_case_gain(y, vast, kind=kind)
        expected = worst_case_gain(y, large, kind=kind).gain
        assert found.gain == pytest.approx(expected, abs=1e-9)

    def test_the_result_says_that_it_is_optimistic(self):
        found = worst_case_gain([0, 1, 0, 1], [-1.0, -0.5, 0.5, 700.0])
        assert found.gain > 0
        assert found.fitting == "optimistic: fitted on the same cases"
        assert "optimistic" in found.text
        assert "optimistic" in repr(found)
        assert found.frame()["fitting"].tolist() == [found.fitting]
        assert f"{found.gain:.4g}" in found.text

    def test_far_log_odds_have_an_effective_prior(self):
        found = worst_case_gain([0, 0, 0, 1], [-9.0, -9.0, 800.0, 1.0])
        assert found.effective_prior == 0.0  # and no overflow on the way

    def test_isotonic_llrs_gain_nothing(self):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=300)
        y = (rng.random(300) < 0.5 + 0.4 * np.tanh(scores)).astype(int)
        llrs = Isotonic().fit(scores, y).llrs(scores)
        plain = Isotonic(misleading=0).fit(scores, y).llrs(scores)
        assert worst_case_gain(ScoreCounts.from_scores(y, plain, kind="llr")).gain < 1e-9
        assert worst_case_gain(ScoreCounts.from_scores(y, llrs, kind="llr")).gain < 0.02

    def test_posteriors_and_llrs_agree(self):
        rng = np.random.default_rng(0)
        y = (rng.random(400) < 0.25).astype(int)
        llrs = 2 * rng.normal(size=400) + np.where(y == 1, 1.0, -1.0)
        share = y.mean()
        odds = llrs + np.log(share / (1 - share))
        a = worst_case_gain(ScoreCounts.from_scores(y, llrs, kind="llr"))
        b = worst_case_gain(ScoreCounts.from_scores(y, 1 / (1 + np.exp(-odds)), kind="posterior"))
        assert a.gain == pytest.approx(b.gain, abs=1e-9)
        assert a.effective_prior == pytest.approx(b.effective_prior, abs=1e-6)

    def test_ranks_have_none(self):
        with pytest.raises(UndefinedError, match="rank"):
            worst_case_gain(ScoreCounts.from_scores([0, 1], [1.0, 2.0], kind="rank"))

    @pytest.mark.parametrize("kind", ["llr", "log_odds"])
    def test_labels_and_scores_are_as_good_as_counts(self, kind):
        rng = np.random.default_rng(0)
        y = (rng.random(400) < 0.25).astype(int)
        scores, weights = 2 * rng.normal(size=400) + y, rng.integers(0, 3, 400)
        counted = ScoreCounts.from_scores(y, scores, kind=kind, sample_weight=weights)
        expected = worst_case_gain(counted)
        found = worst_case_gain(y, scores, kind=kind, sample_weight=weights)
        assert (found.gain, found.log_odds) == (expected.gain, expected.log_odds)
        names = np.array(["yes", "no"])[y]  # in the other order than the alphabet
        named = worst_case_gain(
            names, scores, kind=kind, sample_weight=weights, classes=["yes", "no"]
        )
        assert named.gain == expected.gain

    def test_posteriors_are_read_as_such(self):
        rng = np.random.default_rng(0)
        y = (rng.random(400) < 0.25).astype(int)
        odds = 2 * rng.normal(size=400) + y
        p = 1 / (1 + np.exp(-odds))
        expected = worst_case_gain(y, odds).gain
        assert worst_case_gain(y, Posteriors(p)).gain == pytest.approx(expected, abs=1e-9)
        logs = np.log(np.column_stack([1 - p, p]))
        assert worst_case_gain(y, logs).gain == pytest.approx(expected, abs=1e-9)

    def test_what_does_not_fit_is_refused(self):
        counts = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="llr")
        for call, said in [
            (lambda: worst_case_gain(counts, [0.0, 1.0]), "leave the other arguments out"),
            (lambda: worst_case_gain(counts, kind="llr"), "leave the other arguments out"),
            (lambda: worst_case_gain(counts, kind="log_odds"), "leave the other arguments out"),
            (lambda: worst_case_gain([0, 1]), "`scores` is missing"),
            (lambda: worst_case_gain([0, 1], [0.2, 0.7], kind="posterior"), "`kind` must be"),
            (lambda: worst_case_gain([0, 1], [[0.0, 1.0], [2.0, 0.0]], kind="llr"), "one score"),
            (lambda: worst_case_gain([0, 1, 2], np.eye(3) * 2), "for two classes"),
        ]:
            with pytest.raises(DataError, match=said):
                call()
