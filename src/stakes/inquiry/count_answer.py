"""Counts in place of rows: confusion matrices and saved summaries, read, judged and kept."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.evaluation import Evaluation, evaluate
from stakes.exceptions import CostError, DataError, FormatError
from stakes.inquiry.case_question import at_place, costs_given, refuse_or_name_dominated
from stakes.inquiry.inquiry import Inquiry, judging_options
from stakes.inquiry.option_words import binary_costs, volume
from stakes.inquiry.remarks import (
    about_absent,
    about_switches,
    with_story,
)
from stakes.inquiry.truth import quoted, texts
from stakes.messages.notes import Note
from stakes.sources.count_files import added, listed_files, read_confusion
from stakes.summaries import (
    ConfusionMatrix,
    GroupedCounts,
    PairedCounts,
    load_summary,
    save_summary,
)
from stakes.summaries.ranked_scores import RankedScores
from stakes.summaries.stored_file import is_summary
from stakes.uncertainty import compare


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file of counts holds: a table for each model, and all together where known."""

    tables: dict[str, ConfusionMatrix]
    joint: PairedCounts | None = None
    scores: dict[str, RankedScores] = field(default_factory=dict)
    grouped: GroupedCounts | None = None


def read_kept(path: str) -> Kept:
    """The decisions of each model that a saved summary, or all that fit a pattern, hold."""
    paths = listed_files([path])
    if len(paths) == 1:
        return _tables(load_summary(paths[0]), Path(paths[0]).stem, Path(paths[0]).name)
    return _tables(added(paths)[0], "model", path)


def _tables(found: Any, stem: str, name: str) -> Kept:
    """Tables of counts from any summary that has them."""
    scores: dict[str, RankedScores] = {}
    if isinstance(found, Mapping) and "joint" in found:
        scores, found = dict(found.get("scores", {})), found["joint"]
    grouped = None
    if isinstance(found, GroupedCounts):
        one = len(found.systems) == 1 and len(found.groups) == 1
        grouped, found = (found if one else None), found.joint
    if isinstance(found, ConfusionMatrix):
        return Kept({stem: found})
    if isinstance(found, PairedCounts):
        tables = {str(name): found.confusion(name) for name in found.systems}
        return Kept(tables, found, scores, grouped)
    if isinstance(found, Mapping) and all(isinstance(x, ConfusionMatrix) for x in found.values()):
        return Kept({str(model): table for model, table in found.items()})
    what = "several summaries" if isinstance(found, Mapping) else f"a {type(found).__name__}"
    raise FormatError(
        f"{name} holds {what}, not counts of decisions.",
        hint="in Python: stakes.summaries.load_summary(path), then stakes.metrics or "
        "stakes.curves; counts of decisions are written by  stakes eval ... --save FILE",
    )


def keep(ev: Evaluation, path: str) -> None:
    """Write what was decided, so that it can be merged, watched and judged again."""
    found: Any = ev.joint
    if found is None:
        found = _joint_of(ev)
    if found is None:
        tables = {model.name: model.confusion for model in ev.models}
        found = tables if len(tables) > 1 else next(iter(tables.values()))
    save_summary(found, path)


def _joint_of(ev: Evaluation) -> PairedCounts | GroupedCounts | None:
    """What all models decided on the same cases, by group if any, where rows are still known."""
    if ev.sources is None or any(one.as_is.codes is None for one in ev.sources.judged):
        return None
    cases, app = ev.sources.cases, ev.application
    decided = {one.model.name: as_positions(one.as_is.codes) for one in ev.sources.judged}
    options: dict[str, Any] = {
        "classes": app.classes,
        "decision_names": app.decisions,
        "sample_weight": cases.weights,
    }
    if cases.groups is None or ev.group_names is None:
        return PairedCounts.from_decisions(cases.truth, decided, **options)
    groups = np.array(ev.group_names, dtype=object)[cases.groups]
    return GroupedCounts.from_decisions(cases.truth, decided, groups=groups, **options)


def _compared_jointly(
    ev: Evaluation, joint: PairedCounts, app: Application, **options: Any
) -> Evaluation:
    """The evaluation of tables with what only joint counts tell: which model is really best."""
    if len(ev) < 2 or (np.rint(joint.counts) != joint.counts).any():
        return ev
    found = compare(renamed(joint, app), app, normalized=True, **options)
    models = tuple(
        replace(model, probability_best=float(found.probability_best[k]))
        for k, model in enumerate(ev.models)
    )
    notes = tuple(note for note in ev.notes if note.code != "cases-unshared")
    return replace(ev, models=models, comparison=found, notes=notes)


def renamed(joint: PairedCounts, app: Application) -> PairedCounts:
    """The joint counts in the order and the spelling of the application."""
    rows = [app.classes.index(name) for name in texts(joint.classes)]
    columns = [app.decisions.index(name) for name in texts(joint.decisions)]
    cells = joint.cells.copy()
    cells[:, 0] = np.array(rows)[joint.cells[:, 0]]
    cells[:, 1:] = np.array(columns)[joint.cells[:, 1:]]
    systems = tuple(str(name) for name in joint.systems)
    return PairedCounts(cells, joint.counts, systems, app.classes, app.decisions)


def confusion_answer(inquiry: Inquiry) -> Evaluation:
    """The evaluation of tables of counts alone."""
    if inquiry.file is not None:
        raise DataError("--confusion takes the place of the file of cases; leave one of them out.")
    paths = [path for path in (inquiry.confusion or "").split(",") if path]
    matrices = {Path(path).stem: read_confusion(path) for path in paths}
    if len(matrices) < len(paths):
        raise DataError("two confusion matrices have the same file name.")
    source = ", ".join(Path(path).name for path in paths)
    return _count_answer(Kept(matrices), source, "confusion matrix", inquiry)


def kept_answer(inquiry: Inquiry) -> Evaluation:
    """The evaluation of a summary that was saved."""
    file = inquiry.file
    assert file is not None
    if Path(file).is_file() and not is_summary(file):
        load_summary(file)  # says what is wrong with it
    for option in ("label", "scores", "proba", "decisions", "weight", "groups", "by"):
        if getattr(inquiry, option):
            raise DataError(
                f"{Path(file).name} holds counts of decisions, not rows, so there is no "
                f"column for --{option}.",
                hint=f"stakes eval {file} --cost fn=10 fp=1",
            )
    return _count_answer(read_kept(file), Path(file).name, "saved summary", inquiry)


def _count_answer(kept: Kept, source: str, form: str, inquiry: Inquiry) -> Evaluation:
    """The evaluation of a table for each model."""
    matrices = kept.tables
    first = next(iter(matrices.values()))
    app = over_names(first, inquiry)
    where = source.partition(",")[0]
    if not first.total > 0:
        raise DataError(f"{where} counts no cases.", hint="merge it with others, or count again")
    app, judged = at_place(app, ordered_table(first, app, where).priors, inquiry)
    warnings = refuse_or_name_dominated(app.costs)
    ordered = {name: ordered_table(each, app, name) for name, each in matrices.items()}
    totals = next(iter(ordered.values())).class_totals
    if app.priors is not None and not inquiry.prevalence:
        for name, each in ordered.items():
            if not np.allclose(each.priors, app.priors, rtol=1e-9):
                judged = app  # so that intervals are taken at the same shares
                warnings.append(Note("other-shares", model=name, first=next(iter(ordered))))
    ev = evaluate(None, ordered, application=judged, **judging_options(inquiry))
    if kept.joint is not None:
        ev = _compared_jointly(ev, kept.joint, judged, **judging_options(inquiry))
    result = with_story(
        ev,
        source=source,
        class_counts=totals,
        notes=[
            Note("decisions-alone"),
            *about_absent(app.classes, totals),
            *about_switches(ev),
        ],
        warnings=warnings,
        facts={"label": "truth", "form": form},
    )
    return replace(result, joint=kept.joint)


def over_names(matrix: ConfusionMatrix, inquiry: Inquiry) -> Application:
    """The costs over the names of a confusion matrix."""
    filed, words = costs_given(inquiry)
    number, period = volume(inquiry.volume)
    if filed is not None:
        return Application(
            filed.costs, filed.priors, inquiry.unit or filed.unit, number or filed.volume,
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
        if inquiry.positive is not None:
            if inquiry.positive not in classes:
                raise CostError(
                    f"'{inquiry.positive}' is not among the outcomes {quoted(classes)}."
                )
            classes = (*(c for c in classes if c != inquiry.positive), inquiry.positive)
        elif set(classes) != {"0", "1"}:
            raise CostError(
                "I cannot tell which outcome is the one you act on. The outcomes are "
                f"{quoted(classes)}.",
                hint=f"Say: --positive {shlex.quote(classes[1])}",
            )
    return Application(binary_costs(words, classes), None, inquiry.unit, number, period)


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
