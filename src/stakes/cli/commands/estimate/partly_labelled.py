"""One file of which some rows have a label: what its decisions cost, and which rows to label."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes._files import write_whole
from stakes.application import Application
from stakes.application.application import refuse_paid_errors
from stakes.cli.commands.estimate.file_estimates import (
    SameRule,
    all_rows,
    refuse_unlikely,
    table_in,
)
from stakes.estimation import (
    DecidedCases,
    JudgedCost,
    LabelledCost,
    LabelPlan,
    cost_from_judge,
    cost_from_labels,
    plan_labels,
)
from stakes.estimation.labelled_rows import LEAST_LABELS
from stakes.exceptions import DataError, LabelError, PriorError
from stakes.inquiry.case_question import (
    Asked,
    application_over,
    asked,
    costs_given,
    fill_in_models,
)
from stakes.inquiry.case_table import table_of
from stakes.inquiry.column_roles import class_columns
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_decisions import without_gaps
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import binary_case_costs, refuse_beyond_volume
from stakes.inquiry.truth import Cases, cases_of, counted, quoted, rows_of, texts
from stakes.messages.audience import speaking_of
from stakes.sources.cells import Labels
from stakes.sources.source import is_far
from stakes.sources.table import Table
from stakes.sources.table_file import read_table
from stakes.sources.table_output import csv_of, json_lines_of
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class PartEstimates:
    """The cost of each model, and of the first less each other one.

    `elsewhere` says that the errors of a judge were counted in another file.
    """

    estimates: Mapping[str, LabelledCost | JudgedCost]
    application: Application
    source: str
    notes: tuple[Any, ...]
    per_case: bool
    differences: dict[str, LabelledCost] = field(default_factory=dict)
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class FilePlan:
    """Which rows of a file to label; `rows` are those that the models have a value for."""

    plan: LabelPlan
    models: tuple[str, ...]
    table: Table
    rows: IntArray
    notes: tuple[Any, ...]


def cost_of_part(inquiry: Inquiry, *, chances: str | None = None) -> PartEstimates:
    """The cost of all rows, from the labels of some of them.

    Parameters
    ----------
    inquiry : Inquiry
        What is asked, as for an evaluation; some cells of the label column are blank.
    chances : str, optional
        The column with the chance of each row to be labelled; by default all were equal.

    Returns
    -------
    PartEstimates
        As `stakes.estimation.cost_from_labels` gives them.
    """
    question = _asked_of_some(inquiry)
    refuse_unlikely(question.inquiry)
    models, cases, notes = _models(question)
    truth = _truth(question, cases)
    drawn = None if chances is None else _chances(question.table, chances)[cases.rows]
    made = {model.name: _decided(question, model, cases) for model in models}
    how: dict[str, Any] = {"chances": drawn, "level": question.inquiry.level}
    (first, one), *others = made.items()
    with speaking_of(rows=cases.rows):
        found = {name: cost_from_labels(truth, each, **how) for name, each in made.items()}
        less = {
            f"{first} less {name}": cost_from_labels(truth, one, against=each, **how)
            for name, each in others
        }
    return PartEstimates(found, *_told(question, notes), less)


def cost_by_judge(
    inquiry: Inquiry, *, judge: str, errors: str | None = None, chances: str | None = None
) -> PartEstimates:
    """The cost of the decisions of a file by a judge's labels, corrected for its errors.

    Parameters
    ----------
    inquiry : Inquiry
        With `decisions`; some cells of the label column are blank.
    judge : str
        The column with the judge's label of every row.
    errors : str, optional
        Another file with the same columns, whose rows say how the judge errs.
    chances : str, optional
        The column with the chance of each row to have its truth found.

    Returns
    -------
    PartEstimates
        As `stakes.estimation.cost_from_judge` gives them.
    """
    if not inquiry.decisions:
        raise DataError(
            "--judge needs to know what was decided, and --decisions is missing.",
            hint="--decisions COLUMN; from scores, `stakes decide` writes such a column",
        )
    counted = None
    if errors is None:
        question = _asked_of_some(inquiry, judge)
    else:
        question, counted = _judged_elsewhere(inquiry, judge, errors)
    models, cases, notes = _models(question)
    app, found = question.application, {}
    costs = _case_costs(question, cases)
    stated = {"application": app} if costs is None else {"costs": costs}
    names = np.array(texts(app.decisions), dtype=object)
    truth, by = _truth(question, cases), _same(question, cases).slices(question.table, cases)
    drawn = None if chances is None else _chances(question.table, chances)[cases.rows]
    said = _judged(question.table, judge, cases.rows, texts(app.classes))
    with speaking_of(rows=cases.rows):
        for model in models:
            assert model.decisions is not None
            found[model.name] = cost_from_judge(
                truth, said, errors=counted, chances=drawn,
                decisions=names[model.decisions], sample_weight=cases.weights,
                by=by, level=question.inquiry.level, **stated,
            )  # fmt: skip
    return PartEstimates(found, *_told(question, notes), elsewhere=counted is not None)


def _judged(table: Table, judge: str, rows: IntArray, outcomes: Sequence[str]) -> Any:
    """The judge's label of some rows, all of them outcomes."""
    labels = table.labels(judge)
    if (labels.codes < 0).any():
        said = rows_of(int((labels.codes < 0).sum()), f"'{judge}', the judge's labels,")
        raise DataError(
            f"{said} empty; the judge must have labelled every row, also those with the truth.",
            hint="leave these rows out of the file, or let the judge label them",
        )
    found = np.array(labels.names, dtype=object)[labels.codes[rows]]
    other = [name for name in labels.names if name not in outcomes and name in found]
    if other:
        raise DataError(
            f"'{judge}', the judge's labels, holds {quoted(other[:3])} in {table.source}; the "
            f"outcomes are {quoted(outcomes)}.",
            hint="--judge COLUMN names the column with the judge's labels",
        )
    return found


def _judged_elsewhere(inquiry: Inquiry, judge: str, errors: str) -> tuple[Asked, ConfusionMatrix]:
    """The question, and how the judge labels each outcome, by the rows of another file."""
    question = asked(inquiry.but(source=read_table(errors), missing="drop"))
    _refuse_shares(question)
    cases, names = question.cases, texts(question.application.classes)
    said = _judged(question.table, judge, cases.rows, names)
    truth = np.array(names, dtype=object)[cases.truth]
    counted = ConfusionMatrix.from_decisions(truth, said, classes=names, decision_names=names)
    return replace(question, table=table_in(inquiry), notes=()), counted


def plan_of_file(
    inquiry: Inquiry, *, labels: int | None = None, width: float | None = None
) -> FilePlan:
    """How many rows of a file to label, and with which chances.

    Parameters
    ----------
    inquiry : Inquiry
        What is asked; of two models the plan is for the difference. Labels are not needed.
    labels, width : optional
        As in `stakes.estimation.plan_labels`.

    Returns
    -------
    FilePlan
        With the chance of each row.
    """
    question = _asked_of_none(inquiry)
    refuse_unlikely(question.inquiry)
    models, cases, notes = _models(question)
    if len(models) > 2:
        raise DataError(
            f"a plan is for one model, or for the difference of two; there are {len(models)}.",
            hint=f"--scores {models[0].name}",
        )
    rows = len(cases)
    if labels is not None and not LEAST_LABELS <= labels <= rows:
        raise DataError(f"--plan must be from {LEAST_LABELS} to {rows}, the rows; got {labels}.")
    if width is not None and not width > 0:
        raise DataError(f"--plan-width must be above 0; got {width:g}.")
    one, *other = (_decided(question, model, cases) for model in models)
    plan = plan_labels(
        one, labels=labels, width=width, against=other[0] if other else None,
        level=question.inquiry.level,
    )  # fmt: skip
    named = tuple(model.name for model in models)
    return FilePlan(plan, named, question.table, cases.rows, tuple(notes))


# ----------------------------------------------------------------- what is asked


def _asked_of_some(inquiry: Inquiry, judge: str | None = None) -> Asked:
    """The question; its cases are the rows that have a label."""
    _refuse_far(inquiry)
    table, label = table_in(inquiry), inquiry.label or ""
    known = table.labels(label) if label in table.names else None
    if known is not None and not known.names:
        raise DataError(
            f"no row of '{label}' has a label.",
            hint="which rows to label:       --plan 300 -o plan.csv\n"
            "an estimate without labels: --reference OLD.csv, a file with labels"
            if judge is None
            else "find the truth of some rows, drawn at random, and write it there\n"
            "if another file has the truth and the judge's labels:  --judge-errors OTHER.csv",
        )
    unseen = _unseen(table, inquiry, known, judge) if known and len(known.names) == 1 else ()
    question = asked(inquiry.but(source=table, missing="drop"), unseen)
    kept = tuple(note for note in question.notes if note.code != "truth-empty")
    question = replace(question, notes=kept, inquiry=question.inquiry.but(missing=inquiry.missing))
    _refuse_shares(question)
    if len(question.cases) == table.n_rows:
        file, name = inquiry.file or table.source, question.cases.label
        raise DataError(
            f"every row of '{name}' has a label, so nothing has to be estimated.",
            hint="the cost by these labels:  "
            f"stakes eval {shlex.quote(file)} --label {shlex.quote(name)} ...",
        )
    return question


def _unseen(table: Table, inquiry: Inquiry, known: Labels, judge: str | None) -> tuple[str, ...]:
    """The outcomes, where all labels show the same one, as those of rare errors may."""
    (only,) = known.names
    judged = {only, *(table.labels(judge).names if judge in table.names else ())}
    outcomes = _outcomes(table, inquiry, costs_given(inquiry)[0])
    if only in outcomes and (judge is None or judged <= {*outcomes}):
        return outcomes
    if len(judged) == 2:
        return tuple(judged)
    if inquiry.positive is None:
        raise LabelError(
            f"all labels in '{inquiry.label}' are {counted(known)}, and the other outcome is not "
            "known.",
            hint="name the outcome you act on, even if no label shows it:  --positive VALUE",
        )
    return (inquiry.positive,)


def _asked_of_none(inquiry: Inquiry) -> Asked:
    """The question about rows that need no label: outcomes come from the options."""
    _refuse_far(inquiry)
    filed, words = costs_given(inquiry)
    table, inquiry, notes = table_of(inquiry.but(source=table_in(inquiry)))
    label = inquiry.label if inquiry.label in table.names else ""
    inquiry, found = fill_in_models(table, label or "", inquiry)
    known = table.labels(label).names if label else ()
    names = known if len(known) > 1 else _outcomes(table, inquiry, filed)
    labels = Labels(names, np.full(table.n_rows, -1, dtype=np.intp))
    app = application_over(filed, words, labels, label or "the truth", inquiry)
    dropped = inquiry.but(missing="drop")
    cases, _ = cases_of(table, labels, label or "", texts(app.classes), dropped)
    per_case = words if words is not None and words.columns else None
    question = Asked(table, cases, app, (*notes, *found), inquiry, per_case)
    _refuse_shares(question)
    return question


def _outcomes(table: Table, inquiry: Inquiry, filed: Application | None) -> tuple[str, ...]:
    """The outcomes, where no label names them: of the costs, of the columns, or two."""
    if filed is not None:
        return texts(filed.classes)
    if inquiry.proba:
        named = tuple(class_columns(table, inquiry.proba)[0].by_class)
        if named:
            return named
    positive = inquiry.positive or "1"
    return ("0" if positive == "1" else f"not {positive}", positive)


def _refuse_far(inquiry: Inquiry) -> None:
    """Raise for rows that an engine would read: of those with labels, none may be left out."""
    file = inquiry.file
    far = inquiry.is_far if file is None else is_far(file, inquiry.engine, rows_needed=True)
    if far:
        raise DataError(
            "estimates from the labels of some rows, and plans which to label, need all rows in "
            "memory.",
            hint="take a sample of the rows without labels, and all with labels, in one file",
        )


def _refuse_shares(question: Asked) -> None:
    """Raise for what would need the shares of the outcomes, which are not known."""
    app, inquiry = question.application, question.inquiry
    refuse_paid_errors(app)
    refuse_beyond_volume(app)
    stated = bool(inquiry.prevalence) or app.priors is not None
    if inquiry.kind == "llr" or (stated and not inquiry.posteriors_already_adjusted):
        what = "log-likelihood ratios" if inquiry.kind == "llr" else "a stated prevalence"
        raise PriorError(
            f"{what} cannot be used here: without all labels the shares of these cases are "
            "unknown, and the cost of these very cases is estimated.",
            hint="give probabilities that hold for these cases, and leave the prevalence out",
        )


# ----------------------------------------------------------------- the cases


def _models(question: Asked) -> tuple[list[Model], Cases, list[Any]]:
    """The models on the rows that all of them have a value for, labelled or not."""
    cases = all_rows(question, question.table)
    decisions = texts(question.application.decisions)
    with speaking_of(rows=cases.rows):
        read = models_of(question.table, cases, decisions, question.inquiry)
    models, cases, note = without_gaps(read, cases, question.inquiry, for_decisions=False)
    said = [each.note for each in read if each.note is not None]
    return models, cases, [*question.notes, *said, *([note] if note else ())]


def _chances(table: Table, name: str) -> FloatArray:
    """The chance of each row to be labelled."""
    try:
        return table.numbers(name)
    except DataError as error:
        hint = "a column with the chance of each row to be labelled:  --chances COLUMN"
        raise DataError(error.message, hint=hint, rows=error.rows) from None


def _same(question: Asked, cases: Cases) -> SameRule:
    return SameRule(question, cases, [])


def _decided(question: Asked, model: Model, cases: Cases) -> DecidedCases:
    """The rows, decided by the least expected cost."""
    same = _same(question, cases)
    return same.cases(model, cases, question.table, labelled=False, moved=False)


def _case_costs(question: Asked, cases: Cases) -> Any:
    """Costs that differ from case to case, if they do."""
    if question.words is None:
        return None
    return binary_case_costs(question.words, cases.classes, question.table, cases.rows)


def _truth(question: Asked, cases: Cases) -> Any:
    """The label of each row, None where it is blank or the file has no such column."""
    if question.cases.label not in question.table.names:
        return None
    labels = question.table.labels(question.cases.label)
    return np.array([*labels.names, None], dtype=object)[labels.codes][cases.rows]


def _told(question: Asked, notes: list[Any]) -> tuple[Application, str, tuple[Any, ...], bool]:
    """What a reader is told of the file and the costs."""
    per_case = question.words is not None
    return question.application, question.table.source, tuple(notes), per_case


# ----------------------------------------------------------------- the plan in a file


def write_plan(found: FilePlan, path: str, seed: int) -> int:
    """Write the rows with their `chance`, and 1 in `drawn` for those to label; say how many.

    Rows that a model has no value for have neither.
    """
    table = found.table
    taken = [name for name in ("chance", "drawn") if name in table.names]
    if taken:
        raise DataError(
            f"{table.source} has a column {quoted(taken)} already, which the plan would write.",
            hint="rename the column first",
        )
    chance, drawn = np.full((2, table.n_rows), None, dtype=object)
    chance[found.rows], drawn[found.rows] = found.plan.chances.tolist(), 0
    # not the stream of the seed alone, from which simulated data may come
    picked = found.rows[found.plan.draw(np.random.default_rng((seed, 1)))]
    drawn[picked] = 1
    written = json_lines_of if path.lower().endswith(".jsonl") else csv_of
    columns = {"chance": chance.tolist(), "drawn": drawn.tolist()}
    read = {name: table.numbers(name) for name in found.models if name in table.names}
    write_whole(Path(path), written(table, columns, read).encode("utf-8"))
    return len(picked)
