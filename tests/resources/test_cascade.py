"""Cascades: against stages that are alike, free, or useless, brute force, and refusals."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from stakes import Application, CaseCosts, CostMatrix
from stakes._guesses import CallError
from stakes.exceptions import CostError, DataError, StakesError
from stakes.resources import evaluate_cascade, fit_cascade

EVEN = {"fn": 1, "fp": 1}


def drawn(seed: int, size: int = 3000, strengths: tuple[float, ...] = (1.0, 9.0)):
    """Truth and calibrated posteriors of stages that know more and more."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.4
    odds = np.log(0.4 / 0.6) + np.cumsum(
        [rng.normal((truth - 0.5) * d, d**0.5) for d in np.diff((0.0, *strengths))], axis=0
    )
    names = ("small", "large", "expert")
    return truth.astype(int), dict(zip(names, 1 / (1 + np.exp(-odds)), strict=False))


class TestStops:
    def test_a_free_better_stage_is_always_asked(self) -> None:
        truth, stages = drawn(1)
        found = evaluate_cascade(truth, stages, prices={"small": 0, "large": 0}, costs=EVEN)
        assert found.cost() <= found.cost("large") + 0.002
        assert found.asked["large"] > 0.5

    def test_a_stage_dearer_than_any_error_is_never_asked(self) -> None:
        truth, stages = drawn(2)
        found = evaluate_cascade(truth, stages, prices={"small": 0, "large": 1.5}, costs=EVEN)
        assert found.asked == pytest.approx({"small": 1.0, "large": 0.0})
        assert found.cost() == found.cost("small")
        assert found.text.startswith("Ask only small.")

    def test_a_stage_that_adds_nothing_is_not_asked(self) -> None:
        truth, stages = drawn(3)
        stages["large"] = stages["small"]
        found = evaluate_cascade(truth, stages, prices={"small": 0, "large": 0.001}, costs=EVEN)
        assert found.asked["large"] == 0

    def test_no_stage_is_asked_where_all_cost_too_much(self) -> None:
        truth, stages = drawn(2)
        prices = {"small": 100, "large": 200}
        app = Application([[0, 1], [5, 0]], unit="EUR", volume=1000)
        found = evaluate_cascade(truth, stages, prices=prices, application=app)
        assert found.best_stage == "no stage"
        assert found.cost("no stage") == pytest.approx((truth == 0).mean())
        assert found.text.startswith(
            "Ask no stage: always deciding '1' costs less than asking any."
        )
        saved = found.saving()[0]
        assert saved == pytest.approx(found.cost("no stage") - found.cost())
        assert saved == pytest.approx(-100, abs=1)
        assert "EUR on 1 000 cases" in found.text

    def test_unsure_cases_are_asked_and_sure_ones_are_not(self) -> None:
        truth, stages = drawn(4, strengths=(4.0, 16.0))
        cascade = fit_cascade(truth, stages, prices={"small": 0, "large": 0.03}, costs=EVEN)
        decisions, following = cascade.step("small", [0.001, 0.5, 0.999])
        assert following.tolist() == ["", "large", ""]
        assert decisions[[0, 2]].tolist() == [0, 1]
        assert cascade.step("large", [0.4, 0.6])[1].tolist() == ["", ""]

    def test_a_useless_stage_is_skipped(self) -> None:
        truth, stages = drawn(5, strengths=(1.0, 1.0001, 12.0))
        prices = {"small": 0, "large": 0.15, "expert": 0.15}
        found = evaluate_cascade(truth, stages, prices=prices, costs=EVEN)
        assert found.asked["large"] < 0.02
        assert 0.1 < found.asked["expert"] < 0.95


class TestCost:
    def test_equals_the_best_rule_of_known_distributions(self) -> None:
        """One bit of noise at the first stage: every rule by brute force."""
        rng = np.random.default_rng(6)
        kind = rng.integers(0, 3, 6000)
        p = np.array([0.02, 0.3, 0.9])[kind]
        truth = (rng.random(6000) < p).astype(int)
        sure = np.where(truth == 1, 0.999, 0.001)
        price, costs = 0.15, np.array([[0.0, 1.0], [5.0, 0.0]])
        found = evaluate_cascade(
            truth, {"first": p, "second": sure}, prices={"first": 0, "second": price}, costs=costs
        )
        best = np.inf
        for ask in itertools.product([False, True], repeat=3):
            for decide in itertools.product([0, 1], repeat=3):
                asked = np.array(ask)[kind]
                cost = np.where(asked, price, costs[truth, np.array(decide)[kind]])
                best = min(best, cost.mean())
        assert found.cost() == pytest.approx(best, rel=0.02)

    def test_rows_are_what_they_say(self) -> None:
        truth, stages = drawn(7)
        found = evaluate_cascade(truth, stages, prices={"small": 0.01, "large": 0.2}, costs=EVEN)
        oracle = np.minimum(found.costs["small"], found.costs["large"])
        assert np.array_equal(found.costs["oracle"], oracle)
        assert (found.costs["cascade"] >= found.costs["oracle"] - 1e-12).all()
        saved = found.costs[found.best_stage] - found.costs["cascade"]
        half = 1.959964 * saved.std() / len(saved) ** 0.5
        assert found.saving() == pytest.approx(
            (saved.mean(), saved.mean() - half, saved.mean() + half)
        )
        assert found.way_to_oracle == pytest.approx(
            (found.cost(found.best_stage) - found.cost())
            / (found.cost(found.best_stage) - found.cost("oracle"))
        )

    def test_not_worse_than_confidence_where_costs_differ(self) -> None:
        truth, stages = drawn(8, 6000, strengths=(1.0, 4.0, 12.0))
        prices = {"small": 0, "large": 0.02, "expert": 0.1}
        found = evaluate_cascade(truth, stages, prices=prices, costs={"fn": 10, "fp": 1})
        assert found.saving("confidence thresholds")[2] > 0

    def test_cheaper_thresholds_are_in_the_verdict(self) -> None:
        truth, stages = drawn(1)
        found = evaluate_cascade(
            truth, stages, prices={"small": 0, "large": 0.05}, costs={"fn": 1, "fp": 1}
        )
        assert found.cost("confidence thresholds") >= found.cost()
        assert "Thresholds" not in found.text
        cheaper = {**found.costs, "confidence thresholds": found.costs["cascade"] - 0.01}
        said = replace(found, costs=cheaper).text
        assert said.endswith(" Thresholds on confidence cost 0.01 less per case (0.01 to 0.01).")
        noise = np.random.default_rng(0).normal(0, 5, len(truth))
        noise += 0.01 - noise.mean()
        unsure = {**found.costs, "confidence thresholds": found.costs["cascade"] - noise}
        saved, low, high = replace(found, costs=unsure).saving("confidence thresholds")
        assert saved == pytest.approx(-0.01)
        assert low < saved < 0 < high
        assert "which may be chance" in replace(found, costs=unsure).text

    def test_money_is_in_the_verdict(self) -> None:
        truth, stages = drawn(9, strengths=(4.0, 16.0))
        app = Application([[0, 10], [10, 0]], unit="EUR", volume=100_000, period="year")
        found = evaluate_cascade(truth, stages, prices={"small": 0, "large": 0.5}, application=app)
        assert "EUR a year" in found.text
        assert found.text.startswith("Use the cascade. It saves ")

    def test_more_classes_abstention_weights_and_costs_per_case(self) -> None:
        rng = np.random.default_rng(10)
        truth = rng.integers(0, 3, 3000)
        stages = {}
        for name, strength in (("small", 4.0), ("large", 12.0)):
            logits = strength * np.eye(3)[truth] + rng.normal(0, strength**0.5, (3000, 3))
            odds = np.exp(logits - logits.max(axis=1, keepdims=True))
            stages[name] = odds / odds.sum(axis=1, keepdims=True)
        costs = [[0, 1, 2, 0.4], [1, 0, 2, 0.4], [3, 3, 0, 0.4]]
        prices = {"small": 0, "large": np.full(3000, 0.1)}
        weights = rng.uniform(0.5, 2, 3000)
        same = evaluate_cascade(truth, stages, prices=prices, costs=costs, sample_weight=weights)
        scaled = evaluate_cascade(
            truth, stages, prices=prices, costs=costs, sample_weight=7 * weights
        )
        assert same.cost() == pytest.approx(scaled.cost())
        assert same.saving()[1] > 0
        amounts = np.broadcast_to(np.asarray(costs, dtype=float), (3000, 3, 4))
        each = amounts * rng.lognormal(0, 1, 3000)[:, None, None]
        names = {"classes": [0, 1, 2], "decisions": [0, 1, 2, "ask"]}
        per_case = evaluate_cascade(truth, stages, prices=prices, costs=CaseCosts(each, **names))
        assert per_case.cost() < min(per_case.cost("small"), per_case.cost("large"))

    def test_the_same_seed_gives_the_same_answer(self) -> None:
        truth, stages = drawn(11)
        told = {"prices": {"small": 0, "large": 0.05}, "costs": EVEN}
        first, again = (evaluate_cascade(truth, stages, rng=3, **told) for _ in range(2))
        assert first.cost() == again.cost()


class TestRefusals:
    @pytest.mark.parametrize(
        ("told", "error"),
        [
            ({"prices": {"small": 0}}, CostError),
            ({"prices": {"small": 0, "large": "dear"}}, StakesError),
            ({"prices": {"small": 0, "large": [1.0, 2.0]}}, DataError),
            ({"prices": {"small": 0, "large": np.nan}}, CostError),
            ({"prices": {"small": 0, "large": np.inf}}, CostError),
            ({"prices": {"small": 0, "large": -0.1}}, CostError),
            ({"prices": {"small": 0, "large": np.r_[np.zeros(199), -1]}}, CostError),
            ({"prices": 3}, StakesError),
            ({"costs": None}, CostError),
            ({"folds": 1}, StakesError),
            ({"level": 7}, StakesError),
            ({"application": Application([[0, 1], [1, 0]], priors=[0.9, 0.1]), "costs": None},
             CostError),
        ],
    )  # fmt: skip
    def test_odd_settings(self, told: dict[str, object], error: type[Exception]) -> None:
        truth, stages = drawn(12, 200)
        usual = {"prices": {"small": 0, "large": 0.1}, "costs": EVEN}
        with pytest.raises(error):
            evaluate_cascade(truth, stages, **{**usual, **told})

    def test_odd_stages(self) -> None:
        truth, stages = drawn(13, 200)
        told = {"prices": {"small": 0, "large": 0.1, "oracle": 0}, "costs": EVEN}
        for given in ([1, 2], {"small": stages["small"]}, {**stages, "large": [0.1] * 7}):
            with pytest.raises(StakesError):
                evaluate_cascade(truth, given, **told)
        with pytest.raises(DataError, match="cannot be called"):
            evaluate_cascade(truth, {"small": stages["small"], "oracle": stages["large"]}, **told)
        with pytest.raises(DataError, match="100 cases or more; got 50"):
            fit_cascade(truth[:50], {k: v[:50] for k, v in stages.items()}, **told)
        with pytest.raises(DataError, match="100 cases or more; got 60"):
            fit_cascade(truth, stages, **told, sample_weight=np.arange(200) < 60)
        some = {k: v[:110] for k, v in stages.items()}
        with pytest.raises(DataError, match="88 of 110 cases are left"):
            evaluate_cascade(truth[:110], some, **told)
        for names, said in (((1, "1"), "called '1'"), (("", "a"), "empty name")):
            with pytest.raises(DataError, match=said):
                fit_cascade(truth, dict(zip(names, stages.values(), strict=True)), **told)
        with pytest.raises(StakesError, match="stage 'large': `posteriors` must lie between"):
            fit_cascade(truth, {**stages, "large": stages["large"] + 1}, **told)
        with pytest.raises(DataError, match=r"`stages\['large'\]` has 7 rows but `stages\['small'"):
            fit_cascade(truth, {**stages, "large": stages["large"][:7]}, **told)
        cascade = fit_cascade(truth, stages, **told)
        per_case = CaseCosts.binary(fn=np.ones(2), fp=1)
        with pytest.raises(CostError, match="the same costs in every case"):
            cascade.step("small", [0.1, 0.9], costs=per_case)
        with pytest.raises(DataError, match="`stage` must be one of 'small'"):
            cascade.step("tiny", [0.1])


def test_steps_read_columns_as_the_fit_did() -> None:
    truth, stages = drawn(14, 1000, strengths=(4.0, 16.0))
    prices, words = {"small": 0, "large": 0.05}, np.where(truth, "yes", "no")
    app = Application(CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"]))
    other = {name: 1 - p for name, p in stages.items()}
    seen = np.array([0.001, 0.1, 0.5, 0.999])
    one, turned = (
        fit_cascade(words, given, prices=prices, application=app, positive=positive)
        for given, positive in ((stages, "yes"), (other, "no"))
    )
    columns = {name: np.column_stack([p, 1 - p]) for name, p in stages.items()}
    ordered = fit_cascade(words, columns, prices=prices, application=app, classes=["yes", "no"])
    expected = [part.tolist() for part in one.step("small", seen)]
    for cascade, said in ((turned, 1 - seen), (ordered, np.column_stack([seen, 1 - seen]))):
        assert [part.tolist() for part in cascade.step("small", said)] == expected
    with pytest.raises(CallError, match="no argument `positive`"):
        turned.step("small", seen, positive="no")
