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
