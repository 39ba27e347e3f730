"""Right arguments for the fuzzer in the rooms that estimate, share out and rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import stakes
from stakes import application, audit, calibration, estimation, resources, uncertainty
from stakes.summaries.sliced_counts import CountTable

N = 200
_draw = np.random.default_rng(11)
TRUTH = np.arange(N) % 2
WEAK, STRONG = (1 / (1 + np.exp(-_draw.normal(k * (2 * TRUTH - 1), k**0.5))) for k in (1, 4))
JUDGED = np.where(np.arange(N) % 9 == 0, 1 - TRUTH, TRUTH)
DECIDED = (WEAK > 0.5).astype(int)
#: Labels of every fourth case or so; the others are not known.
KNOWN = np.where(np.arange(N) % 4 < 2, TRUTH, np.nan)
PERIODS = np.repeat(["May", "June"], N // 2)
COSTS = [[0.0, 1.0], [5.0, 0.0]]


def room_values(made: Mapping[str, Any]) -> dict[str, Any]:
    """Right arguments by `function.parameter`."""
    return {
        **_of_estimation(),
        **_of_resources(),
        **_of_rules(made),
        **_of_evaluations(made),
    }


def _of_estimation() -> dict[str, Any]:
    """Of cases without labels, or with few."""
    cases = decided_cases()
    named = {
        "y_true": TRUTH,
        "posteriors": WEAK,
        "sample_weight": None,
        "decisions": None,
        "case_costs": None,
        "inputs": {"age": STRONG, "region": PERIODS},
        "by": PERIODS,
    }
    own = {f"DecidedCases.from_scores.{key}": value for key, value in named.items()}
    own |= {f"DecidedCases.alike.{key}": value for key, value in named.items()}
    for name in ("estimate_cost", "check_labels", "estimate_periods"):
        own |= {f"{name}.reference": cases, f"{name}.new": WEAK, f"{name}.labelled": cases}
        own |= {f"{name}.calibrator": None, f"{name}.change": "auto"}
    for name in ("cost_from_labels", "plan_labels"):
        own |= {f"{name}.cases": cases, f"{name}.against": None}
    return own | {
        "DecidedCases.from_scores.costs": COSTS,
        "DecidedCases.from_scores.application": None,
        "DecidedCases.from_scores.rule": None,
        "DecidedCases.from_bins.bins": stakes.ScoreBins.from_scores(
            TRUTH, WEAK, edges=[1 / 6, 0.6], kind="posterior"
        ),
        "DecidedCases.from_bins.application": COSTS,
        "DecidedCases.from_bins.labelled": True,
        "cost_from_labels.y_true": KNOWN,
        "cost_from_labels.chances": np.full(N, 0.5),
        "plan_labels.width": None,
        "plan_labels.labels": 50,
        "cost_from_judge.y_true": KNOWN,
        "cost_from_judge.judge": JUDGED,
        "cost_from_judge.decisions": DECIDED,
        "cost_from_judge.costs": COSTS,
        "cost_from_judge.application": None,
        "cost_from_judge.errors": None,
        "cost_from_judge.sample_weight": None,
        "cost_from_judge.by": PERIODS,
        "estimate_periods.periods": {"May": cases, "June": cases},
        "watch.reference": None,
    }


def _of_resources() -> dict[str, Any]:
    """Of capacities, reviewers and cascades."""
    own: dict[str, Any] = {}
    for name in ("capacity_optimum", "capacity_curve", "capacity_stream", "review_plan"):
        own |= {f"{name}.posteriors": WEAK, f"{name}.costs": COSTS, f"{name}.y_true": TRUTH}
        own |= {f"{name}.capacity": {1: 20}, f"{name}.sample_weight": None}
    for name in ("y_true", "scores", "by"):
        own[f"constrained_slices.{name}"] = {"y_true": TRUTH, "scores": WEAK, "by": PERIODS}[name]
    for name in ("fit_cascade", "evaluate_cascade"):
        own |= {
            f"{name}.y_true": TRUTH,
            f"{name}.stages": {"small": WEAK, "large": STRONG},
            f"{name}.prices": {"small": 0.0, "large": 0.1},
            f"{name}.costs": COSTS,
            f"{name}.application": None,
            f"{name}.sample_weight": None,
        }
    return own | {
        "constrained_slices.costs": COSTS,
        "constrained_slices.constraint": "selection",
        "constrained_slices.ratio": 0.8,
        "constrained_slices.difference": None,
        "constrained_slices.sample_weight": None,
        "ConstrainedSlices.decide.scores": WEAK,
        "ConstrainedSlices.decide.by": PERIODS,
        "ConstrainedSlices.apply.y_true": TRUTH,
        "ConstrainedSlices.apply.scores": WEAK,
        "ConstrainedSlices.apply.by": PERIODS,
        "ConstrainedSlices.apply.sample_weight": None,
        "SliceRule.chances.scores": WEAK,
        "SliceRates.ratio.constraint": "selection",
        "SliceRates.difference.constraint": "selection",
        "capacity_curve.decision": 1,
        "capacity_curve.capacity": None,
        "capacity_curve.stops": [5, 20],
        "CapacityCurve.at.capacity": 0.2,
        "capacity_stream.periods": PERIODS,
        "capacity_stream.prices": None,
        "capacity_stream.window": 1,
        "read_limits.capacity": "1=5%",
        "read_limits.decisions": [0, 1],
        "Limit.decision": "review",
        "Limit.at_most": 20.0,
        "Limit.at_least": 1.0,
        "Limit.share": False,
        "Limit.period": "day",
        "review_plan.reviewers": reviewer(),
        "review_plan.final": False,
        "Reviewer.name": "Anna",
        "Reviewer.errors": [[0.9, 0.1], [0.2, 0.8]],
        "Reviewer.fee": 1.0,
        "Reviewer.minutes": 30.0,
        "Reviewer.hours": 1.0,
        "Reviewer.from_labels.name": "Anna",
        "Reviewer.from_labels.y_true": TRUTH,
        "Reviewer.from_labels.said": JUDGED,
        "Reviewer.perfect.name": "Anna",
        "Reviewer.perfect.classes": 2,
        "ReviewPlan.hour_price.reviewer": "Anna",
        "Cascade.step.stage": "small",
        "Cascade.step.posteriors": WEAK,
        "Cascade.step.costs": None,
        "CascadeEvaluation.cost.name": "cascade",
        "CascadeEvaluation.saving.name": "small",
        "ModelCapacity.curve.model": "a",
        "ModelCapacity.curve.decision": 1,
    }


def _of_rules(made: Mapping[str, Any]) -> dict[str, Any]:
    """Of rules, and where they are carried out."""
    return {
        "DecisionRule.columns": ["p"],
        "DecisionRule.case_costs": None,
        "DecisionRule.per_case": False,
        "DecisionRule.score_type": "float64",
        "DecisionRule.score_range": None,
        "DecisionRule.digest": None,
        "DecisionRule.cut_texts": None,
        "DecisionRule.prices": None,
        "DecisionRule.cuts.score_type": "float32",
        "DecisionRule.raw_cuts.score_type": "float32",
        "DecisionRule.decide_frame.frame": made["table"],
        "DecisionRule.decide_frame.on_error": "raise",
        "DecisionRule.decide_one.score": 0.3,
        "DecisionRule.to_sql.dialect": "duckdb",
        "DecisionRule.to_sql.columns": ["p"],
        "DecisionRule.to_onnx.score_type": "float32",
        "DecisionRule.to_onnx.single": None,
        "DecisionRule.to_onnx.opset": 17,
        "SlicedCounts.asked": '{"words": {}, "models": ["a"]}',
        "SlicedCounts.told": "[]",
        "SlicedCounts.classes": (0, 1),
        "SlicedCounts.decisions": (0, 1),
        "SlicedCounts.slices": ("May",),
        "SlicedCounts.parts": (_counted(),),
    }


def _of_evaluations(made: Mapping[str, Any]) -> dict[str, Any]:
    """Of evaluations with a baseline, a capacity and names of cases."""
    size = len(made["table"]["truth"])
    return {
        "evaluate.ids": np.arange(size),
        "evaluate.capacity": None,
        "evaluate.recalibrate": False,
        "evaluate.baseline": "a",
        "evaluate.switching_cost": 100.0,
        "evaluate_frame.posteriors": {"a": "p", "b": "q"},
        "evaluate_frame.groups": None,
        "evaluate_frame.baseline": "a",
        "evaluate_frame.switching_cost": 100.0,
        "assert_cost.max_cost": 5.0,
        "assert_cost.max_nec": None,
        "assert_cost.surely": False,
        "assert_cost.y_true": TRUTH,
        "assert_cost.models": {"a": WEAK, "b": STRONG},
        "assert_cost.options: dict": {"costs": COSTS, "baseline": "a", "recalibrate": False},
        "Evaluation.rule.name": "a",
        "Evaluation.rule.recalibrated": False,
        "Evaluation.decide.name": "a",
        "Evaluation.threshold_range.name": "a",
        "Evaluation.decide.costs": None,
        "plots.reliability.log_odds": False,
    }


def _counted() -> CountTable:
    """Ten cases that one model decided rightly."""
    cells, counts = np.array([[0, 0, 0], [0, 1, 1]]), np.array([[5], [5]])
    return CountTable(("a",), (), cells, counts, np.zeros((2, 0)))


def decided_cases() -> estimation.DecidedCases:
    """Cases with labels, posteriors and decisions."""
    return estimation.DecidedCases.from_scores(TRUTH, WEAK, costs=COSTS, by=PERIODS)


def reviewer() -> resources.Reviewer:
    """Somebody who reviews half an hour a case, one hour a day."""
    return resources.Reviewer("Anna", [[0.9, 0.1], [0.2, 0.8]], fee=0.1, minutes=30, hours=1)


def room_instances() -> list[Any]:
    """Things whose methods are called."""
    stages = {"small": WEAK, "large": STRONG}
    prices = {"small": 0.0, "large": 0.1}
    app = stakes.Application(COSTS)
    limited = stakes.evaluate(TRUTH, {"a": WEAK}, costs=COSTS, capacity={1: 20}, recalibrate=False)
    named = stakes.DecisionRule(app, columns=("p",))
    calibrated = stakes.DecisionRule(app, calibrator=calibration.Smooth().fit(WEAK, TRUTH))
    cases = decided_cases()
    alike = resources.constrained_slices(TRUTH, WEAK, by=PERIODS, costs=COSTS, ratio=0.8)
    unsure = application.UncertainApplication([[0, 1], [application.Between(2, 8), 0]])
    ranged = stakes.evaluate(TRUTH, {"a": WEAK, "b": STRONG}, application=unsure, recalibrate=False)
    drawn = uncertainty.interval(
        stakes.GroupedCounts.from_decisions(TRUTH, DECIDED, groups=np.arange(N) // 10),
        application=COSTS, draws=20,
    )  # fmt: skip
    return [
        alike,
        alike.apply(TRUTH, WEAK, by=PERIODS),
        alike.rules[0],
        ranged.doubt,
        drawn.replicates,
        audit.audit("auc", draws=20),
        cases,
        named,
        calibrated,
        limited,
        limited.capacity,
        resources.Limit("review", at_most=200, period="day"),
        resources.capacity_optimum(WEAK, COSTS, capacity={1: 20}),
        resources.capacity_stream(WEAK, COSTS, capacity={1: 20}, periods=PERIODS),
        resources.review_plan(WEAK, COSTS, reviewers=reviewer(), draws=20, rng=0),
        resources.fit_cascade(TRUTH, stages, prices=prices, costs=COSTS),
        resources.evaluate_cascade(TRUTH, stages, prices=prices, costs=COSTS),
        estimation.estimate_cost(cases, WEAK),
        estimation.plan_labels(cases, labels=50),
        estimation.cost_from_labels(KNOWN, cases),
        estimation.cost_from_judge(KNOWN, JUDGED, decisions=DECIDED, costs=COSTS),
    ]
