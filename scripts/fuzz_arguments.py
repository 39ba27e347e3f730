"""Arguments for the fuzzer: right ones for every parameter, and wrong ones made of them.

A right argument is found by the function and the parameter, then by the parameter and its type,
then by its name alone. A wrong one is plausible (what people bring by mistake) or gross (what
nobody means).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_integrations import integration_instances, integration_values
from fuzz_rooms import room_instances, room_values

import stakes
from stakes import application, audit, calibration, curves, elicitation, metrics, summaries
from stakes import uncertainty as doubt

N = 40
_draw = np.random.default_rng(7)
Y = np.arange(N) % 2
LLRS = np.round(_draw.normal(size=N) + 1.5 * (2 * Y - 1), 3)
OTHER = np.round(_draw.normal(size=N) + 1.0 * (2 * Y - 1), 3)
P = 1 / (1 + np.exp(-LLRS))
POSTERIORS = np.column_stack([1 - P, P])
DECIDED, ALSO = (LLRS > 0).astype(int), (OTHER > 0).astype(int)
GROUPS = np.arange(N) // 4
COSTS = [[0.0, 1.0], [5.0, 0.0]]

Base = dict[str, Any]


def frame() -> dict[str, Any]:
    """The columns of a table with everything in it."""
    return {"truth": Y, "p": P, "q": 1 / (1 + np.exp(-OTHER)), "group": GROUPS % 3, "amount": P}


QUESTION = elicitation.Question(cases=100, positives=30, misses=(9, 3), alarms=(3, 9))


def _tables() -> tuple[Any, Any]:
    """Frames of pandas, where it is installed."""
    try:
        import pandas as pd
    except ImportError:
        return frame(), {"truth": ["a", "b"], "x": [0, 1], "y": [5, 0]}
    return pd.DataFrame(frame()), pd.DataFrame({"truth": ["a", "b"], "x": [0, 1], "y": [5, 0]})


TABLE, COST_TABLE = _tables()


def base_values(folder: Path) -> Base:
    """Right arguments by parameter name, by `name: type` and by `function.name`."""
    costs = stakes.CostMatrix(COSTS)
    app = stakes.Application(costs, priors=[0.7, 0.3], unit="EUR", volume=1000, period="year")
    matrix = stakes.ConfusionMatrix.from_decisions(Y, DECIDED)
    other = stakes.ConfusionMatrix.from_decisions(Y, ALSO)
    scores = stakes.ScoreCounts.from_scores(Y, LLRS, kind="llr")
    second = stakes.ScoreCounts.from_scores(Y, OTHER, kind="llr")
    paired = stakes.PairedCounts.from_decisions(Y, {"a": DECIDED, "b": ALSO})
    grouped = stakes.GroupedCounts.from_decisions(Y, DECIDED, groups=GROUPS)
    cases = stakes.CaseCosts.binary(
        false_positive=np.full(N, 1.0), false_negative=np.linspace(1, 9, N)
    )
    unknown = application.UncertainApplication.binary(
        false_positive=1.0, false_negative=application.Between(2, 8), priors=[0.7, 0.3]
    )
    talk = elicitation.Elicitation({"a": matrix, "b": other}, priors=0.3)
    many = elicitation.MatrixElicitation(["x", "y", "z"], draws=20)
    three = {
        k: stakes.ConfusionMatrix(v, ["x", "y", "z"])
        for k, v in {
            "a": [[9, 1, 1], [2, 8, 1], [1, 1, 9]],
            "b": [[8, 2, 1], [1, 9, 1], [3, 0, 8]],
        }.items()
    }
    evaluation = stakes.evaluate(
        Y, {"a": POSTERIORS, "b": ALSO}, application=app, recalibrate=False
    )
    calibrator = calibration.Affine().fit(LLRS, Y)
    statement = elicitation.ratio_between(2, 8)
    request = stakes.engines.Request(
        "truth",
        {"a": "p", "b": "q"},
        applications=app,
        from_priors=[0.5, 0.5],
        naive=True,
        bins=64,
        proper_scores=True,
    )
    rule = stakes.DecisionRule(app)
    values: Base = {
        "y_true": Y,
        "decisions": DECIDED,
        "decisions: Sequence": ["ignore", "call"],
        "decisions: Mapping": {"a": DECIDED, "b": ALSO},
        "decision_names": [0, 1],
        "labels": Y,
        "scores": scores,
        "scores: Any": LLRS,
        "scores: str": "posterior",
        "scores: Mapping": {"a": LLRS, "b": OTHER},
        "scores: tuple": (scores, second),
        "scores: ScoreBins": scores.binned(np.linspace(-4, 4, 9)),
        "llrs": LLRS,
        "logits": LLRS,
        "log_posteriors": np.log(POSTERIORS),
        "posteriors": POSTERIORS,
        "models": {"a": POSTERIORS, "b": ALSO},
        "costs": costs,
        "costs: CaseCosts": cases,
        "application": app,
        "applications": [app, app],
        "applications: Mapping": {"here": app},
        "application: UncertainApplication": unknown,
        "priors": [0.7, 0.3],
        "from_priors": [0.5, 0.5],
        "sample_weight": np.ones(N),
        "counts": None,
        "weights": None,
        "groups": GROUPS,
        "by": None,
        "classes": None,
        "positive": None,
        "level": 0.9,
        "rng": 3,
        "seed": 3,
        "draws": 20,
        "folds": 3,
        "min_cases": 5,
        "bins": 8,
        "path": str(folder / "written"),
        "share": 0.1,
        "shares": [0.5, 0.5],
        "matrix": matrix,
        "matrices: Mapping": {"a": matrix, "b": other},
        "matrices": [costs, costs],
        "metric": "f1",
        "metrics": ["f1", "mcc"],
        "paired": paired,
        "pilot": paired,
        "system": "a",
        "systems": {"a": matrix, "b": other},
        "systems: PairedCounts": paired,
        "systems: Sequence": ["a", "b"],
        "calibrator": calibration.Affine(),
        "other": costs,
        "truth": 1,
        "decision": 0,
        "name": "abstain",
        "factor": 2.0,
        "cost": 0.3,
        "threshold": 0.2,
        "thresholds": [0.2, 0.5],
        "sensitivity": 0.8,
        "specificity": 0.8,
        "beta": 1.0,
        "alpha": 0.5,
        "nec": 0.6,
        "value": 0.5,
        "decided": 0.4,
        "weight": 0.4,
        "miss": 1.0,
        "false_alarm": 1.0,
        "false_positive": 1.0,
        "false_negative": 5.0,
        "low": 2.0,
        "high": 8.0,
        "values": COSTS,
        "text": "[costs]\n",
        "source": "a file",
        "frame": frame(),
        "truths": [0, 1],
        "label": "truth",
        "columns": frame(),
        "saved": calibrator.to_dict(),
        "summary": matrix,
        "parts": [matrix, other],
        "confusions": None,
        "utilities": "uniform",
        "first": [1.0, 2.0, 3.0, 4.0],
        "second": [2.0, 1.0, 3.0, 4.0],
        "candidates": {"a": matrix, "b": other},
        "before": matrix,
        "after": other,
        "periods": {"May": matrix, "June": other},
        "slices": {"May": matrix, "June": other},
        "summary: Any": matrix,
        "hits": 8,
        "cases": 20,
        "at": [-1.0, 0.0, 1.0],
        "log_odds": [-1.0, 0.0, 1.0],
        "edges": np.linspace(-4, 4, 9),
        "kind": "llr",
        "amounts": [1.0, 2.0, 3.0],
        "error_share": 0.2,
        "ranking": ["a", "b"],
        "statements: Sequence": [statement],
        "statements": statement,
        "talk: Elicitation": talk,
        "talk": many,
        "answer": "a",
        "number": 4,
        "evaluation": "sre16",
        "inquiry": stakes.Inquiry(),
        "request": request,
        "facts": None,
        "title": "A page",
        "index": 0,
        "size": 30,
        "unit": "EUR",
        "volume": 1000.0,
        "period": "year",
        "difference": 0.1,
        "width": 0.1,
        "power": 0.8,
        "margin": 0.1,
        "quantities": None,
        "delimiter": ",",
        "probabilities": None,
        "x": 0.2,
        "y": 0.5,
        "concentration": [2.0, 3.0],
        "class_totals": (20, 20),
        "errors": [0.0, 0.2],
        "false_positive_rate": 0.2,
        "cuts": [(0.0, False)],
        "which": np.array([0, 1]),
        "negatives": np.array([-2.0, -1.0, 0.5]),
        "positives": np.array([-0.5, 1.0, 2.0]),
        "least": 1.0,
        "most": 9.0,
        "sums": np.array([[1.0], [2.0]]),
        "squares": np.array([[1.0], [2.0]]),
        "lowest": None,
        "highest": None,
        "cell": ("x", "y"),
        "cell: Cell": ("x", "y"),
        "between": (2.0, 8.0),
        "better": three["a"],
        "worse": three["b"],
        "model": "a",
        "limit": 5,
        "n": 3,
        "coefficients": np.zeros(9),
        "said": "so",
        "batches": [(Y, {"a": POSTERIORS})],
        "calibration": (LLRS, Y),
        "embed_posteriors": False,
        "parameters": None,
        "cost_weight": 0.4,
        "sample": LLRS,
        "rate": 0.2,
        "group": "x",
        "engine": None,
        "memory": "1GB",
        "what": "it",
        "rule": "log",
        "case_costs": cases,
        "case_costs: Mapping": {(1, 0): "amount"},
        "table": {"label": "truth"},
        "types": None,
        "cases: Any": [20, 40],
        "priors: FloatArray": np.array([0.7, 0.3]),
        "weight: Unknown": application.Between(0.2, 0.4),
        "weight: BetaWeight": None,
        "thresholds: FloatArray": np.array([0.0, 1.0]),
        "dialect": None,
        "draw": lambda size, rng: np.zeros((size, 2)),
        "curves": None,
        "grid": audit.level_sets("f1", priors=[0.5, 0.5], resolution=5),
        "ax": None,
        "watched": stakes.monitoring.watch({"May": matrix, "June": other}, application=app),
        "points": curves.switch_points({"a": scores, "b": second}),
        "rng: np": np.random.default_rng(3),
        "sweep": curves.threshold_sweep(scores, metrics=["f1"]),
        "path: os": str(folder / "written.toml"),
        "keys": "absent",
        "costs: Mapping": {(0, 1): "amount"},
        "X": None,
        "costs: FloatArray": np.zeros((3, 2, 2)),
    }
    values |= _by_function(locals())
    values |= integration_values()
    values |= room_values({"table": TABLE, "matrix": matrix, "other": other})
    values["curves"] = None
    return values


def _by_function(made: Mapping[str, Any]) -> Base:
    """Right arguments of single functions, by `function.parameter`."""
    scores, second, app = made["scores"], made["second"], made["app"]
    drawn = {
        "abstention": curves.abstention(scores, app),
        "application_path": curves.application_path(Y, POSTERIORS, applications=[app, app]),
        "bayes_error": curves.bayes_error(scores),
        "brier_curve": curves.brier_curve(made["scores"]),
        "cost": curves.cost(scores),
        "decision": curves.decision(scores),
        "det": curves.det(scores),
        "empirical_cross_entropy": curves.empirical_cross_entropy(scores),
        "precision_recall": curves.precision_recall(scores),
        "roc": curves.roc(scores),
        "reliability": curves.reliability(scores, draws=10),
        "tippett": curves.tippett(scores),
    }
    own = {f"plots.{name}.curves": curve for name, curve in drawn.items()}
    stated = ("costs", "priors", "unit", "volume", "period", "counts")  # beside an application
    own |= {f"{name}.{key}": None for name in ("evaluate", "evaluate_frame") for key in stated}
    own |= {f"{kind}.binary.{key}": amount for kind in ("CostMatrix", "CaseCosts")
            for key, amount in (("fn", 10.0), ("fp", 1.0), ("tp", 0.0), ("tn", 0.0))}  # fmt: skip
    own["evaluate_frame.scores"] = None
    own |= {f"UncertainApplication.binary.{key}": 1.0 for key in ("fn", "fp")}
    return own | {
        "ConfusionMatrix.counts": [[9, 1], [2, 8]],
        "CostTally.from_costs.costs": np.ones(N),
        "CaseCosts.values": np.ones((N, 2, 2)),
        "Posteriors.values": POSTERIORS,
        "Samples.values": [1.0, 2.0, 3.0],
        "Alternatives.values": [1.0, 2.0],
        "CostMatrix.zero_one.classes": 3,
        "CostMatrix.expected.weights": [0.5, 0.5],
        "MatrixElicitation.classes": ["x", "y", "z"],
        "MatrixElicitation.unit": None,
        "MatrixElicitation.question.systems": made["three"],
        "MatrixElicitation.ratio.other": ("y", "x"),
        "choice_regret.values": [0.3, 0.5],
        "choice_regret.costs": [2.0, 1.0],
        "curve_dominance.systems": {"a": scores, "b": second},
        "switch_points.systems": {"a": scores, "b": second},
        "switch_points.low": -2.0,
        "switch_points.high": 2.0,
        "watch.scores": None,
        "metric_cloud.steps": 3,
        "compare_periods.scores": None,
        "cross_fit.calibrator": calibration.Affine(),
        "DirichletShares.concentration": [2, 3],
        "costs_from_amounts.amounts": {0: {"wait": 0, "act": 1}, 1: {"wait": 5, "act": 0}},
        "read_trials.scores": ["absent"],
        "CostExpression.text": "2 * amount",
        "evaluate_frame.posteriors": {"a": "p"},
        "evaluate_frame.decisions": None,
        "evaluate_frame.case_costs": None,
        "Request.models": {"a": "p"},
        "Request.by": "group",
        "Request.applications": app,
        "evaluate_frame.by": "group",
        "CostExpression.value.columns": frame(),
        "Request.sample_weight": "amount",
        "evaluate_frame.sample_weight": "amount",
        "Request.case_costs": None,
        "decompose.calibrator": "pav",
        "rank_correlation.kind": "spearman",
        "rank_correlations.kind": "spearman",
        "compare_scores.metric": "auc",
        "case_cost.costs": made["cases"],
        "grouped_score_interval.metric": "auc",
        "weighted_score_interval.metric": "auc",
        "score_decomposition.rule": "log",
        "Evaluation.costliest.name": "a",
        "Evaluation.use.name": "a",
        "Evaluation.difference.first": "a",
        "Evaluation.difference.second": "b",
        "Comparison.difference.first": "a",
        "Comparison.difference.second": "b",
        "ratio_from_amounts.true_positive": 0.0,
        "ratio_from_metric.system": made["matrix"],
        "example_path.name": "churn.csv",
        "ratio_from_ranking.ranking": list(elicitation.emblematic_models(0.2)),
        "from_weight.weight": application.Between(0.2, 0.4),
        "compare_under_uncertainty.application": made["unknown"],
        "minimax_regret_decisions.application": made["unknown"],
        "Matrix.off_diagonal": None,
        "worst_case_gain.kind": "llr",
        "Catalogue.find.name": "f1",
        "Catalogue.nearest.name": "f1",
        "Stream.update.models": {"a": POSTERIORS},
        "Stream.update.case_costs": None,
        "Stream.scores": "none",
        "evaluate.case_costs": None,
        "Request.label": "truth",
        "DecisionRule.expression.columns": ["p"],
        "detection_costs.applications": [app],
        "from_samples.costs": np.ones((3, 2, 2)),
        "UncertainApplication.costs": [[0, application.Between(1, 2)], [5, 0]],
        "model_costs.costs": {"a": 0.3, "b": 0.5},
        "from_llrs.llrs": LLRS,
        "Elicitation.low": 0.01,
        "Elicitation.high": 100.0,
        "agreed_ratio.low": 0.01,
        "agreed_ratio.high": 100.0,
        "BetaWeight.low": 0.0,
        "BetaWeight.high": 1.0,
        "matched_beta.shares": [0.2, 0.4, 0.5],
        "Reduction.confusion.application": None,
        "matched_beta_accuracy.shares": [0.2, 0.4, 0.5],
        "partial_auc.max_fpr": 0.5,
        "threshold_sweep.thresholds": None,
        "score_edges.thresholds": (),
        "class_factors.costs": None,
        "empirical_cross_entropy.log10_odds": [-1.0, 1.0],
        "check_laws.metric": "f1",
        "kappa.weights": None,
        "from_decisions.costs": made["cases"],
        "costs_to_csv.application": app,
        "Inquiry.of.table": {"label": "truth"},
        "Inquiry.but.changes": {},
        "Table.cells.name": "p",
        "Table.labels.name": "truth",
        "Table.numbers.name": "p",
        "Table.position.name": "p",
        "from_frame.name": "the frame",
        "read.said": "samples/day.csv",
        "level_sets.resolution": 5,
        "reliability_table.bins": "pav",
        "audit_candidates.metric": "f1",
        "answers_from_toml.text": elicitation.answers_to_toml(
            made["talk"].stated(made["statement"])
        ),
        "matrix_answers_from_toml.text": elicitation.matrix_answers_to_toml(made["many"]),
        "costs_from_toml.text": application.costs_to_toml(app),
        "nist_applications.evaluation": "sre16",
        "uncertain_costs_from_toml.text": application.costs_to_toml(made["unknown"]),
        "interval.metric": "expected_cost",
        "weighted_interval.metric": "expected_cost",
        "band.curve": "bayes_error",
        "CaseCosts.binary.fn": np.linspace(1, 9, N),
        "CaseCosts.binary.fp": 1.0,
        "costs_template.outcomes": ["no", "yes"],
        "GroupedCounts.groups": (("north", "south"),),
        "GroupedCounts.keys": [[0], [1]],
        "GroupedCounts.counts": np.ones((2, made["paired"].counts.size), dtype=int),
        "GroupedCounts.joint": made["paired"],
        "CostTally.counts": np.ones((2, 2)),
        "CostTally.sums": np.ones((2, 2)),
        "CostTally.squares": np.ones((2, 2)),
        "DecisionRule.calibrator": None,
        "DecisionRule.decide.costs": None,
        "ScoreBins.edges": np.array([0.0]),
        "DecisionRule.decide.scores": P,
        "DecisionRule.words.scores": P,
        "DecisionRule.rounded_for.scores": P,
        "DecisionRule.cut": None,
        "GroupedCounts.confusion.system": "system",
        "Inquiry.after.kept": stakes.Inquiry(label="truth"),
        "PairedCounts.cells": made["paired"].cells,
        "PairedCounts.counts": made["paired"].counts,
        "PairedCounts.systems": ("a", "b"),
        "PairedCounts.classes": (0, 1),
        "PairedCounts.decisions": (0, 1),
        "PairedCounts.from_scores.thresholds": [0.0],
        "ScoreBins.counts": np.ones((2, 2)),
        "ScoreBins.lowest": np.array([-1.0, 0.0]),
        "ScoreBins.highest": np.array([0.0, 1.0]),
        "ScoreBins.from_priors": None,
        "ScoreCounts.from_priors": None,
        "ScoreCounts.from_scores.from_priors": None,
        "ScoreBins.from_scores.options": None,
        "case_costs.classes": [0, 1],
        "case_costs.decisions": [0, 1],
        "costs_from_amounts.decisions": ["wait", "act"],
        "costs_from_csv.text": "truth,x,y\nx,0,1\ny,5,0\n",
        "write_costs.path": str(made["folder"] / "written.toml"),
        "Automatic.candidates": None,
        "calibration_gain.by": "cross_entropy",
        "decompose.by": "cross_entropy",
        "Automatic.by": "cross_entropy",
        "case_rules.costs": made["cases"],
        "expected_case_costs.costs": made["cases"],
        "Elicitation.answered.question": QUESTION,
        "Elicitation.answered.answer": "a",
        "MatrixElicitation.answered.question": made["many"].question(made["three"]),
        "MatrixElicitation.application.priors": [0.2, 0.3, 0.5],
        "MatrixElicitation.statements": (),
        "Elicitation.statements": (),
        "Elicitation.classes": ("no", "yes"),
        "MatrixElicitation.preferred.better": made["three"]["a"],
        "Question.cases": 100,
        "Question.positives": 30,
        "Question.misses": (9, 3),
        "Question.alarms": (3, 9),
        "Statement.route": "ratio",
        "Stream.from_priors": [0.5, 0.5],
        "Metric.values.counts": [[9, 1], [2, 8]],
        "mean_weighted_accuracy.weight": application.Between(0.2, 0.4),
        "estimate_priors_from_decisions.decisions": [20, 20],
        "best_by_log_odds.log_odds": [0.0],
        "refitted_interval.calibration": (Y, LLRS),
        "refitted_interval.calibrator": calibration.Affine(),
        "Inquiry.positive": "1",
        "Inquiry.costs": None,
        "Inquiry.groups": None,
        "Inquiry.weight": None,
        "Inquiry.decisions": None,
        "Inquiry.scores": "p",
        "Inquiry.volume": None,
        "Inquiry.cost": ("fn=5",),
        "Inquiry.by": None,
        "Inquiry.period": None,
        "ScoreBins.from_scores.edges": np.linspace(-4, 4, 9),
        "reliability.points": 16,
        "Catalogue.metrics": (metrics.catalogue["f1"],),
        "HullPoints.ratios.priors": [0.5, 0.5],
        "Metric.naive_value.priors": [0.5, 0.5],
        "Metric.naive_value.positive": 1,
        "Metric.values.positive": 1,
        "Metric.with_application.positive": 1,
        "cost_by_slice.slices": stakes.monitoring.compare_slices(
            {"May": made["matrix"], "June": made["other"]}, application=app
        ),
        "assert_laws.metric": "accuracy",
        "CandidateAudit.correlation.kind": "spearman",
        "evaluate_frame.frame": TABLE,
        "reduce_frame.frame": TABLE,
        "from_frame.frame": TABLE,
        "CostMatrix.from_frame.frame": COST_TABLE,
        "CostMatrix.from_frame.truth": "truth",
        "Elicitation.priors": [0.7, 0.3],
        "MatrixElicitation.priors": [0.2, 0.3, 0.5],
        "MatrixElicitation.decisions": None,
        "Stream.resume.path": str(made["folder"] / "absent"),
        "ScoreCounts.classes": (0, 1),
        "ScoreBins.classes": (0, 1),
        "CostTally.classes": (0, 1),
        "CostTally.decisions": (0, 1),
        "Question.classes": ("no", "yes"),
        "case_costs.costs": {0: {0: 0, 1: 1}, 1: {0: "amount", 1: 0}},
        "audit_candidates.candidates": {
            "a": made["matrix"],
            "b": made["other"],
            "c": made["matrix"],
        },
        "MatrixElicitation.answered.prefers": "a",
        "Stream.update.groups": None,
        "ScoreCounts.negative_counts": None,
        "ScoreCounts.positive_counts": None,
        "answer.inquiry": stakes.Inquiry(
            source="samples/day.csv", label="truth", scores="p", cost=("fn=5", "fp=1"), positive="1"
        ),
        "Reduction.paired.application": None,
        "Reduction.weighted.application": None,
        "MatrixElicitation.stated.statements": made["many"]
        .ratio(("x", "y"), ("y", "x"), between=(2, 8))
        .statements[0],
    }


def instances(made: Base) -> dict[str, list[Any]]:
    """Things whose methods are called, by the name of their class; more are found on the way."""
    calibrators = [
        thing
        for name in calibration.__all__
        if inspect.isclass(thing := getattr(calibration, name))
        and issubclass(thing, calibration.Calibrator)
        and thing is not calibration.Calibrator
    ]
    found: dict[str, list[Any]] = {}
    things = [
        made["application"],
        made["costs"],
        made["costs: CaseCosts"],
        made["matrix"],
        made["paired"],
        made["scores"],
        made["scores: ScoreBins"],
        made["talk"],
        made["talk: Elicitation"],
        made["inquiry"],
        made["request"],
        made["application: UncertainApplication"],
        metrics.catalogue,
        metrics.catalogue["f1"],
        made["statements"],
        application.Between(1, 2),
        application.Samples([1.0, 2.0, 3.0]),
        stakes.GroupedCounts.from_decisions(Y, DECIDED, groups=GROUPS),
        stakes.CostTally.from_costs(Y, np.ones(N)),
        stakes.Posteriors(POSTERIORS),
        stakes.DecisionRule(made["application"]),
        stakes.evaluate(
            Y, {"a": POSTERIORS, "b": ALSO}, application=made["application"], recalibrate=False
        ),
        stakes.engines.Stream(made["application"], from_priors=[0.5, 0.5]).update(
            Y, {"a": POSTERIORS}
        ),
        made["talk: Elicitation"].question,
        doubt.compare(made["paired"], made["application"], draws=20),
        doubt.interval(made["matrix"], application=made["application"], draws=20),
        made["talk"].question(made["MatrixElicitation.question.systems"]),
        *room_instances(),
        *integration_instances(),
    ]
    for made_by in calibrators:
        try:
            things.append(made_by().fit(LLRS, Y))
        except stakes.exceptions.StakesError:
            things.append(made_by(classes=[0, 1]).fit(POSTERIORS, Y))
    found["Calibrator"] = things[-len(calibrators) :]
    for thing in things:
        found.setdefault(type(thing).__name__, []).append(thing)
    return found


def sample_files(folder: Path, made: Base) -> dict[str, Path]:
    """Files that readers can read, by the function that reads them."""
    folder.mkdir(exist_ok=True)
    (folder / "day.csv").write_text("truth,p\n0,0.1\n1,0.9\n1,0.4\n0,0.6\n")
    summaries.save_summary(made["matrix"], folder / "matrix")
    for name in (
        "ConfusionMatrix",
        "CostTally",
        "GroupedCounts",
        "PairedCounts",
        "ScoreBins",
        "ScoreCounts",
    ):
        kept = {
            "ConfusionMatrix": made["matrix"],
            "PairedCounts": made["paired"],
            "ScoreCounts": made["scores"],
            "ScoreBins": made["scores: ScoreBins"],
            "CostTally": stakes.CostTally.from_costs(Y, np.ones(N)),
            "GroupedCounts": stakes.GroupedCounts.from_decisions(Y, DECIDED, groups=GROUPS),
        }[name]
        kept.save(folder / f"{name}.load")
    stakes.DecisionRule(made["application"]).save(folder / "load_rule")
    for calibrator in instances(made)["Calibrator"]:
        calibrator.save(folder / f"{type(calibrator).__name__}.load")
    for name in ("calibration", "Calibrator"):
        calibration.Affine().fit(LLRS, Y).save(folder / f"{name}.load")
    application.write_costs(made["application"], folder / "read_costs.toml")
    application.write_costs(
        made["application: UncertainApplication"], folder / "read_uncertain_costs.toml"
    )
    elicitation.write_answers(
        made["talk: Elicitation"].stated(made["statements"]), folder / "read_answers.toml"
    )
    (folder / "Inquiry.load.toml").write_text(made["inquiry"].but(label="truth").to_toml())
    named = {path.name.removesuffix(".toml"): path for path in folder.iterdir()}
    return named | {"load_summary": folder / "matrix"}


# ------------------------------------------------------------------ wrong arguments


class Anything:
    """Something that nothing is known about."""


def _generator() -> Any:
    yield from (0, 1, 1, 0)


def plausible(value: Any, draw: np.random.Generator, made: Base, folder: Path) -> Any:
    """What somebody may bring instead: another form of it, or another thing of everyday."""
    if draw.random() < 0.5:
        changed = _changed(value, draw)
        if changed is not None:
            return changed
    return _EVERYDAY[draw.integers(len(_EVERYDAY))](made, folder)


def gross(draw: np.random.Generator) -> Any:
    """What nobody means."""
    return _GROSS[draw.integers(len(_GROSS))]()


def _changed(value: Any, draw: np.random.Generator) -> Any:
    """Another form of a right argument; None where it has none."""
    if isinstance(value, bool) or value is None:
        return None
    ways: list[Callable[[Any], Any]] = _ARRAYS
    if isinstance(value, str):
        ways = _WORDS
    elif isinstance(value, (int, float, np.number)):
        ways = _NUMBERS
    elif hasattr(value, "iloc"):
        ways = _TABLES
    elif isinstance(value, Mapping) and value:
        value, ways = dict(value), _MAPPINGS
    else:
        try:
            value = np.asarray(value)
        except (TypeError, ValueError):
            return None
        if value.dtype == object or value.ndim == 0:
            return None
    try:
        return ways[draw.integers(len(ways))](value)
    except (ArithmeticError, ImportError, KeyError, TypeError, ValueError):  # text is no number
        return None


def _pandas(array: Any) -> Any:
    import pandas as pd

    return (
        pd.Series(array)
        if array.ndim == 1
        else pd.DataFrame(np.atleast_2d(array.T).T.reshape(len(array), -1))
    )


def _polars(array: Any) -> Any:
    import polars as pl

    return pl.Series("v", array) if array.ndim == 1 else pl.DataFrame(array.reshape(len(array), -1))


def _sparse(array: Any) -> Any:
    from scipy import sparse

    return sparse.csr_array(np.atleast_2d(array.astype(float).reshape(len(array), -1)))


def _spoilt(array: Any, what: Any) -> Any:
    wrong = array.astype(float) if array.dtype.kind in "iubf" else array.astype(object)
    if wrong.size:
        wrong.reshape(-1)[0] = what if wrong.dtype == object or isinstance(what, float) else np.nan
    return wrong


_ARRAYS: list[Callable[[Any], Any]] = [
    lambda a: a.tolist(),
    lambda a: tuple(a.tolist()),
    _pandas,
    _polars,
    _sparse,
    lambda a: a.astype(str),
    lambda a: a.astype(str).tolist(),
    lambda a: a.astype(object),
    lambda a: [Decimal(str(v)) for v in a.reshape(-1).tolist()],
    lambda a: [Fraction(1, 3) for _ in a],
    lambda a: a[:-1],
    lambda a: np.concatenate([a, a]),
    lambda a: a[:0],
    lambda a: a[:1],
    lambda a: a.reshape(-1, 1),
    lambda a: a[None],
    lambda a: a.reshape(1, -1).T,
    lambda a: np.stack([a, a], axis=-1),
    lambda a: a.T,
    lambda a: _spoilt(a, np.nan),
    lambda a: _spoilt(a, np.inf),
    lambda a: _spoilt(a, -1.0),
    lambda a: _spoilt(a, 1e300),
    lambda a: [None, *a.tolist()[1:]],
    lambda a: [[1], *a.tolist()[1:]],
    lambda a: ["x", *a.tolist()[1:]],
    lambda a: -a if a.dtype.kind in "if" else a,
    lambda a: a.astype(np.float32) if a.dtype.kind in "if" else a,
    lambda a: a.astype(np.float16) if a.dtype.kind in "if" else a,
    lambda a: a.astype(bool) if a.dtype.kind in "if" else a,
    lambda a: a * 10 if a.dtype.kind in "if" else a,
    lambda a: a.astype(complex) if a.dtype.kind in "if" else a,
    lambda a: np.ma.masked_array(a, mask=np.arange(a.size).reshape(a.shape) == 0),
    np.ma.masked_array,
    lambda a: iter(a.tolist()),
    lambda a: dict(enumerate(a.tolist())),
    lambda a: set(map(str, a.tolist())),
    lambda a: np.zeros_like(a) if a.dtype.kind in "if" else a,
    lambda a: a.astype("datetime64[s]") if a.dtype.kind == "i" else a,
    lambda a: memoryview(np.ascontiguousarray(a)) if a.dtype.kind in "if" else a,
    lambda a: range(len(a)),
]
_NUMBERS: list[Callable[[Any], Any]] = [
    str,
    lambda v: Decimal(str(v)),
    lambda v: Fraction(str(v)),
    lambda v: [v],
    np.array,
    np.float32,
    lambda v: np.array([v]),
    lambda v: -v,
    lambda v: v * 100,
    lambda v: v / 100,
    lambda v: float("nan"),
    lambda v: float("inf"),
    lambda v: 0,
    lambda v: 1,
    lambda v: True,
    complex,
    lambda v: (v, v),
    lambda v: {"a": v},
    np.int64,
    lambda v: f"{v} %",
    lambda v: 0.5,
    lambda v: [v, [v]],
    np.str_,
]
_WORDS: list[Callable[[str], Any]] = [
    str.upper,
    lambda v: f" {v} ",
    lambda v: v[:-1],
    lambda v: [v],
    lambda v: {v},
    lambda v: (v, v),
    lambda v: {v: v},
    lambda v: {v: 1},
    str.encode,
    Path,
    np.str_,
    lambda v: np.array([v]),
    lambda v: f"{v}\n",
    lambda v: v.replace("_", "-"),
]
_TABLES: list[Callable[[Any], Any]] = [
    lambda t: t.set_axis(range(t.shape[1]), axis=1),
    lambda t: t.set_axis([str(t.columns[0])] * t.shape[1], axis=1),
    lambda t: t.iloc[:, :-1],
    lambda t: t.iloc[:0],
    lambda t: t.iloc[:, :0],
    lambda t: t.astype(object),
    lambda t: t.astype(str),
    lambda t: t.astype("category"),
    lambda t: t.set_index(t.columns[0]),
    lambda t: t.set_axis(t.iloc[:, 0].to_numpy(), axis=0),
    lambda t: t.mask(np.arange(len(t)) == 0),
    lambda t: t.convert_dtypes(),
    lambda t: t.to_dict(),
    lambda t: t.to_dict("records"),
    lambda t: t.to_numpy(),
    lambda t: t.T,
    lambda t: t.iloc[:, 0],
    lambda t: _polars(t.to_numpy()),
    lambda t: t.set_axis([("a", k) for k in range(t.shape[1])], axis=1),
]
_MAPPINGS: list[Callable[[dict[Any, Any]], Any]] = [
    lambda m: list(m.values()),
    list,
    lambda m: {},
    lambda m: list(m.items()),
    lambda m: {**m, "extra": None},
    lambda m: {str(k): v for k, v in m.items()},
    dict.fromkeys,
    lambda m: dict.fromkeys(m, "text"),
    lambda m: {k: [0.5] for k in m},
    lambda m: dict.fromkeys(m, 0.5),
    lambda m: next(iter(m.values())),
    lambda m: {None: 1},
    lambda m: dict(list(m.items())[:1]),
    lambda m: {k: [] for k in m},
    lambda m: {k: {"a": 1} for k in m},
    lambda m: {k: float("nan") for k in m},
    lambda m: dict(enumerate(m.values())),
    lambda m: tuple(m.values()),
    lambda m: _pandas(np.column_stack(list(map(np.ravel, m.values())))),
    lambda m: _pandas(np.column_stack(list(map(np.ravel, m.values())))).set_axis(list(m), axis=1),
]
_EVERYDAY: list[Callable[[Base, Path], Any]] = [
    lambda b, f: None,
    lambda b, f: True,
    lambda b, f: float("nan"),
    lambda b, f: "",
    lambda b, f: "x",
    lambda b, f: "0.5",
    lambda b, f: 0,
    lambda b, f: -1,
    lambda b, f: 0.5,
    lambda b, f: 2,
    lambda b, f: 1e6,
    lambda b, f: [],
    lambda b, f: (),
    lambda b, f: {},
    lambda b, f: [0.3, 0.7],
    lambda b, f: ["a", "b"],
    lambda b, f: [[0, 1], [5, 0]],
    lambda b, f: [[0, 1], [5]],
    lambda b, f: {"fn": 5, "fp": 1},
    lambda b, f: {0: 0.5, 1: 0.5},
    lambda b, f: np.array([]),
    lambda b, f: np.zeros((2, 3)),
    lambda b, f: Decimal("0.5"),
    lambda b, f: Fraction(1, 2),
    lambda b, f: np.float64(0.5),
    lambda b, f: np.int8(1),
    lambda b, f: np.bool_(True),
    lambda b, f: np.array(0.5),
    lambda b, f: b["application"],
    lambda b, f: b["costs"],
    lambda b, f: b["matrix"],
    lambda b, f: b["scores"],
    lambda b, f: b["paired"],
    lambda b, f: Y,
    lambda b, f: LLRS,
    lambda b, f: P,
    lambda b, f: POSTERIORS,
    lambda b, f: _pandas(Y),
    lambda b, f: _pandas(POSTERIORS),
    lambda b, f: _polars(P),
    lambda b, f: _sparse(COSTS_ARRAY),
    lambda b, f: _generator(),
    lambda b, f: range(2),
    lambda b, f: "\0",
    lambda b, f: str(f),
    lambda b, f: f / "absent" / "file",
    lambda b, f: {"a", "b"},
    lambda b, f: b["calibrator"],
    lambda b, f: ["0.5", "0.5"],
    lambda b, f: [Decimal("0.5"), Decimal("0.5")],
    lambda b, f: b"bytes",
    lambda b, f: [None, 1],
    lambda b, f: [float("nan"), 1.0],
    lambda b, f: np.array(["a", "b"], dtype=object),
    lambda b, f: b["application: UncertainApplication"],
    lambda b, f: b["costs: CaseCosts"],
    lambda b, f: ["a", 1],
    lambda b, f: 3.7,
]
COSTS_ARRAY = np.array(COSTS)
_GROSS: list[Callable[[], Any]] = [
    Anything,
    lambda: Anything,
    lambda: len,
    lambda: lambda x: x,
    lambda: 10**400,
    lambda: -(10**400),
    lambda: 1e308,
    lambda: -1e308,
    lambda: 10**19,
    lambda: 2**63 - 1,
    lambda: 1j,
    lambda: np.array([Anything()], dtype=object),
    lambda: np,
    lambda: NotImplemented,
    lambda: Ellipsis,
    lambda: float("inf"),
    lambda: [[[[1]]]],
    lambda: {"a": Anything()},
    lambda: [Anything()],
    lambda: np.datetime64("2026-01-01"),
    lambda: np.zeros((0, 3)),
    lambda: np.empty((2, 0)),
    lambda: "x" * 10_000,
    lambda: [[]],
    lambda: {1: {2: {3: 4}}},
    lambda: Exception("x"),
    lambda: np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    lambda: bytearray(b"\xff"),
    lambda: type,
    lambda: "\ud800",
]
