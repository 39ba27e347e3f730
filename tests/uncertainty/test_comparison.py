from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from stakes import Application, ConfusionMatrix, CostMatrix, GroupedCounts, PairedCounts
from stakes.application import Between, UncertainApplication
from stakes.exceptions import DataError
from stakes.uncertainty import compare, compare_across, compare_scores

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])


def paired(n: int = 1000, seed: int = 0, second: float = 0.15, systems: int = 2) -> PairedCounts:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4 == 0
    common = rng.random(n)
    decisions = {}
    for k in range(systems):
        rate = 0.1 if k == 0 else second
        wrong = np.where(rng.random(n) < 0.6, common, rng.random(n)) < rate
        decisions["abcdef"[k]] = (y ^ wrong).astype(int)
    return PairedCounts.from_decisions(y.astype(int), decisions)


class TestCompare:
    @pytest.mark.parametrize("normalized", [False, True])
    @pytest.mark.parametrize("app", [APP, Application([[0, 1], [10, 0]])], ids=["given", "data"])
    def test_difference_and_its_limits_against_row_resampling(
        self, app: Application, normalized: bool
    ) -> None:
        pc = paired(400)
        from stakes.metrics import expected_cost, normalized_expected_cost

        measure = normalized_expected_cost if normalized else expected_cost
        rows = np.repeat(pc.cells, pc.counts, axis=0)
        rng, gaps = np.random.default_rng(0), []
        for _ in range(800):
            if app.priors is None:
                drawn = rows[rng.integers(0, 400, 400)]
            else:
                parts = [rows[rows[:, 0] == k] for k in (0, 1)]
                drawn = np.concatenate([p[rng.integers(0, len(p), len(p))] for p in parts])
            gaps.append(
                measure(drawn[:, 0], drawn[:, 1], application=app)
                - measure(drawn[:, 0], drawn[:, 2], application=app)
            )
        for method in ("posterior", "score"):
            found = compare(pc, app, normalized=normalized, method=method, rng=0).difference(
                "a", "b"
            )
            low, high = np.quantile(gaps, [0.025, 0.975])
            width = high - low
            assert (found.low, found.high) == pytest.approx((low, high), abs=0.15 * width)

    @pytest.mark.parametrize("priors", [None, [0.7, 0.3]])
    @pytest.mark.parametrize("normalized", [False, True])
    @pytest.mark.parametrize("dear", [1e9, 1e10, 1e12, 1e18])
    def test_cheap_disagreements_count_where_dear_ones_are_even(
        self, dear: float, normalized: bool, priors: list[float] | None
    ) -> None:
        """One dear pair each way: as far when they do not cancel, or when the cheap ones say so."""
        cells = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
        pc = PairedCounts(cells, [50, 8, 2, 1, 1, 30], ("a", "b"), (0, 1), (0, 1))
        app = Application([[0, 1], [dear, 0]], priors)
        found = compare(pc, app, normalized=normalized, rng=0, draws=20).differences[0]
        assert found.exact
        assert found.p_value == pytest.approx(0.5 + 0.5 * binomtest(2, 10).pvalue)

    def test_error_rate_is_tested_by_mcnemar_exactly(self) -> None:
        pc = paired(300)
        found = compare(pc, Application(CostMatrix.zero_one(2)), rng=0).difference("a", "b")
        right = pc.cells[:, 1:] == pc.cells[:, :1]
        only_a = int(pc.counts[right[:, 0] & ~right[:, 1]].sum())
        only_b = int(pc.counts[~right[:, 0] & right[:, 1]].sum())
        assert found.exact
        assert found.p_value == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)

    def test_pairing_makes_the_interval_narrower(self) -> None:
        pc = paired(2000)
        together = compare(pc, APP, method="score", rng=0).difference("a", "b")
        apart = compare_across({n: pc.confusion(n) for n in "ab"}, APP, rng=0).difference("a", "b")
        assert together.value == pytest.approx(apart.value)
        assert together.high - together.low < 0.9 * (apart.high - apart.low)

    def test_same_decisions_cannot_be_told_apart(self) -> None:
        y = np.arange(400) % 4 == 0
        d = np.arange(400) % 3 == 0
        pc = PairedCounts.from_decisions(y.astype(int), {"a": d.astype(int), "b": d.astype(int)})
        found = compare(pc, APP, rng=0)
        assert found.probability_best == pytest.approx([0.5, 0.5])
        assert found.difference("a", "b").p_value == 1.0
        assert "cannot tell them apart" in found.verdict

    def test_clear_difference_gives_a_verdict(self) -> None:
        found = compare(paired(4000, second=0.3), APP, rng=0)
        assert found.best == "a"
        assert found.verdict == "a is cheapest"
        assert found.probability_best[0] > 0.999

    def test_holm_multiplies_the_smallest_p_value_by_the_number_of_pairs(self) -> None:
        found = compare(paired(600, systems=4, second=0.12), APP, rng=0)
        smallest = min(found.differences, key=lambda d: d.p_value)
        assert smallest.adjusted == pytest.approx(min(1.0, 6 * smallest.p_value))
        assert all(d.adjusted >= d.p_value for d in found.differences)

    def test_simultaneous_intervals_are_wider(self) -> None:
        pc = paired(600, systems=3)
        plain, wide = (compare(pc, APP, simultaneous=s, rng=0) for s in (False, True))
        for one, other in zip(plain.differences, wide.differences, strict=True):
            assert other.high - other.low > one.high - one.low

    def test_equivalence_needs_a_margin_and_enough_cases(self) -> None:
        small, large = paired(200, second=0.1), paired(40_000, second=0.1)
        assert compare(small, APP, rng=0).differences[0].equivalent is None
        assert compare(small, APP, margin=0.05, rng=0).differences[0].equivalent is False
        found = compare(large, APP, margin=0.05, rng=0)
        assert found.differences[0].equivalent is True

    def test_uncertain_costs_enter_the_probability_of_being_best(self) -> None:
        y = np.repeat([0, 1], 1000)
        errs_on_0 = np.where(np.arange(2000) % 10 == 0, 1 - y, y) * (y == 0) + y * (y == 1)
        errs_on_1 = np.where(np.arange(2000) % 10 == 0, 1 - y, y) * (y == 1)
        pc = PairedCounts.from_decisions(y, {"alarms": errs_on_0, "misses": errs_on_1})
        apps = [Application([[0, 1], [c, 0]], priors=[0.5, 0.5]) for c in (0.1, 10.0)]
        found = compare(pc, apps, weights=[0.3, 0.7], rng=0)
        assert found.probability_best == pytest.approx([0.7, 0.3], abs=0.03)

    def test_uncertain_application_is_averaged_exactly_and_drawn(self) -> None:
        pc = paired()
        unsure = UncertainApplication([[0, 1], [Between(5, 20), 0]], priors=[0.9, 0.1])
        mean = Application([[0, 1], [15 / np.log(4), 0]], priors=[0.9, 0.1])
        found, plain = (compare(pc, app, method="score", rng=0) for app in (unsure, mean))
        assert found.costs == pytest.approx(plain.costs)
        one, other = found.difference("a", "b"), plain.difference("a", "b")
        assert (one.low, one.high) == pytest.approx((other.low, other.high))
        assert found.probability_best == pytest.approx(plain.probability_best, abs=0.1)

    def test_draws_with_their_own_priors_are_taken_as_given(self) -> None:
        pc = paired()
        apps = [Application([[0, 1], [c, 0]], priors=[1 - p, p]) for c, p in ((5, 0.1), (50, 0.02))]
        unsure = UncertainApplication.alternatives(apps, [0.25, 0.75])
        found = compare(pc, unsure, rng=0)
        plain = compare(pc, apps, weights=[0.25, 0.75], rng=0)
        assert found.costs == pytest.approx(plain.costs)
        assert found.probability_best == pytest.approx(plain.probability_best)

    def test_groups_widen_the_interval(self) -> None:
        rng = np.random.default_rng(0)
        groups = np.repeat(np.arange(60), 20)
        y = rng.integers(0, 2, 1200)
        hard = (rng.random(60) < 0.3)[groups]
        a = np.where(rng.random(1200) < 0.1, 1 - y, y)
        b = np.where(rng.random(1200) < np.where(hard, 0.5, 0.05), 1 - y, y)
        gc = GroupedCounts.from_decisions(y, {"a": a, "b": b}, groups=groups)
        apart = compare(gc.joint, APP, rng=0).difference("a", "b")
        together = compare(gc, APP, rng=0).difference("a", "b")
        assert together.high - together.low > 1.2 * (apart.high - apart.low)

    def test_few_cases_refuse_a_verdict(self) -> None:
        pc = PairedCounts.from_decisions([0] * 50 + [1] * 7, {"a": [0] * 57, "b": [1] * 57})
        found = compare(pc, APP, rng=0)
        assert found.too_few
        assert found.verdict.startswith("cannot say: too few: 7 cases")

    def test_reversed_pair_changes_sign(self) -> None:
        found = compare(paired(), APP, rng=0)
        one, other = found.difference("a", "b"), found.difference("b", "a")
        assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)

    def test_more_draws_begin_with_the_same(self) -> None:
        first = compare(paired(), APP, draws=500, rng=0)
        whole = compare(paired(), APP, draws=1500, rng=0)
        grown = first.more(1000)
        np.testing.assert_array_equal(grown.replicates.values, whole.replicates.values)
        assert grown.probability_best == pytest.approx(whole.probability_best, abs=0.02)

    def test_more_draws_are_kept_at_another_level(self) -> None:
        grown = compare(paired(), APP, draws=500, rng=0).more(1000)
        assert len(grown.at(0.5).replicates) == 1500
        assert grown.at(0.5).probability_best == pytest.approx(grown.probability_best)

    @pytest.mark.parametrize("app", [APP, Application([[0, 1], [10, 0]])], ids=["given", "data"])
    def test_weighted_cases_as_groups_against_drawn_rows(self, app: Application) -> None:
        from stakes.metrics import expected_cost

        rng = np.random.default_rng(0)
        y = (np.arange(600) % 3 == 0).astype(int)
        often = rng.random(600) < 0.5
        a = np.where(rng.random(600) < np.where(often, 0.2, 0.1), 1 - y, y)
        b = np.where(rng.random(600) < 0.12, 1 - a, a)
        w = np.where(often, 0.3, 2.7)
        gc = GroupedCounts.from_decisions(y, {"a": a, "b": b}, groups=range(600), sample_weight=w)
        found = compare(gc, app, rng=0).difference("a", "b")
        gaps = []
        for _ in range(500):
            rows = rng.integers(0, 600, 600)
            one, other = (
                expected_cost(y[rows], d[rows], application=app, sample_weight=w[rows])
                for d in (a, b)
            )
            gaps.append(one - other)
        assert (found.high - found.low) / (2 * 1.96) == pytest.approx(np.std(gaps), rel=0.12)
        with pytest.raises(DataError, match="joint counts holds weights") as caught:
            compare(gc.joint, app)
        assert "GroupedCounts.from_decisions" in str(caught.value.hint)

    def test_few_weighted_cases_refuse_a_verdict_however_heavy(self) -> None:
        y = [0] * 50 + [1] * 7
        gc = GroupedCounts.from_decisions(
            y, {"a": y, "b": [0] * 57}, groups=range(57), sample_weight=[20.5] * 57
        )
        assert compare(gc, APP, rng=0).verdict.startswith("cannot say: too few: 7 cases of 1")
        light = GroupedCounts.from_decisions(
            y * 4, {"a": y * 4, "b": [0] * 228}, groups=range(228), sample_weight=[0.001] * 228
        )
        assert not compare(light, APP, rng=0).too_few

    def test_groups_that_carry_the_variance_are_counted(self) -> None:
        from stakes.uncertainty.intervals.group_intervals import carrying_groups

        # Four groups of one case each; parts of the cost 1, -1, 1, -1 about a mean of 0.
        y, d = [0, 0, 0, 0], [0, 1, 0, 1]
        even, odd = (
            GroupedCounts.from_decisions(y, d, groups=range(4), sample_weight=w, classes=[0, 1])
            for w in ([1.5, 1.5, 1.5, 1.5], [0.1, 1.5, 1.5, 0.1])
        )
        parts = np.array([1.0, -1.0])
        four = carrying_groups(even, parts, by_class=True)
        assert four == pytest.approx(4)  # 4^2 / 4 + 1, but there are no more than four
        two = carrying_groups(odd, parts, by_class=True)
        squares = np.array([0.1**2, 1.5**2, 1.5**2, 0.1**2])
        assert two == pytest.approx(squares.sum() ** 2 / (squares**2).sum() + 1)
        counted = GroupedCounts.from_decisions(y, d, groups=range(4), classes=[0, 1])
        assert carrying_groups(counted, parts, by_class=True) == 4

    def test_one_system_is_refused(self) -> None:
        with pytest.raises(DataError, match="two systems"):
            compare(paired(systems=1), APP)


def test_another_level_from_the_same_draws():
    cells = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    counts = PairedCounts(cells, [820, 60, 20, 10, 40, 50], ("a", "b"), (0, 1), (0, 1))
    found = compare(counts, Application([[0, 1], [10, 0]]), rng=0)
    half = found.at(0.5)
    wide, narrow = found.difference("a", "b"), half.difference("a", "b")
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert half.at(0.95).difference("a", "b").low == wide.low
    np.testing.assert_array_equal(half.probability_best, found.probability_best)


class TestOtherLevels:
    """Every comparison can be had at another level, from the same draws."""

    def test_across_data_sets(self):
        app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
        tables = {
            "a": ConfusionMatrix([[450, 50], [20, 180]]),
            "b": ConfusionMatrix([[900, 100], [40, 60]]),
        }
        found = compare_across(tables, app, rng=0)
        again = compare_across(tables, app, rng=0, level=0.5)
        assert _ends(found.at(0.5)) == _ends(again)
        assert _ends(found.at(0.5).at(0.95)) == _ends(found)
        assert found.at(0.5).probability_best.tolist() == found.probability_best.tolist()

    @pytest.mark.parametrize("metric", ["auc", "eer"])
    def test_scores(self, metric):
        rng = np.random.default_rng(0)
        y = np.arange(400) % 4 == 0
        scores = {"a": rng.normal(2.0 * y), "b": rng.normal(0.5 * y)}
        found = compare_scores(y, scores, metric=metric, rng=0, draws=100)
        again = compare_scores(y, scores, metric=metric, rng=0, draws=100, level=0.5)
        assert _ends(found.at(0.5)) == _ends(again)

    def test_scores_are_not_called_cheap(self):
        rng = np.random.default_rng(0)
        y = np.arange(400) % 4 == 0
        scores = {"a": rng.normal(2.0 * y), "b": rng.normal(0.5 * y)}
        found = compare_scores(y, scores, rng=0)
        assert found.verdict == "a is best by AUC"
        assert str(found.difference("a", "b")).startswith("a is better by AUC: ")
        app = Application([[0, 1], [10, 0]])
        costs = compare_scores(y, scores, metric="min_cost", application=app, rng=0)
        assert costs.verdict == "a is cheapest"


def _ends(found):
    """The limits of every difference."""
    return [(d.low, d.high) for d in found.differences]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: compare(ConfusionMatrix([[9, 1], [1, 9]]), APP), "joint counts of at least two"),
        (lambda: compare({"a": ConfusionMatrix([[9, 1], [1, 9]])}, APP), "got dict"),
        (lambda: compare_across({}, APP), "at least two systems, by name"),
        (lambda: compare_across({"a": ConfusionMatrix([[9, 1], [1, 9]])}, APP), "at least two"),
        (lambda: compare_scores([0, 1], [[1, 2], [2, 1]]), "at least two systems, by name"),
    ],
)
def test_what_cannot_be_compared_is_told_what_can(asked, said):
    with pytest.raises(DataError, match=said) as caught:
        asked()
    assert caught.value.hint
