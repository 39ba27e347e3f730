"""Usual words of other libraries, and what to type here instead."""

from __future__ import annotations

from stakes._usual_metrics import EITHER_WAY, METRICS, NEEDS, OF_SCORES

#: Labels are words in the README; nothing guesses which of two is the positive class.
_YES = 'positive="yes"'
_POSTERIOR = f'y_true, p, kind="posterior", {_YES}'

_BRIER = f"stakes.metrics.binary_brier_score({_POSTERIOR})"
_LOG_LOSS = f"stakes.metrics.binary_cross_entropy({_POSTERIOR})"
_PRECISION = f"stakes.metrics.average_precision(y_true, scores, {_YES})"
_RELIABILITY = f"stakes.plots.reliability(stakes.curves.reliability({_POSTERIOR}))"
_ROC_CURVE = f"stakes.curves.roc(y_true, scores, {_YES})"
_ROC = f"stakes.plots.roc({_ROC_CURVE})"
_COST_CURVE = f"stakes.curves.cost({_POSTERIOR})"
_COST = f"stakes.plots.cost({_COST_CURVE})"
_RECALL_CURVE = f"stakes.curves.precision_recall(y_true, scores, {_YES})"
_RECALL = f"stakes.plots.precision_recall({_RECALL_CURVE})"
_DET_CURVE = f"stakes.curves.det(y_true, scores, {_YES})"
_TABLE = "stakes.ConfusionMatrix.from_decisions(y_true, decisions)"
_COUNTED = (
    'stakes.ConfusionMatrix.from_decisions(y_true, decisions, classes=["no", "yes"]) in its place, '
    "the positive class second"
)
_INTERVAL = (
    f'stakes.uncertainty.interval({_TABLE}, metric="f1"); of the cost '
    f"stakes.uncertainty.interval({_TABLE}, application=costs)"
)
_FRAME = (
    f'stakes.evaluate_frame(df, label="y", scores=["a", "b"], costs={{"fn": 10, "fp": 1}}, {_YES})'
)
_ABSTAIN = "costs=stakes.CostMatrix.binary(fn=40, fp=4).with_abstention(2)"
_DECIDED = "decisions in place of posteriors: (p > t).astype(int)"
_CALIBRATED = (
    "calibrator.posteriors(scores), one column per class; of probabilities "
    "calibrator.posteriors(stakes.Posteriors(p))"
)
_LOSS = "stakes.torch.ExpectedCostLoss(costs)"
_SCORER = "stakes.sklearn.make_cost_scorer(costs)"

_CALIBRATE = (
    'stakes.calibration.Affine(bound="data").fit(stakes.Posteriors(p), y_true)'
    ".posteriors(stakes.Posteriors(p))"
)
_CROSS_FIT = (
    "stakes.calibration.cross_fit(y_true, stakes.Posteriors(p), "
    'calibrator=stakes.calibration.Affine(bound="data"))'
)
_UNLABELLED = "stakes.estimation.DecidedCases.from_scores(None, p, costs=costs)"
_ALIKE = (
    "stakes.resources.constrained_slices(y_true, p, by=column, costs=costs, "
    'constraint="selection", ratio=0.8)'
)
_ESTIMATED = (
    "estimate_cost(reference, p_new), where reference = stakes.estimation.DecidedCases.from_scores("
    "y_true, p, costs=costs) holds labelled cases"
)
_TUNED = "stakes.metrics.at_min_cost(y_true, scores, costs=costs).threshold"
_PER_CASE = (
    "stakes.metrics.case_cost(y_true, decisions, costs=case_costs).per_case; normalised: "
    ".normalized"
)
_RULE = 'ev.rule().save("rule.json"), which stakes.load_rule("rule.json") reads'
_AGAIN = "with the same models and the other arguments as before"
_OTHER_COSTS = f'stakes.evaluate(y_true, models, costs={{"fn": 80, "fp": 4}}), {_AGAIN}'
_OTHER_PRIORS = f"stakes.evaluate(y_true, models, costs=costs, priors=0.02), {_AGAIN}"
_SAVINGS = (
    "{name: ev[name].saving for name in ev} per case, or "
    "{name: ev[name].total_saving for name in ev} over the volume"
)


def _metric_line(metric: str, given: str, asks: bool) -> str:
    """The call of a metric with everything that it asks for."""
    positive = _YES if asks and metric not in EITHER_WAY else ""
    return (
        f"stakes.metrics.{metric}({', '.join(filter(None, (given, NEEDS.get(metric), positive)))})"
    )


_METRIC_LINES = {
    name: _metric_line(here, f"y_true, {'scores' if here in OF_SCORES else 'decisions'}", True)
    for name, here in METRICS.items()
}


def _of(summary: str, of_scores: bool) -> dict[str, str]:
    """What to type for each name of a metric, given a summary, which knows its positive class."""
    every = METRICS | {here: here for here in METRICS.values()}
    kept = {name: here for name, here in every.items() if (here in OF_SCORES) is of_scores}
    return {name: _metric_line(here, summary, False) for name, here in kept.items()}


_PLANNED = ("sample_size", "samplesize", "power", "n_needed", "required_cases")
_SCORES = 'stakes.ScoreCounts.from_scores(y_true, p, kind="posterior")'
_CASES = (
    "stakes.uncertainty.cases_needed(pilot, application=costs, width=0.1), where pilot = "
    f"{_TABLE} of the cases so far"
)

#: What to type for a name that a room, or a thing of a class, does not have.
ATTRIBUTES: dict[str, dict[str, str]] = {
    "stakes": {
        "read_csv": 'stakes.sources.read("data.csv")',
        "cost": "stakes.expected_cost",
        "load": "stakes.load_rule(path), stakes.calibration.load(path) or "
                "stakes.summaries.load_summary(path), by what was saved; an evaluation is kept by "
                "pickle.dump and read by pickle.load",
        "Evaluation": "stakes.evaluation.Evaluation",
        "make_scorer": _SCORER,
        "calibrate": _CALIBRATE,
    }
    | _METRIC_LINES
    | dict.fromkeys(("threshold", "optimal_threshold", "best_threshold", "bayes_threshold"),
                    'stakes.Application({"fn": 10, "fp": 1}).posterior_threshold')
    | dict.fromkeys(("cost_curve", "plot_cost_curve", "plot_cost"), _COST)
    | {"plot": "ev.plot(), of an evaluation", "plot_roc": _ROC, "roc_curve": _ROC}
    | dict.fromkeys(_PLANNED, _CASES),
    "CostMatrix": dict.fromkeys(("from_dict", "from_costs"),
                                "stakes.CostMatrix.binary(fn=10, fp=1); of more classes "
                                "stakes.Application({truth: {decision: cost}}).costs")
    | dict.fromkeys(("to_numpy", "numpy", "array", "matrix"), "costs.values")
    | dict.fromkeys(("threshold", "optimal_threshold", "posterior_threshold"),
                    "stakes.Application(costs).posterior_threshold")
    | dict.fromkeys(("to_pandas", "to_dataframe", "df"),
                    'costs.frame().to_pandas().pivot(index="truth", columns="decision", '
                    'values="cost")'),
    "Application": dict.fromkeys(("decide", "predict", "decisions_of"),
                                 "stakes.bayes_decisions(p, app)")
    | dict.fromkeys(("threshold", "optimal_threshold"), "app.posterior_threshold")
    | {"prevalence": "app.priors", "cost_matrix": "app.costs"},
    "ConfusionMatrix": dict.fromkeys(("to_pandas", "to_dataframe", "df"),
                       'matrix.frame().to_pandas().pivot(index="truth", columns="decision", '
                       'values="count")')
    | dict.fromkeys(("to_numpy", "numpy", "array", "values", "matrix"), "matrix.counts")
    | dict.fromkeys(("from_labels", "from_predictions", "from_arrays",
                                      "from_columns"), _TABLE)
    | _of("matrix", False),
    "ScoreCounts": dict.fromkeys(("from_predictions", "from_labels", "from_posteriors",
                                  "from_probabilities"), _SCORES)
    | _of("counts", True)
    | {"min_cost": "stakes.metrics.min_cost(counts, costs=costs)",
       "roc": "stakes.curves.roc(counts)"},
    "Storable": dict.fromkeys(("to_json", "to_parquet", "to_file", "dump"),
                              'counts.save("counts.json"), or .parquet')
    | dict.fromkeys(("from_json", "from_parquet", "from_file", "read"),
                    'stakes.summaries.load_summary("counts.json"), or .parquet'),
    "DecisionRule": dict.fromkeys(("predict", "apply", "transform", "decisions"),
                                  "rule.decide(p)"),
    "stakes.elicitation": dict.fromkeys(
        ("ask", "elicit"),
        "stakes.elicitation.Elicitation(priors=0.1).question; or in a terminal  stakes ask"),
    "stakes.metrics": _METRIC_LINES
    | dict.fromkeys(("brier", "brier_score", "brier_score_loss", "binary_brier"), _BRIER)
    | dict.fromkeys(("log_loss", "logloss", "cross_entropy", "nll"), _LOG_LOSS)
    | dict.fromkeys(("average_precision_score", "ap"), _PRECISION)
    | dict.fromkeys(("ece", "expected_calibration_error"), "stakes.calibration."
                    "binned_calibration_error(y_true, p)")
    | {
        "confusion_matrix": _TABLE,
        "roc_curve": _ROC_CURVE,
        "precision_recall_curve": _RECALL_CURVE,
        "det_curve": _DET_CURVE,
        "classification_report": "print(stakes.evaluate(y_true, p, costs=costs))",
        "make_scorer": _SCORER,
    }
    | dict.fromkeys(("threshold", "best_threshold", "optimal_threshold"), _TUNED)
    | {f"{name}_macro": f"stakes.metrics.macro_{name}(y_true, decisions)"
       for name in ("f1", "precision", "recall")},
    "stakes.plots": {
        "cost_curve": _COST,
        "plot_cost_curve": _COST,
        "reliability_diagram": _RELIABILITY,
        "reliability_curve": _RELIABILITY,
        "calibration": _RELIABILITY,
        "calibration_curve": _RELIABILITY,
        "roc_curve": _ROC,
        "plot_roc": _ROC,
        "precision_recall_curve": _RECALL,
        "pr_curve": _RECALL,
        "det_curve": f"stakes.plots.det({_DET_CURVE})",
        "decision_curve": f"stakes.plots.decision(stakes.curves.decision({_POSTERIOR}))",
        "confusion_matrix": f"stakes.plots.confusion({_TABLE}, application=costs)",
        "evaluation": "ev.plot(), of an evaluation",
    },
    "stakes.curves": {
        "roc_curve": _ROC_CURVE,
        "cost_curve": _COST_CURVE,
        "pr": _RECALL_CURVE,
        "calibration_curve": f"stakes.curves.reliability({_POSTERIOR})",
    },
    "stakes.calibration": {
        "calibrate": _CALIBRATE,
        "calibration_curve": "stakes.calibration.reliability_table(y_true, p)",
        "ece": "stakes.calibration.binned_calibration_error(y_true, p)",
        "expected_calibration_error": "stakes.calibration.binned_calibration_error(y_true, p)",
        "Platt": "stakes.calibration.Logistic().fit(scores, y_true)",
        "Sigmoid": "stakes.calibration.Logistic().fit(scores, y_true)",
        "IsotonicRegression": "stakes.calibration.Isotonic().fit(scores, y_true)",
        "TemperatureScaling": 'stakes.calibration.Temperature(bound="data").fit('
                              "stakes.Posteriors(p), y_true)",
        "CalibratedClassifierCV": _CROSS_FIT,
        "save": "calibrator.save(path)",
    },
    "stakes.uncertainty": dict.fromkeys(_PLANNED, _CASES)
    | dict.fromkeys(("bootstrap", "confidence_interval", "ci"), _INTERVAL),
    "stakes.integrations.sklearn": {
        "make_scorer": _SCORER,
        "cost_scorer": _SCORER,
        "CostSensitiveClassifier": "stakes.sklearn.BayesDecisionClassifier(model, costs), which "
                                   "decides by cost, or stakes.sklearn.CostWeightedClassifier("
                                   "model, costs), which is trained by it",
        "scorer": _SCORER,
    },
    "stakes.integrations.torch": {
        "CostSensitiveLoss": _LOSS,
        "CostLoss": _LOSS,
        "CostSensitiveCrossEntropy": _LOSS,
    },
    "Evaluation": {
        "by_group": "evaluate(..., by=column).slices; `groups` are cases that belong together",
        "groups": "evaluate(..., by=column).slices; `groups` are cases that belong together",
        "by": "ev.slices",
        "best_model": "ev.best, its name; ev[ev.best] is all of it",
        "thresholds": "{name: ev[name].threshold for name in ev}",
        "saving": "ev[ev.best].saving per case, or ev[ev.best].total_saving over the volume",
        "savings": _SAVINGS,
        "total_saving": _SAVINGS,
        "total_savings": _SAVINGS,
        "compare": 'ev.comparison, or of two models ev.difference("a", "b")',
        "decisions": "ev.decide(posteriors)",
        "cost": "ev[ev.best].cost",
        "costs": "ev.application.costs",
        "nec": "ev[ev.best].nec",
        "interval": "ev[ev.best].interval",
        "confusion_matrix": "ev[ev.best].confusion",
        "confusion": "ev[ev.best].confusion",
        "summary": "print(ev), ev.verdict or ev.frame()",
        "results": "ev.frame()",
        "table": "ev.frame()",
        "to_frame": "ev.frame(), ev.to_pandas() or ev.to_polars()",
        "to_dict": "ev.record()",
        "to_csv": 'ev.to_pandas().to_csv("report.csv", index=False)',
        "to_excel": 'ev.to_pandas().to_excel("report.xlsx", index=False)',
        "to_parquet": 'ev.to_pandas().to_parquet("report.parquet")',
        "save": f'{_RULE}; the figures: ev.to_json("evaluation.json") or ev.to_html("page.html")',
        "save_rule": _RULE,
        "to_sql": 'ev.rule().to_sql("duckdb", columns="p")',
        "to_onnx": 'ev.rule().to_onnx("rule.onnx")',
        "report": 'ev.to_html("page.html")',
        "predict": "ev.decide(posteriors)",
    }
    | dict.fromkeys(("with_costs", "evaluate", "replace", "with_application"), _OTHER_COSTS)
    | {"with_priors": _OTHER_PRIORS},
    "Cascade": dict.fromkeys(
        ("decide", "predict", "route"),
        'cascade.step("small", posteriors): what to decide now, and whom to ask next'),
    "CascadeEvaluation": dict.fromkeys(
        ("plot", "draw", "show"), 'result.frame().to_pandas().plot.barh(x="way", y="cost")')
    | dict.fromkeys(
        ("decide", "predict", "route"),
        'result.cascade.step("small", posteriors): what to decide now, and whom to ask next'),
    "CostEstimate": {
        "nec": "result.value / result.naive",
        "nec_interval": "(result.low / result.naive, result.high / result.naive)",
    },
    "ModelEvaluation": {
        "plot": "ev.plot(), of all models",
        "decide": "ev.decide(p, model=model)",
        "to_html": 'ev.to_html("page.html"), of all models',
        "expected_cost": "ev[model].cost",
        "ci": "ev[model].interval",
        "confidence_interval": "ev[model].interval",
        "confusion_matrix": "ev[model].confusion",
        "savings": "ev[model].saving per case, or ev[model].total_saving over the volume",
        "total": "ev[model].total_saving",
        "normalized_expected_cost": "ev[model].nec",
    },
    "PeriodChange": dict.fromkeys(
        ("interval", "ci", "low", "high", "confidence_interval"),
        "(change.cost.low, change.cost.high)")
    | dict.fromkeys(("value", "difference", "delta"), "change.cost.value"),
    "Comparison": dict.fromkeys(
        ("interval", "ci", "low", "high", "confidence_interval"),
        'ev.difference("a", "b"), with .value, .low and .high; all pairs: ev.comparison.frame()'),
    "ReliabilityTable": dict.fromkeys(("plot", "draw", "show"), _RELIABILITY),
    "Elicitation": {
        "answer": 'session = session.answered("a"), or "b" or "="',
        "costs": "session.application().costs, once questions are answered",
        "result": "session.application(), once questions are answered",
    },
    "SwitchPoints": dict.fromkeys(("plot", "draw", "show"), "stakes.plots.switch_points(points)"),
    "Temperature": dict.fromkeys(("temperature", "temperature_", "T"),
                                 "1 / calibrator.scales[0]"),
    "Calibrator": {
        "transform": _CALIBRATED,
        "predict": _CALIBRATED,
        "predict_proba": _CALIBRATED,
        "calibrate": _CALIBRATED,
        "fit_transform": f"{_CALIBRATE}; or without optimism {_CROSS_FIT}",
    },
}  # fmt: skip
for _curve, _plot in {
    "AbstentionCurve": "abstention", "ApplicationPath": "application_path",
    "BayesErrorCurve": "bayes_error", "BrierCurve": "brier_curve", "CostCurve": "cost",
    "CrossEntropyCurve": "empirical_cross_entropy", "DecisionCurve": "decision",
    "DetCurve": "det", "PrecisionRecallCurve": "precision_recall",
    "ReliabilityCurve": "reliability", "RocCurve": "roc", "TippettCurve": "tippett",
}.items():  # fmt: skip
    _said = f'stakes.plots.{_plot}(curve), or of several {{"a": curve_a, "b": curve_b}}'
    if _plot == "bayes_error":  # of scores without a kind it has no line of actual costs
        _said += f", where curve = stakes.curves.{_plot}({_POSTERIOR})"
    ATTRIBUTES[_curve] = dict.fromkeys(("plot", "draw", "show"), _said)

#: What to type for an attribute of what a method returns, where the method was not called.
CALLED = {
    "Evaluation.rule": {
        "save": 'ev.rule().save("rule.json")',
        "to_sql": 'ev.rule().to_sql("duckdb", columns="p")',
        "to_onnx": 'ev.rule().to_onnx("rule.onnx")',
        "decide": "ev.rule().decide(p)",
        "predict": "ev.rule().decide(p)",
    },
}
#: Rooms that are searched for a name that another room lacks.
ROOMS = ("metrics", "curves", "calibration", "uncertainty", "audit", "monitoring", "application",
          "summaries", "plots", "rules", "sources", "elicitation")  # fmt: skip

#: Answers of single functions, which come before those of `KEYWORDS`.
OPTIONS: dict[str, dict[str, str]] = {
    "evaluate": dict.fromkeys(("label", "scores", "score", "df", "frame", "posteriors"),
                              _FRAME)
    | {"abstain": _ABSTAIN, "abstention": _ABSTAIN, "threshold": _DECIDED, "thresholds": _DECIDED,
       "labels": "classes=[...], the names in the order of the columns",
       "calibrate": "recalibrate=", "calibrator": "recalibrate=Affine()", "slice": "by="}
    | dict.fromkeys(("constraint", "constraints", "fairness", "parity"), _ALIKE)
    | dict.fromkeys(("champion", "current", "incumbent", "reference", "in_use"),
                    'baseline="name of the model in use"')
    | dict.fromkeys(("n_boot", "n_bootstrap", "n_bootstraps", "n_resamples", "n_draws", "draws"),
                    "leave it out: most intervals here need no draws, and the others draw enough"),
    "DecisionRule.to_sql": dict.fromkeys(("column", "score", "scores"), 'columns="p"')
    | dict.fromkeys(("table", "table_name", "name"),
                    'f"SELECT *, {rule.to_sql()} AS decision FROM customers"; it is an expression'),
    "DecisionRule.decide_frame": dict.fromkeys(
        ("column", "columns", "score", "scores"),
        'dataclasses.replace(rule, columns="p").decide_frame(frame)'),
    "Evaluation.decide": {"case_costs": "costs=..., those of each new case"},
    "Evaluation.rule": dict.fromkeys(("columns", "column"),
                                     'ev.rule().to_sql("duckdb", columns="p")'),
    "evaluate_frame": {"abstain": _ABSTAIN, "abstention": _ABSTAIN, "groups": "by=",
                       "score": "scores=", "y_true": "label=, the name of a column",
                       "y": "label=, the name of a column", "weights": 'sample_weight="column"',
                       "models": "scores=, names of columns", "proba": "posteriors=",
                       "capacity": 'stakes.evaluate(df["y"], df[["gbm_p"]], costs=costs, '
                                   'capacity={"yes": 100}), which ranks the cases in memory'},
    "CostMatrix": dict.fromkeys(("fn", "fp", "tp", "tn"), "stakes.CostMatrix.binary(fn=40, fp=4)"),
    "Application": dict.fromkeys(
        ("classes", "labels", "class_names", "positive", "pos_label", "decisions"),
        'costs=stakes.CostMatrix.binary(fn=40, fp=4, classes=["no", "yes"]), the positive class '
        "second"),
    "CaseCosts": dict.fromkeys(("fn", "fp", "tp", "tn"),
                               'stakes.CaseCosts.binary(fn=df["amount"], fp=4)'),
    "bayes_decisions": dict.fromkeys(("threshold", "thresholds", "cutoff"),
                                     "leave it out: the costs say where the threshold lies; one of "
                                     "your own is p > t")
    | dict.fromkeys(("priors", "prior", "prevalence"),
                    "posteriors=stakes.Posteriors(p).with_priors(0.02, from_priors=0.08)"),
    "implied_costs": dict.fromkeys(("priors", "prior", "prevalence"),
                                   f'implied_costs("f1", {_TABLE}); shares are those of the table'),
    "ScoreCounts": dict.fromkeys(("positive", "pos_label", "y_true", "scores"),
                                 _SCORES.replace("p,", 'p, classes=["no", "yes"],')),
    "min_cost": dict.fromkeys(("return_threshold", "threshold", "thresholds"), _TUNED),
    "best_threshold": {"costs": _TUNED},
    "expected_cost": {"case_costs": _PER_CASE},
    "normalized_expected_cost": {"case_costs": _PER_CASE},
    "estimate_cost": {
        "costs": f"{_ESTIMATED}; without any, if p is calibrated, "
                 "stakes.bayes_decisions(p, costs, with_cost=True)[1].mean()",
        "decisions": "reference.alike(p_new, decisions=...) in place of p_new",
    },
    "evaluate_cascade": dict.fromkeys(("cost", "price", "stage_costs"),
                                      'prices={"small": 0, "large": 0.05}, by the names in stages'),
    "Calibrator.fit": {"bound": 'Affine(bound="data").fit(stakes.Posteriors(p), y_true)'}
    | dict.fromkeys(("positive", "pos_label", "positive_class", "classes"),
                    'Affine(classes=["no", "yes"], bound="data").fit(stakes.Posteriors(p), y_true),'
                    " the positive class second"),
    "cross_fit": {"method": "calibrator=stakes.calibration.Isotonic()"},
    "interval": dict.fromkeys(("positive", "pos_label", "positive_class"), _COUNTED),
    **{name: {"positive": f"stakes.metrics.{name}(y_true, decisions), the same for either class"}
       for name in EITHER_WAY if not name.endswith("expected_cost")},
    **{name: {"average": f"stakes.metrics.macro_{name}(y_true, decisions)"}
       for name in ("f1", "precision", "recall")},
}  # fmt: skip

#: Example calls, shown when there are too many arguments, too few, or rows.
LINES = {
    "catalogue": "{m.name: m(table) for m in stakes.metrics.catalogue.tables() if not m.needs}, "
                 f"where table = {_TABLE}",
    "expected_cost": 'expected_cost(y_true, decisions, costs={"fn": 10, "fp": 1}), or of a '
                     "ConfusionMatrix expected_cost(matrix, costs=costs)",
    "normalized_expected_cost": "normalized_expected_cost(y_true, decisions, "
                                'costs={"fn": 10, "fp": 1}), or of a ConfusionMatrix '
                                "normalized_expected_cost(matrix, costs=costs)",
    "evaluate": f'evaluate(y_true, {{"a": p1, "b": p2}}, costs={{"fn": 10, "fp": 1}}, {_YES}); '
                f"of a data frame {_FRAME}",
    "evaluate_frame": _FRAME,
    "interval": f"interval({_TABLE}, application=costs, level=0.95); or of posteriors "
                "ev[ev.best].interval, where ev = stakes.evaluate(y_true, p, costs=costs)",
    "compare": 'compare(stakes.PairedCounts.from_decisions(y_true, {"a": d1, "b": d2}), '
               'application=costs); or of posteriors evaluate(y_true, {"a": p1, "b": p2}, '
               "costs=costs).comparison",
    "compare_periods": "compare_periods(before, after, application=costs), where each is "
                       f"{_TABLE}",
    "watch": f'watch({{"2025-01": {_TABLE}, "2025-02": ...}}, application=costs); of a file in a '
             "terminal  stakes monitor FILE --time COLUMN --label COLUMN --scores A "
             "--cost fn=10 fp=1",
    "cases_needed": _CASES,
    "constrained_slices": _ALIKE,
    "estimate_cost": _ESTIMATED,
    "cost_from_judge": "cost_from_judge(y_true, judge, decisions=decisions, costs=costs)",
    "cost_from_labels": f"cost_from_labels(y_true, {_UNLABELLED})",
    "plan_labels": f"plan_labels({_UNLABELLED}, labels=300)",
    "evaluate_cascade": 'evaluate_cascade(y_true, {"small": p, "large": q}, '
                        'prices={"small": 0, "large": 0.05}, costs=costs)',
    "audit": f'audit("f1", application=costs, matrix={_TABLE})',
    "implied_costs": f'implied_costs("f1", {_TABLE})',
    "best_threshold": f'best_threshold("f1", {_SCORES[:-1]}, classes=["no", "yes"])); of costs '
                      f"{_TUNED}",
    "reliability_table": "reliability_table(y_true, posteriors, bins=10)",
    "CostMatrix": 'CostMatrix([[0, 4], [40, 0]], classes=["no", "yes"]), or '
                  "CostMatrix.binary(fn=40, fp=4)",
    "CaseCosts": 'CaseCosts.binary(fn=df["amount"], fp=4)',
    "Application": 'Application({"fn": 40, "fp": 4}, unit="EUR", volume=100_000, period="year")',
    "Calibrator.fit": "Affine().fit(scores, y_true): a calibrator is made first; of probabilities "
                      f"{_CALIBRATE}",
    "cross_fit": "cross_fit(y_true, scores, calibrator=stakes.calibration.Isotonic())",
    "ConfusionMatrix.from_decisions": _TABLE,
    "ScoreCounts.from_scores": _SCORES,
    "ScoreCounts": _SCORES,
    "ConfusionMatrix": _TABLE,
    "CostMatrix.with_abstention": 'costs.with_abstention(2, name="ask a person")',
    "switch_points": "switch_points({name: stakes.ScoreCounts.from_scores(y_true, models[name], "
                     'kind="posterior", classes=["no", "yes"]) for name in models}), the positive '
                     "class second",
    "min_cost": "min_cost(y_true, scores, costs=costs)",
    "SwitchPoints.by_cost_ratio": "points.by_cost_ratio(0.02), the share of the positive class",
    "SwitchPoints.by_prevalence": "points.by_prevalence(10), where a miss costs 10 false alarms",
}  # fmt: skip
#: Functions that take summaries, and are often given rows.
OF_SUMMARIES = ("best_threshold", "compare", "compare_periods", "interval")
