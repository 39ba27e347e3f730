"""Findings from confusion matrices alone, when nobody has the rows."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.application.sentences import describe_costs
from stakes.cli.asked import costs_given
from stakes.cli.cases import quoted
from stakes.cli.confusions import read_confusion
from stakes.cli.costs import binary_costs, volume
from stakes.cli.evaluated import findings_from
from stakes.cli.kept import Kept, compared_jointly, read_kept
from stakes.cli.place import at_place, judged_at, refuse_or_name_dominated, texts
from stakes.cli.remarks import about_switches
from stakes.evaluation import evaluate
from stakes.exceptions import CostError, DataError
from stakes.report import Findings
from stakes.summaries import ConfusionMatrix, load_summary
from stakes.summaries.storing import is_summary

__all__ = ["findings_of_counts", "findings_of_kept", "ordered_table", "over_names"]


def findings_of_counts(args: Any) -> Findings:
    """Findings from tables of counts alone."""
    if args.file is not None:
        raise DataError("--confusion takes the place of the file of cases; leave one of them out.")
    paths = [path for path in args.confusion.split(",") if path]
    matrices = {Path(path).stem: read_confusion(path) for path in paths}
    if len(matrices) < len(paths):
        raise DataError("two confusion matrices have the same file name.")
    source = ", ".join(Path(path).name for path in paths)
    return _findings(Kept(matrices), source, "confusion matrix", args)


def findings_of_kept(args: Any) -> Findings:
    """Findings from a summary that was saved."""
    if Path(args.file).is_file() and not is_summary(args.file):
        load_summary(args.file)  # says what is wrong with it
    for option in ("label", "scores", "proba", "decisions", "weight", "group", "subset"):
        if getattr(args, option, None):
            raise DataError(
                f"{Path(args.file).name} holds counts of decisions, not rows, so there is no "
                f"column for --{option}.",
                hint=f"stakes eval {args.file} --cost fn=10 fp=1",
            )
    return _findings(read_kept(args.file), Path(args.file).name, "saved summary", args)


def _findings(kept: Kept, source: str, form: str, args: Any) -> Findings:
    """Findings from a table for each model."""
    matrices = kept.tables
    first = next(iter(matrices.values()))
    app = over_names(first, args)
    where = source.partition(",")[0]
    if not first.total > 0:
        raise DataError(f"{where} counts no cases.", hint="merge it with others, or count again")
    app = at_place(app, ordered_table(first, app, where).priors, args)
    warnings = refuse_or_name_dominated(app.costs)
    ordered = {name: ordered_table(each, app, name) for name, each in matrices.items()}
    totals = next(iter(ordered.values())).class_totals
    if app.priors is not None and not args.prevalence:
        for name, each in ordered.items():
            if not np.allclose(each.priors, app.priors, rtol=1e-9):
                args.shares_given = True  # so that intervals are taken at the same shares
                warnings.append(
                    f"{name} has other shares of the outcomes than {next(iter(ordered))}; all are "
                    "judged at the shares of the first. --prevalence says otherwise"
                )
    options: dict[str, Any] = {"min_cases": max(1, getattr(args, "min_positives", 10)), "rng": 0}
    ev = evaluate(None, ordered, application=judged_at(app, args), **options)
    if kept.joint is not None:
        args.joint = kept.joint
        ev = compared_jointly(ev, kept.joint, judged_at(app, args), **options)
    absent = [name for name, total in zip(app.classes, totals, strict=True) if total == 0]
    return findings_from(
        ev,
        source=source,
        kind="decisions",
        class_counts=totals,
        costs_said=describe_costs(app.costs, unit=app.unit).splitlines(),
        notes=[
            "These are decisions, not scores, so I can compare them but not move a threshold.",
            *([f"no case of {quoted(absent)} in the data"] if absent else []),
            *about_switches(ev),
        ],
        warnings=warnings,
        facts={"label": "truth", "form": form},
    )


def over_names(matrix: ConfusionMatrix, args: Any) -> Application:
    """The costs over the names of a confusion matrix."""
    filed, words = costs_given(args)
    number, period = volume(args.volume)
    if filed is not None:
        return Application(
            filed.costs, filed.priors, args.unit or filed.unit, number or filed.volume,
            period or filed.period,
        )  # fmt: skip
    assert words is not None
    classes = texts(matrix.classes)
    if not words.same_for_all_errors:
        if len(classes) != 2:
            raise CostError(
                f"--cost fn= fp= needs two outcomes; there are {quoted(classes)}.",
                hint="Use --costs costs.toml, or --cost error=1",
            )
        if args.positive is not None:
            if args.positive not in classes:
                raise CostError(f"'{args.positive}' is not among the outcomes {quoted(classes)}.")
            classes = (*(c for c in classes if c != args.positive), args.positive)
        elif set(classes) != {"0", "1"}:
            raise CostError(
                "I cannot tell which outcome is the one you act on. The outcomes are "
                f"{quoted(classes)}.",
                hint=f"Say: --positive {shlex.quote(classes[1])}",
            )
    return Application(binary_costs(words, classes), None, args.unit, number, period)


def ordered_table(matrix: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the costs, decisions that never occur added with 0."""
    rows, columns = texts(matrix.classes), texts(matrix.decisions)
    if set(rows) != set(app.classes) or not set(columns) <= set(app.decisions):
        raise DataError(
            f"{name} has outcomes {quoted(rows)} and decisions {quoted(columns)}; the costs have "
            f"{quoted(app.classes)} and {quoted(app.decisions)}."
        )
    counts = np.zeros(app.costs.shape)
    for j, decision in enumerate(texts(app.decisions)):
        if decision in columns:
            for i, outcome in enumerate(texts(app.classes)):
                counts[i, j] = matrix.counts[rows.index(outcome), columns.index(decision)]
    whole = bool((counts == np.floor(counts)).all())
    return ConfusionMatrix(counts.astype(np.int64) if whole else counts, app.classes, app.decisions)
