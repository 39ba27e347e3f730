"""The rule that an evaluation hands over decides as was judged, and knows where it comes from."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

import stakes
from stakes import Application, CostMatrix, load_rule
from stakes.calibration import Affine, Isotonic
from stakes.exceptions import DataError
from stakes.posteriors import Posteriors

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
APP = Application(COSTS, priors=[0.9, 0.1], unit="EUR", volume=1000, period="year")


def cases(seed=0, n=2000, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    logits = 2.0 * rng.normal(2.0 * np.eye(classes)[y], 1.0)  # the right ones: means 2 apart
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return y, p


def over_confident(p):
    sharp = p**3
    return sharp / sharp.sum(axis=1, keepdims=True)


def test_the_rule_of_the_verdict_is_complete(tmp_path):
    y, p = cases()
    ev = stakes.evaluate(y, {"poor": np.roll(p, 1, axis=0), "good": p}, application=APP)
    rule = ev.rule()
    assert (ev.verdict_kind, rule.model, rule.calibrator) == ("deploy", "good", None)
    assert rule.application.unit == "EUR"
    assert rule.priors.tolist() == [0.9, 0.1]
    assert rule.score_range == (p[:, 1].min(), p[:, 1].max())
    assert rule.digest == hashlib.sha256(y.tobytes() + p.tobytes()).hexdigest()
    assert (rule.decide(p) == ev.decide(p)).all()
    counted = np.zeros((2, 2))
    np.add.at(counted, (y, rule.positions(p)), 1)
    assert (counted == ev["good"].confusion.counts).all()
    rule.save(tmp_path / "rule.json")
    assert load_rule(tmp_path / "rule.json") == rule


def test_a_named_model_is_taken_as_it_is_unless_said():
    y, p = cases()
    sharp = over_confident(p)
    ev = stakes.evaluate(y, {"sharp": sharp, "good": p}, application=APP)
    as_it_is, again = ev.rule("sharp"), ev.rule("sharp", recalibrated=True)
    assert (as_it_is.calibrator, again.calibrator.kind) == (None, "affine")
    fitted = Affine(bound="data").fit(Posteriors(sharp), y)
    assert again.calibrator.scale == pytest.approx(fitted.scale)
    assert again.calibrator.classes == ("stay", "churn")
    assert again.from_priors == pytest.approx(fitted.priors)
    moved = stakes.posteriors.shift_priors(
        fitted.posteriors(Posteriors(sharp)), [0.9, 0.1], from_priors=fitted.priors
    )
    wanted = stakes.bayes_decisions(moved, COSTS.values)
    assert (again.positions(sharp) == wanted).mean() > 0.999
    assert (again.positions(sharp) != as_it_is.positions(sharp)).any()


def test_a_verdict_after_re_calibrating_gives_the_calibrated_rule():
    y, p = cases(n=8000)
    ev = stakes.evaluate(
        y, {"sharp": over_confident(over_confident(p))[:, ::-1], "dull": p * 0.02 + 0.49},
        application=APP,
    )  # fmt: skip
    assert ev.verdict_kind == "deploy after re-calibrating"
    rule = ev.rule()
    assert rule.model == ev.best_recalibrated.name
    assert rule.calibrator is not None
    assert ev.rule(rule.model).calibrator is not None
    assert ev.rule(rule.model, recalibrated=False).calibrator is None


def test_the_calibrator_that_was_asked_for_is_learnt_from_all_cases():
    y, p = cases(classes=3)
    app = Application(CostMatrix(1 - np.eye(3), ["a", "b", "c"]))
    ev = stakes.evaluate(y, {"m": p}, application=app, recalibrate=Isotonic())
    rule = ev.rule("m", recalibrated=True)
    fitted = Isotonic().fit(Posteriors(p), y)
    assert (rule.positions(p) == fitted.posteriors(Posteriors(p)).argmax(axis=1)).mean() > 0.999
    assert rule.score_range == (p.min(), p.max())


def test_no_rule_without_a_verdict_or_a_score():
    y, p = cases(n=40)
    ev = stakes.evaluate(y, {"m": p}, application=APP, min_cases=100)
    with pytest.raises(DataError, match="deploys no model") as caught:
        ev.rule()
    assert 'ev.rule("m")' in caught.value.hint
    assert ev.rule("m").model == "m"
    y, p = cases()
    decided = stakes.evaluate(y, {"d": (p[:, 1] > 0.1).astype(int)}, application=APP)
    with pytest.raises(DataError, match="gave decisions"):
        decided.rule("d")
    with pytest.raises(DataError, match="`recalibrated` must be"):
        ev.rule("m", recalibrated="yes")


def test_a_frame_names_its_columns_and_bins_are_calibrated():
    pl = pytest.importorskip("polars", reason="a frame of an engine")
    y, p = cases(n=20000)
    sharp = over_confident(p)[:, 1]
    frame = pl.DataFrame({"y": np.array(["stay", "churn"])[y], "s": sharp}).lazy()
    ev = stakes.evaluate_frame(
        frame, label="y", posteriors={"sharp": "s"}, application=APP, positive="churn"
    )
    rule = ev.rule("sharp", recalibrated=True)
    exact = Affine(bound="data").fit(Posteriors(sharp), y)
    assert rule.columns == ("s",)
    assert rule.calibrator.scale == pytest.approx(exact.scale, rel=1e-2)
    assert rule.score_range == pytest.approx((sharp.min(), sharp.max()))
    assert rule.raw_cuts()[0] == pytest.approx(ev_cut(exact), rel=0.02)


def ev_cut(calibrator):
    return stakes.DecisionRule(APP, calibrator=calibrator).raw_cuts()[0]


def test_columns_of_a_file_that_were_turned_are_not_decided_as_they_are(tmp_path):
    from stakes.inquiry import Inquiry, answer

    y, p = cases()
    lines = [f"{truth},{1 - second:.4f}" for truth, second in zip(y, p[:, 1], strict=True)]
    file = tmp_path / "turned.csv"
    file.write_text("\n".join(["y,q", *lines]))
    asked = {"label": "y", "positive": "1", "scores": "q", "cost": {"fn": "10", "fp": "1"}}
    ev = answer(Inquiry(source=str(file), flip="q", **asked))
    assert ev.rule("q").columns is None
    with pytest.raises(DataError, match="turned the scores of 'q' around"):
        ev.decide({"q": p[:, 0]})
    assert answer(Inquiry(source=str(file), **asked)).rule("q").columns == ("q",)


def test_rules_per_case_are_not_recalibrated():
    y, p = cases(n=200)
    amount = np.arange(1.0, 201.0)
    ev = stakes.evaluate(y, {"m": p[:, 1]}, costs=stakes.CaseCosts.binary(fn=amount, fp=3))
    with pytest.raises(DataError) as caught:
        ev.rule("m, per case", recalibrated=True)
    assert "the rule of 'm, per case' (varies by case) is not re-calibrated." in str(caught.value)


@pytest.mark.parametrize("capacity", [{"call": "10%"}, {"call": "20%..100%"}])
def test_a_rule_within_limits_is_not_recalibrated(capacity):
    y, p = cases(n=500)
    ev = stakes.evaluate(y, {"g": p}, application=APP, capacity=capacity)
    with pytest.raises(DataError, match="'g' was judged within limits") as caught:
        ev.rule("g", recalibrated=True)
    assert caught.value.hint.startswith("leave out `capacity`")
    again = stakes.evaluate(y, {"g": p}, application=APP).rule("g", recalibrated=True)
    frame = pd.DataFrame({"g": p[:, 1]})
    found = again.decide_frame(frame, capacity={"call": "10%"})  # as the hint says
    assert 0 < (found["decision"] == "call").sum() <= 50


def test_a_calibrated_rule_has_the_digits_of_calibrated_scores():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.3, 20_000)
    y = (rng.random(20_000) < p).astype(int)
    ev = stakes.evaluate(y, {"p": p}, application=stakes.Application([[0, 1], [6, 0]]), rng=0)
    rule = ev.rule("p", recalibrated=True)
    after = rule.calibrator.calibrated(stakes.Posteriors(p, classes=[0, 1])).values[:, 1]
    shown = float(rule.words().split()[2])
    assert np.array_equal(after > shown, rule.positions(p) == 1)
