"""Costs from few labels: against formulas written out, against all labels, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CaseCosts
from stakes.estimation import DecidedCases, cost_from_labels, plan_labels
from stakes.exceptions import CostError, DataError, LabelError, StakesError, UndefinedError
from stakes.rules import DecisionRule

COSTS = {"fn": 10, "fp": 1}


def drawn(seed: int, size: int = 4000, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors that are calibrated by construction, and true classes."""
    rng = np.random.default_rng(seed)
    posteriors = rng.dirichlet(np.full(classes, 0.5), size)
    truth = (rng.random(size)[:, None] > posteriors.cumsum(axis=1)).sum(axis=1)
    return posteriors, truth.clip(max=classes - 1)


def some(truth: np.ndarray, kept: np.ndarray) -> list[int | None]:
    return [int(k) if keep else None for k, keep in zip(truth, kept, strict=True)]


class TestValue:
    def test_equals_the_formula_written_out(self) -> None:
        posteriors, truth = drawn(1)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        kept = np.zeros(4000, dtype=bool)
        kept[np.random.default_rng(2).choice(4000, 150, replace=False)] = True
        found = cost_from_labels(some(truth, kept), cases)
        cost = np.array([[0.0, 1.0], [10.0, 0.0]])
        decided = (posteriors @ cost).argmin(axis=1)
        predicted = np.array([posteriors[i] @ cost[:, decided[i]] for i in range(4000)])
        real = cost[truth, decided]
        # two further labels that match the predictions, spread over all cases
        x = np.concatenate([predicted[kept], predicted])
        y = np.concatenate([real[kept], predicted])
        w = np.sqrt(np.concatenate([np.ones(150), np.full(4000, 2 / 4000)]))
        slope = min(np.polyfit(x, y, 1, w=w)[0], 1.0)
        line = np.average(y - slope * x, weights=w**2) + slope * predicted
        assert found.value == pytest.approx(line.mean() + (real[kept] - line[kept]).mean())
        assert found.slope == pytest.approx(slope)
        assert found.plain[0] == pytest.approx(real[kept].mean())

    def test_all_labels_give_the_cost_itself(self) -> None:
        posteriors, truth = drawn(3, 500, classes=3)
        costs = [[0, 1, 4, 1], [2, 0, 3, 1], [9, 5, 0, 1]]
        cases = DecidedCases.from_scores(truth, posteriors, costs=costs)
        found = cost_from_labels(truth, cases)
        assert found.value == pytest.approx(cases.cost)
        assert (found.low, found.high) == (found.value, found.value)

    def test_useless_posteriors_do_no_harm(self) -> None:
        _, truth = drawn(4)
        noise = np.random.default_rng(5).random(4000)
        cases = DecidedCases.from_scores(
            None,
            noise,
            rule=DecisionRule(Application([[0, 1], [10, 0]]), cut=-1),  # always 1
        )
        kept = np.arange(4000) % 10 == 0
        found = cost_from_labels(some(truth, kept), cases)
        assert abs(found.slope) < 0.35  # four standard errors
        assert found.high - found.low < 1.02 * (found.plain[2] - found.plain[1])

    def test_difference_of_two_models(self) -> None:
        posteriors, truth = drawn(6)
        first = DecidedCases.from_scores(truth, posteriors, costs=COSTS)
        second = DecidedCases.from_scores(truth, posteriors**0.5 / (posteriors**0.5).sum(
            axis=1, keepdims=True), costs=COSTS)  # fmt: skip
        whole = cost_from_labels(truth, first, against=second)
        assert whole.value == pytest.approx(first.cost - second.cost)
        part = cost_from_labels(some(truth, np.arange(4000) % 8 == 0), first, against=second)
        turned = cost_from_labels(some(truth, np.arange(4000) % 8 == 0), second, against=first)
        assert part.low < first.cost - second.cost < part.high
        assert (turned.value, turned.low, turned.high) == pytest.approx(
            (-part.value, -part.high, -part.low), rel=1e-6
        )

    def test_costs_per_case_weights_and_slices(self) -> None:
        posteriors, truth = drawn(7)
        rng = np.random.default_rng(8)
        amounts = rng.lognormal(3, 1, 4000)
        per_case = CaseCosts.binary(fn=amounts, fp=5.0)
        weights, where = rng.uniform(0.5, 2, 4000), np.where(rng.random(4000) < 0.3, "a", "b")
        told = {"costs": per_case, "sample_weight": weights, "by": where}
        cases = DecidedCases.from_scores(truth, posteriors, **told)
        whole = cost_from_labels(truth, cases)
        assert whole.value == pytest.approx(cases.cost)
        for name in ("a", "b"):
            assert whole.slices[name].value == pytest.approx(cases.part(where == name).cost)
        again = DecidedCases.from_scores(
            None, posteriors, costs=per_case, sample_weight=3 * weights
        )
        kept = some(truth, rng.random(4000) < 0.1)
        assert cost_from_labels(kept, again).value == pytest.approx(
            cost_from_labels(kept, cases).value
        )


class TestInterval:
    @pytest.mark.parametrize("active", [False, True])
    @pytest.mark.parametrize("fn", [1, 10])
    def test_holds_the_cost_of_all_labels(self, fn: int, active: bool) -> None:
        posteriors, truth = drawn(9, 2000)
        cases = DecidedCases.from_scores(truth, posteriors, costs={"fn": fn, "fp": 1})
        rng, plan = np.random.default_rng(10), plan_labels(cases, labels=100)
        chances = plan.chances if active else np.full(2000, 100 / 2000)
        held = 0
        for _ in range(200):
            known = np.where(rng.random(2000) < chances, truth, np.nan)
            held += cases.cost in cost_from_labels(known, cases, chances=chances)
        assert 182 <= held <= 198  # 95 %, within three standard errors of 200 draws

    def test_a_costly_error_that_no_label_shows_widens_it(self) -> None:
        cases = DecidedCases.from_scores(None, np.full(2000, 0.01), costs={"fn": 50, "fp": 1})
        known = np.where(np.arange(2000) < 100, 0.0, np.nan)
        found = cost_from_labels(known, cases)
        assert found.high > 1.0  # 0 of 100 misses at a cost of 50: the rate may be 2 %

    def test_level(self) -> None:
        posteriors, truth = drawn(11)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        known = some(truth, np.arange(4000) % 20 == 0)
        ends = [cost_from_labels(known, cases, level=level) for level in (0.5, 0.9, 0.99)]
        widths = [each.high - each.low for each in ends]
        assert widths == sorted(widths)
        assert widths[0] > 0


class TestPlan:
    def test_numbers_of_labels_follow_from_the_spread(self) -> None:
        posteriors, _ = drawn(12, 20_000)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        plan = plan_labels(cases, width=0.3)  # so few that none has a chance of 1
        cost = np.array([[0.0, 1.0], [10.0, 0.0]])
        paid = cost.T[(posteriors @ cost).argmin(axis=1)]
        mean = (paid * posteriors).sum(axis=1)
        var = (posteriors * (paid - mean[:, None]) ** 2).sum(axis=1)
        goal = (0.15 / 1.959964) ** 2
        plain, part = var.mean() + mean.var(), var.mean()
        assert plan.plain == pytest.approx(plain / goal, rel=0.05)
        assert plan.random == pytest.approx(part / goal, rel=0.05)
        least = np.sqrt(var).mean() ** 2 / goal
        assert least - 1 <= plan.labels <= least / 0.9 + 1

    def test_chances_add_to_the_labels(self) -> None:
        posteriors, _ = drawn(13, 300)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        for labels in (10, 150, 290, 300):
            chances = plan_labels(cases, labels=labels).chances
            assert chances.sum() == pytest.approx(labels)
            assert chances.min() > 0
            assert chances.max() <= 1

    def test_certain_cases_are_labelled_evenly(self) -> None:
        cases = DecidedCases.from_scores(None, [0.0, 1.0] * 50, costs={"fn": 1, "fp": 1})
        assert np.ptp(plan_labels(cases, labels=20).chances) == pytest.approx(0, abs=1e-12)

    def test_wants_one_goal(self) -> None:
        cases = DecidedCases.from_scores(None, [0.1] * 50, costs=COSTS)
        for told in ({}, {"width": 1, "labels": 20}, {"width": 0}, {"labels": 51}, {"labels": 2}):
            with pytest.raises(StakesError):
                plan_labels(cases, **told)


class TestRefusals:
    def test_labels_that_are_no_random_part(self) -> None:
        posteriors, truth = drawn(14)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        with pytest.raises(DataError, match="not a random part"):
            cost_from_labels(some(truth, posteriors[:, 1] > 0.8), cases)

    def test_chances_that_do_not_add_up(self) -> None:
        posteriors, truth = drawn(15)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        with pytest.raises(DataError, match="add to 40 expected labels; there are 400"):
            cost_from_labels(some(truth, np.arange(4000) % 10 == 0), cases, chances=0.01)

    @pytest.mark.parametrize("chances", [0.0, 1.5, [0.1, 0.2], "often", np.nan])
    def test_odd_chances(self, chances: object) -> None:
        posteriors, truth = drawn(16)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        with pytest.raises(StakesError):
            cost_from_labels(some(truth, np.arange(4000) % 10 == 0), cases, chances=chances)

    def test_few_labels_and_strange_ones(self) -> None:
        cases = DecidedCases.from_scores(None, [0.1] * 100, costs=COSTS)
        with pytest.raises(UndefinedError, match="3 of 100 cases are labelled"):
            cost_from_labels([1, 0, 0] + [None] * 97, cases)
        with pytest.raises(LabelError):
            cost_from_labels([7] * 20 + [None] * 80, cases)
        with pytest.raises(DataError):
            cost_from_labels([1, 0], cases)

    def test_rows_that_stand_for_several_cases(self) -> None:
        counted = DecidedCases.from_scores(
            None, [0.1] * 100, costs=COSTS, counts=[3] * 60 + [1] * 40
        )
        for ask in (
            lambda: cost_from_labels([1] * 20 + [None] * 80, counted),
            lambda: plan_labels(counted, labels=20),
        ):
            with pytest.raises(DataError, match="60 rows of `cases` stand for several"):
                ask()

    @pytest.mark.parametrize("make", ["pandas", "polars", "masked"])
    def test_gaps_of_any_library(self, make: str) -> None:
        posteriors, truth = drawn(17, 200)
        cases = DecidedCases.from_scores(None, posteriors, costs=COSTS)
        plain = some(truth, np.arange(200) % 4 == 0)
        if make == "masked":
            column = np.ma.masked_array(truth, mask=np.arange(200) % 4 != 0)
        else:
            library = pytest.importorskip(make)
            column = library.Series(plain)
        assert cost_from_labels(column, cases).value == cost_from_labels(plain, cases).value


def test_a_difference_is_called_one_and_needs_the_same_costs() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(500)
    labels = np.where(rng.random(500) < 0.2, (rng.random(500) < p).astype(float), np.nan)
    one, other = (
        DecidedCases.from_scores(None, each, costs={"fn": 10, "fp": 1}) for each in (p, p**2)
    )
    assert cost_from_labels(labels, one, against=other).text.startswith("A difference of ")
    assert not cost_from_labels(labels, one).text.startswith("A diff")
    cheap = DecidedCases.from_scores(None, p, costs={"fn": 1, "fp": 1})
    for asked in (
        lambda: cost_from_labels(labels, one, against=cheap),
        lambda: plan_labels(one, labels=50, against=cheap),
    ):
        with pytest.raises(CostError, match="costs 10 in `cases` and 1 in `against`"):
            asked()


def test_rows_of_no_weight_keep_their_place() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(400)
    weights = np.arange(400) % 2
    cases = DecidedCases.from_scores(None, p, costs={"fn": 10, "fp": 1}, sample_weight=weights)
    plan = plan_labels(cases, labels=100)
    assert plan.chances.shape == (400,)
    labels = np.full(400, np.nan)
    drawn = plan.draw(rng=1)
    labels[drawn] = rng.random(len(drawn)) < p[drawn]
    found = cost_from_labels(labels, cases, chances=plan.chances)
    alone = DecidedCases.from_scores(None, p[1::2], costs={"fn": 10, "fp": 1})
    again = cost_from_labels(labels[1::2], alone, chances=plan.chances[1::2])
    assert found.labels == again.labels == (drawn % 2).sum()
    assert (found.value, found.low, found.high) == (again.value, again.low, again.high)


def test_hard_scores_may_be_wrong() -> None:
    """Scores of 0 and 1 call errors impossible; an interval without width would deny them."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(40):
        truth = (rng.random(5000) < 0.1).astype(int)
        p = np.where(rng.random(5000) < 0.01, 1 - truth, truth).astype(float)
        cases = DecidedCases.from_scores(truth, p, costs=COSTS)
        found = cost_from_labels(some(truth, rng.permutation(5000) < 100), cases)
        assert found.low < found.high
        held += cases.cost in found
    assert held >= 36


def test_a_plan_for_scores_of_0_doubts_them() -> None:
    hard = DecidedCases.from_scores(None, [0.0, 1.0] * 500, costs=COSTS)
    plan = plan_labels(hard, labels=100)
    assert plan.width > 0.5
    assert "100 % of the cases an outcome is impossible" in plan.notes[0]
    p = np.linspace(0.02, 0.6, 1000)
    rounded = np.where(p < 0.1, 0.0, p)
    chances = plan_labels(DecidedCases.from_scores(None, rounded, costs=COSTS), labels=100).chances
    least = rounded[rounded > 0].min() / 2
    half = np.where(p < 0.1, least / (1 + least), p)
    again = plan_labels(DecidedCases.from_scores(None, half, costs=COSTS), labels=100)
    np.testing.assert_allclose(chances, again.chances)
    assert again.notes == ()


def test_costs_that_differ_are_sized_by_what_is_at_stake() -> None:
    """The rare large costs that no label has shown are above those of most cases."""
    rng = np.random.default_rng(21)
    held = 0
    for _ in range(200):
        p = 1 / (1 + np.exp(-rng.normal(-2, 2, 3000)))
        truth = (rng.random(3000) < p).astype(int)
        values = np.zeros((3000, 2, 2))
        values[:, 1, 0], values[:, 0, 1] = 5 * rng.lognormal(0, 1, 3000), 1
        cases = DecidedCases.from_scores(truth, p, case_costs=CaseCosts(values))
        held += cases.cost in cost_from_labels(some(truth, rng.permutation(3000) < 200), cases)
    assert held >= 190  # 95 %; without groups 92 %


def test_limits_stay_within_what_is_possible() -> None:
    posteriors, truth = drawn(8, 60)
    cases = DecidedCases.from_scores(None, posteriors, costs={"fn": 1000, "fp": 1})
    kept = np.arange(60) % 4 > 0
    found = cost_from_labels(some(truth, kept), cases)
    paid = cases.paid[np.arange(60), truth]
    edges = [np.where(kept, paid, edge).mean() for edge in (cases.paid.min(1), cases.paid.max(1))]
    assert edges[0] <= found.low <= found.value <= found.high <= edges[1]


def test_labels_of_no_weight_are_no_labels() -> None:
    p = np.random.default_rng(3).random(100)
    weights = np.repeat([0.0, 1.0], 50)
    cases = DecidedCases.from_scores(None, p, costs=COSTS, sample_weight=weights)
    with pytest.raises(UndefinedError, match="0 of 50 cases are labelled"):
        cost_from_labels([1] * 50 + [None] * 50, cases)


def test_a_slice_with_few_labels_is_named() -> None:
    p = np.random.default_rng(3).random(400)
    by = np.where(np.arange(400) < 30, "islands", "land")
    cases = DecidedCases.from_scores(None, p, costs=COSTS, by=by)
    labels = [int(i % 3 == 0) if i % 4 == 0 else None for i in range(400)]
    found = cost_from_labels(labels, cases)
    assert list(found.slices) == ["land"]
    assert found.notes == ("slice islands: 8 of 30 cases are labelled; at least 10 are needed.",)


def test_a_strange_label_is_found_by_its_row() -> None:
    cases = DecidedCases.from_scores(None, np.full(600, 0.3), costs=COSTS)
    labels: list[int | None] = [1 if i % 5 == 0 else None for i in range(600)]
    labels[500] = 2
    with pytest.raises(LabelError, match="first at row 500 "):
        cost_from_labels(labels, cases)


class TestSlicesAndChances:
    def test_slices_labelled_unlike_their_chances_are_refused(self) -> None:
        p, truth = drawn(11, 2000)
        region = np.array(["north", "south"])[(np.arange(2000) % 2)]
        cases = DecidedCases.from_scores(None, p, costs=COSTS, by=region)
        rng = np.random.default_rng(5)
        chance = np.where(region == "north", 0.9, 0.05)
        known = np.where(rng.random(2000) < chance, truth, np.nan)
        with pytest.raises(DataError, match=r"slice north has \d+ labels, and its chances give"):
            cost_from_labels(known, cases)
        found = cost_from_labels(known, cases, chances=chance)
        assert DecidedCases.from_scores(truth, p, costs=COSTS).cost in found
        middle = np.mean([each.value for each in found.slices.values()])
        assert found.low < middle < found.high

    def test_a_slice_that_is_no_random_part_is_named(self) -> None:
        p, truth = drawn(12, 20_000)
        region = np.where(np.arange(20_000) < 600, "north", "south")
        cases = DecidedCases.from_scores(None, p, costs=COSTS, by=region)
        rng = np.random.default_rng(6)
        high = p[:, 1] > np.median(p[region == "north", 1])
        chance = np.where(region == "north", np.where(high, 0.19, 0.01), 0.1)
        known = np.where(rng.random(20_000) < chance, truth, np.nan)
        with pytest.raises(DataError, match="from those of all cases of slice north"):
            cost_from_labels(known, cases)

    @pytest.mark.parametrize("gap", [np.nan, 0.0])
    def test_chances_of_labelled_cases_alone(self, gap: float) -> None:
        p, truth = drawn(13, 2000)
        known = np.where(np.random.default_rng(7).random(2000) < 0.1, truth, np.nan)
        cases = DecidedCases.from_scores(None, p, costs=COSTS)
        with pytest.raises(DataError, match="chances") as caught:
            cost_from_labels(known, cases, chances=np.where(np.isnan(known), gap, 0.1))
        assert "every case, also of those that were not drawn" in caught.value.hint

    @pytest.mark.parametrize("unit", [1e-9, 1e9])
    def test_the_unit_of_the_costs_does_not_matter(self, unit: float) -> None:
        p, truth = drawn(14, 2000)
        known = np.where(np.random.default_rng(8).random(2000) < 0.1, truth, np.nan)
        found = []
        for times in (1.0, unit):
            costs = {"fn": 10 * times, "fp": times}
            cases = DecidedCases.from_scores(None, p, costs=costs)
            one = cost_from_labels(known, cases)
            found.append([one.slope, *(np.array([one.value, one.low, one.high]) / times)])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


class TestPlansOfSomeRows:
    def test_rows_without_weight_are_not_planned_for(self) -> None:
        p, truth = drawn(15, 1500)
        weight = (np.arange(1500) < 500).astype(float)
        every = DecidedCases.from_scores(None, p, costs=COSTS, sample_weight=weight)
        some = DecidedCases.from_scores(None, p[:500], costs=COSTS)
        plan, alone = plan_labels(every, labels=100), plan_labels(some, labels=100)
        assert (plan.random, plan.plain) == (alone.random, alone.plain)
        assert plan.width == pytest.approx(alone.width, rel=1e-12)
        np.testing.assert_allclose(plan.chances[:500], alone.chances, rtol=1e-12)
        assert not plan.chances[500:].any()
        chosen, known = plan.draw(rng=1), np.full(1500, np.nan)
        known[chosen] = truth[chosen]
        real = DecidedCases.from_scores(truth[:500], p[:500], costs=COSTS).cost
        assert real in cost_from_labels(known, every, chances=plan.chances)
        with pytest.raises(DataError, match="500 cases with a weight above 0"):
            plan_labels(every, labels=501)

    def test_as_few_cases_as_allow_no_estimate_allow_no_plan(self) -> None:
        cases = DecidedCases.from_scores(None, [0.1, 0.6, 0.3], costs=COSTS)
        with pytest.raises(UndefinedError, match="there are 3 cases; at least 10 labels"):
            plan_labels(cases, width=0.1)

    def test_a_plan_of_all_cases_leaves_no_doubt(self) -> None:
        p, _ = drawn(16, 300)
        plan = plan_labels(DecidedCases.from_scores(None, p, costs=COSTS), width=1e-6)
        assert (plan.labels, plan.width, plan.chances.min()) == (300, 0.0, 1.0)
