"""evaluate: the numbers are those of the parts, and each verdict is reached."""

import numpy as np
import pytest

from stakes import (
    Application,
    CostMatrix,
    Posteriors,
    bayes_decisions,
    evaluate,
    expected_cost,
    normalized_expected_cost,
)
from stakes.application import Between, UncertainApplication
from stakes.exceptions import DataError, LabelError, PosteriorError

COSTS = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
APP = Application(COSTS, unit="EUR", volume=250_000, period="year")


def drawn(n=4000, share=0.1, seed=0, gap=2.0, scale=1.0):
    """Calibrated posteriors (for scale 1) of Gaussian log-likelihood ratios."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    llr = rng.normal((2 * y - 1) * gap**2 / 2, gap)
    log_odds = scale * (llr + np.log(share / (1 - share)))
    return y, 1 / (1 + np.exp(-log_odds))


Y, GOOD = drawn()
POOR = 1 / (1 + np.exp(-(np.random.default_rng(1).normal(Y - 0.5, 1) - np.log(9))))


class TestNumbers:
    EV = evaluate(Y, {"good": GOOD, "poor": POOR}, application=APP, rng=0)

    def test_costs_are_those_of_the_bayes_decisions(self):
        decisions = bayes_decisions(GOOD, COSTS, positive="churn")
        model = self.EV["good"]
        assert model.cost == pytest.approx(expected_cost(Y, decisions, application=APP))
        assert model.nec == pytest.approx(normalized_expected_cost(Y, decisions, application=APP))
        assert model.threshold == pytest.approx(4 / 44)

    def test_saving_is_what_the_naive_decision_costs_more(self):
        naive = min(np.mean(Y) * 40, np.mean(Y == 0) * 4)
        assert self.EV["good"].saving == pytest.approx(naive - self.EV["good"].cost)

    def test_interval_holds_the_value_and_orders_by_size(self):
        low, high = self.EV["good"].interval
        assert low < self.EV["good"].nec < high

    def test_best_on_data_is_never_worse_than_as_is(self):
        for model in self.EV.models:
            assert model.optimistic_nec <= model.nec + 1e-12

    def test_probabilities_add_to_one(self):
        assert sum(m.probability_best for m in self.EV.models) == pytest.approx(1.0)

    def test_difference_is_signed(self):
        forth, back = self.EV.difference("good", "poor"), self.EV.difference("poor", "good")
        assert forth.value == pytest.approx(self.EV["good"].nec - self.EV["poor"].nec)
        assert (back.value, back.low) == (-forth.value, -forth.high)

    def test_frame_and_iteration(self):
        assert list(self.EV) == ["good", "poor"]
        frame = self.EV.frame()
        assert frame["model"].tolist() == ["good", "poor"]
        assert frame["total_saving"][0] == pytest.approx(self.EV["good"].saving * 250_000)

    def test_unknown_model(self):
        with pytest.raises(KeyError, match="no model 'x'; there are 'good', 'poor'"):
            _ = self.EV["x"]

    def test_same_seed_same_result(self):
        again = evaluate(Y, {"good": GOOD, "poor": POOR}, application=APP, rng=0)
        assert again.verdict == self.EV.verdict
        np.testing.assert_array_equal(
            again.comparison.probability_best, self.EV.comparison.probability_best
        )

    def test_overconfident_posteriors_lose_what_calibration_returns(self):
        _, loud = drawn(scale=3.0)
        ev = evaluate(Y, {"loud": loud}, application=APP, rng=0)
        calm = self.EV["good"].nec
        assert ev["loud"].nec > calm + 0.05
        assert ev["loud"].recalibrated_nec == pytest.approx(calm, abs=0.02)
        assert ev["loud"].calibration_loss > 0.05


class TestForms:
    def test_two_columns_one_column_and_object_agree(self):
        both = np.column_stack([1 - GOOD, GOOD])
        found = [
            evaluate(Y, {"m": said}, application=APP, rng=0)["m"].nec
            for said in (GOOD, both, Posteriors(GOOD), GOOD.tolist())
        ]
        assert found == pytest.approx([found[0]] * 4)

    def test_columns_of_a_frame_are_read_by_the_names_of_the_classes(self):
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        frame = pandas.DataFrame({"churn": GOOD, "stay": 1 - GOOD})
        found = evaluate(Y, {"m": frame}, application=APP, rng=0)["m"].nec
        assert found == pytest.approx(evaluate(Y, {"m": GOOD}, application=APP, rng=0)["m"].nec)

    def test_posteriors_of_other_classes_are_refused(self):
        said = Posteriors(GOOD, classes=["left", "stayed"])
        with pytest.raises(PosteriorError, match="has the classes 'left', 'stayed'; the costs"):
            evaluate(Y, {"m": said}, application=APP)

    def test_decisions_by_name_and_by_position(self):
        codes = bayes_decisions(GOOD, COSTS, positive="churn")
        names = np.array(COSTS.decisions)[codes]
        by_code, by_name = (
            evaluate(Y, {"m": d}, application=APP, rng=0)["m"] for d in (codes, names)
        )
        assert by_code.nec == by_name.nec
        assert (by_code.kind, by_code.threshold, by_code.recalibrated_nec) == (
            "decisions",
            None,
            None,
        )

    def test_a_model_without_a_name(self):
        assert list(evaluate(Y, GOOD, application=APP, rng=0)) == ["model"]

    def test_three_classes_with_abstention(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 900)
        p = rng.dirichlet(np.ones(3), 900) * 0.5
        p[np.arange(900), y] += 0.5
        costs = CostMatrix.zero_one(["a", "b", "c"]).with_abstention(0.2, name="ask")
        ev = evaluate(y, {"m": p}, application=costs, rng=0)
        decisions = bayes_decisions(p, costs)
        assert ev["m"].cost == pytest.approx(expected_cost(y, decisions, application=costs))
        assert ev["m"].threshold is None

    def test_weights_equal_repeated_rows(self):
        weights = np.random.default_rng(5).integers(1, 4, Y.shape[0])
        weighted = evaluate(Y, {"m": GOOD}, application=APP, sample_weight=weights, rng=0)
        repeated = evaluate(
            np.repeat(Y, weights), {"m": np.repeat(GOOD, weights)}, application=APP, rng=0
        )
        assert weighted["m"].nec == pytest.approx(repeated["m"].nec)
        assert weighted["m"].optimistic_nec == pytest.approx(repeated["m"].optimistic_nec)

    def test_groups_widen_the_interval(self):
        groups = np.repeat(np.arange(Y.shape[0] // 4), 4)
        order = np.argsort(GOOD)  # neighbours alike, so that groups matter
        alone = evaluate(Y[order], {"m": GOOD[order]}, application=APP, rng=0)["m"].interval
        together = evaluate(Y[order], {"m": GOOD[order]}, application=APP, groups=groups, rng=0)[
            "m"
        ].interval
        assert together[1] - together[0] > 0
        assert together != alone

    def test_slices(self):
        side = np.where(np.arange(Y.shape[0]) % 2, "odd", "even")
        ev = evaluate(Y, {"m": GOOD}, application=APP, by=side, rng=0)
        assert set(ev.slices) == {"odd", "even"}
        rows = side == "odd"
        alone = evaluate(Y[rows], {"m": GOOD[rows]}, application=APP, rng=0)
        assert ev.slices["odd"]["m"].nec == pytest.approx(alone["m"].nec)


class TestPlaceOfUse:
    def test_posteriors_are_moved_to_the_priors_of_the_application(self):
        app = Application(COSTS, priors=[0.98, 0.02])
        ev = evaluate(Y, {"m": GOOD}, application=app, rng=0)
        here = np.bincount(Y) / Y.size
        moved = Posteriors(GOOD, classes=COSTS.classes).with_priors([0.98, 0.02], from_priors=here)
        decisions = bayes_decisions(moved, COSTS)
        assert ev["m"].cost == pytest.approx(expected_cost(Y, decisions, application=app))
        assert any("moved" in note for note in ev.notes)
        # the threshold is told on the posteriors as they come
        cut = ev["m"].threshold
        np.testing.assert_array_equal(cut < GOOD, decisions == 1)

    def test_posteriors_already_adjusted(self):
        app = Application(COSTS, priors=[0.98, 0.02])
        ev = evaluate(Y, {"m": GOOD}, application=app, from_priors=app.priors, rng=0)
        decisions = bayes_decisions(GOOD, COSTS, positive="churn")
        assert ev["m"].cost == pytest.approx(expected_cost(Y, decisions, application=app))
        assert ev["m"].threshold == pytest.approx(4 / 44)


class TestVerdicts:
    """One case for each of the closed set."""

    def test_deploy(self):
        ev = evaluate(Y, {"good": GOOD, "poor": POOR}, application=APP, rng=0)
        assert ev.verdict_kind == "deploy"
        assert ev.verdict.startswith("Deploy good at p > 0.0909. It saves ")
        assert " EUR a year (" in ev.verdict

    def test_deploy_after_recalibrating(self):
        shifted = GOOD * np.exp(4) / (1 - GOOD + GOOD * np.exp(4))  # as if churn were common
        ev = evaluate(Y, {"shifted": shifted, "poor": POOR}, application=APP, rng=0)
        assert ev.best == "poor"
        assert ev.verdict_kind == "deploy after re-calibrating"
        assert ev.verdict.startswith("Deploy shifted after re-calibrating. It then saves ")

    def test_cannot_tell_apart(self):
        nearly = np.clip(GOOD * np.random.default_rng(2).uniform(0.97, 1.03, Y.size), 0, 1)
        ev = evaluate(Y, {"a": GOOD, "b": nearly}, application=APP, rng=0)
        assert ev.verdict_kind == "cannot tell apart"
        other = "b" if ev.best == "a" else "a"
        use = f"use {ev.best} at {ev[ev.best].rule}"
        assert ev.verdict.startswith(f"Either will do; {use}. It saves ")
        assert f"The data cannot tell it from {other} (NEC difference 0.0" in ev.verdict

    def test_of_several_models_those_that_will_do_are_named(self):
        nearly = np.clip(GOOD * np.random.default_rng(2).uniform(0.97, 1.03, Y.size), 0, 1)
        ev = evaluate(Y, {"a": GOOD, "b": nearly, "poor": POOR}, application=APP, rng=0)
        other = "b" if ev.best == "a" else "a"
        assert ev.verdict.startswith(f"{ev.best} or {other} will do; use {ev.best} at p > ")

    def test_none(self):
        noise = np.random.default_rng(3).random(Y.size)
        ev = evaluate(Y, {"noise": noise}, application=APP, recalibrate=False, rng=0)
        assert ev.verdict_kind == "none"
        assert ev.verdict.startswith("Use no model: keep always deciding ")

    def test_cannot_say(self):
        y, p = drawn(n=120, share=0.05, seed=4)
        assert y.sum() < 10
        ev = evaluate(y, {"m": p}, application=APP, rng=0)
        assert ev.verdict_kind == "cannot say"
        assert ev.verdict == f"Cannot say: only {y.sum()} cases of 'churn'."
        assert ev["m"].interval is None

    def test_it_depends(self):
        # one model ranks the rare end well, the other the common end
        rng = np.random.default_rng(0)
        n = 20_000
        y = (rng.random(n) < 0.3).astype(int)
        eager = np.where(y == 1, rng.random(n) < 0.97, rng.random(n) < 0.55)
        shy = np.where(y == 1, rng.random(n) < 0.55, rng.random(n) < 0.03)
        models = {}
        for name, flag in (("eager", eager), ("shy", shy)):
            p = np.array([y[flag == v].mean() for v in (False, True)])
            models[name] = p[flag.astype(int)]
        app = UncertainApplication([[0, 1], [Between(0.3, 30), 0]])
        ev = evaluate(y, models, application=app, rng=0)
        assert ev.verdict_kind == "it depends"
        assert ev.verdict.startswith("It depends: eager if a miss costs more than ")
        assert ", else shy." in ev.verdict
        assert "eager if" in ev.verdict or "eager from" in ev.verdict


class TestErrors:
    def test_wrong_length(self):
        with pytest.raises(DataError, match="`y_true` has 4000 rows but `m` has 3999"):
            evaluate(Y, {"m": GOOD[:-1]}, application=APP)

    def test_not_probabilities(self):
        with pytest.raises(PosteriorError, match="must lie between 0 and 1"):
            evaluate(Y, {"m": np.log(GOOD)}, application=APP)

    def test_one_column_for_three_classes(self):
        with pytest.raises(DataError, match="one column of floats, but there are 3 classes"):
            evaluate([0, 1, 2], {"m": [0.1, 0.2, 0.3]}, application=CostMatrix.zero_one(3))

    def test_unknown_decision(self):
        with pytest.raises(LabelError, match="`m` holds 'phone'"):
            evaluate(["stay"], {"m": ["phone"]}, application=APP)

    def test_nothing(self):
        with pytest.raises(DataError, match="there are no cases"):
            evaluate([], {"m": []}, application=APP)
        with pytest.raises(DataError, match="`models` is empty"):
            evaluate(Y, {}, application=APP)


class TestCalibrationWorth:
    LOUD = drawn(scale=3.0)[1]

    def test_over_confidence_is_said_with_its_worth(self):
        ev = evaluate(Y, {"loud": self.LOUD}, application=APP, rng=0)
        model = ev["loud"]
        assert model.calibration_slope == pytest.approx(1 / 3, abs=0.05)
        assert ev.worth.value == pytest.approx(model.recalibrated_nec - model.nec)
        gain = 250_000 * ev.naive_cost * model.calibration_loss
        (said,) = [remark for remark in ev.remarks if "over-confident" in remark]
        digits = -int(np.floor(np.log10(gain))) + 2
        assert f"worth another {round(gain, digits):,.0f} EUR".replace(",", " ") in said

    def test_under_confidence(self):
        ev = evaluate(Y, {"quiet": drawn(scale=0.3)[1]}, application=APP, rng=0)
        assert ev["quiet"].calibration_slope > 1.5

    def test_calibrated_models_need_no_remark(self):
        ev = evaluate(Y, {"good": GOOD}, application=APP, rng=0)
        assert not any("alibrat" in remark for remark in ev.remarks)

    def test_posteriors_that_are_all_certain_have_no_slope(self):
        y = np.array([0, 0, 0, 1, 1] * 20)
        p = Posteriors(np.array([0.0, 0.0, 1.0, 1.0, 1.0] * 20))
        ev = evaluate(y, {"m": p}, application=CostMatrix([[0, 1], [10, 0]]), rng=0)
        assert ev["m"].calibration_slope is None
        assert ev["m"].nec == pytest.approx(20 / 60)  # 20 false alarms; always acting has 60

    def test_certain_posteriors_are_softened_and_said(self):
        rounded = np.round(self.LOUD, 2)
        ev = evaluate(Y, {"m": rounded}, application=APP, rng=0)
        assert ev["m"].recalibrated_nec < ev["m"].nec
        assert any("Zero probabilities (m)" in note for note in ev.notes)


class TestRobust:
    def test_the_best_stays_best_between_the_ends_of_its_stretch(self):
        ev = evaluate(Y, {"good": GOOD, "poor": POOR}, application=APP, rng=0)
        (here,) = [s for s in ev.ranges if s.low <= 10 <= s.high]
        assert here.winner == "good"
        (said,) = [remark for remark in ev.remarks if remark.startswith("good is cheapest")]
        assert said.code == "robust"
        assert "whenever one missed 'churn' costs" in said
        assert said.endswith("false alarms (you said 10).")

    def test_shares_are_said_when_they_were_given(self):
        app = Application(COSTS, priors=[0.98, 0.02])
        ev = evaluate(Y, {"good": GOOD, "poor": POOR}, application=app, rng=0)
        (here,) = [s for s in ev.ranges if s.low <= 10 <= s.high]
        odds = here.low / 10 * 0.02 / 0.98
        (said,) = [remark for remark in ev.remarks if remark.code == "robust"]
        assert f"whenever {100 * odds / (1 + odds):.2g}-" in said
        assert said.endswith("of cases are 'churn' (you said 2 %).")


def test_nothing_to_decide_is_no_error():
    app = Application(COSTS, priors=[1.0, 0.0])
    ev = evaluate(Y, {"good": GOOD}, application=app, from_priors=[0.9, 0.1], rng=0)
    assert np.isnan(ev["good"].nec)
    assert ev.verdict.startswith("Nothing to decide")


def test_one_class_only_cannot_say():
    said = {"m": np.linspace(0, 1, 50)}
    ev = evaluate(["stay"] * 50, said, application=APP, positive="churn", rng=0)
    assert ev.verdict_kind == "cannot say"
    assert ev["m"].optimistic_nec is None
    assert ev["m"].interval is None
