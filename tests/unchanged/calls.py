"""The recorded Python calls, by the name of their record: what each function here returns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import stakes
from stakes import (
    application,
    audit,
    calibration,
    curves,
    decisions,
    elicitation,
    engines,
    metrics,
    monitoring,
    posteriors,
    report,
    summaries,
    testing,
    uncertainty,
)
from stakes.demonstration import churn_csv, loans_csv, pets_costs, pets_csv
from stakes.exceptions import StakesError

CALLS: dict[str, Callable[[], Any]] = {}


def recorded(call: Callable[[], Any]) -> Callable[[], Any]:
    CALLS[call.__name__.replace("_", "-")] = call
    return call


def refused(call: Callable[[], Any]) -> str:
    """The class and the words of an error."""
    try:
        return f"returned {call()!r}"
    except (StakesError, TypeError, ValueError, KeyError) as error:
        return f"\nraises {type(error).__name__}: {error}"


# ---- data -------------------------------------------------------------------------------


@cache
def columns(csv: Callable[[], str], rows: int) -> dict[str, np.ndarray]:
    head, *lines = csv().splitlines()[: rows + 1]
    cells = np.array([line.split(",") for line in lines]).T
    return dict(zip(head.split(","), cells, strict=True))


def churn(rows: int = 800) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    data = columns(churn_csv, rows)
    names = ("gbm_p", "logreg_p")
    return (data["churned"] == "yes").astype(int), {n: data[n].astype(float) for n in names}


def pets(rows: int = 400) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    data = columns(pets_csv, rows)
    tables = {}
    for model in ("small", "large"):
        kept = [data[name].astype(float) for name in data if name.startswith(f"{model}.")]
        tables[model] = np.column_stack(kept) / np.sum(kept, axis=0)[:, None]
    return data["species"], tables


APP = stakes.Application(stakes.CostMatrix([[0, 4], [40, 0]]), unit="EUR", volume=1000, period="yr")
PLAIN = stakes.Application([[0, 1], [10, 0]])
RARE = stakes.Application([[0, 1], [10, 0]], priors=[0.98, 0.02])
RANGED = application.UncertainApplication([[0, 4], [application.Between(5, 60), 0]])
COUNTS = stakes.ConfusionMatrix([[880, 20], [40, 60]])
OTHER = stakes.ConfusionMatrix([[800, 100], [10, 90]])


def scores(name: str = "gbm_p", rows: int = 800) -> stakes.ScoreCounts:
    y, models = churn(rows)
    return stakes.ScoreCounts.from_scores(
        y, np.clip(models[name], 1e-4, 1 - 1e-4), kind="posterior"
    )


def llrs(name: str = "gbm_p") -> stakes.ScoreCounts:
    y, models = churn()
    p = np.clip(models[name], 1e-4, 1 - 1e-4)
    odds = np.log(p / (1 - p)) - np.log(y.mean() / (1 - y.mean()))
    return stakes.ScoreCounts.from_scores(y, odds, kind="llr")


def paired() -> stakes.PairedCounts:
    y, models = churn()
    return stakes.PairedCounts.from_decisions(
        y, {name: stakes.bayes_decisions(p, PLAIN.costs) for name, p in models.items()}
    )


# ---- evaluations ------------------------------------------------------------------------


@recorded
def evaluate() -> Any:
    y, models = churn()
    ev = stakes.evaluate(y, models, application=APP, rng=0)
    words = {"verdict": str(ev.verdict), "notes": list(ev.notes)}
    return {"": ev, **words, "record": ev.record()}


@recorded
def evaluate_classes() -> Any:
    y, models = pets()
    return stakes.evaluate(y, models, application=application.costs_from_toml(pets_costs()), rng=0)


@recorded
def evaluate_parts_groups_weights() -> Any:
    y, models = churn()
    k = np.arange(y.size)
    sliced = stakes.evaluate(y, models, application=RARE, by=np.array(["n", "s"])[k % 2], rng=0)
    grouped = stakes.evaluate(y, models, application=PLAIN, groups=k // 4, rng=0)
    weighted = stakes.evaluate(y, models, application=PLAIN, sample_weight=1 + k % 2, rng=0)
    parts = {f"part {name}": part for name, part in sliced.slices.items()}
    return {"sliced": sliced, **parts, "grouped": grouped, "weighted": weighted}


@recorded
def evaluate_case_costs() -> Any:
    data = columns(loans_csv, 500)
    amount, p = data["amount"].astype(float), data["bank_p"].astype(float)
    costs = application.case_costs(
        {"amount": amount}, {"fn": "0.75*amount", "fp": "0.02*amount+150"}
    )
    y = data["default"].astype(int)
    rules = decisions.case_rules(p, costs)
    paid = metrics.case_cost(y, rules.per_case, costs=costs)
    ev = stakes.evaluate(
        y, {"bank": p}, application=stakes.CostMatrix.zero_one(2), case_costs=costs, rng=0
    )
    return {"rules": rules, "paid": paid, "evaluation": ev}


@recorded
def evaluate_uncertain() -> Any:
    y, models = churn()
    ev = stakes.evaluate(y, models, application=RANGED, rng=0)
    return {"": ev, "doubt": ev.doubt, "verdict": str(ev.verdict)}


@recorded
def evaluate_frame() -> Any:
    import pandas as pd
    import polars as pl

    y, models = churn()
    part = np.array(["n", "s"])[np.arange(y.size) % 2]
    table = {"y": y, "part": part, **models}
    ask = {"label": "y", "posteriors": {n: n for n in models}, "application": PLAIN, "by": "part"}
    return {
        "pandas": stakes.evaluate_frame(pd.DataFrame(table), **ask, rng=0),
        "polars": stakes.evaluate_frame(pl.DataFrame(table).lazy(), **ask, rng=0),
    }


@recorded
def engines_reduce() -> Any:
    import polars as pl

    y, models = churn()
    rows = pl.LazyFrame({"y": y, **models})
    request = engines.Request("y", {n: n for n in models}, applications=PLAIN, bins=256)
    found = engines.reduce_frame(rows, request)
    stream = engines.Stream(PLAIN)
    stream.update(y[:300], {"gbm": models["gbm_p"][:300]})
    stream.update(y[300:], {"gbm": models["gbm_p"][300:]})
    return {
        "paired": found.paired(),
        "confusion": found.confusion(model="gbm_p"),
        "bins": repr(found.score_bins(model="gbm_p")),
        "bounds": metrics.score_bounds(found.score_bins(model="gbm_p"), PLAIN),
        "stream": repr(stream),
    }


@recorded
def report_schema() -> Any:
    return {"schema": sorted(report.schema()["properties"])}


# ---- costs, decisions, counts -----------------------------------------------------------


@recorded
def applications() -> Any:
    costs = stakes.CostMatrix([[0, 1, 2], [8, 0, 2]], ["stay", "churn"], ["ignore", "call", "ask"])
    app = stakes.Application(costs, priors=[0.9, 0.1], unit="EUR")
    return {
        "costs": costs,
        "application": app,
        "describe": app.describe(),
        "naive": [app.naive_decision, app.naive_cost],
        "thresholds": [RARE.posterior_threshold, RARE.llr_threshold, RARE.effective_prior],
        "intervals": decisions.decision_intervals(costs),
        "standardized": costs.standardized(),
        "toml": application.costs_to_toml(app),
        "csv": application.costs_to_csv(app),
        "weights": application.sample_weights([0, 1, 1, 0], PLAIN.costs),
        "rebalancing": application.rebalancing_is_consistent(PLAIN, [0.95, 0.05]),
        "dominated": application.dominated_decisions(stakes.CostMatrix([[0, 1, 2], [5, 0, 3]])),
    }


@recorded
def uncertain_applications() -> Any:
    app = application.UncertainApplication(
        [[0, 1], [application.Between(2, 12), 0]], priors=application.BetaShare(2, 18)
    )
    mean = metrics.compare_under_uncertainty({"bold": OTHER, "shy": COUNTS}, app)
    regret = decisions.minimax_regret_decisions([[0.9, 0.1], [0.7, 0.3]], RANGED, with_regret=True)
    return {"application": str(app), "comparison": mean, "minimax": list(regret)}


@recorded
def bayes_decisions() -> Any:
    y, models = pets(60)
    app = application.costs_from_toml(pets_costs())
    decided, cost = stakes.bayes_decisions(models["large"], app.costs, with_cost=True)
    matrix = stakes.ConfusionMatrix.from_decisions(
        y, decided, classes=app.classes, decision_names=app.decisions
    )
    return {
        "decided": decided,
        "cost": cost,
        "matrix": matrix,
        "cells": metrics.cost_by_cell(matrix, app),
    }


@recorded
def confusion_matrix() -> Any:
    return {
        "it": COUNTS,
        "sum": COUNTS + OTHER,
        "rates": COUNTS.rates,
        "moved": COUNTS.with_priors([0.98, 0.02]),
        "costs": [
            stakes.expected_cost(COUNTS, application=RARE),
            stakes.normalized_expected_cost(COUNTS, application=RARE),
            stakes.expected_cost([0, 1, 1], [0, 0, 1], application=PLAIN),
        ],
    }


@recorded
def score_counts() -> Any:
    y, models = pets(200)
    rest = summaries.one_vs_rest(y, models["large"], classes=["cat", "dog", "fox", "rabbit"])
    return {
        "it": scores(),
        "thinned": repr(scores() + scores("logreg_p")),
        "one against the rest": {name: metrics.auc(each) for name, each in rest.items()},
        "hull": [list(each) for each in metrics.hull_points(scores())],
    }


@recorded
def saved_summaries() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts.json"
        paired().save(path)
        loaded = summaries.load_summary(path)
    return {"same": loaded == paired(), "merged": loaded + paired()}


@recorded
def posteriors_and_priors() -> Any:
    p = np.clip(churn()[1]["gbm_p"], 1e-4, 1 - 1e-4)
    both = np.column_stack([1 - p, p])
    return {
        "it": repr(stakes.Posteriors(both, classes=["no", "yes"])),
        "logits": repr(stakes.Posteriors.from_logits([[0.0, 1.0], [2.0, 0.0]])),
        "shifted": posteriors.shift_priors(both[:5], [0.5, 0.5], from_priors=[0.9, 0.1]),
        "estimated": posteriors.estimate_priors(both, [0.9, 0.1]),
        "from decisions": posteriors.estimate_priors_from_decisions(COUNTS, [700, 300]),
    }


# ---- metrics and curves -----------------------------------------------------------------


@recorded
def catalogue() -> Any:
    questions = {name: metric.question for name, metric in metrics.catalogue.items()}
    return {"catalogue": metrics.catalogue.frame(), "questions": questions}


@recorded
def metrics_of_counts() -> Any:
    found: dict[str, float] = {}
    for name in sorted(metrics.__all__):
        function = getattr(metrics, name)
        for given in ((COUNTS,), (COUNTS, RARE)):
            try:
                value = function(*given)
            except (TypeError, AttributeError, StakesError):  # it takes something else
                continue
            found |= {name: value} if isinstance(value, float) else {}
    return found


@recorded
def metrics_of_scores() -> Any:
    s = llrs()
    return {
        "auc": metrics.auc(s),
        "partial auc": metrics.partial_auc(s, max_fpr=0.1, standardize=True),
        "eer": [metrics.eer(s, method=m) for m in ("interpolated", "closest")],
        "cllr": [metrics.cllr(s), metrics.min_cllr(s)],
        "costs": [metrics.actual_cost(s, RARE), metrics.min_cost(s, RARE, normalized=True)],
        "h": metrics.h_measure(s),
        "precision": [metrics.average_precision(s), metrics.pr_auc(s)],
        "profit": metrics.expected_max_profit_churn(s),
        "decomposition": metrics.score_decomposition(s, priors=0.1),
        "points": [metrics.at_bayes_threshold(s, RARE), metrics.at_min_cost(s, RARE)],
        "at sensitivity": metrics.at_sensitivity(s, 0.9),
        "nist": metrics.detection_costs(s, metrics.nist_applications("sre16")),
        "promise": metrics.constrained_optimum(s, PLAIN, min_sensitivity=0.9),
    }


@recorded
def curves_of_scores() -> Any:
    s, other = scores(), scores("logreg_p")
    found = {
        name: getattr(curves, name)(s)
        for name in (
            "roc",
            "det",
            "precision_recall",
            "cost",
            "bayes_error",
            "brier_curve",
            "decision",
        )
    }
    found["threshold_sweep"] = curves.threshold_sweep(s, metrics=["f1", "mcc"])
    found["switch points"] = curves.switch_points({"gbm": s, "logreg": other})
    found["tippett"] = curves.tippett(llrs())
    found["cross-entropy"] = curves.empirical_cross_entropy(llrs())
    found["reliability"] = curves.reliability(s, rng=0, points=32)
    found["tangent"] = curves.iso_cost_tangent(s, PLAIN)
    found["dominance"] = curves.curve_dominance({"gbm": s, "logreg": other})
    found["abstention"] = curves.abstention(s, PLAIN)
    return {
        name: curve.frame() if hasattr(curve, "frame") else curve for name, curve in found.items()
    }


# ---- how sure ---------------------------------------------------------------------------


@recorded
def intervals() -> Any:
    methods = ("score", "normal", "percentile", "bca", "posterior")
    found = {
        m: uncertainty.interval(COUNTS, "expected_cost", application=RARE, method=m, rng=0)
        for m in methods
    }
    found["f1"] = uncertainty.interval(COUNTS, "f1", rng=0)
    found["auc"] = uncertainty.interval(scores(), "auc", rng=0)
    found["rate"] = uncertainty.rate_interval(7, 120)
    y, models = churn()
    said, k = stakes.bayes_decisions(models["gbm_p"], PLAIN.costs), np.arange(y.size)
    found["weighted"] = uncertainty.weighted_interval(
        y, said, sample_weight=1.0 + k % 2, application=PLAIN, rng=0
    )
    grouped = stakes.GroupedCounts.from_decisions(y, said, groups=k // 4)
    found["grouped"] = uncertainty.interval(grouped, "expected_cost", application=PLAIN, rng=0)
    found["band"] = uncertainty.band(llrs(), at=[-3.0, 0.0], draws=200, rng=0)
    found["optimism"] = uncertainty.min_cost_optimism(scores(), PLAIN, rng=0)
    return found


@recorded
def comparisons() -> Any:
    y, models = churn()
    return {
        "paired": uncertainty.compare(paired(), PLAIN, rng=0),
        "scores": uncertainty.compare_scores(y, models),
        "apart": uncertainty.compare_across({"a": COUNTS, "b": OTHER}, RARE, rng=0),
        "ranges": uncertainty.best_ranges(paired(), PLAIN),
    }


@recorded
def sample_sizes() -> Any:
    return {
        "difference": uncertainty.cases_needed(paired(), PLAIN, power=0.8),
        "width": uncertainty.cases_needed(COUNTS, RARE, width=0.05),
        "power": uncertainty.power_curve(paired(), PLAIN),
    }


# ---- calibration ------------------------------------------------------------------------


@recorded
def calibrators() -> Any:
    y, models = churn()
    p = np.clip(models["gbm_p"], 1e-4, 1 - 1e-4)
    odds = np.log(p / (1 - p))
    kinds = ("Affine", "Temperature", "Logistic", "Beta", "Gaussian", "Isotonic", "VennAbers",
             "Histogram", "Rank", "Smooth", "Automatic")  # fmt: skip
    found: dict[str, Any] = {}
    for kind in kinds:
        cal = getattr(calibration, kind)().fit(odds, y)
        found[kind] = repr(cal)
        found[f"{kind}: posteriors"] = cal.posteriors([-6.0, -2.0, 0.0, 3.0])[:, 1]
    found["moved"] = calibration.Affine().fit(odds, y).with_priors([0.98, 0.02]).posteriors([0.0])
    return found


@recorded
def calibrators_of_classes() -> Any:
    y, models = pets()
    logs = np.log(np.clip(models["small"], 1e-4, None))
    found = {}
    for kind in ("Temperature", "Affine", "Vector", "Matrix", "Dirichlet", "CommonCurve"):
        cal = getattr(calibration, kind)().fit(logs, y)
        found[kind] = repr(cal)
        found[f"{kind}: posteriors"] = cal.posteriors(logs[:2])
    return found


@recorded
def calibration_measured() -> Any:
    y, models = churn()
    p = np.clip(models["gbm_p"], 1e-4, 1 - 1e-4)
    odds = np.log(p / (1 - p))
    crossed = calibration.cross_fit(y, odds, calibrator=calibration.Affine())
    return {
        "gain": calibration.calibration_gain(y, odds, by=PLAIN, calibrator=calibration.Affine()),
        "decomposed": calibration.decompose(y, odds),
        "reliability": calibration.reliability_table(y, p, bins=5, rng=0),
        "errors": [
            calibration.binned_calibration_error(y, p),
            calibration.smooth_calibration_error(y, p),
        ],
        "decision": calibration.decision_calibration(y, p, costs=PLAIN.costs),
        "worst case": calibration.worst_case_gain(y, odds, kind="log_odds"),
        "crossed": crossed[:4],
        "folds": np.bincount(calibration.stratified_folds(y, 5)),
    }


# ---- audit, monitoring, elicitation -----------------------------------------------------


@recorded
def audits() -> Any:
    found = audit.audit("f1", application=RARE, draws=2000, rng=0)
    return {
        "f1": found,
        "implied": audit.implied_costs("f1", COUNTS),
        "compliance": audit.compliance("balanced_accuracy"),
        "misranking": audit.misranking_rate("mcc", draws=2000, rng=0),
        "threshold": audit.best_threshold("f1", scores()),
        "candidates": audit.audit_candidates("f1", {"a": COUNTS, "b": OTHER}, application=RARE),
        "laws": testing.check_laws("mcc"),
    }


@recorded
def monitored() -> Any:
    periods = {"may": COUNTS, "june": COUNTS + COUNTS, "july": OTHER}
    return {
        "two": monitoring.compare_periods(COUNTS, OTHER, application=PLAIN),
        "many": monitoring.watch(periods, application=PLAIN),
        "slices": monitoring.compare_slices(periods, application=PLAIN),
    }


@recorded
def elicited() -> Any:
    talk = elicitation.Elicitation({"gbm": scores(), "logreg": scores("logreg_p")}, priors=0.08)
    answered = talk.stated(elicitation.ratio_from_threshold(0.1)) if talk.question else talk
    wrong = answered.stated(elicitation.ratio_from_threshold(0.9))
    said = elicitation.ratio_from_ranking(
        ["always", "errs", "never", "errs_negatives", "errs_positives"],
        error_share=0.6,
        priors=0.05,
    )
    return {
        "question": str(talk.question),
        "recommended": str(answered.recommendation),
        "contradictions": [str(each) for each in wrong.contradictions],
        "ranking": [str(each) for each in said],
        "metric": elicitation.ratio_from_metric("f1", COUNTS),
        "amounts": elicitation.ratio_from_amounts(false_negative=(200, 400), false_positive=10),
        "toml": elicitation.answers_to_toml(answered),
    }


@recorded
def elicited_matrix() -> Any:
    talk = elicitation.MatrixElicitation(["cat", "dog", "fox"], draws=100)
    return {"it": repr(talk), "toml": elicitation.matrix_answers_to_toml(talk)}


# ---- scikit-learn -----------------------------------------------------------------------


@recorded
def sklearn_estimators() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    from stakes.integrations import sklearn as ours

    y, models = churn(400)
    X = np.column_stack(list(models.values()))
    bayes = ours.BayesDecisionClassifier(LogisticRegression(), PLAIN).fit(X, y)
    weighted = ours.CostWeightedClassifier(LogisticRegression(), PLAIN).fit(X, y)
    scorer = ours.make_cost_scorer(PLAIN, normalized=True)
    return {
        "bayes": [int(bayes.predict(X).sum()), float(bayes.score(X, y))],
        "inspected": list(bayes.inspect(X[:3])),
        "weighted": int(weighted.predict(X).sum()),
        "scores": cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3)
        .round(3)
        .tolist(),
        "words": [repr(bayes).split("(")[0], repr(scorer)],
    }


# ---- refusals ---------------------------------------------------------------------------


@recorded
def refusals() -> Any:
    y, models = churn(100)
    p = models["gbm_p"]
    return {
        "lengths": refused(lambda: stakes.evaluate(y[:9], {"m": p}, application=PLAIN)),
        "not posteriors": refused(lambda: stakes.evaluate(y, {"m": 3 * p + 1}, application=PLAIN)),
        "missing": refused(lambda: stakes.evaluate(y, {"m": p * np.nan}, application=PLAIN)),
        "no models": refused(lambda: stakes.evaluate(y, {}, application=PLAIN)),
        "one class": refused(lambda: stakes.evaluate(0 * y, {"m": p}, application=PLAIN)),
        "costs": refused(lambda: stakes.CostMatrix([[0, np.nan], [1, 0]])),
        "shape": refused(lambda: stakes.CostMatrix([0, 1, 2])),
        "priors": refused(lambda: stakes.Application([[0, 1], [1, 0]], priors=[0.5, 0.6])),
        "labels": refused(lambda: stakes.expected_cost([0, 5], [0, 1], application=PLAIN)),
        "merge": refused(lambda: COUNTS + stakes.ConfusionMatrix(np.eye(3))),
        "undefined": refused(lambda: metrics.auc(stakes.ScoreCounts([0.1], []))),
        "few": refused(
            lambda: uncertainty.interval(stakes.ConfusionMatrix([[3, 1], [0, 2]]), "f1")
        ),
        "unknown metric": refused(lambda: audit.compliance("f_three")),
        "formula": refused(lambda: application.case_costs({"a": [1.0]}, {"fn": "b", "fp": 1})),
        "unfitted": refused(lambda: calibration.Affine().posteriors([0.0])),
        "file": refused(lambda: application.costs_from_csv(",no,yes\nno,0,1\nyes,9,0\n")),
    }
