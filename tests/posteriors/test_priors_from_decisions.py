import numpy as np
import pytest

from stakes import ConfusionMatrix
from stakes.exceptions import DataError, UndefinedError
from stakes.posteriors import estimate_priors_from_decisions
from stakes.posteriors.prior_estimation import _simplex_fit


class TestFromDecisions:
    labelled = ConfusionMatrix([[80, 20], [10, 90]])

    def test_by_hand(self):
        """d = .8 (1 - p) + .1 p = .45 gives p = .5."""
        found = estimate_priors_from_decisions(self.labelled, [45, 55])
        np.testing.assert_allclose(found.priors, [0.5, 0.5], atol=1e-6)
        assert found.low[1] < 0.5 < found.high[1]

    def test_abstention_counts_as_a_decision(self):
        labelled = ConfusionMatrix([[80, 10, 10], [10, 80, 10]], decisions=[0, 1, "ask"])
        found = estimate_priors_from_decisions(labelled, [45, 45, 10])
        np.testing.assert_allclose(found.priors, [0.5, 0.5], atol=1e-6)

    def test_outside_the_rates_ends_at_the_edge(self):
        found = estimate_priors_from_decisions(self.labelled, [0, 100])
        np.testing.assert_allclose(found.priors, [0, 1], atol=1e-6)

    def test_rows_alike_raise(self):
        with pytest.raises(UndefinedError, match="same decisions"):
            estimate_priors_from_decisions(ConfusionMatrix([[5, 5], [50, 50]]), [1, 1])

    def test_wrong_shape_raises(self):
        with pytest.raises(DataError, match="decisions"):
            estimate_priors_from_decisions(self.labelled, [1, 2, 3])


def test_from_decisions_asks_for_a_confusion_matrix():
    with pytest.raises(DataError, match="ConfusionMatrix; got list"):
        estimate_priors_from_decisions([[9, 1], [2, 8]], [5, 5])


class TestNumbersThatAreNotWhole:
    @pytest.mark.parametrize(
        ("counts", "decisions", "second"),
        [
            # .75 (1 - p) + .2 p = .55
            ([[0.3, 0.1], [0.1, 0.4]], [550, 450], (0.75 - 0.55) / 0.55),
            # .9 (1 - p) + .2 p = .55 / .9999
            ([[90, 10], [20, 80]], [0.55, 0.4499], (0.9 - 0.55 / 0.9999) / 0.7),
        ],
    )
    def test_shares_give_the_estimate_without_intervals(self, counts, decisions, second):
        found = estimate_priors_from_decisions(ConfusionMatrix(counts), decisions)
        assert found.priors[1] == pytest.approx(second, abs=1e-6)
        assert np.isnan([found.low, found.high]).all()
        assert "not whole" in found.text
        assert "nan" not in repr(found)

    @pytest.mark.parametrize("decisions", [[np.inf, 1.0], [np.nan, 1.0], [-1.0, 2.0], [0, 0]])
    def test_what_are_no_counts_is_refused(self, decisions):
        with pytest.raises(DataError, match="counts"):
            estimate_priors_from_decisions(ConfusionMatrix([[9, 1], [2, 8]]), decisions)


class TestDecisionsNoPriorsGive:
    rates = ConfusionMatrix([[90, 10], [20, 80]])

    def test_they_are_told(self):
        """At least 20 % should get the first decision; 5 of 1000 did."""
        found = estimate_priors_from_decisions(self.rates, [5, 995])
        assert not found.possible
        np.testing.assert_allclose(found.priors, [0.0, 1.0], atol=1e-6)
        assert found.low.tolist() == [0.0, 0.0]
        assert found.high.tolist() == [1.0, 1.0]
        assert found.text.startswith("No class mix explains these cases")
        assert "no priors explain" in repr(found)

    def test_the_edge_within_chance_has_an_interval(self):
        """18 % where 20 +- 4 % should be least, by the labelled cases."""
        found = estimate_priors_from_decisions(self.rates, [72, 328])
        assert found.possible
        assert found.priors[0] == pytest.approx(0.0, abs=1e-9)
        # as wide as the standard error of the share of first decisions, over .9 - .2
        error = np.sqrt(0.2 * 0.8 / 100 + 0.18 * 0.82 / 400) / 0.7
        assert found.high[0] == pytest.approx(1.96 * error, rel=0.2)
        assert found.low[1] == pytest.approx(1 - found.high[0], abs=1e-6)

    @pytest.mark.parametrize("second", [0.0, 0.02, 0.3])
    def test_priors_that_are_possible_are_covered_and_not_refuted(self, second):
        rng = np.random.default_rng(0)
        rates = np.array([[0.9, 0.1], [0.2, 0.8]])
        held = refuted = 0
        for _ in range(80):
            counts = np.stack([rng.multinomial(80, row) for row in rates])
            new = rng.multinomial(400, [1 - second, second] @ rates)
            found = estimate_priors_from_decisions(ConfusionMatrix(counts), new, draws=200)
            held += found.low[1] - 1e-9 <= second <= found.high[1]
            refuted += not found.possible
        assert held >= 70
        assert refuted <= 3

    def test_decisions_that_were_never_seen_are_not_impossible(self):
        """Ten cases a class without an error do not make errors impossible."""
        found = estimate_priors_from_decisions(ConfusionMatrix([[10, 0], [0, 10]]), [500, 500])
        assert found.high[1] - found.low[1] > 0.1


def test_a_class_without_labelled_cases_is_named():
    with pytest.raises(UndefinedError, match="class 'b'"):
        estimate_priors_from_decisions(
            ConfusionMatrix([[9, 1], [0, 0]], classes=["a", "b"]), [5, 5]
        )


def test_replicates_must_be_positive():
    with pytest.raises(DataError, match="draws"):
        estimate_priors_from_decisions(ConfusionMatrix([[9, 1], [2, 8]]), [5, 5], draws=0)


def test_nearest_mixture_is_at_its_minimum_on_the_simplex() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        k, m = rng.integers(2, 9, 2)
        rows, shares = rng.random((k, m)) * 100, rng.random(m) * 100
        priors = _simplex_fit(rows, shares)
        assert priors.sum() == pytest.approx(1)
        assert (priors >= 0).all()
        slope = rows @ (priors @ rows - shares)  # of half the squared distance
        # the conditions of a minimum: moving weight to any row does not help
        assert slope.min() >= slope @ priors - 1e-6  # sums of some 1e4
