"""What other libraries call the parts of a result, and what they are called here."""

from __future__ import annotations

#: Names that other libraries have for the table of a result, and what to type here.
TABLES = {
    "to_pandas": ".frame().to_pandas()",
    "to_dataframe": ".frame().to_pandas()",
    "df": ".frame().to_pandas()",
    "to_polars": ".frame().to_polars()",
    "to_frame": ".frame()",
    "table": ".frame()",
    "summary": ".frame()",
}
#: Names of one idea, and what things here call it; names in one text belong together.
SAME_IDEA: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("interval", "ci", "conf_int", "confidence_interval", "bounds", "limits"),
        ("interval", "low high"),
    ),
    (("lower", "low", "ci_low", "min"), ("low",)),
    (("upper", "high", "ci_high", "max"), ("high",)),
    (
        (
            "value",
            "cost",
            "estimate",
            "point",
            "mean",
            "expected_cost",
            "total",
            "difference",
            "change",
            "delta",
        ),
        ("value", "cost", "difference", "change", "expected_cost"),
    ),
    (
        ("verdict", "text", "summary", "sentence", "conclusion", "report", "recommendation"),
        ("verdict", "text"),
    ),
    (("to_dict", "as_dict", "dict", "json", "to_json"), ("record()", "record")),
    (("p", "pvalue", "p_val", "chance", "probability"), ("p_value", "chance")),
    (("std", "se", "stderr", "standard_error", "error"), ("spread", "standard_error")),
    (("n", "size", "count", "number"), ("cases", "n_cases", "total")),
)
#: How examples call a thing of a class; others are called result.
VARIABLES = {
    "Application": "app",
    "ConfusionMatrix": "matrix",
    "CostMatrix": "costs",
    "DecisionRule": "rule",
    "Ends": "interval",
    "Evaluation": "ev",
    "ScoreCounts": "counts",
    "SwitchPoints": "points",
}

_RULE = 'ev.rule().save("rule.json"), which stakes.load_rule("rule.json") reads'
_AGAIN = "with the same models and the other arguments as before"
_OTHER_COSTS = f'stakes.evaluate(y_true, models, costs={{"fn": 80, "fp": 4}}), {_AGAIN}'
_OTHER_PRIORS = f"stakes.evaluate(y_true, models, costs=costs, priors=0.02), {_AGAIN}"
_SAVINGS = (
    "{name: ev[name].saving for name in ev} per case, or "
    "{name: ev[name].total_saving for name in ev} over the volume"
)
#: What to type for a name that an evaluation, or a model of it, does not have.
OF_EVALUATIONS: dict[str, dict[str, str]] = {
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
    "ModelEvaluation": {
        "expected_cost": "ev[model].cost",
        "ci": "ev[model].interval",
        "confidence_interval": "ev[model].interval",
        "confusion_matrix": "ev[model].confusion",
        "savings": "ev[model].saving per case, or ev[model].total_saving over the volume",
        "total": "ev[model].total_saving",
        "normalized_expected_cost": "ev[model].nec",
    },
}  # fmt: skip
