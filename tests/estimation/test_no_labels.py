"""Estimated costs against the labels, against sums written out, and as laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from stakes import Application, CaseCosts, CostMatrix, ScoreBins
from stakes.calibration import Affine, Temperature
from stakes.estimation import DecidedCases, check_labels, estimate_cost
from stakes.estimation.input_shift import density_ratios
from stakes.estimation.no_labels import calibrated_on
from stakes.estimation.share_shift import Calibrated, Estimated, _one_more_error, weighed
from stakes.exceptions import CostError, DataError, PriorError, UndefinedError

COSTS = {"fn": 10, "fp": 1}


def drawn(n, share, seed, mean=1.5):
    """Labels, and posteriors that are calibrated at a share of .2."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    llr = rng.normal((2 * y - 1) * mean, np.sqrt(2 * mean))
    return y, expit(llr + np.log(0.25))


def cases(n=1500, share=0.2, seed=0, **options):
    y, p = drawn(n, share, seed)
    return DecidedCases.from_scores(y, p, costs=COSTS, **options)


def three_classes(n, shares, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=shares)
    logits = rng.normal(size=(n, 3)) * 1.2 + 1.44 * np.eye(3)[y]
    odds = np.exp(logits) * [0.5, 0.3, 0.2]
    return y, odds / odds.sum(axis=1, keepdims=True)


class TestNothingChanged:
    def test_is_what_posteriors_expect_where_they_are_right(self):
        """With the calibration as good as given, the mean expected cost, added in a loop."""
        y, p = drawn(400, 0.2, 1)
        q = drawn(300, 0.2, 2)[1]
        reference = DecidedCases.from_scores(y, p, costs=COSTS)
        found = estimate_cost(reference, q, change="none", calibrator=Temperature())
        fitted = Temperature().fit(np.column_stack([np.log(1 - p), np.log(p)]), y)
        meant, before = (
            fitted.posteriors(np.column_stack([np.log(1 - s), np.log(s)]))[:, 1] for s in (q, p)
        )
        expected = np.mean([1 - m if s > 1 / 11 else 10 * m for s, m in zip(q, meant, strict=True)])
        missed = np.mean([
            (1 - t) - (1 - m) if s > 1 / 11 else 10 * (t - m)
            for s, m, t in zip(p, before, y, strict=True)
        ])  # fmt: skip
        ends = sorted([expected, expected + missed])
        assert ends[0] <= found.value <= ends[1]

    def test_what_posteriors_miss_is_corrected(self):
        """Posteriors that miss much are moved all the way to the careful estimate."""
        y, p = drawn(20_000, 0.2, 0)
        z, q = drawn(20_000, 0.2, 1)
        reference = DecidedCases.from_scores(y, p**3, costs=COSTS)
        new = reference.alike(q**3, y_true=z)
        found = estimate_cost(reference, new, change="none", calibrator=Temperature())
        assert abs(found.value - new.cost) < 0.05 * new.cost
        assert new.cost in found

    def test_one_more_error_than_the_reference_showed(self):
        """An error in 50 cases, by 1 and by 10 in halves that are equally in doubt."""
        p = np.repeat([0.05, 0.5], 25)  # decided 0 and 1: an error costs 10 and 1
        y = np.arange(50) % 2
        reference = DecidedCases.from_scores(y, p, costs=COSTS)
        even = Calibrated(reference, np.full((50, 2), 0.5))
        doubt = np.repeat([1.0, 3.0], 25)
        found = _one_more_error(even, doubt, np.ones(2), 200.0)
        squared = (1 * 10**2 + 3 * 1**2) / 4
        assert found == pytest.approx(squared * (1 / 50**2 + 1 / (50 * 200)))

    def test_no_change_is_found_where_there_is_none(self):
        reference = cases()
        assert estimate_cost(reference, reference).change == "none"


class TestSharesChanged:
    @pytest.mark.parametrize("share", [0.05, 0.5])
    def test_shares_and_cost_are_found(self, share):
        reference = cases(20_000)
        y, p = drawn(20_000, share, 5)
        new = reference.alike(p, y_true=y)
        found = estimate_cost(reference, new)
        assert found.change == "shares"
        assert found.priors.low[1] <= share <= found.priors.high[1]
        assert new.cost in found
        assert abs(found.value - new.cost) < 0.05 * new.cost

    def test_three_classes_and_abstention(self):
        costs = CostMatrix(1.0 - np.eye(3)).with_abstention(0.3)
        reference = DecidedCases.from_scores(
            *three_classes(6000, [0.5, 0.3, 0.2], 0), application=costs
        )
        y, p = three_classes(6000, [0.2, 0.2, 0.6], 1)
        new = reference.alike(p, y_true=y)
        found = estimate_cost(reference, new)
        assert found.change == "shares"
        np.testing.assert_allclose(found.priors.priors, new.shares, atol=0.03)
        assert new.cost in found

    def test_wrong_calibration_does_not_matter(self):
        """A calibrator that cannot undo a bend leaves shares and cost right."""
        y, p = drawn(20_000, 0.2, 0)
        z, q = drawn(20_000, 0.5, 1)
        bent, other = (s**3 for s in (p, q))
        reference = DecidedCases.from_scores(y, bent, costs=COSTS)
        new = reference.alike(other, y_true=z)
        found = estimate_cost(reference, new, change="shares", calibrator=Temperature())
        assert abs(found.priors.priors[1] - 0.5) < 0.02
        assert new.cost in found


class TestLaws:
    def test_counts_equal_repeated_rows(self):
        y, p = drawn(300, 0.2, 3)
        q = drawn(200, 0.35, 4)[1]
        times, again = np.arange(300) % 3 + 1, np.arange(200) % 2 + 1
        short = DecidedCases.from_scores(y, p, costs=COSTS, counts=times)
        long = DecidedCases.from_scores(np.repeat(y, times), np.repeat(p, times), costs=COSTS)
        for change in ("none", "shares"):
            one = estimate_cost(short, short.alike(q, counts=again), change=change)
            other = estimate_cost(long, np.repeat(q, again), change=change)
            assert one.value == pytest.approx(other.value, rel=1e-6)
            assert one.high - one.low == pytest.approx(other.high - other.low, rel=1e-6)
            assert one.cases == other.cases == again.sum()

    def test_equal_weights_are_none(self):
        y, p = drawn(300, 0.2, 3)
        q = drawn(200, 0.35, 4)[1]
        plain = DecidedCases.from_scores(y, p, costs=COSTS)
        heavy = DecidedCases.from_scores(y, p, costs=COSTS, sample_weight=np.full(300, 1.0))
        one, other = estimate_cost(plain, q), estimate_cost(heavy, heavy.alike(
            q, sample_weight=np.full(200, 7.0)))  # fmt: skip
        assert (one.value, one.low) == pytest.approx((other.value, other.low), rel=1e-7)

    def test_scaling_the_costs_scales_the_answer(self):
        y, p = drawn(300, 0.2, 3)
        q = drawn(200, 0.35, 4)[1]
        found = [
            estimate_cost(DecidedCases.from_scores(y, p, costs=costs), q, change="shares")
            for costs in (COSTS, {"fn": 70, "fp": 7})
        ]
        assert 7 * found[0].value == pytest.approx(found[1].value, rel=1e-9)
        assert 7 * found[0].high == pytest.approx(found[1].high, rel=1e-9)

    def test_costs_per_case_that_are_all_alike(self):
        y, p = drawn(300, 0.2, 3)
        q = drawn(200, 0.35, 4)[1]
        each = [
            CaseCosts.binary(false_negative=np.full(n, 10.0), false_positive=1.0)
            for n in (300, 200)
        ]
        one = DecidedCases.from_scores(y, p, case_costs=each[0])
        found = estimate_cost(one, one.alike(q, case_costs=each[1]))
        plain = estimate_cost(DecidedCases.from_scores(y, p, costs=COSTS), q)
        assert (found.value, found.low) == pytest.approx((plain.value, plain.low), rel=1e-9)

    def test_bins_that_lose_nothing_give_what_rows_give(self):
        y, p = drawn(600, 0.2, 3)
        q = drawn(500, 0.4, 4)[1]
        p, q = np.round(p, 2), np.round(q, 2)
        p, q = (np.clip(s, 0.01, 0.99) for s in (p, q))
        edges = np.unique(np.append(np.linspace(0, 1, 101), 1 / 11))
        app = Application([[0, 1], [10, 0]])
        bins = [
            ScoreBins.from_scores(truth, s, edges=edges, kind="posterior")
            for truth, s in ((y, p), (np.arange(500) % 2, q))
        ]
        found = estimate_cost(
            DecidedCases.from_bins(bins[0], application=app),
            DecidedCases.from_bins(bins[1], application=app, labelled=False),
        )
        plain = estimate_cost(DecidedCases.from_scores(y, p, application=app), q)
        assert (found.value, found.low) == pytest.approx((plain.value, plain.low), rel=1e-7)
        assert (found.cases, found.reference_cases) == (500, 600)

    def test_bins_of_many_scores_give_nearly_what_rows_give(self):
        """A bin has the same score on both sides, whichever scores it happened to hold."""
        app = Application([[0, 1], [10, 0]])
        edges = np.unique(np.append(np.linspace(0.005, 0.995, 100), 1 / 11))

        def binned(y, p, **options):
            bins = ScoreBins.from_scores(y, p, edges=edges, kind="posterior")
            return DecidedCases.from_bins(bins, application=app, **options)

        for seed in range(10):
            y, p = drawn(3000, 0.2, seed)
            z, q = drawn(2000, 0.2, 100 + seed)
            found = estimate_cost(binned(y, p), binned(z, q, labelled=False))
            plain = estimate_cost(DecidedCases.from_scores(y, p, application=app), q)
            assert found.change == plain.change == "none"
            assert found.value == pytest.approx(plain.value, rel=0.05)

    def test_log_odds_in_bins_with_open_ends(self):
        y, p = drawn(2000, 0.2, 1)
        scores = np.append(np.log(p / (1 - p)), [-np.inf, np.inf])
        bins = ScoreBins.from_scores(
            np.append(y, [0, 1]), scores, edges=[-5.0, np.log(0.1), 0.0, 3.0], kind="log_odds"
        )
        found = DecidedCases.from_bins(bins, application=[[0, 1], [10, 0]])
        middles = [-5 - (np.log(0.1) + 5) / 2, (np.log(0.1) - 5) / 2, np.log(0.1) / 2, 1.5, 4.5]
        np.testing.assert_allclose(np.unique(found.posteriors[:, 1]), expit(middles), rtol=1e-12)

    def test_rows_of_no_weight_keep_their_place_and_count_for_nothing(self):
        y, p = drawn(600, 0.2, 3)
        q = drawn(400, 0.35, 4)[1]
        weights, again = np.arange(600) % 3, np.arange(400) % 2
        whole = DecidedCases.from_scores(y, p, costs=COSTS, sample_weight=weights)
        new = whole.alike(q, sample_weight=again)
        assert (len(whole), whole.number, len(new), new.number) == (600, 400, 400, 200)
        part = DecidedCases.from_scores(
            y[weights > 0], p[weights > 0], costs=COSTS, sample_weight=weights[weights > 0]
        )
        one, other = estimate_cost(whole, new), estimate_cost(part, q[again > 0])
        assert (one.value, one.low, one.cases) == (other.value, other.low, other.cases)

    def test_two_scores_alone_fit_every_mixture(self):
        def levels(scores):
            return np.where(scores > 0.3, 0.8, 0.2)

        for seed in range(5):
            y, p = drawn(2000, 0.2, seed)
            z, q = drawn(2000, 0.4, 100 + seed)
            reference = DecidedCases.from_scores(y, levels(p), costs=COSTS)
            new = reference.alike(levels(q), y_true=z)
            found = estimate_cost(reference, new)
            assert (found.change, found.tests["mixture"]) == ("shares", 1.0)
            assert abs(found.priors.priors[1] - 0.4) < 0.06

    @pytest.mark.parametrize("size", [10, 20, 50, 300])
    def test_few_new_cases_are_refused_as_rarely_as_stated(self, size):
        """At 1 % at most 6 of 100 are refused: 1, and five standard errors."""
        reference, refused = cases(1500), 0
        for seed in range(100):
            try:
                estimate_cost(reference, drawn(size, 0.2, 1000 + seed)[1])
            except UndefinedError:
                refused += 1
        assert refused <= 6


class TestRefusals:
    @pytest.mark.parametrize(
        ("costs", "said"),
        [
            ({"fn": 1, "fp": 10}, "deciding 0 for a case of class 1 costs 10 in `reference` and 1"),
            (CaseCosts.binary(false_negative=np.ones(50), false_positive=1.0),
             "costs differ from case to case in `new`, and not in `reference`"),
            (Application(CostMatrix([[0, 1], [10, 0]]), unit="USD"), "are in EUR, and those"),
        ],
    )  # fmt: skip
    def test_other_costs(self, costs, said):
        y, p = drawn(600, 0.3, 1)
        euros = Application(CostMatrix([[0, 1], [10, 0]]), unit="EUR")
        reference = DecidedCases.from_scores(y, p, application=euros)
        given = {"application": costs} if isinstance(costs, Application) else {"costs": costs}
        new = DecidedCases.from_scores(y[:50], p[:50], **given)
        for refused in (
            lambda: estimate_cost(reference, new),
            lambda: check_labels(reference, new, new=p),
        ):
            with pytest.raises(CostError) as raised:
                refused()
            assert said in str(raised.value).replace("labelled", "new")

    def test_slices_of_the_new_cases_alone(self):
        reference = cases()
        new = reference.alike([0.5] * 40, by=["a", "b"] * 20)
        with pytest.raises(DataError, match="the reference must have `by` as well"):
            estimate_cost(reference, new)

    def test_a_check_by_too_few_labels(self):
        y, p = drawn(9, 0.2, 1)
        reference = cases()
        few = reference.alike(p, y_true=y)
        for part in (few, few.part(np.zeros(0, dtype=int))):
            with pytest.raises(UndefinedError, match=r"\d cases are labelled; at least 10"):
                check_labels(reference, part, new=drawn(800, 0.2, 2)[1])

    def test_scores_that_are_no_mixture(self):
        reference = cases(3000)
        q = drawn(3000, 0.2, 9, mean=4.0)[1]
        with pytest.raises(UndefinedError, match="no mixture of what each class scored"):
            estimate_cost(reference, q)
        assert estimate_cost(reference, q, change="shares").tests["mixture"] < 0.01

    def test_no_labels_in_the_reference(self):
        with pytest.raises(DataError, match="no labels"):
            estimate_cost(cases().alike([0.5, 0.2]), [0.5])

    def test_too_few_cases_of_a_class(self):
        few = DecidedCases.from_scores([0] * 50 + [1] * 9, np.linspace(0.1, 0.9, 59), costs=COSTS)
        with pytest.raises(DataError, match="9 cases of 1; 10 are needed"):
            estimate_cost(few, [0.5])

    @pytest.mark.parametrize("bad", ["labels", None, 3, ["none"]])
    def test_unknown_change(self, bad):
        with pytest.raises(DataError, match="`change` must be one of"):
            estimate_cost(cases(), [0.5], change=bad)

    def test_other_odd_arguments(self):
        with pytest.raises(DataError, match="`reference` must be a DecidedCases"):
            estimate_cost([0.5], [0.5])
        with pytest.raises(DataError, match="at least one case"):
            cases().alike([])
        with pytest.raises(PriorError, match="nothing says for which"):
            DecidedCases.from_scores(
                None, [0.5], application=Application([[0, 1], [1, 0]], priors=[0.5, 0.5])
            )
        with pytest.raises(CostError, match="`rule` holds the costs"):
            DecidedCases.from_scores(None, [0.5], rule=cases().rule, costs=COSTS)
        per_case = CaseCosts.binary(false_negative=np.ones(2), false_positive=1.0)
        with pytest.raises(CostError, match="those of these cases are needed"):
            DecidedCases.from_scores([0, 1], [0.5, 0.6], case_costs=per_case).alike([0.1])

    def test_a_cut_inside_a_bin(self):
        bins = ScoreBins.from_scores([0, 1], [0.05, 0.5], edges=[0.9], kind="posterior")
        with pytest.raises(UndefinedError, match="cuts the bin"):
            DecidedCases.from_bins(bins, application=[[0, 1], [10, 0]])


class TestInputsChanged:
    @staticmethod
    def place(n, share_b, seed):
        """Two kinds of cases; in kind b the same score means more."""
        rng = np.random.default_rng(seed)
        kind = np.where(rng.random(n) < share_b, "b", "a")
        score = rng.normal(size=n)
        y = (rng.random(n) < expit(score + np.where(kind == "b", 1.0, -1.5))).astype(int)
        return y, expit(score), {"kind": kind, "noise": rng.normal(size=n)}

    def compared(self, share_b, change="auto"):
        y, p, x = self.place(4000, 0.2, 1)
        z, q, u = self.place(4000, share_b, 2)
        reference = DecidedCases.from_scores(y, p, costs={"fn": 3, "fp": 1}, inputs=x)
        new = reference.alike(q, y_true=z, inputs=u)
        return new, estimate_cost(reference, new, change=change)

    def test_weighting_finds_the_cost(self):
        new, found = self.compared(0.8)
        assert found.change == "inputs"
        assert new.cost in found
        assert abs(found.value - new.cost) < 0.05 * new.cost
        assert new.cost not in self.compared(0.8, change="none")[1]

    def test_weights_count_only_where_they_matter(self):
        """The mix of `noise` changes, and scores mean the same whatever it is."""
        y, p, x = self.place(4000, 0.2, 1)
        z, q, u = self.place(4000, 0.2, 2)
        told = {"costs": {"fn": 3, "fp": 1}}
        reference = DecidedCases.from_scores(y, p, **told, inputs={"noise": x["noise"]})
        kept = np.random.default_rng(3).random(4000) < expit(2 * u["noise"])
        new = reference.alike(q[kept], y_true=z[kept], inputs={"noise": u["noise"][kept]})
        found = estimate_cost(reference, new)
        plain = estimate_cost(DecidedCases.from_scores(y, p, **told), q[kept], change="none")
        assert found.change == "inputs"
        assert found.value == plain.value
        assert new.cost in found

    def test_inputs_that_have_not_changed_change_nothing(self):
        assert self.compared(0.2)[1].change == "none"

    def test_ratios_against_sklearn(self):
        """The classifier that tells old from new cases, with the same penalty."""
        linear = pytest.importorskip("sklearn.linear_model", reason="compared with scikit-learn")
        rng = np.random.default_rng(0)
        old, new = (rng.random((n, 3)) < share for n, share in ((300, 0.3), (200, 0.6)))
        mass = rng.random(300) + 0.5
        table, side = np.vstack([old, new]).astype(float), np.repeat([0, 1], [300, 200])
        weights = np.concatenate([mass / mass.mean(), np.ones(200)])
        fit = linear.LogisticRegression(C=1 / 20, tol=1e-10, max_iter=1000)
        odds = np.exp(fit.fit(table, side, sample_weight=weights).decision_function(table[:300]))
        found = density_ratios(table[:300], table[300:], mass, np.ones(200))
        np.testing.assert_allclose(found, odds * mass.sum() / (mass @ odds), rtol=1e-4)

    def test_too_little_overlap(self):
        y, p = drawn(400, 0.5, 1)
        x, u = np.r_[np.zeros(395), np.ones(5)], np.ones(400)
        reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs={"x": x})
        with pytest.raises(
            UndefinedError, match=r"in 100 % of the new cases input 'x' is 1 \(5 in"
        ):
            estimate_cost(reference, reference.alike(p, inputs={"x": u}))

    def test_too_few_effective_cases(self):
        y, p = drawn(2000, 0.5, 1)
        x, u = np.r_[np.zeros(1980), np.ones(20)], np.ones(2000)
        reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs={"x": x})
        with pytest.raises(UndefinedError, match=r"worth .* equal cases, below 100"):
            estimate_cost(reference, reference.alike(p, inputs={"x": u}))

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (["north"], ["south"], "'region' is 'south' (0 in the reference)"),
            (["north"], ["north", "south", ""], "'south' (0 in the reference) or empty (0 in"),
            ([0.0, 0.1, 0.4], [100.0], "'region' is outside the range of the reference, 0 to 0.4"),
            ([0.0, 0.4], [0.2, 0.4], "'region' is 0.2 (0 in the reference)"),
            (range(50), range(500), "outside the range of the reference, 0 to 49"),
        ],
    )
    def test_inputs_that_the_reference_does_not_hold(self, old, new, said):
        """Scores alone fit, whatever the inputs are."""
        y, p = drawn(2000, 0.3, 1)
        x, u = (np.resize(np.array(each), 2000) for each in (old, new))
        reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs={"region": x})
        cases = reference.alike(drawn(2000, 0.3, 2)[1], inputs={"region": u})
        with pytest.raises(UndefinedError, match="too few reference cases look like") as refused:
            estimate_cost(reference, cases)
        assert said in str(refused.value)
        assert estimate_cost(reference, cases, change="none").change == "none"

    def test_a_few_new_values_are_no_reason_to_refuse(self):
        y, p = drawn(2000, 0.3, 1)
        x = np.resize(np.array(["a", "b"]), 2000)
        reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs={"x": x})
        u = np.where(np.arange(2000) < 60, "c", x)
        assert estimate_cost(reference, reference.alike(p, inputs={"x": u})).change == "inputs"

    def test_inputs_are_looked_at_though_the_scores_have_not_changed(self):
        y, p = drawn(2000, 0.3, 1)
        x, u = (np.random.default_rng(0).random(2000) < share for share in (0.5, 0.7))
        reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs={"x": x})
        found = estimate_cost(reference, reference.alike(p, inputs={"x": u}))
        assert found.change == "inputs"
        assert found.tests["inputs"] < 0.01 < found.tests["shares"]

    def test_inputs_on_one_side_only(self):
        y, p = drawn(400, 0.5, 1)
        reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs=np.zeros((400, 1)))
        with pytest.raises(DataError, match="new cases must have `inputs`"):
            estimate_cost(reference, p)
        with pytest.raises(DataError, match="same columns"):
            estimate_cost(reference, reference.alike(p, inputs={"other": p}))


def test_text_among_an_input_of_numbers_is_named():
    y, p = drawn(1000, 0.2, 3)
    zips = np.arange(1000) % 7
    reference = DecidedCases.from_scores(y, p, costs=COSTS, inputs={"zip": zips})
    odd = zips.astype(str).astype(object)
    odd[::50] = "unknown"
    with pytest.raises(
        DataError, match=r"text in the new cases: 'unknown' .* \(20 of 1 000 rows\)"
    ):
        estimate_cost(reference, reference.alike(p, inputs={"zip": odd}))


class TestSlices:
    def test_each_slice_is_estimated_by_itself(self):
        y, p = drawn(4000, 0.2, 1)
        z, q = drawn(4000, 0.5, 2)
        side = np.arange(4000) % 2
        reference = DecidedCases.from_scores(y, p, costs=COSTS, by=side)
        found = estimate_cost(reference, reference.alike(q, by=side))
        part = DecidedCases.from_scores(y[side == 1], p[side == 1], costs=COSTS)
        alone = estimate_cost(part, part.alike(q[side == 1], y_true=z[side == 1]))
        assert list(found.slices) == [0, 1]
        assert found.slices[1].value == alone.value
        assert found.frame()["cases"].tolist() == [4000, 2000, 2000]

    def test_names_of_slices_may_be_of_several_types(self):
        y, p = drawn(2000, 0.2, 1)
        side = np.array([1, "b"] * 1000, dtype=object)
        reference = DecidedCases.from_scores(y, p, costs=COSTS, by=side)
        assert list(estimate_cost(reference, reference.alike(p, by=side)).slices) == [1, "b"]

    def test_a_slice_with_too_few_cases_is_said(self):
        y, p = drawn(1000, 0.2, 1)
        side = np.where(np.arange(1000) < 30, "few", "many")
        reference = DecidedCases.from_scores(y, p, costs=COSTS, by=side)
        found = estimate_cost(reference, reference.alike(p, by=side))
        assert list(found.slices) == ["many"]
        assert "slice few: the reference has" in found.notes[0]


class TestCheckLabels:
    def test_labels_that_agree_and_that_do_not(self):
        reference = cases(4000)
        z, q = drawn(3000, 0.4, 2)
        some = slice(0, 300)
        agree = reference.alike(q[some], y_true=z[some])
        assert check_labels(reference, agree, new=q).agrees
        other = reference.alike(q[some], y_true=1 - z[some])
        found = check_labels(reference, other, new=q)
        assert not found.agrees
        assert "relation of inputs and truth has changed" in found.text
        assert found.cases == 300

    def test_labels_without_the_score_are_seen_though_they_cost_as_much(self):
        """Decisions that are always the same cost what the shares say, whatever scores mean."""
        y, p = drawn(4000, 0.4, 1)
        z, q = drawn(400, 0.4, 2)
        reference = DecidedCases.from_scores(y, p, costs=COSTS, decisions=np.ones(4000, dtype=int))
        shuffled = np.random.default_rng(0).permutation(z)
        some = reference.alike(q, y_true=shuffled, decisions=np.ones(400, dtype=int))
        found = check_labels(reference, some, change="none")
        assert found.low <= found.cost <= found.high
        assert not found.agrees

    def test_rare_labels_that_no_longer_follow_the_scores(self):
        """One in twenty is positive and none is acted on, so that the cost stays as it is."""
        y, p = drawn(8000, 0.05, 0, mean=1.0)
        reference = DecidedCases.from_scores(y, p, costs={"fn": 1, "fp": 1})
        seen = 0
        for seed in range(20):
            z, q = drawn(200, 0.05, 500 + seed, mean=1.0)
            shuffled = np.random.default_rng(seed).permutation(z)
            some = reference.alike(q, y_true=shuffled)
            seen += not check_labels(reference, some, change="none").agrees
        assert seen >= 16

    def test_labels_drawn_with_chances_are_weighted(self):
        """Likely positives are labelled eight times as often, and count an eighth."""
        reference = cases(4000)
        z, q = drawn(20_000, 0.2, 6)
        chances = np.where(q > 0.5, 0.04, 0.005)
        failed = 0
        for seed in range(20):
            some = np.flatnonzero(np.random.default_rng(seed).random(20_000) < chances)
            part = reference.alike(q[some], y_true=z[some], sample_weight=1 / chances[some])
            failed += not check_labels(reference, part, change="none").agrees
        assert failed <= 5  # one, and four standard errors of one

    def test_false_alarms_are_as_rare_as_stated(self):
        """At a level of .8 at most 40 of 100 checks fail: 20, and five standard errors of 4."""
        reference = cases(3000)
        failed = 0
        for seed in range(100):
            z, q = drawn(200, 0.2, 1000 + seed)
            some = reference.alike(q, y_true=z)
            failed += not check_labels(reference, some, change="none", level=0.8).agrees
        assert failed <= 40


def test_estimates_say_what_they_assume():
    found = estimate_cost(cases(), drawn(800, 0.2, 8)[1])
    assert "assuming that nothing has changed" in found.text
    assert str(found) == found.text
    assert found.frame()["cases"].tolist() == [800]


def test_naive_cost_of_new_shares():
    """All are acted on: (1 - share) false alarms; or none: 10 share misses."""
    reference = cases(5000)
    found = estimate_cost(reference, drawn(5000, 0.05, 8)[1])
    share = found.priors.priors[1]
    assert found.naive == pytest.approx(min(1 - share, 10 * share))


class TestCalibrationAsFarAsNeeded:
    """The default calibrator counts by the James-Stein factor of its gain on the reference."""

    def test_the_part_is_that_of_the_likelihood_ratio(self):
        y, p = drawn(2000, 0.2, 31)
        sharp = expit(1.3 * np.log(p / (1 - p)))
        reference = DecidedCases.from_scores(y, sharp, costs=COSTS)
        logs = np.log(np.column_stack([1 - sharp, sharp]))
        fitted = Affine(bound="data").fit(logs, y).posteriors(logs)
        rows = np.arange(len(y))
        gain = 2 * np.log(fitted[rows, y] / np.exp(logs)[rows, y]).sum()
        part = 1 - 2 / gain
        assert 0.5 < part < 1
        odds = (1 - part) * np.log(sharp / (1 - sharp))
        odds += part * np.log(fitted[:, 1] / fitted[:, 0])
        before, after = calibrated_on(reference, reference, None)
        np.testing.assert_allclose(before.posteriors[:, 1], expit(odds), rtol=1e-9)
        np.testing.assert_allclose(after.posteriors, before.posteriors, rtol=1e-12)

    def test_posteriors_that_need_none_stay(self):
        stays = 0
        for seed in range(20):
            y, p = drawn(2000, 0.2, 40 + seed)
            reference = DecidedCases.from_scores(y, p, costs=COSTS)
            before, _ = calibrated_on(reference, reference, None)
            stays += bool(np.allclose(before.posteriors[:, 1], p, rtol=1e-9))
        assert stays >= 10  # the gain is below its mean in 63 % of references

    def test_a_calibrator_that_is_given_counts_in_full(self):
        y, p = drawn(2000, 0.2, 33)
        reference = DecidedCases.from_scores(y, p, costs=COSTS)
        logs = np.log(np.column_stack([1 - p, p]))
        fitted = Temperature().fit(logs, y).posteriors(logs)
        before, _ = calibrated_on(reference, reference, Temperature())
        np.testing.assert_allclose(before.posteriors, fitted, rtol=1e-12)

    def test_one_impossible_truth_calls_for_calibration(self):
        y, p = drawn(2000, 0.2, 34)
        p[np.flatnonzero(y)[0]] = 0.0
        reference = DecidedCases.from_scores(y, p, costs=COSTS)
        before, _ = calibrated_on(reference, reference, None)
        assert np.isfinite(before.posteriors).all()
        np.testing.assert_allclose(before.posteriors.sum(axis=1), 1)


class TestBetweenTwoEstimates:
    def test_half_way_where_they_differ_by_what_chance_makes_it(self):
        found = weighed(Estimated(1.0, 0.5), Estimated(3.0, 4.5))
        assert (found.cost, found.variance) == (2.0, 0.5 + 0.25 * 4 + 1)

    def test_stays_where_they_agree_and_goes_all_the_way_where_they_cannot(self):
        assert weighed(Estimated(1.0, 0.5), Estimated(1.0, 4.5)).cost == 1.0
        assert weighed(Estimated(0.0, 0.5), Estimated(1e6, 4.5)).cost == pytest.approx(1e6)
        assert weighed(Estimated(1.0, 0.5), Estimated(3.0, 0.4)) == Estimated(3.0, 0.4)

    def test_held_it_stays_until_the_difference_is_visible(self):
        pair = Estimated(0.0, 0.0), Estimated(1.9, 1.0)
        assert weighed(*pair, held=3.84).cost == 0.0
        assert weighed(pair[0], Estimated(4.0, 1.0), held=3.84).cost == 4 * (1 - 3.84 / 16)

    def test_squared_error_is_never_much_above_that_of_the_careful_one(self):
        """By integration over the normal law: the risk that the design page states."""
        steps = np.linspace(-9, 9, 3601)
        density = np.exp(-(steps**2) / 2)
        density /= density.sum()

        def risk(bias):
            costs = np.array([
                weighed(Estimated(0.0, 0.0), Estimated(bias + step, 1.0)).cost for step in steps
            ])  # fmt: skip
            return float(density @ (costs - bias) ** 2)

        risks = [risk(bias) for bias in (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)]
        assert max(risks) < 1.25
        assert risks[0] < 0.48


def outage(share, seed):
    """Labelled cases, and new ones of which a tenth scores .5, because an input failed."""
    rng = np.random.default_rng(seed)

    def month(n):
        y = rng.random(n) < share
        return y, rng.normal(4 * y - 2, 2) + np.log(share / (1 - share))

    (y, old), (_, new) = month(5000), month(2000)
    reference = DecidedCases.from_scores(y, expit(old), costs=COSTS)
    return reference, expit(np.where(rng.random(2000) < 0.1, 0.0, new))


class TestWhatScoresShow:
    @pytest.mark.parametrize("share", [0.3, 0.05, 0.01])
    def test_scores_that_failed_are_refused_however_rare_a_class_is(self, share):
        for seed in range(5):
            with pytest.raises(UndefinedError, match="no mixture"):
                estimate_cost(*outage(share, seed))

    def test_scores_that_are_all_alike(self):
        """They cannot show that shares have changed, nor tell the shares."""
        y = np.random.default_rng(0).random(1000) < 0.2
        reference = DecidedCases.from_scores(y, np.full(1000, 0.2), costs=COSTS)
        found = estimate_cost(reference, np.full(500, 0.2))
        assert found.change == "none"
        assert found.value == pytest.approx(reference.cost)
        assert (found.priors.low.tolist(), found.priors.high.tolist()) == ([0, 0], [1, 1])
        with pytest.raises(UndefinedError, match="no mixture"):
            estimate_cost(reference, np.full(500, 0.9))

    def test_a_posterior_that_never_varies(self):
        rng = np.random.default_rng(5)
        costs = CostMatrix([[0, 1, 1], [5, 0, 1], [9, 9, 0]])
        for _ in range(10):
            p = np.column_stack([0.8 * rng.dirichlet([2, 2], 2000), np.full(2000, 0.2)])
            y = (rng.random((2000, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(max=2)
            reference = DecidedCases.from_scores(y[:1200], p[:1200], application=costs)
            assert estimate_cost(reference, p[1200:]).change == "none"

    def test_classes_that_score_alike_are_no_reason_to_refuse(self):
        rng = np.random.default_rng(3)
        costs = CostMatrix([[0, 1, 1], [5, 0, 1], [9, 9, 0]])
        centres, shares = np.array([-0.3, 0.3, 0.0]), np.array([0.55, 0.4, 0.05])

        def month(n):
            y = rng.choice(3, n, p=shares)
            x = rng.normal(centres[y])
            odds = shares * np.exp(-((x[:, None] - centres) ** 2) / 2)
            return y, odds / odds.sum(axis=1, keepdims=True)

        for _ in range(20):
            y, p = month(2000)
            reference = DecidedCases.from_scores(y, p, application=costs)
            assert estimate_cost(reference, month(1000)[1]).change in ("none", "shares")
